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

SET LOCAL lock_timeout = '10s';
ALTER TABLE trade_list_items DROP COLUMN public;
