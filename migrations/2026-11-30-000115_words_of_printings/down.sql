SET LOCAL lock_timeout = '10s';
DROP TRIGGER words_of_removed_printings ON printings;
DROP FUNCTION words_of_removed_printings();
DROP TRIGGER words_of_changed_printings ON printing_content;
DROP FUNCTION words_of_changed_printings();
DROP TRIGGER words_of_added_printings ON printing_content;
DROP FUNCTION words_of_added_printings();
COMMENT ON COLUMN card_content.attribute_words IS 'The attributes that are texts, folded likewise, by code.';
