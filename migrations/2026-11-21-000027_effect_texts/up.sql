-- Effect texts: what a game's sentences are made of. One document for each game, with one revision: it is always read whole, checked whole
-- and written whole, and an index over rows would serve nobody.

CREATE TABLE effect_texts (
    game_code text PRIMARY KEY REFERENCES games,
    document jsonb NOT NULL CHECK (jsonb_typeof(document) = 'object'),
    revision bigint NOT NULL CHECK (revision >= 1),
    seeded_hash bytea CHECK (octet_length(seeded_hash) = 32),
    updated_at timestamptz NOT NULL
);
COMMENT ON COLUMN effect_texts.document IS 'templates, placeholders (name: values), removals, replacements (old, new).';
COMMENT ON COLUMN effect_texts.revision IS 'Rises with every change.';
COMMENT ON COLUMN effect_texts.seeded_hash IS
    'SHA-256 of the files that a start of the service has loaded last: what differs from them was changed since, and stays. Null: none.';
