-- Players watch decks: a report on each watched deck is kept, made anew when what it was made from changes, and its watchers are told when the deck becomes illegal.

-- One row for each deck, however many watch it, so that what happens to a deck or a card writes few rows.
CREATE TABLE watched_decks (
    deck_id uuid PRIMARY KEY REFERENCES decks ON DELETE CASCADE,
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
    tried_game_revision bigint,
    untold boolean NOT NULL DEFAULT false,
    saved_so boolean NOT NULL DEFAULT false,
    CONSTRAINT watched_decks_whole_reports CHECK (num_nulls(status, deck_revision, judged_on, game_revision, events_seq, judged_at) IN (0, 6))
);
COMMENT ON TABLE watched_decks IS 'The last report on each deck that somebody watches, in its own format, by what everybody may know. The last watcher takes it along.';
COMMENT ON COLUMN watched_decks.game_code IS 'The game by whose manifest the deck was judged last.';
COMMENT ON COLUMN watched_decks.due_at IS 'From when the report is to be made anew: at once after a change of the deck or of its cards, otherwise on the next day.';
COMMENT ON COLUMN watched_decks.cards IS 'The cards that its entries mean or are bound to, hidden ones included. No references: a card that is gone says nothing.';
COMMENT ON COLUMN watched_decks.status IS 'The verdict; NULL with the five others: there is none yet.';
COMMENT ON COLUMN watched_decks.violations IS 'Codes of what is wrong, each once.';
COMMENT ON COLUMN watched_decks.deck_revision IS 'The revision of the deck that was judged.';
COMMENT ON COLUMN watched_decks.judged_on IS 'The day by whose rules.';
COMMENT ON COLUMN watched_decks.game_revision IS 'The manifest of the game by which.';
COMMENT ON COLUMN watched_decks.events_seq IS 'The newest number of the change feed before the cards were read.';
COMMENT ON COLUMN watched_decks.tried_game_revision IS 'The manifest by which a report was made, or could not be.';
COMMENT ON COLUMN watched_decks.untold IS 'It became legal or illegal, and some watchers are not told yet.';
COMMENT ON COLUMN watched_decks.saved_so IS 'It became so when its owner saved it.';
CREATE INDEX watched_decks_due ON watched_decks (due_at);
CREATE INDEX watched_decks_manifests ON watched_decks (game_code, tried_game_revision);
CREATE INDEX watched_decks_events ON watched_decks (events_seq);
CREATE INDEX watched_decks_untold ON watched_decks (deck_id) WHERE untold;
CREATE INDEX watched_decks_cards ON watched_decks USING gin (cards);

CREATE TABLE deck_watches (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    deck_id uuid NOT NULL REFERENCES watched_decks ON DELETE CASCADE,
    watched_at timestamptz NOT NULL,
    told_legal boolean,
    PRIMARY KEY (account_id, deck_id)
);
COMMENT ON TABLE deck_watches IS 'Which accounts watch which decks. Shown to nobody else.';
COMMENT ON COLUMN deck_watches.told_legal IS 'Whether the deck was legal when its watcher was told last, or began to watch; NULL: there was no report then.';
CREATE INDEX deck_watches_order ON deck_watches (account_id, watched_at, deck_id);
CREATE INDEX deck_watches_deck ON deck_watches (deck_id, account_id);
CREATE INDEX deck_watches_without_verdict ON deck_watches (deck_id) WHERE told_legal IS NULL;

-- A trigger, so that decks which an older program changes are judged anew, too.
CREATE FUNCTION watched_decks_are_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE watched_decks SET due_at = NEW.updated_at WHERE deck_id = NEW.id;
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
