-- Which keys of the key file this database depends on, so that a start with another file, or without one, is refused. A program that
-- does not know of this table neither reads nor writes it; the next one that does adds what is missing.

CREATE TABLE key_fingerprints (
    purpose text NOT NULL CHECK (purpose <> ''),
    key_id text NOT NULL CHECK (key_id <> ''),
    fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 16),
    noted_at timestamptz NOT NULL,
    PRIMARY KEY (purpose, key_id)
);
COMMENT ON COLUMN key_fingerprints.purpose IS 'The field of the key file: serials, lookups.';
COMMENT ON COLUMN key_fingerprints.fingerprint IS 'A fixed text under HMAC-SHA256 with the key, cut to 16 bytes: tells keys apart and says nothing about them.';
