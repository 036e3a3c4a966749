DROP TRIGGER games_name_scope ON games;
DROP FUNCTION games_name_scope;
DROP TRIGGER card_content_name_scope ON card_content;
DROP FUNCTION card_content_name_scope;
ALTER TABLE card_content ADD CONSTRAINT card_content_game_code_name_key_key UNIQUE (game_code, name_key);
ALTER TABLE card_content DROP CONSTRAINT card_content_names;
ALTER TABLE card_content DROP COLUMN name_scope;
ALTER TABLE games DROP COLUMN unique_names;
