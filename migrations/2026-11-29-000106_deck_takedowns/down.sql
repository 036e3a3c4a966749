-- Decks that are taken down stay private.
SET LOCAL lock_timeout = '10s';
LOCK TABLE abuse_reports, decks, account_events IN ACCESS EXCLUSIVE MODE;

CREATE OR REPLACE FUNCTION tell_of_public_deck(told_kind text, deck uuid, game text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO events (id, kind, subject_id, payload, created_at)
    VALUES (gen_random_uuid(), told_kind, deck, jsonb_build_object('game', game, 'deck', deck), clock_timestamp())
$$;

DELETE FROM account_events WHERE kind IN ('deck.taken_down', 'deck.reinstated');
ALTER TABLE account_events
    DROP CONSTRAINT account_events_kind_check,
    ADD CONSTRAINT account_events_kind_check CHECK (kind IN (
        'submission.accepted', 'submission.held', 'submission.confirmed', 'submission.refused', 'card.unlocked',
        'trade.offered', 'trade.countered', 'trade.accepted', 'trade.declined', 'trade.cancelled', 'trade.lapsed', 'trade.expired',
        'copy.received', 'copy.given', 'copy.frozen', 'copy.unfrozen', 'copy.voided',
        'dispute.opened', 'dispute.decided', 'dispute.closed',
        'design.commented', 'design.replied', 'design.suggested', 'design.suggestion_taken', 'design.suggestion_declined',
        'design.approved', 'design.declined', 'design.official', 'design.taken_down', 'design.reinstated', 'design.name_lost',
        'deck.commented', 'deck.replied', 'deck.became_illegal', 'deck.became_legal',
        'report.decided')) NOT VALID;

DELETE FROM abuse_reports WHERE deck_id IS NOT NULL AND comment_id IS NULL;
CREATE OR REPLACE FUNCTION abuse_reports_have_targets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.target := coalesce(NEW.suggestion_id, NEW.comment_id, NEW.design_id, NEW.accused_id);
    RETURN NEW;
END $$;
ALTER TABLE abuse_reports DROP COLUMN reported;
COMMENT ON COLUMN abuse_reports.deck_id IS 'The deck with the comment, if the report is about a comment on a deck.';
ALTER TABLE abuse_reports
    DROP CONSTRAINT abuse_reports_one_target,
    ADD CONSTRAINT abuse_reports_one_target CHECK (num_nonnulls(suggestion_id, design_id, deck_id) <= 1 AND (deck_id IS NULL OR comment_id IS NOT NULL)) NOT VALID;

ALTER TABLE decks
    DROP CONSTRAINT decks_taken_down,
    DROP COLUMN taken_down_at,
    DROP COLUMN taken_down_from,
    DROP COLUMN taken_down_revision,
    DROP COLUMN takedown_note;
