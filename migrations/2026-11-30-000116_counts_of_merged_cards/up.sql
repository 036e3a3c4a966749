-- What players change while it goes along with a merged card, or with a rarity that is taken back. A statement that waits for a row sees the other rows as they
-- were before: so rows are locked, or deleted, before they are read. Locks are taken in the order of cards, printings, lists and entries, as programs take them.

CREATE OR REPLACE FUNCTION counts_become(gone_printing uuid, heir uuid) RETURNS void LANGUAGE sql AS $$
    -- What is counted or reserved for the first time meanwhile waits for the printing, and finds it gone.
    SELECT FROM printings WHERE id = gone_printing FOR UPDATE;
    -- Deleted, not copied: a deletion waits for those who change an entry, and returns what they have written.
    WITH gone AS (DELETE FROM collection_entries WHERE printing_id = gone_printing RETURNING account_id, condition, quantity, updated_at)
    INSERT INTO collection_entries AS mine (account_id, printing_id, condition, quantity, updated_at)
        SELECT account_id, heir, condition, quantity, updated_at FROM gone ORDER BY account_id, condition
        ON CONFLICT (account_id, printing_id, condition)
        DO UPDATE SET quantity = least(mine.quantity + excluded.quantity, 9999);
    WITH gone AS (DELETE FROM deck_reservations WHERE printing_id = gone_printing RETURNING deck_id, quantity, reserved_at)
    INSERT INTO deck_reservations AS mine (deck_id, printing_id, quantity, reserved_at)
        SELECT deck_id, heir, quantity, reserved_at FROM gone ORDER BY deck_id
        ON CONFLICT (deck_id, printing_id) DO UPDATE SET quantity = mine.quantity + excluded.quantity
$$;

CREATE OR REPLACE FUNCTION trade_items_become(gone_card uuid, gone_printing uuid, heir uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    gone record;
BEGIN
    -- Whoever replaces one of these lists has a lock on it: its items are read when they are stored.
    PERFORM FROM trade_lists WHERE (account_id, kind) IN (
        SELECT account_id, kind FROM trade_list_items WHERE card_id = gone_card AND (gone_printing IS NULL OR printing_id = gone_printing))
    ORDER BY account_id, kind FOR NO KEY UPDATE;
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

CREATE OR REPLACE FUNCTION deleted_decks_reserve_nothing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Waits for a merge of cards in progress: it moves the reservations to other printings.
    PERFORM FROM printings WHERE id IN (SELECT printing_id FROM deck_reservations WHERE deck_id = NEW.id) ORDER BY id FOR KEY SHARE;
    DELETE FROM deck_reservations WHERE deck_id = NEW.id;
    RETURN NULL;
END $$;
