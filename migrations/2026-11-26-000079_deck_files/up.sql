-- Public decks in bulk files.

-- A program that does not know the kind cannot read its rows. So files of decks are never without replaced_at: 'infinity' until they are replaced, which such
-- programs take for a replaced file that is not yet to be deleted. Once there are none of them, replaced_at alone will do.
ALTER TABLE bulk_files
    DROP CONSTRAINT bulk_files_kind_check,
    ADD CONSTRAINT bulk_files_kind_check CHECK (kind IN ('cards', 'printings', 'decks')),
    ADD CONSTRAINT bulk_files_decks_are_set_apart CHECK (kind <> 'decks' OR replaced_at IS NOT NULL),
    ADD COLUMN is_current boolean NOT NULL GENERATED ALWAYS AS (replaced_at IS NULL OR NOT isfinite(replaced_at)) STORED;
COMMENT ON COLUMN bulk_files.replaced_at IS 'Since when there is a newer version; NULL, or infinity in files of decks: there is none.';
CREATE FUNCTION set_deck_files_apart() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.replaced_at := 'infinity';
    RETURN NEW;
END $$;
CREATE TRIGGER deck_files_are_set_apart BEFORE INSERT ON bulk_files
    FOR EACH ROW WHEN (NEW.kind = 'decks' AND NEW.replaced_at IS NULL) EXECUTE FUNCTION set_deck_files_apart();
-- The public decks of a game in the order of their ids.
CREATE INDEX deck_judgements_of_game ON deck_judgements (game_code, deck_id);
CREATE UNIQUE INDEX bulk_files_one_current ON bulk_files (name) WHERE is_current;
CREATE INDEX bulk_files_current_of_game ON bulk_files (game_code) WHERE is_current;
