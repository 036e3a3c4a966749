-- The change feed: events get gapless numbers once they are committed. A program that does not know of it writes events
-- without number, and the next reader numbers them.

ALTER TABLE events DROP CONSTRAINT events_kind_check;
ALTER TABLE events ADD CONSTRAINT events_kind_check
    CHECK (kind IN ('game.changed', 'set.changed', 'card.added', 'card.changed', 'card.unlocked'));
ALTER TABLE events ALTER COLUMN subject_id DROP NOT NULL;
ALTER TABLE events ADD COLUMN seq bigint UNIQUE CHECK (seq >= 1);
COMMENT ON COLUMN events.seq IS 'Place in the change feed, from 1, without gaps; null until the event is numbered, which happens after its commit.';
CREATE INDEX events_unnumbered ON events (created_at, id) WHERE seq IS NULL;

CREATE TABLE event_clock (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    last_seq bigint NOT NULL CHECK (last_seq >= 0)
);
INSERT INTO event_clock (last_seq) VALUES (0);
COMMENT ON TABLE event_clock IS 'The last number given out. Whoever numbers events holds this row.';
