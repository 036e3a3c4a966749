DROP TABLE event_clock;
DROP INDEX events_unnumbered;
ALTER TABLE events DROP COLUMN seq;
DELETE FROM events WHERE kind <> 'card.unlocked';
ALTER TABLE events ALTER COLUMN subject_id SET NOT NULL;
ALTER TABLE events DROP CONSTRAINT events_kind_check;
ALTER TABLE events ADD CONSTRAINT events_kind_check CHECK (kind IN ('card.unlocked'));
