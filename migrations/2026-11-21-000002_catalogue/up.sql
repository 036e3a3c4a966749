-- Games, sets, cards and printings. What a hidden card must not tell lives in tables of its own (…_content): only one
-- module of the service names them.

CREATE TABLE games (
    code text PRIMARY KEY CHECK (code ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND char_length(code) <= 32),
    name text NOT NULL CHECK (name <> ''),
    manifest text NOT NULL,
    revision bigint NOT NULL DEFAULT 1 CHECK (revision >= 1),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
COMMENT ON COLUMN games.manifest IS 'game.toml as it was imported; the engine reads it.';

CREATE TABLE sets (
    id uuid PRIMARY KEY,
    game_code text NOT NULL REFERENCES games,
    code text NOT NULL CHECK (code ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND char_length(code) <= 32),
    name text NOT NULL CHECK (name <> ''),
    released_on date,
    hidden boolean NOT NULL,
    unlock_threshold integer NOT NULL CHECK (unlock_threshold BETWEEN 1 AND 100000),
    copies_per_card bigint NOT NULL DEFAULT 0 CHECK (copies_per_card >= 0),
    source_hash bytea CHECK (octet_length(source_hash) = 32),
    revision bigint NOT NULL DEFAULT 1 CHECK (revision >= 1),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (game_code, code)
);
COMMENT ON COLUMN sets.hidden IS 'Whether the cards of this set start hidden until the community unlocks them.';
COMMENT ON COLUMN sets.source_hash IS 'SHA-256 over the manifest and the set file of the newest import: the same files again change nothing. Depends on hidden cards: never leaves the service.';
COMMENT ON COLUMN sets.copies_per_card IS 'Copies of every card over all active print runs; equal for each card of the set.';

CREATE TABLE cards (
    id uuid PRIMARY KEY,
    game_code text NOT NULL,
    set_code text NOT NULL,
    number text NOT NULL CHECK (number ~ '^[0-9A-Za-z]+(-[0-9A-Za-z]+)*$' AND char_length(number) <= 16),
    revision bigint NOT NULL DEFAULT 1 CHECK (revision >= 1),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (game_code, set_code, number),
    UNIQUE (id, game_code),
    FOREIGN KEY (game_code, set_code) REFERENCES sets (game_code, code)
);
COMMENT ON TABLE cards IS 'What everybody may know of a card, hidden or not: that it exists, in which set, under which number.';

CREATE TABLE card_content (
    card_id uuid PRIMARY KEY,
    game_code text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    name_key text NOT NULL CHECK (name_key <> ''),
    search_key text NOT NULL,
    attributes jsonb NOT NULL CHECK (jsonb_typeof(attributes) = 'object'),
    effects jsonb NOT NULL CHECK (jsonb_typeof(effects) = 'array'),
    lore text,
    open boolean NOT NULL,
    FOREIGN KEY (card_id, game_code) REFERENCES cards (id, game_code) ON DELETE CASCADE,
    UNIQUE (game_code, name_key)
);
COMMENT ON TABLE card_content IS 'The secret part of a card. Read it only through the store''s door, with a viewer.';
COMMENT ON COLUMN card_content.name_key IS 'Folded name: the identity for copy limits and for serial submissions.';
COMMENT ON COLUMN card_content.search_key IS 'name_key with accents folded too, for near-name look-ups.';
COMMENT ON COLUMN card_content.open IS 'Whether everybody may read it. Derived from unlocks by triggers, so that strangers are served from indexes in which no hidden card occurs: not even the time of an answer tells of one.';

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX card_content_open_names ON card_content (game_code, name_key) WHERE open;
CREATE INDEX card_content_open_prefixes ON card_content (search_key text_pattern_ops) WHERE open;
CREATE INDEX card_content_open_trigrams ON card_content USING gin (search_key gin_trgm_ops) WHERE open;

CREATE TABLE printings (
    id uuid PRIMARY KEY,
    card_id uuid NOT NULL REFERENCES cards ON DELETE CASCADE,
    rarity text NOT NULL CHECK (rarity ~ '^[a-z0-9]+(_[a-z0-9]+)*$'),
    tier smallint NOT NULL CHECK (tier >= 1),
    UNIQUE (card_id, rarity)
);
COMMENT ON COLUMN printings.tier IS 'Place of the rarity in its game''s list, from 1, the most common.';

CREATE TABLE printing_content (
    printing_id uuid PRIMARY KEY REFERENCES printings ON DELETE CASCADE,
    attributes jsonb NOT NULL CHECK (jsonb_typeof(attributes) = 'object')
);
COMMENT ON TABLE printing_content IS 'The numbers of one printing where they differ by rarity. Secret like card_content.';

CREATE TABLE unlocks (
    card_id uuid PRIMARY KEY REFERENCES cards ON DELETE CASCADE,
    threshold integer NOT NULL CHECK (threshold >= 1),
    submissions integer NOT NULL DEFAULT 0 CHECK (submissions >= 0),
    unlocked_at timestamptz,
    reason text CHECK (reason IN ('threshold', 'date', 'admin')),
    CHECK ((unlocked_at IS NULL) = (reason IS NULL)),
    CHECK (unlocked_at IS NOT NULL OR submissions < threshold)
);
CREATE INDEX unlocks_recent ON unlocks (unlocked_at DESC, card_id) WHERE unlocked_at IS NOT NULL;
COMMENT ON TABLE unlocks IS 'One row for each card that started hidden; the card is hidden while unlocked_at is null.';
COMMENT ON COLUMN unlocks.submissions IS 'Counted submissions: at most one for each account and each serial.';

CREATE FUNCTION unlocks_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.unlocked_at IS NOT NULL AND NEW.unlocked_at IS DISTINCT FROM OLD.unlocked_at THEN
        RAISE EXCEPTION 'an unlocked card stays unlocked' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER unlocks_are_final BEFORE UPDATE ON unlocks FOR EACH ROW EXECUTE FUNCTION unlocks_are_final();

CREATE FUNCTION card_content_open() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.open := NOT EXISTS (SELECT FROM unlocks WHERE card_id = NEW.card_id AND unlocked_at IS NULL);
    RETURN NEW;
END $$;
CREATE TRIGGER card_content_open BEFORE INSERT OR UPDATE ON card_content
    FOR EACH ROW EXECUTE FUNCTION card_content_open();

CREATE FUNCTION unlocks_open_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE card_content SET open = NEW.unlocked_at IS NOT NULL WHERE card_id = NEW.card_id;
    RETURN NULL;
END $$;
CREATE TRIGGER unlocks_hide_content AFTER INSERT ON unlocks
    FOR EACH ROW EXECUTE FUNCTION unlocks_open_content();
CREATE TRIGGER unlocks_open_content AFTER UPDATE ON unlocks
    FOR EACH ROW WHEN (NEW.unlocked_at IS DISTINCT FROM OLD.unlocked_at) EXECUTE FUNCTION unlocks_open_content();
