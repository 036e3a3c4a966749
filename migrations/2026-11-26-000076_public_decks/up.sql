-- Public decks are found by the query language, and compared by the cards that they have in common.

CREATE TABLE deck_search (
    deck_id uuid PRIMARY KEY REFERENCES decks ON DELETE CASCADE,
    revision bigint NOT NULL,
    game_code text NOT NULL REFERENCES games,
    published_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    size integer NOT NULL,
    terms text[] NOT NULL,
    cards uuid[] NOT NULL,
    hidden_cards uuid[] NOT NULL,
    legal_in text[] NOT NULL,
    judged_on date NOT NULL,
    judged_game_revision bigint NOT NULL
);
COMMENT ON TABLE deck_search IS 'What everybody may know of a public deck, as the query language reads it. A row of another revision than that of its deck does not count.';
COMMENT ON COLUMN deck_search.published_at IS 'That of the deck; where it has none, when it was made.';
COMMENT ON COLUMN deck_search.terms IS 'w:word of name and tags, t:tag, c:name of a card, f:format that it is meant for, l:format in which it is legal.';
COMMENT ON COLUMN deck_search.cards IS 'The different cards that its entries mean, of those that everybody may see. No references: a card that is gone says nothing.';
COMMENT ON COLUMN deck_search.hidden_cards IS 'Cards that its entries are bound to and that were hidden when the row was made: with their unlock it is made anew.';
COMMENT ON COLUMN deck_search.legal_in IS 'The formats in which it is legal for who sees no hidden card, by the rules of judged_on.';

CREATE INDEX deck_search_terms ON deck_search USING gin (terms);
CREATE INDEX deck_search_cards ON deck_search USING gin (cards);
CREATE INDEX deck_search_hidden_cards ON deck_search USING gin (hidden_cards) WHERE hidden_cards <> '{}';
CREATE INDEX deck_search_published ON deck_search (published_at, deck_id);
CREATE INDEX deck_search_updated ON deck_search (updated_at, deck_id);
CREATE INDEX deck_search_published_of_game ON deck_search (game_code, published_at, deck_id);
CREATE INDEX deck_search_updated_of_game ON deck_search (game_code, updated_at, deck_id);
CREATE INDEX deck_search_judged ON deck_search (judged_on);
CREATE INDEX deck_search_manifests ON deck_search (game_code, judged_game_revision);

-- A queue and not a flag of decks: programs that do not know of it fill it, too, and nothing else writes decks.
CREATE TABLE decks_to_search (
    deck_id uuid PRIMARY KEY REFERENCES decks ON DELETE CASCADE,
    noted_at timestamptz NOT NULL
);
COMMENT ON TABLE decks_to_search IS 'Public decks whose row of deck_search is to be made. Whoever adds or takes one away holds the row of the deck.';
CREATE INDEX decks_to_search_order ON decks_to_search (noted_at, deck_id);

-- What happens to public decks stands in the change feed, without what they hold.
-- The new list contains the old one: what is stored need not be looked at again.
ALTER TABLE events DROP CONSTRAINT events_kind_check;
ALTER TABLE events ADD CONSTRAINT events_kind_check CHECK (kind IN
    ('game.changed', 'set.changed', 'card.added', 'card.changed', 'card.unlocked', 'card.moved', 'card.merged',
     'design.shared', 'design.approved', 'design.official', 'design.withdrawn', 'deck.published', 'deck.changed', 'deck.withdrawn')) NOT VALID;
-- Bulk files have neither designs nor decks: whether they are behind is asked of the others. Older programs use the index that is there.
CREATE INDEX events_cards_of_game ON events ((payload ->> 'game'), seq) WHERE kind NOT LIKE 'de%';

-- By the clock of the database: a deck that comes back from deletion has the times that it had before, and events are numbered in the order of theirs.
CREATE FUNCTION tell_of_public_deck(told_kind text, deck uuid, game text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO events (id, kind, subject_id, payload, created_at)
    VALUES (gen_random_uuid(), told_kind, deck, jsonb_build_object('game', game, 'deck', deck), clock_timestamp())
$$;

CREATE FUNCTION note_published_deck() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO decks_to_search (deck_id, noted_at) VALUES (NEW.id, NEW.updated_at) ON CONFLICT (deck_id) DO NOTHING;
    IF TG_OP = 'INSERT' THEN
        PERFORM tell_of_public_deck('deck.published', NEW.id, NEW.game_code);
    ELSIF OLD.visibility <> 'public' THEN
        PERFORM tell_of_public_deck('deck.published', NEW.id, NEW.game_code);
    ELSIF NEW.revision <> OLD.revision THEN
        PERFORM tell_of_public_deck('deck.changed', NEW.id, NEW.game_code);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION forget_published_deck() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM deck_search WHERE deck_id = OLD.id;
        DELETE FROM decks_to_search WHERE deck_id = OLD.id;
    END IF;
    PERFORM tell_of_public_deck('deck.withdrawn', OLD.id, OLD.game_code);
    RETURN NULL;
END $$;

CREATE TRIGGER decks_published AFTER INSERT OR UPDATE OF revision, visibility, deleted_at ON decks
    FOR EACH ROW WHEN (NEW.visibility = 'public') EXECUTE FUNCTION note_published_deck();
CREATE TRIGGER decks_withdrawn AFTER UPDATE OF visibility ON decks
    FOR EACH ROW WHEN (OLD.visibility = 'public' AND NEW.visibility <> 'public') EXECUTE FUNCTION forget_published_deck();
-- With the account of its owner, for example.
CREATE TRIGGER decks_gone AFTER DELETE ON decks
    FOR EACH ROW WHEN (OLD.visibility = 'public') EXECUTE FUNCTION forget_published_deck();

INSERT INTO decks_to_search (deck_id, noted_at) SELECT id, updated_at FROM decks WHERE visibility = 'public';
