DROP TRIGGER name_looks_follow_names ON designs;
DROP FUNCTION name_looks_follow_names();
DROP INDEX designs_listed_looks, designs_without_looks;
ALTER TABLE designs DROP COLUMN name_looks;
