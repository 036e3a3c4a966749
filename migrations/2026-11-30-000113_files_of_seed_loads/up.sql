-- Which files a start has loaded, one by one: the next start replaces only what belongs to files that changed, and keeps what admins changed elsewhere.
-- An older program does not know the column. It writes only files_hash, and then the hashes of the files, which depend on it, no longer match any file.
ALTER TABLE seed_loads ADD COLUMN part_hashes bytea CHECK (octet_length(part_hashes) % 32 = 0);
COMMENT ON COLUMN seed_loads.part_hashes IS 'SHA-256 of each file together with files_hash, one after the other; null: an older program loaded the files.';
