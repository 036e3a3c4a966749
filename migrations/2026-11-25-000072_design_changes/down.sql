DROP TRIGGER authors_are_noted ON accounts;
DROP FUNCTION authors_are_noted();
DROP TRIGGER changed_designs_are_noted ON designs;
DROP TRIGGER gone_designs_are_noted ON designs;
DROP TRIGGER listed_designs_are_noted ON designs;
DROP FUNCTION design_changes_are_noted();
DROP TABLE design_changes;
