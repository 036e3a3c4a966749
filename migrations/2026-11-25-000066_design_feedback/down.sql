DROP TRIGGER design_decisions_are_told ON design_reviews;
DROP FUNCTION design_decisions_are_told;
DROP FUNCTION count_design_rating;
DROP TABLE suggested_changes, design_rating_sums, design_ratings, design_comments, event_settings, account_blocks;
DROP FUNCTION suggested_changes_are_told, design_comments_are_told, tell_of_design, design_ratings_are_counted, design_comments_are_counted;
ALTER TABLE design_revisions DROP COLUMN credited_to;
UPDATE designs SET comment_count = 0, rating_count = 0, rating_points = 0 WHERE comment_count > 0 OR rating_count > 0;
DROP TRIGGER account_events_stay ON account_events;
DELETE FROM account_events WHERE kind LIKE 'design.%';
ALTER TABLE account_events
    DROP COLUMN design_id, DROP COLUMN comment_id, DROP COLUMN suggestion_id,
    DROP CONSTRAINT account_events_kind_check,
    ADD CONSTRAINT account_events_kind_check CHECK (kind IN (
        'submission.accepted', 'submission.held', 'submission.confirmed', 'submission.refused', 'card.unlocked',
        'trade.offered', 'trade.countered', 'trade.accepted', 'trade.declined', 'trade.cancelled', 'trade.lapsed', 'trade.expired',
        'copy.received', 'copy.given', 'copy.frozen', 'copy.unfrozen', 'copy.voided',
        'dispute.opened', 'dispute.decided', 'dispute.closed'));
CREATE TRIGGER account_events_stay BEFORE UPDATE ON account_events FOR EACH ROW
    WHEN (OLD.seq IS NOT NULL
          OR ROW (OLD.id, OLD.account_id, OLD.kind, OLD.submission_id, OLD.copy_id, OLD.card_id, OLD.trade_id, OLD.dispute_id, OLD.outcome, OLD.created_at)
             IS DISTINCT FROM
             ROW (NEW.id, NEW.account_id, NEW.kind, NEW.submission_id, NEW.copy_id, NEW.card_id, NEW.trade_id, NEW.dispute_id, NEW.outcome, NEW.created_at))
    EXECUTE FUNCTION append_only();
