DROP TRIGGER name_looks_follow_names ON card_content;
DROP INDEX card_content_open_looks, card_content_without_looks;
ALTER TABLE card_content DROP COLUMN name_looks;
