-- Reservations go along with the counts of collections, in the one function that says to which printings: five functions and
-- triggers that said the same a second time are gone.
DROP TRIGGER reservations_follow_printings ON printings;
DROP FUNCTION reservations_follow_printings();
DROP TRIGGER reservations_follow_cards ON cards;
DROP FUNCTION reservations_follow_cards();
DROP FUNCTION reservations_become(uuid, uuid);

CREATE OR REPLACE FUNCTION counts_become(gone_printing uuid, heir uuid) RETURNS void LANGUAGE sql AS $$
    INSERT INTO collection_entries AS mine (account_id, printing_id, condition, quantity, updated_at)
        SELECT account_id, heir, condition, quantity, updated_at FROM collection_entries WHERE printing_id = gone_printing
        ON CONFLICT (account_id, printing_id, condition)
        DO UPDATE SET quantity = least(mine.quantity + excluded.quantity, 9999);
    -- What is reserved meanwhile waits for the printing, and finds it gone.
    SELECT FROM printings WHERE id = gone_printing FOR UPDATE;
    INSERT INTO deck_reservations AS mine (deck_id, printing_id, quantity, reserved_at)
        SELECT deck_id, heir, quantity, reserved_at FROM deck_reservations WHERE printing_id = gone_printing ORDER BY deck_id
        ON CONFLICT (deck_id, printing_id) DO UPDATE SET quantity = mine.quantity + excluded.quantity
$$;

-- Printings are locked in the order of their ids, as reservations lock them.
CREATE OR REPLACE FUNCTION collections_follow_cards() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    heir uuid := (SELECT card_id FROM card_migrations WHERE kind = 'merge' AND old_card_id = OLD.id);
BEGIN
    IF heir IS NOT NULL THEN
        PERFORM FROM printings WHERE card_id = OLD.id ORDER BY id FOR UPDATE;
        PERFORM counts_become(gone.id, other.id) FROM printings gone CROSS JOIN LATERAL (
            SELECT id FROM printings WHERE card_id = heir ORDER BY rarity = gone.rarity DESC, tier LIMIT 1) other
        WHERE gone.card_id = OLD.id;
        PERFORM trade_items_become(OLD.id, NULL, heir);
    END IF;
    RETURN OLD;
END $$;

-- A change of who may see a deck changes no report of it, and a deleted deck has none.
DROP TRIGGER watched_decks_are_due ON decks;
CREATE TRIGGER watched_decks_are_due AFTER UPDATE OF revision, deleted_at ON decks
    FOR EACH ROW WHEN (NEW.deleted_at IS NULL AND (NEW.revision <> OLD.revision OR OLD.deleted_at IS NOT NULL)) EXECUTE FUNCTION watched_decks_are_due();
