-- Artwork of designs: what players upload, cleaned, in two sizes. Equal pictures are kept once, whoever uploads them.

CREATE TABLE artworks (
    id bytea PRIMARY KEY CHECK (octet_length(id) = 32),
    size bigint NOT NULL CHECK (size > 0),
    created_at timestamptz NOT NULL,
    released_at timestamptz,
    removed_at timestamptz
);
COMMENT ON COLUMN artworks.id IS 'SHA-256 of the hashes of both files: what it is, not whose.';
COMMENT ON COLUMN artworks.size IS 'Bytes of both files.';
COMMENT ON COLUMN artworks.released_at IS 'Since when nobody holds it; NULL: somebody does. Housekeeping deletes it some time later. Changed under the lock of this row only.';
COMMENT ON COLUMN artworks.removed_at IS 'When it was taken down: from then on nobody is shown it, and nobody can upload it again. The row stays.';
CREATE INDEX artworks_released ON artworks (released_at) WHERE released_at IS NOT NULL AND removed_at IS NULL;

CREATE TABLE artwork_renditions (
    artwork bytea NOT NULL REFERENCES artworks ON DELETE CASCADE,
    rendition text NOT NULL CHECK (rendition IN ('full', 'small')),
    media_type text NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png')),
    width integer NOT NULL CHECK (width > 0),
    height integer NOT NULL CHECK (height > 0),
    size bigint NOT NULL CHECK (size > 0),
    PRIMARY KEY (artwork, rendition)
);
COMMENT ON TABLE artwork_renditions IS 'The two files of an artwork.';

CREATE TABLE artwork_chunks (
    artwork bytea NOT NULL,
    rendition text NOT NULL,
    position integer NOT NULL CHECK (position >= 0),
    data bytea NOT NULL CHECK (octet_length(data) BETWEEN 1 AND 65536),
    PRIMARY KEY (artwork, rendition, position),
    FOREIGN KEY (artwork, rendition) REFERENCES artwork_renditions ON DELETE CASCADE
);
-- Packed already.
ALTER TABLE artwork_chunks ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE artwork_chunks IS 'The bytes of the files, 64 KiB in each row but the last.';

CREATE TABLE artwork_uploads (
    account_id uuid NOT NULL REFERENCES accounts,
    artwork bytea NOT NULL REFERENCES artworks,
    uploaded_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, artwork)
);
COMMENT ON TABLE artwork_uploads IS 'Who holds which artwork: who uploaded it, and did not delete it since. Its size counts for each of them.';
CREATE INDEX artwork_uploads_artwork ON artwork_uploads (artwork);
CREATE INDEX artwork_uploads_newest ON artwork_uploads (account_id, uploaded_at, artwork);

CREATE TABLE design_artworks (
    design_id uuid NOT NULL,
    revision bigint NOT NULL,
    account_id uuid NOT NULL,
    artwork bytea NOT NULL,
    PRIMARY KEY (design_id, revision),
    FOREIGN KEY (design_id, revision) REFERENCES design_revisions ON DELETE CASCADE,
    -- What a revision shows cannot be given up by its author.
    FOREIGN KEY (account_id, artwork) REFERENCES artwork_uploads
);
COMMENT ON TABLE design_artworks IS 'Which artwork the revisions of designs show. A program that does not know of them writes revisions without.';
COMMENT ON COLUMN design_artworks.account_id IS 'The author of the design.';
CREATE INDEX design_artworks_artwork ON design_artworks (artwork, account_id);
