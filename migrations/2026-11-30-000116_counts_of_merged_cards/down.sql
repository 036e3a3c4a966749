CREATE OR REPLACE FUNCTION deleted_decks_reserve_nothing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM deck_reservations WHERE deck_id = NEW.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION trade_items_become(gone_card uuid, gone_printing uuid, heir uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    gone record;
BEGIN
    FOR gone IN
        SELECT account_id, kind, min(position) AS position, least(sum(quantity), 9999)::integer AS quantity
        FROM trade_list_items
        WHERE card_id = gone_card AND (gone_printing IS NULL OR printing_id = gone_printing) GROUP BY account_id, kind
    LOOP
        DELETE FROM trade_list_items WHERE account_id = gone.account_id AND kind = gone.kind AND card_id = gone_card
            AND (gone_printing IS NULL OR printing_id = gone_printing);
        UPDATE trade_list_items SET quantity = least(quantity + gone.quantity, 9999)
            WHERE account_id = gone.account_id AND kind = gone.kind AND card_id = heir AND printing_id IS NULL;
        IF NOT FOUND THEN
            INSERT INTO trade_list_items (account_id, kind, position, card_id, printing_id, quantity)
                VALUES (gone.account_id, gone.kind, gone.position, heir, NULL, gone.quantity);
        END IF;
        UPDATE trade_lists SET revision = revision + 1 WHERE account_id = gone.account_id AND kind = gone.kind;
    END LOOP;
END $$;

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
