DROP INDEX copy_ledger_copy;
DROP INDEX copies_registered;
DROP INDEX print_runs_pending;
DROP TABLE print_run_lines;
