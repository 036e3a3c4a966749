-- The codes of rarities have the form that manifests allow (is_code in crates/engine/src/card_check.rs). Before, this table refused hyphens, and underscores that are
-- not between other characters, so that no set of a game with such a rarity could be loaded. Older programs read and write such codes as well.
SET LOCAL lock_timeout = '10s';
-- The new form includes the old one, so the stored rows are not checked again.
ALTER TABLE printings
    DROP CONSTRAINT printings_rarity_check,
    ADD CONSTRAINT printings_rarity_check CHECK (rarity ~ '^[a-z0-9_-]+$' AND char_length(rarity) <= 64) NOT VALID;
