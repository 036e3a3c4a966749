ALTER TABLE seed_loads DROP COLUMN part_hashes;
