-- Look-ups read name_words since 2026-11-21-000017; no program since then reads word_key, which every new card paid for with two
-- regular expressions and a trigram index.

DROP INDEX card_content_open_word_keys;
ALTER TABLE card_content DROP COLUMN word_key;
DROP FUNCTION card_words(text);
