DROP TRIGGER card_content_derived ON card_content;
DROP FUNCTION derive_new_card_content;
DROP TRIGGER card_content_open ON card_content;
CREATE TRIGGER card_content_open BEFORE INSERT OR UPDATE ON card_content
    FOR EACH ROW EXECUTE FUNCTION card_content_open();
CREATE FUNCTION card_content_name_scope() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name_scope := CASE WHEN (SELECT unique_names FROM games WHERE code = NEW.game_code) THEN '' ELSE NEW.card_id::text END;
    RETURN NEW;
END $$;
CREATE TRIGGER card_content_name_scope BEFORE INSERT ON card_content
    FOR EACH ROW EXECUTE FUNCTION card_content_name_scope();
