-- While an author is banned, somebody else may take the name of a design, which is then withdrawn. The author learns that from an event.

-- The new list contains the old one: what is stored need not be looked at again.
ALTER TABLE account_events
    DROP CONSTRAINT account_events_kind_check,
    ADD CONSTRAINT account_events_kind_check CHECK (kind IN (
        'submission.accepted', 'submission.held', 'submission.confirmed', 'submission.refused', 'card.unlocked',
        'trade.offered', 'trade.countered', 'trade.accepted', 'trade.declined', 'trade.cancelled', 'trade.lapsed', 'trade.expired',
        'copy.received', 'copy.given', 'copy.frozen', 'copy.unfrozen', 'copy.voided',
        'dispute.opened', 'dispute.decided', 'dispute.closed',
        'design.commented', 'design.replied', 'design.suggested', 'design.suggestion_taken', 'design.suggestion_declined',
        'design.approved', 'design.declined', 'design.official', 'design.taken_down', 'design.reinstated', 'design.name_lost',
        'deck.commented', 'deck.replied', 'deck.became_illegal', 'deck.became_legal')) NOT VALID;

-- Small capitals count as their letters now: names with such letters are compared by other looks, which housekeeping stores.
UPDATE designs SET name_looks = NULL
WHERE name_looks IS NOT NULL AND name ~ '[\u0262\u026a\u0274\u0276\u0280\u028f\u0299\u029c\u029f\u1d00-\u1d2b\ua730\ua731\ua7af]';
