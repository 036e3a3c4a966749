ALTER TABLE print_commitments DROP COLUMN broken_off_at;
DROP INDEX print_runs_to_empty;
ALTER TABLE print_runs DROP COLUMN emptied_at, DROP COLUMN discarded_at;
