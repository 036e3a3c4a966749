DROP TABLE submissions;
DROP TABLE copy_ledger;
DROP TABLE copies;
DROP TABLE print_runs;
DROP FUNCTION append_only;
