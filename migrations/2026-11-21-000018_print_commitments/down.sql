DROP INDEX copies_registered_printings;
ALTER TABLE print_runs DROP COLUMN packing_sha256;
DROP TABLE print_commitments;
DROP FUNCTION print_commitments_stay;
