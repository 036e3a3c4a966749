-- What happens to designs that everybody sees stands in the change feed; what happens to the own ones, also in the events of their authors.

-- The new lists contain the old ones: what is stored need not be looked at again.
ALTER TABLE events DROP CONSTRAINT events_kind_check;
ALTER TABLE events ADD CONSTRAINT events_kind_check CHECK (kind IN
    ('game.changed', 'set.changed', 'card.added', 'card.changed', 'card.unlocked', 'card.moved', 'card.merged',
     'design.shared', 'design.approved', 'design.official', 'design.withdrawn')) NOT VALID;
-- Bulk files have no designs: whether they are behind is asked of the others.
CREATE INDEX events_catalogue_of_game ON events ((payload ->> 'game'), seq) WHERE kind NOT LIKE 'design.%';

ALTER TABLE account_events
    DROP CONSTRAINT account_events_kind_check,
    ADD CONSTRAINT account_events_kind_check CHECK (kind IN (
        'submission.accepted', 'submission.held', 'submission.confirmed', 'submission.refused', 'card.unlocked',
        'trade.offered', 'trade.countered', 'trade.accepted', 'trade.declined', 'trade.cancelled', 'trade.lapsed', 'trade.expired',
        'copy.received', 'copy.given', 'copy.frozen', 'copy.unfrozen', 'copy.voided',
        'dispute.opened', 'dispute.decided', 'dispute.closed',
        'design.commented', 'design.replied', 'design.suggested', 'design.suggestion_taken', 'design.suggestion_declined',
        'design.approved', 'design.declined', 'design.official', 'design.taken_down', 'design.reinstated')) NOT VALID;

-- Only what everybody sees of a design is told to everybody: a design that is a hidden card is still approved.
CREATE FUNCTION design_steps_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    what text := CASE
        WHEN NEW.listed AND NOT OLD.listed THEN CASE WHEN NEW.status = 'official' THEN 'design.official' ELSE 'design.shared' END
        WHEN OLD.listed AND NOT NEW.listed THEN 'design.withdrawn'
        WHEN NEW.listed AND NEW.status <> OLD.status AND NEW.status IN ('approved', 'official') THEN 'design.' || NEW.status
    END;
BEGIN
    IF what IS NOT NULL THEN
        INSERT INTO events (id, kind, subject_id, payload, created_at)
        VALUES (gen_random_uuid(), what, NEW.id, jsonb_build_object('game', NEW.game_code, 'design', NEW.code), NEW.updated_at);
    END IF;
    IF NEW.status = 'official' AND OLD.status <> 'official' AND OLD.taken_down_at IS NULL THEN
        PERFORM tell_of_design(NEW.account_id, NULL, 'design.official', NEW.id, NULL, NULL, NEW.updated_at);
    END IF;
    IF (NEW.taken_down_at IS NULL) <> (OLD.taken_down_at IS NULL) THEN
        PERFORM tell_of_design(NEW.account_id, NULL, CASE WHEN NEW.taken_down_at IS NULL THEN 'design.reinstated' ELSE 'design.taken_down' END,
                               NEW.id, NULL, NULL, NEW.updated_at);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER design_steps_are_told AFTER UPDATE ON designs
    FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.listed <> NEW.listed OR (OLD.taken_down_at IS NULL) <> (NEW.taken_down_at IS NULL)) EXECUTE FUNCTION design_steps_are_told();
