DROP TRIGGER design_steps_are_told ON designs;
DROP FUNCTION design_steps_are_told();
DELETE FROM account_events WHERE kind IN ('design.official', 'design.taken_down', 'design.reinstated');
ALTER TABLE account_events
    DROP CONSTRAINT account_events_kind_check,
    ADD CONSTRAINT account_events_kind_check CHECK (kind IN (
        'submission.accepted', 'submission.held', 'submission.confirmed', 'submission.refused', 'card.unlocked',
        'trade.offered', 'trade.countered', 'trade.accepted', 'trade.declined', 'trade.cancelled', 'trade.lapsed', 'trade.expired',
        'copy.received', 'copy.given', 'copy.frozen', 'copy.unfrozen', 'copy.voided',
        'dispute.opened', 'dispute.decided', 'dispute.closed',
        'design.commented', 'design.replied', 'design.suggested', 'design.suggestion_taken', 'design.suggestion_declined',
        'design.approved', 'design.declined'));
DROP INDEX events_catalogue_of_game;
DELETE FROM events WHERE kind LIKE 'design.%';
ALTER TABLE events DROP CONSTRAINT events_kind_check;
ALTER TABLE events ADD CONSTRAINT events_kind_check CHECK (kind IN
    ('game.changed', 'set.changed', 'card.added', 'card.changed', 'card.unlocked', 'card.moved', 'card.merged'));
