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
    legal_in text[] NOT NULL
);
COMMENT ON TABLE deck_search IS 'What everybody may know of a public deck, as the query language reads it. A row of another revision than that of its deck does not count.';
COMMENT ON COLUMN deck_search.published_at IS 'That of the deck; where it has none, when it was made.';
COMMENT ON COLUMN deck_search.terms IS 'w:word of name and tags, t:tag, c:name of a card, f:format that it is meant for, l:format in which it is legal.';
COMMENT ON COLUMN deck_search.cards IS 'The different cards that its entries mean, of those that everybody may see. No references: a card that is gone says nothing.';
COMMENT ON COLUMN deck_search.hidden_cards IS 'Cards that its entries are bound to and that were hidden when the row was made: with their unlock it is made anew.';
COMMENT ON COLUMN deck_search.legal_in IS 'The formats in which it is legal for who sees no hidden card, by the rules of the day in deck_judgements.';

CREATE INDEX deck_search_terms ON deck_search USING gin (terms);
CREATE INDEX deck_search_cards ON deck_search USING gin (cards);
CREATE INDEX deck_search_hidden_cards ON deck_search USING gin (hidden_cards) WHERE hidden_cards <> '{}';
CREATE INDEX deck_search_published ON deck_search (published_at, deck_id);
CREATE INDEX deck_search_updated ON deck_search (updated_at, deck_id);
CREATE INDEX deck_search_published_of_game ON deck_search (game_code, published_at, deck_id);
CREATE INDEX deck_search_updated_of_game ON deck_search (game_code, updated_at, deck_id);

-- Apart from deck_search: each day every deck is judged, and most rows of that stay as they are, with all their index entries.
-- Not columns of decks: programs that do not know of it make rows due, too, by the triggers below.
CREATE TABLE deck_judgements (
    deck_id uuid PRIMARY KEY REFERENCES decks ON DELETE CASCADE,
    game_code text NOT NULL REFERENCES games,
    due_at timestamptz NOT NULL,
    judged_on date,
    game_revision bigint
);
COMMENT ON TABLE deck_judgements IS 'When the row of deck_search of each public deck was made, and when it is to be made again.';
COMMENT ON COLUMN deck_judgements.due_at IS 'From when it is to be made: at once after a change, on the next day after it was made, later after a failure.';
COMMENT ON COLUMN deck_judgements.judged_on IS 'The day by whose rules the deck was judged; NULL: it was not yet.';
COMMENT ON COLUMN deck_judgements.game_revision IS 'The manifest of the game by which.';
CREATE INDEX deck_judgements_due ON deck_judgements (due_at);
CREATE INDEX deck_judgements_manifests ON deck_judgements (game_code, game_revision);

-- What happens to public decks stands in the change feed, without what they hold.
-- The new list contains the old one: what is stored need not be looked at again.
ALTER TABLE events DROP CONSTRAINT events_kind_check;
ALTER TABLE events ADD CONSTRAINT events_kind_check CHECK (kind IN
    ('game.changed', 'set.changed', 'card.added', 'card.changed', 'card.unlocked', 'card.moved', 'card.merged',
     'design.shared', 'design.approved', 'design.official', 'design.withdrawn', 'deck.published', 'deck.changed', 'deck.withdrawn')) NOT VALID;
-- Bulk files have neither designs nor decks: whether they are behind is asked of the others. Older programs use the index that is there, and build the
-- files of a game anew after events of its decks, until they are gone.
CREATE INDEX events_cards_of_game ON events ((payload ->> 'game'), seq) WHERE kind NOT LIKE 'de%';

-- By the clock of the database: a deck that comes back from deletion has the times that it had before, and events are numbered in the order of theirs.
CREATE FUNCTION tell_of_public_deck(told_kind text, deck uuid, game text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO events (id, kind, subject_id, payload, created_at)
    VALUES (gen_random_uuid(), told_kind, deck, jsonb_build_object('game', game, 'deck', deck), clock_timestamp())
$$;

CREATE FUNCTION note_published_deck() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO deck_judgements (deck_id, game_code, due_at) VALUES (NEW.id, NEW.game_code, NEW.updated_at)
    ON CONFLICT (deck_id) DO UPDATE SET game_code = EXCLUDED.game_code, due_at = EXCLUDED.due_at;
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
        DELETE FROM deck_judgements WHERE deck_id = OLD.id;
    END IF;
    PERFORM tell_of_public_deck('deck.withdrawn', OLD.id, OLD.game_code);
    RETURN NULL;
END $$;

CREATE TRIGGER decks_published AFTER INSERT OR UPDATE OF revision, visibility, deleted_at ON decks
    FOR EACH ROW WHEN (NEW.visibility = 'public' AND NEW.deleted_at IS NULL) EXECUTE FUNCTION note_published_deck();
CREATE TRIGGER decks_withdrawn AFTER UPDATE OF visibility ON decks
    FOR EACH ROW WHEN (OLD.visibility = 'public' AND NEW.visibility <> 'public') EXECUTE FUNCTION forget_published_deck();
-- With the account of its owner, for example.
CREATE TRIGGER decks_gone AFTER DELETE ON decks
    FOR EACH ROW WHEN (OLD.visibility = 'public') EXECUTE FUNCTION forget_published_deck();

INSERT INTO deck_judgements (deck_id, game_code, due_at) SELECT id, game_code, updated_at FROM decks WHERE visibility = 'public' AND deleted_at IS NULL;
