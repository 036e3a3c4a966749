DROP INDEX designs_approved;
