-- Players watch decks: a report on each is kept, made anew when what it was made from changes, and they are told when a deck becomes illegal.

CREATE TABLE deck_watches (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    deck_id uuid NOT NULL REFERENCES decks ON DELETE CASCADE,
    watched_at timestamptz NOT NULL,
    game_code text NOT NULL REFERENCES games,
    due_at timestamptz NOT NULL,
    cards uuid[] NOT NULL DEFAULT '{}',
    status text CHECK (status IN ('legal', 'incomplete', 'illegal')),
    violations text[] NOT NULL DEFAULT '{}',
    deck_revision bigint,
    judged_on date,
    game_revision bigint,
    events_seq bigint,
    judged_at timestamptz,
    PRIMARY KEY (account_id, deck_id),
    CONSTRAINT deck_watches_whole_reports CHECK (num_nulls(status, deck_revision, judged_on, game_revision, events_seq, judged_at) IN (0, 6))
);
COMMENT ON TABLE deck_watches IS 'Which accounts watch which decks, each with the last report on the deck in its own format. Who watches is shown to nobody else.';
COMMENT ON COLUMN deck_watches.game_code IS 'The game by whose manifest the deck was judged last.';
COMMENT ON COLUMN deck_watches.due_at IS 'From when the report is to be made anew: at once after a change of the deck or of its cards, otherwise on the next day.';
COMMENT ON COLUMN deck_watches.cards IS 'The cards that its entries mean or are bound to, hidden ones included. No references: a card that is gone says nothing.';
COMMENT ON COLUMN deck_watches.status IS 'The verdict; NULL with the five others: there is none yet.';
COMMENT ON COLUMN deck_watches.violations IS 'Codes of what is wrong, each once. Never names of cards: they may be hidden.';
COMMENT ON COLUMN deck_watches.deck_revision IS 'The revision of the deck that was judged.';
COMMENT ON COLUMN deck_watches.judged_on IS 'The day by whose rules.';
COMMENT ON COLUMN deck_watches.game_revision IS 'The manifest of the game by which.';
COMMENT ON COLUMN deck_watches.events_seq IS 'The newest number of the change feed before the cards were read.';

CREATE INDEX deck_watches_order ON deck_watches (account_id, watched_at, deck_id);
CREATE INDEX deck_watches_deck ON deck_watches (deck_id);
CREATE INDEX deck_watches_due ON deck_watches (due_at);
CREATE INDEX deck_watches_manifests ON deck_watches (game_code, game_revision);
CREATE INDEX deck_watches_events ON deck_watches (events_seq);
CREATE INDEX deck_watches_cards ON deck_watches USING gin (cards);

-- A trigger, so that decks which an older program changes are judged anew, too.
CREATE FUNCTION watched_decks_are_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE deck_watches SET due_at = NEW.updated_at WHERE deck_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER watched_decks_are_due AFTER UPDATE OF revision, visibility, deleted_at ON decks
    FOR EACH ROW EXECUTE FUNCTION watched_decks_are_due();

ALTER TABLE account_events
    DROP CONSTRAINT account_events_kind_check,
    ADD CONSTRAINT account_events_kind_check CHECK (kind IN (
        'submission.accepted', 'submission.held', 'submission.confirmed', 'submission.refused', 'card.unlocked',
        'trade.offered', 'trade.countered', 'trade.accepted', 'trade.declined', 'trade.cancelled', 'trade.lapsed', 'trade.expired',
        'copy.received', 'copy.given', 'copy.frozen', 'copy.unfrozen', 'copy.voided',
        'dispute.opened', 'dispute.decided', 'dispute.closed',
        'design.commented', 'design.replied', 'design.suggested', 'design.suggestion_taken', 'design.suggestion_declined',
        'design.approved', 'design.declined', 'design.official', 'design.taken_down', 'design.reinstated',
        'deck.commented', 'deck.replied', 'deck.became_illegal', 'deck.became_legal')) NOT VALID;

-- Who saves a deck reads what is wrong with it: the owner is told of what others change.
CREATE FUNCTION tell_of_watched_deck() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_events (account_id, kind, deck_id, created_at)
    SELECT NEW.account_id, CASE NEW.status WHEN 'legal' THEN 'deck.became_legal' ELSE 'deck.became_illegal' END, NEW.deck_id, NEW.judged_at
    WHERE NEW.deck_revision = OLD.deck_revision OR NOT EXISTS (SELECT FROM decks d WHERE d.id = NEW.deck_id AND d.account_id = NEW.account_id);
    RETURN NULL;
END $$;
-- A verdict that is not there yet is NULL, and the condition with it.
CREATE TRIGGER watched_decks_are_told AFTER UPDATE OF status ON deck_watches
    FOR EACH ROW WHEN ((OLD.status = 'legal') <> (NEW.status = 'legal')) EXECUTE FUNCTION tell_of_watched_deck();
