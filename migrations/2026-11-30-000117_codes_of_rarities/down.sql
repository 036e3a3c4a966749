SET LOCAL lock_timeout = '10s';
-- Stored printings with other codes stay.
ALTER TABLE printings
    DROP CONSTRAINT printings_rarity_check,
    ADD CONSTRAINT printings_rarity_check CHECK (rarity ~ '^[a-z0-9]+(_[a-z0-9]+)*$') NOT VALID;
