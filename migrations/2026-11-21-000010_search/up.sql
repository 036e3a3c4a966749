-- The words of cards, for the query language: folded by the service, which writes and refreshes them (words_version).

ALTER TABLE card_content
    ADD COLUMN words text NOT NULL DEFAULT '',
    ADD COLUMN name_words text NOT NULL DEFAULT '',
    ADD COLUMN effect_words text NOT NULL DEFAULT '',
    ADD COLUMN lore_words text NOT NULL DEFAULT '',
    ADD COLUMN attribute_words jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(attribute_words) = 'object'),
    ADD COLUMN words_version smallint NOT NULL DEFAULT 0;
COMMENT ON COLUMN card_content.words IS 'Name, effects, lore and emoji: small letters without accents and punctuation, a space before each word, | between parts.';
COMMENT ON COLUMN card_content.attribute_words IS 'The attributes that are texts, folded likewise, by code.';
COMMENT ON COLUMN card_content.words_version IS 'Which folding made the words; 0: none yet. The service makes those of an older version anew.';

-- The words themselves as lexemes: a text search parser would drop emoji. No stranger's look-up touches a hidden card.
CREATE INDEX card_content_open_words ON card_content
    USING gin (array_to_tsvector(string_to_array(ltrim(words), ' '))) WHERE open;
CREATE INDEX card_content_stale_words ON card_content (words_version);

-- A program that does not know the words changes content without them: they are stale then.
CREATE FUNCTION card_content_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.words_version := 0;
    RETURN NEW;
END $$;
CREATE TRIGGER card_content_words BEFORE UPDATE ON card_content FOR EACH ROW
    WHEN ((NEW.name, NEW.effects, NEW.lore, NEW.attributes) IS DISTINCT FROM (OLD.name, OLD.effects, OLD.lore, OLD.attributes)
          AND (NEW.words, NEW.attribute_words) IS NOT DISTINCT FROM (OLD.words, OLD.attribute_words))
    EXECUTE FUNCTION card_content_words();
