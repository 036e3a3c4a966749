-- Which files the starts of the service have loaded, so that what admins changed since is not undone by the next one.

CREATE TABLE seed_loads (
    manifest_file text PRIMARY KEY CHECK (manifest_file <> ''),
    files_hash bytea NOT NULL CHECK (octet_length(files_hash) = 32),
    loaded_at timestamptz NOT NULL
);
COMMENT ON COLUMN seed_loads.manifest_file IS 'Path of the game''s manifest in the folder with the seed data.';
COMMENT ON COLUMN seed_loads.files_hash IS 'SHA-256 over the manifest and the set files.';
