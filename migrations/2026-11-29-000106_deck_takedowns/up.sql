-- Decks can be reported, and moderators take them down. A deck that is taken down is private: all statements that show decks to others leave it out already, also
-- those of older programs. What it was before is stored beside it.
-- An older program shows a report about a deck as a report about its owner, and so its decision hides nothing. If the owner tries to publish a deck that is down through an older program,
-- the constraint below refuses the statement.

-- In the order in which a decision about a report takes these locks. Requests wait behind this statement, so it does not wait for long: the start fails then, and can
-- be repeated. It also has to be repeated if it meets a permanent deletion of decks, which takes the locks in the other order: first on the decks, then on their reports.
SET LOCAL lock_timeout = '10s';
LOCK TABLE abuse_reports, decks, account_events IN ACCESS EXCLUSIVE MODE;

ALTER TABLE decks
    ADD COLUMN taken_down_at timestamptz,
    ADD COLUMN taken_down_from text,
    ADD COLUMN taken_down_revision bigint,
    ADD COLUMN takedown_note text,
    ADD CONSTRAINT decks_taken_down CHECK (num_nulls(taken_down_at, taken_down_from, taken_down_revision, takedown_note) IN (0, 4)
        AND (taken_down_at IS NULL OR taken_down_from IN ('private', 'unlisted', 'public')
             AND visibility = 'private' AND NOT unlisted AND coalesce(visibility_before, 'private') = 'private')) NOT VALID;
COMMENT ON COLUMN decks.taken_down_at IS 'When a moderator decided that only the owner may read it; null: no moderator did. It is private then, and cannot be published.';
COMMENT ON COLUMN decks.taken_down_from IS 'Its visibility before; of a deleted deck, the visibility that its owner would have restored; private, if its owner has asked for that since.';
COMMENT ON COLUMN decks.taken_down_revision IS 'Its revision when it was taken down. If its owner has changed it since, it stays private when the takedown ends.';

ALTER TABLE abuse_reports
    DROP CONSTRAINT abuse_reports_one_target,
    ADD CONSTRAINT abuse_reports_one_target CHECK (num_nonnulls(suggestion_id, design_id, deck_id) <= 1) NOT VALID;
COMMENT ON COLUMN abuse_reports.deck_id IS 'The deck, if the report is about a deck or about a comment on a deck.';
ALTER TABLE abuse_reports ADD COLUMN reported jsonb;
COMMENT ON COLUMN abuse_reports.reported IS 'Of a report about a deck: name, description, tags and names of unknown entries, as others read them when it was reported.';
CREATE OR REPLACE FUNCTION abuse_reports_have_targets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.target := coalesce(NEW.suggestion_id, NEW.comment_id, NEW.design_id, NEW.deck_id, NEW.accused_id);
    RETURN NEW;
END $$;

-- The new list contains the old one, so the stored rows are not checked again.
ALTER TABLE account_events
    DROP CONSTRAINT account_events_kind_check,
    ADD CONSTRAINT account_events_kind_check CHECK (kind IN (
        'submission.accepted', 'submission.held', 'submission.confirmed', 'submission.refused', 'card.unlocked',
        'trade.offered', 'trade.countered', 'trade.accepted', 'trade.declined', 'trade.cancelled', 'trade.lapsed', 'trade.expired',
        'copy.received', 'copy.given', 'copy.frozen', 'copy.unfrozen', 'copy.voided',
        'dispute.opened', 'dispute.decided', 'dispute.closed',
        'design.commented', 'design.replied', 'design.suggested', 'design.suggestion_taken', 'design.suggestion_declined',
        'design.approved', 'design.declined', 'design.official', 'design.taken_down', 'design.reinstated', 'design.name_lost',
        'deck.commented', 'deck.replied', 'deck.became_illegal', 'deck.became_legal', 'deck.taken_down', 'deck.reinstated',
        'report.decided')) NOT VALID;

-- A moderator can decide about a deck while its owner is banned. Nobody can read the deck then, so the change feed has no event; the end of the ban has one.
-- A ban locks all decks of the account: it either sees this change, or is seen here.
CREATE OR REPLACE FUNCTION tell_of_public_deck(told_kind text, deck uuid, game text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO events (id, kind, subject_id, payload, created_at)
    SELECT gen_random_uuid(), told_kind, deck, jsonb_build_object('game', game, 'deck', deck), clock_timestamp()
    WHERE NOT EXISTS (SELECT FROM decks d JOIN accounts a ON a.id = d.account_id WHERE d.id = deck AND a.banned_at IS NOT NULL)
$$;
