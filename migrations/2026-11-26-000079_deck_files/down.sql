DELETE FROM bulk_files WHERE kind = 'decks';
DROP INDEX deck_judgements_of_game;
DROP TRIGGER deck_files_are_set_apart ON bulk_files;
DROP FUNCTION set_deck_files_apart();
ALTER TABLE bulk_files
    DROP COLUMN is_current,
    DROP CONSTRAINT bulk_files_decks_are_set_apart,
    DROP CONSTRAINT bulk_files_kind_check,
    ADD CONSTRAINT bulk_files_kind_check CHECK (kind IN ('cards', 'printings'));
COMMENT ON COLUMN bulk_files.replaced_at IS NULL;
