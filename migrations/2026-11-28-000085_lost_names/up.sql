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

-- Names are compared without accents now, and small capitals and letters in circles or squares count as their letters. So all hashes change, and housekeeping
-- stores them again. An older instance that runs beside may store old hashes, which are not found; they stay until the design is shared or revised again.
UPDATE designs SET name_looks = NULL WHERE name_looks IS NOT NULL;
UPDATE card_content SET name_looks = NULL WHERE name_looks IS NOT NULL;
