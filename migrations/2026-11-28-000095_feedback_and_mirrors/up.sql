-- Owners of designs and decks hide comments on them, reporters learn the decision about their report, and mirrors learn of new revisions of listed designs.

ALTER TABLE design_comments
    ADD COLUMN hidden_by_owner boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT design_comments_hidden_by_owner CHECK (NOT hidden_by_owner OR hidden_at IS NOT NULL) NOT VALID;
COMMENT ON COLUMN design_comments.hidden_at IS 'By a moderator or by the owner of the design or deck.';
COMMENT ON COLUMN design_comments.hidden_by_owner IS 'Whether the owner of the design or deck hid it, not a moderator: then the owner can show it again.';

-- A program that does not know the column changes only the time, and only for moderators.
CREATE FUNCTION moderators_hide_comments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.hidden_by_owner := false;
    RETURN NEW;
END $$;
CREATE TRIGGER moderators_hide_comments BEFORE UPDATE OF hidden_at ON design_comments
    FOR EACH ROW WHEN (OLD.hidden_by_owner AND NEW.hidden_by_owner AND OLD.hidden_at IS DISTINCT FROM NEW.hidden_at)
    EXECUTE FUNCTION moderators_hide_comments();

-- The new list contains the old one, so the stored rows are not checked again.
ALTER TABLE account_events
    ADD COLUMN report_id uuid,
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
COMMENT ON COLUMN account_events.report_id IS 'report.decided: the report of the account.';
DROP TRIGGER account_events_stay ON account_events;
CREATE TRIGGER account_events_stay BEFORE UPDATE ON account_events FOR EACH ROW
    WHEN (OLD.seq IS NOT NULL
          OR ROW (OLD.id, OLD.account_id, OLD.kind, OLD.submission_id, OLD.copy_id, OLD.card_id, OLD.trade_id, OLD.dispute_id, OLD.outcome,
                  OLD.design_id, OLD.comment_id, OLD.suggestion_id, OLD.deck_id, OLD.report_id, OLD.created_at)
             IS DISTINCT FROM
             ROW (NEW.id, NEW.account_id, NEW.kind, NEW.submission_id, NEW.copy_id, NEW.card_id, NEW.trade_id, NEW.dispute_id, NEW.outcome,
                  NEW.design_id, NEW.comment_id, NEW.suggestion_id, NEW.deck_id, NEW.report_id, NEW.created_at))
    EXECUTE FUNCTION append_only();

-- The event names neither the moderator nor the note. Blocks do not matter: a missing event would show who decided.
CREATE FUNCTION abuse_reports_notify_reporters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_events (account_id, kind, report_id, design_id, deck_id, comment_id, suggestion_id, outcome, created_at)
    SELECT NEW.reporter_id, 'report.decided', NEW.id, coalesce(NEW.design_id, (SELECT s.design_id FROM suggested_changes s WHERE s.id = NEW.suggestion_id)),
           NEW.deck_id, NEW.comment_id, NEW.suggestion_id, NEW.decision, NEW.decided_at
    WHERE NOT EXISTS (SELECT FROM event_settings s WHERE s.account_id = NEW.reporter_id AND 'report.decided' = ANY (s.muted));
    RETURN NULL;
END $$;
CREATE TRIGGER abuse_reports_notify_reporters AFTER UPDATE ON abuse_reports
    FOR EACH ROW WHEN (NEW.decision IS NOT NULL AND NEW.decision IS DISTINCT FROM OLD.decision AND NEW.reporter_id <> NEW.decided_by)
    EXECUTE FUNCTION abuse_reports_notify_reporters();

-- A listed design has a new public revision: mirrors read it again.
ALTER TABLE events
    DROP CONSTRAINT events_kind_check,
    ADD CONSTRAINT events_kind_check CHECK (kind IN
        ('game.changed', 'set.changed', 'card.added', 'card.changed', 'card.unlocked', 'card.moved', 'card.merged',
         'design.shared', 'design.changed', 'design.approved', 'design.official', 'design.withdrawn', 'deck.published', 'deck.changed', 'deck.withdrawn')) NOT VALID;
CREATE OR REPLACE FUNCTION design_steps_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    what text := CASE
        WHEN NEW.listed AND NOT OLD.listed THEN CASE WHEN NEW.status = 'official' THEN 'design.official' ELSE 'design.shared' END
        WHEN OLD.listed AND NOT NEW.listed THEN 'design.withdrawn'
        WHEN NEW.listed AND NEW.status <> OLD.status AND NEW.status IN ('approved', 'official') THEN 'design.' || NEW.status
        WHEN NEW.listed AND OLD.status = 'approved' AND NEW.status = 'declined' THEN 'design.shared'
        WHEN NEW.listed AND NEW.public_revision IS DISTINCT FROM OLD.public_revision THEN 'design.changed'
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
DROP TRIGGER design_steps_are_told ON designs;
CREATE TRIGGER design_steps_are_told AFTER UPDATE ON designs
    FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.listed <> NEW.listed OR (OLD.taken_down_at IS NULL) <> (NEW.taken_down_at IS NULL)
                       OR OLD.public_revision IS DISTINCT FROM NEW.public_revision)
    EXECUTE FUNCTION design_steps_are_told();
