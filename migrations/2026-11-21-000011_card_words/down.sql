DROP INDEX card_content_open_word_keys;
ALTER TABLE card_content DROP COLUMN word_key;
DROP FUNCTION card_words;
