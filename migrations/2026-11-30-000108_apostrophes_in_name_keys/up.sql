-- The letter ʼ (U+02BC) counts as an apostrophe in the keys of names, and apostrophes are no part of a key. A key that would be empty keeps it. The program does the
-- same (crates/engine/src/name.rs); here are the keys of stored names. Skeletons of names do not change: they have a plain apostrophe in its place (UTS 39).
-- Older programs still write keys with the letter. Triggers leave it out, so that newer ones find these names; until the older ones are replaced, they themselves do not.
SET LOCAL lock_timeout = '10s';

CREATE FUNCTION without_letter_apostrophes(key text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(nullif(normalize(replace(key, 'ʼ', ''), NFC), ''), key)
$$;

CREATE FUNCTION name_keys_have_no_letter_apostrophes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name_key := without_letter_apostrophes(NEW.name_key);
    RETURN NEW;
END $$;
CREATE TRIGGER name_keys_have_no_letter_apostrophes BEFORE INSERT OR UPDATE OF name_key ON accounts
    FOR EACH ROW WHEN (NEW.name_key LIKE '%ʼ%') EXECUTE FUNCTION name_keys_have_no_letter_apostrophes();
CREATE TRIGGER name_keys_have_no_letter_apostrophes BEFORE INSERT OR UPDATE OF name_key ON designs
    FOR EACH ROW WHEN (NEW.name_key LIKE '%ʼ%') EXECUTE FUNCTION name_keys_have_no_letter_apostrophes();

CREATE FUNCTION card_keys_have_no_letter_apostrophes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name_key := without_letter_apostrophes(NEW.name_key);
    NEW.search_key := without_letter_apostrophes(NEW.search_key);
    RETURN NEW;
END $$;
CREATE TRIGGER card_keys_have_no_letter_apostrophes BEFORE INSERT OR UPDATE OF name_key, search_key ON card_content
    FOR EACH ROW WHEN (NEW.name_key LIKE '%ʼ%' OR NEW.search_key LIKE '%ʼ%') EXECUTE FUNCTION card_keys_have_no_letter_apostrophes();

-- Names that look alike have not been registered since there are skeletons. Of older ones, only one can have the key.
UPDATE accounts a SET name_key = renewed.key
FROM (SELECT id, without_letter_apostrophes(name_key) AS key,
             row_number() OVER (PARTITION BY without_letter_apostrophes(name_key) ORDER BY created_at, id) AS place
      FROM accounts WHERE name_key LIKE '%ʼ%') renewed
WHERE a.id = renewed.id AND renewed.place = 1 AND NOT EXISTS (SELECT FROM accounts o WHERE o.name_key = renewed.key);

UPDATE designs SET name_key = without_letter_apostrophes(name_key) WHERE name_key LIKE '%ʼ%';

-- Two cards of a game with unique names that differ only in this letter have one key from now on, each in a scope of its own, as in games in which names repeat: a copy is
-- proved with the name of its card.
UPDATE card_content k SET name_key = renewed.key, search_key = without_letter_apostrophes(search_key),
    name_scope = CASE WHEN k.name_scope = '' AND (renewed.place > 1 OR EXISTS (
            SELECT FROM card_content o WHERE o.game_code = k.game_code AND o.name_key = renewed.key AND o.name_scope = '' AND o.card_id <> k.card_id))
        THEN k.card_id::text ELSE k.name_scope END
FROM (SELECT card_id, without_letter_apostrophes(name_key) AS key,
             row_number() OVER (PARTITION BY game_code, without_letter_apostrophes(name_key) ORDER BY card_id) AS place
      FROM card_content WHERE name_key LIKE '%ʼ%') renewed
WHERE k.card_id = renewed.card_id;
