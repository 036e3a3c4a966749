-- What is derived of a new card is derived by one query, not by two triggers with a query each.

CREATE FUNCTION derive_new_card_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT CASE WHEN (SELECT unique_names FROM games WHERE code = NEW.game_code) THEN '' ELSE NEW.card_id::text END,
           NOT EXISTS (SELECT FROM unlocks WHERE card_id = NEW.card_id AND unlocked_at IS NULL)
    INTO NEW.name_scope, NEW.open;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION derive_new_card_content IS 'Whether everybody may read a new card, and whether its name is unique in its game.';

DROP TRIGGER card_content_name_scope ON card_content;
DROP FUNCTION card_content_name_scope;
DROP TRIGGER card_content_open ON card_content;
CREATE TRIGGER card_content_open BEFORE UPDATE ON card_content FOR EACH ROW EXECUTE FUNCTION card_content_open();
CREATE TRIGGER card_content_derived BEFORE INSERT ON card_content FOR EACH ROW EXECUTE FUNCTION derive_new_card_content();
