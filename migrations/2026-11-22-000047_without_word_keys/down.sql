CREATE FUNCTION card_words(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT regexp_replace(' ' || btrim(regexp_replace(
        lower(regexp_replace(normalize($1, NFKD), '[\u0300-\u036f''`\u2018\u2019\u02bc]', '', 'g')),
        '[^[:alnum:]]+', ' ', 'g')), '^ $', '')
$$;
COMMENT ON FUNCTION card_words IS 'The words of a text, each after a space: no accents, no case, no punctuation. Empty when there are none.';
ALTER TABLE card_content ADD COLUMN word_key text NOT NULL GENERATED ALWAYS AS (card_words(name)) STORED;
COMMENT ON COLUMN card_content.word_key IS 'The name as card_words tells it: only programs from before name_words was looked up in read it.';
CREATE INDEX card_content_open_word_keys ON card_content USING gin (word_key gin_trgm_ops) WHERE open;
