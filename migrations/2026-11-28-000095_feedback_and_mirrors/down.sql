-- Numbers of the feed have no gaps, so these events stay, under a kind that makes mirrors read the design again.
UPDATE events SET kind = 'design.shared' WHERE kind = 'design.changed';
ALTER TABLE events
    DROP CONSTRAINT events_kind_check,
    ADD CONSTRAINT events_kind_check CHECK (kind IN
        ('game.changed', 'set.changed', 'card.added', 'card.changed', 'card.unlocked', 'card.moved', 'card.merged',
         'design.shared', 'design.approved', 'design.official', 'design.withdrawn', 'deck.published', 'deck.changed', 'deck.withdrawn')) NOT VALID;
DROP TRIGGER design_steps_are_told ON designs;
CREATE TRIGGER design_steps_are_told AFTER UPDATE ON designs
    FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.listed <> NEW.listed OR (OLD.taken_down_at IS NULL) <> (NEW.taken_down_at IS NULL))
    EXECUTE FUNCTION design_steps_are_told();
CREATE OR REPLACE FUNCTION design_steps_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    what text := CASE
        WHEN NEW.listed AND NOT OLD.listed THEN CASE WHEN NEW.status = 'official' THEN 'design.official' ELSE 'design.shared' END
        WHEN OLD.listed AND NOT NEW.listed THEN 'design.withdrawn'
        WHEN NEW.listed AND NEW.status <> OLD.status AND NEW.status IN ('approved', 'official') THEN 'design.' || NEW.status
        WHEN NEW.listed AND OLD.status = 'approved' AND NEW.status = 'declined' THEN 'design.shared'
    END;
BEGIN
    -- A ban and its end lock all designs of the author: each either sees this change, or is seen here.
    IF what IS NOT NULL AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = NEW.account_id AND a.banned_at IS NOT NULL) THEN
        INSERT INTO events (id, kind, subject_id, payload, created_at)
        VALUES (gen_random_uuid(), what, NEW.id, jsonb_build_object('game', NEW.game_code, 'design', NEW.code), NEW.updated_at);
    END IF;
    IF (NEW.taken_down_at IS NULL) <> (OLD.taken_down_at IS NULL) THEN
        PERFORM tell_of_design(NEW.account_id, NULL, CASE WHEN NEW.taken_down_at IS NULL THEN 'design.reinstated' ELSE 'design.taken_down' END,
                               NEW.id, NULL, NULL, NEW.updated_at);
    END IF;
    IF NEW.status = 'official' AND OLD.status <> 'official' AND (OLD.taken_down_at IS NULL OR OLD.taken_down_from IS DISTINCT FROM 'official') THEN
        PERFORM tell_of_design(NEW.account_id, NULL, 'design.official', NEW.id, NULL, NULL, NEW.updated_at);
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER abuse_reports_notify_reporters ON abuse_reports;
DROP FUNCTION abuse_reports_notify_reporters;
DELETE FROM account_events WHERE kind = 'report.decided';
DROP TRIGGER account_events_stay ON account_events;
CREATE TRIGGER account_events_stay BEFORE UPDATE ON account_events FOR EACH ROW
    WHEN (OLD.seq IS NOT NULL
          OR ROW (OLD.id, OLD.account_id, OLD.kind, OLD.submission_id, OLD.copy_id, OLD.card_id, OLD.trade_id, OLD.dispute_id, OLD.outcome,
                  OLD.design_id, OLD.comment_id, OLD.suggestion_id, OLD.deck_id, OLD.created_at)
             IS DISTINCT FROM
             ROW (NEW.id, NEW.account_id, NEW.kind, NEW.submission_id, NEW.copy_id, NEW.card_id, NEW.trade_id, NEW.dispute_id, NEW.outcome,
                  NEW.design_id, NEW.comment_id, NEW.suggestion_id, NEW.deck_id, NEW.created_at))
    EXECUTE FUNCTION append_only();
ALTER TABLE account_events
    DROP COLUMN report_id,
    DROP CONSTRAINT account_events_kind_check,
    ADD CONSTRAINT account_events_kind_check CHECK (kind IN (
        'submission.accepted', 'submission.held', 'submission.confirmed', 'submission.refused', 'card.unlocked',
        'trade.offered', 'trade.countered', 'trade.accepted', 'trade.declined', 'trade.cancelled', 'trade.lapsed', 'trade.expired',
        'copy.received', 'copy.given', 'copy.frozen', 'copy.unfrozen', 'copy.voided',
        'dispute.opened', 'dispute.decided', 'dispute.closed',
        'design.commented', 'design.replied', 'design.suggested', 'design.suggestion_taken', 'design.suggestion_declined',
        'design.approved', 'design.declined', 'design.official', 'design.taken_down', 'design.reinstated', 'design.name_lost',
        'deck.commented', 'deck.replied', 'deck.became_illegal', 'deck.became_legal')) NOT VALID;

-- Comments that owners hid stay hidden, as if by moderators.
DROP TRIGGER moderators_hide_comments ON design_comments;
DROP FUNCTION moderators_hide_comments;
ALTER TABLE design_comments DROP COLUMN hidden_by_owner;
COMMENT ON COLUMN design_comments.hidden_at IS 'By a moderator.';
