DROP TRIGGER card_content_words ON card_content;
DROP FUNCTION card_content_words;
DROP INDEX card_content_stale_words;
DROP INDEX card_content_open_words;
ALTER TABLE card_content
    DROP COLUMN words_version,
    DROP COLUMN attribute_words,
    DROP COLUMN lore_words,
    DROP COLUMN effect_words,
    DROP COLUMN name_words,
    DROP COLUMN words;
