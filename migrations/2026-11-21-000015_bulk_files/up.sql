-- Bulk files: the catalogue as strangers see it, packed, for those who keep a copy of it. A program that does not know of them
-- leaves them as they are.

CREATE TABLE bulk_files (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (name <> ''),
    game_code text NOT NULL REFERENCES games ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('cards', 'printings')),
    layout integer NOT NULL CHECK (layout >= 1),
    row_count bigint NOT NULL CHECK (row_count >= 0),
    size bigint NOT NULL CHECK (size > 0),
    unpacked_size bigint NOT NULL CHECK (unpacked_size >= 0),
    sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
    change_seq bigint NOT NULL CHECK (change_seq >= 0),
    created_at timestamptz NOT NULL,
    replaced_at timestamptz,
    built_at timestamptz NOT NULL,
    build_millis bigint NOT NULL CHECK (build_millis >= 0)
);
CREATE UNIQUE INDEX bulk_files_current ON bulk_files (name) WHERE replaced_at IS NULL;
CREATE INDEX bulk_files_game ON bulk_files (game_code) WHERE replaced_at IS NULL;
CREATE INDEX bulk_files_replaced ON bulk_files (replaced_at) WHERE replaced_at IS NOT NULL;
COMMENT ON TABLE bulk_files IS 'Versions of bulk files. A replaced one is kept for an hour, for downloads that began before.';
COMMENT ON COLUMN bulk_files.layout IS 'Which way of writing cards down made it: a program that writes them otherwise makes it anew.';
COMMENT ON COLUMN bulk_files.sha256 IS 'Of the packed bytes, as they are downloaded; also the ETag.';
COMMENT ON COLUMN bulk_files.change_seq IS 'The file holds everything of its game that the change feed tells up to this number. Rises while nothing happens to the game.';
COMMENT ON COLUMN bulk_files.created_at IS 'Since when the file has these bytes.';
COMMENT ON COLUMN bulk_files.built_at IS 'When it was last made, whether other bytes came of it or not.';
COMMENT ON COLUMN bulk_files.build_millis IS 'How long that took: the longer, the longer the pause before the next time.';

CREATE TABLE bulk_chunks (
    file_id uuid NOT NULL REFERENCES bulk_files ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position integer NOT NULL CHECK (position >= 0),
    data bytea NOT NULL CHECK (octet_length(data) BETWEEN 1 AND 65536),
    PRIMARY KEY (file_id, position)
);
-- Packed already.
ALTER TABLE bulk_chunks ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE bulk_chunks IS 'The packed bytes, 64 KiB in each row but the last. Written before their file, whose size is known at the end only.';

-- Whether anything happened to a game since a number.
CREATE INDEX events_game ON events ((payload ->> 'game'), seq);
