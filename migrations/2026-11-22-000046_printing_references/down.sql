DROP TRIGGER printings_not_emptied ON printings;
DROP TRIGGER cards_not_emptied ON cards;
DROP TRIGGER printing_content_keeps_printings ON printing_content;
DROP TRIGGER printings_keep_cards ON printings;
DROP TRIGGER cards_keep_ids ON cards;
DROP TRIGGER delete_content_of_printings ON printings;
DROP TRIGGER delete_printings_of_cards ON cards;
DROP TRIGGER printing_content_needs_printings ON printing_content;
DROP TRIGGER printings_need_cards ON printings;
DROP FUNCTION refuse_new_references;
DROP FUNCTION delete_content_of_printings;
DROP FUNCTION delete_printings_of_cards;
DROP FUNCTION printing_content_needs_printings;
DROP FUNCTION printings_need_cards;
COMMENT ON COLUMN printings.card_id IS NULL;
COMMENT ON COLUMN printing_content.printing_id IS NULL;
ALTER TABLE printings ADD CONSTRAINT printings_card_id_fkey FOREIGN KEY (card_id) REFERENCES cards ON DELETE CASCADE;
ALTER TABLE printing_content ADD CONSTRAINT printing_content_printing_id_fkey
    FOREIGN KEY (printing_id) REFERENCES printings ON DELETE CASCADE;
