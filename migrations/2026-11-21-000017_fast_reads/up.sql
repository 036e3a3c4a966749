-- What a comparison asks of the printings of a card stands beside the card's content, and one column holds the words of names.

ALTER TABLE card_content ADD COLUMN printing_numbers jsonb NOT NULL DEFAULT '[]'
    CHECK (jsonb_typeof(printing_numbers) = 'array');
COMMENT ON COLUMN card_content.printing_numbers IS 'The attributes that are numbers as they are in each printing that has any: [{"attack": 300, "defense": 200}]. Derived by triggers from the card and its printings, whichever program writes them.';

CREATE FUNCTION card_printing_numbers(card uuid, attributes jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg(numbers.all_of_them ORDER BY p.tier) FILTER (WHERE numbers.all_of_them <> '{}'), '[]')
    FROM printings p
    JOIN printing_content own ON own.printing_id = p.id
    CROSS JOIN LATERAL (
        SELECT coalesce(jsonb_object_agg(one.key, one.value), '{}') AS all_of_them
        FROM jsonb_each($2 || own.attributes) one WHERE jsonb_typeof(one.value) = 'number') numbers
    WHERE p.card_id = $1
$$;
COMMENT ON FUNCTION card_printing_numbers IS 'The numbers of each printing of a card: its own, or else those of the card.';

CREATE FUNCTION card_content_printing_numbers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.printing_numbers := card_printing_numbers(NEW.card_id, NEW.attributes);
    RETURN NEW;
END $$;
CREATE TRIGGER card_content_printing_numbers BEFORE UPDATE OF attributes ON card_content
    FOR EACH ROW EXECUTE FUNCTION card_content_printing_numbers();

-- Once for each statement, not for each of its rows: an import writes hundreds of printings at once.
CREATE FUNCTION printing_content_numbers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A program that knows the column has written it with the card: then there is nothing to do.
    WITH fresh AS MATERIALIZED (
        SELECT card.card_id, card_printing_numbers(card.card_id, card.attributes) AS numbers FROM card_content card
        WHERE card.card_id IN (SELECT p.card_id FROM written JOIN printings p ON p.id = written.printing_id))
    UPDATE card_content content SET printing_numbers = fresh.numbers FROM fresh
    WHERE content.card_id = fresh.card_id AND content.printing_numbers <> fresh.numbers;
    RETURN NULL;
END $$;
CREATE TRIGGER printing_content_added AFTER INSERT ON printing_content REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION printing_content_numbers();
CREATE TRIGGER printing_content_changed AFTER UPDATE ON printing_content REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION printing_content_numbers();

CREATE FUNCTION printings_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE card_content content SET printing_numbers = card_printing_numbers(content.card_id, content.attributes)
    WHERE content.card_id IN (SELECT gone.card_id FROM gone);
    RETURN NULL;
END $$;
CREATE TRIGGER printings_gone AFTER DELETE ON printings REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION printings_gone();

WITH fresh AS MATERIALIZED (
    SELECT card_id, card_printing_numbers(card_id, attributes) AS numbers FROM card_content)
UPDATE card_content content SET printing_numbers = fresh.numbers FROM fresh
WHERE content.card_id = fresh.card_id AND fresh.numbers <> '[]';

-- A kind that few cards have, or none, is found without trying all of them.
CREATE INDEX card_content_open_kinds ON card_content (game_code, kind) WHERE open;

-- Look-ups read name_words, which the service folds as it folds what was typed. word_key stays for programs that know no other.
CREATE INDEX card_content_open_name_words ON card_content USING gin (name_words gin_trgm_ops) WHERE open;
COMMENT ON COLUMN card_content.name_words IS 'The name, folded: what suggestions and fuzzy look-ups compare with the beginnings of words.';
COMMENT ON COLUMN card_content.word_key IS 'The name as card_words tells it: only programs from before name_words was looked up in read it.';
