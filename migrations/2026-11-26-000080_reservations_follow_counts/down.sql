DROP TRIGGER watched_decks_are_due ON decks;
CREATE TRIGGER watched_decks_are_due AFTER UPDATE OF revision, visibility, deleted_at ON decks
    FOR EACH ROW EXECUTE FUNCTION watched_decks_are_due();

CREATE OR REPLACE FUNCTION collections_follow_cards() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    heir uuid := (SELECT card_id FROM card_migrations WHERE kind = 'merge' AND old_card_id = OLD.id);
BEGIN
    IF heir IS NOT NULL THEN
        PERFORM counts_become(gone.id, other.id) FROM printings gone CROSS JOIN LATERAL (
            SELECT id FROM printings WHERE card_id = heir ORDER BY rarity = gone.rarity DESC, tier LIMIT 1) other
        WHERE gone.card_id = OLD.id;
        PERFORM trade_items_become(OLD.id, NULL, heir);
    END IF;
    RETURN OLD;
END $$;

CREATE OR REPLACE FUNCTION counts_become(gone_printing uuid, heir uuid) RETURNS void LANGUAGE sql AS $$
    INSERT INTO collection_entries AS mine (account_id, printing_id, condition, quantity, updated_at)
        SELECT account_id, heir, condition, quantity, updated_at FROM collection_entries WHERE printing_id = gone_printing
        ON CONFLICT (account_id, printing_id, condition)
        DO UPDATE SET quantity = least(mine.quantity + excluded.quantity, 9999)
$$;

CREATE FUNCTION reservations_become(gone_printing uuid, heir uuid) RETURNS void LANGUAGE sql AS $$
    INSERT INTO deck_reservations AS mine (deck_id, printing_id, quantity, reserved_at)
        SELECT deck_id, heir, quantity, reserved_at FROM deck_reservations WHERE printing_id = gone_printing ORDER BY deck_id
        ON CONFLICT (deck_id, printing_id) DO UPDATE SET quantity = mine.quantity + excluded.quantity
$$;

CREATE FUNCTION reservations_follow_cards() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    heir uuid := (SELECT card_id FROM card_migrations WHERE kind = 'merge' AND old_card_id = OLD.id);
BEGIN
    IF heir IS NOT NULL THEN
        -- What is reserved meanwhile waits, and finds the printings gone.
        PERFORM FROM printings WHERE card_id = OLD.id ORDER BY id FOR UPDATE;
        PERFORM reservations_become(gone.id, other.id) FROM printings gone CROSS JOIN LATERAL (
            SELECT id FROM printings WHERE card_id = heir ORDER BY rarity = gone.rarity DESC, tier LIMIT 1) other
        WHERE gone.card_id = OLD.id;
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER reservations_follow_cards BEFORE DELETE ON cards
    FOR EACH ROW EXECUTE FUNCTION reservations_follow_cards();

CREATE FUNCTION reservations_follow_printings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    heir uuid := (SELECT id FROM printings WHERE card_id = OLD.card_id AND id <> OLD.id ORDER BY tier LIMIT 1);
BEGIN
    -- A card that is deleted takes its printings along: there the reservations are somewhere else already.
    IF heir IS NOT NULL AND EXISTS (SELECT FROM cards WHERE id = OLD.card_id) THEN
        PERFORM reservations_become(OLD.id, heir);
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER reservations_follow_printings BEFORE DELETE ON printings
    FOR EACH ROW EXECUTE FUNCTION reservations_follow_printings();
