DROP TABLE deck_revisions;
DELETE FROM decks WHERE deleted_at IS NOT NULL;
-- A program that does not know of entries without a name reads a placeholder.
UPDATE deck_entries SET name = left(set_code || ' ' || number, 200) WHERE name = '';
ALTER TABLE deck_entries
    DROP CONSTRAINT deck_entries_name_check,
    ADD CONSTRAINT deck_entries_name_check CHECK (char_length(name) BETWEEN 1 AND 200) NOT VALID;
ALTER TABLE decks
    DROP COLUMN description, DROP COLUMN tags, DROP COLUMN folder, DROP COLUMN unlisted, DROP COLUMN unread_lines, DROP COLUMN card_ids, DROP COLUMN bound_revision,
    DROP COLUMN cloned_deck_id, DROP COLUMN cloned_revision, DROP COLUMN cloned_account_id, DROP COLUMN deleted_at, DROP COLUMN visibility_before;
