-- Names are unique in a game unless its manifest says otherwise: games that reprint have cards of one name in several sets.
-- A program that does not know of it goes on to keep names unique.

ALTER TABLE games ADD COLUMN unique_names boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN games.unique_names IS 'Whether no two cards of the game have the same name; the manifest says so.';

ALTER TABLE card_content ADD COLUMN name_scope text NOT NULL DEFAULT '';
COMMENT ON COLUMN card_content.name_scope IS 'Empty where names are unique in the game, else the card''s id. Kept by triggers.';
ALTER TABLE card_content ADD CONSTRAINT card_content_names UNIQUE (game_code, name_key, name_scope);
ALTER TABLE card_content DROP CONSTRAINT card_content_game_code_name_key_key;

CREATE FUNCTION card_content_name_scope() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name_scope := CASE WHEN (SELECT unique_names FROM games WHERE code = NEW.game_code) THEN '' ELSE NEW.card_id::text END;
    RETURN NEW;
END $$;
CREATE TRIGGER card_content_name_scope BEFORE INSERT ON card_content
    FOR EACH ROW EXECUTE FUNCTION card_content_name_scope();

CREATE FUNCTION games_name_scope() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE card_content SET name_scope = CASE WHEN NEW.unique_names THEN '' ELSE card_id::text END
    WHERE game_code = NEW.code;
    RETURN NULL;
END $$;
CREATE TRIGGER games_name_scope AFTER UPDATE ON games
    FOR EACH ROW WHEN (NEW.unique_names <> OLD.unique_names) EXECUTE FUNCTION games_name_scope();
