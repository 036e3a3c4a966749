-- Trade matches count at most a hundred items of public lists for a card, but read all items of private lists before them, and most lists are private. So items
-- have the visibility of their list in an index. The list stays what decides: whoever shows an item looks at both. Every program that changes who may read a list
-- writes its items again, so no item has the visibility that its list had before.
-- The table is locked while its rows are read for the indexes: about a second with a million items.
SET LOCAL lock_timeout = '10s';
ALTER TABLE trade_list_items ADD COLUMN public boolean;
COMMENT ON COLUMN trade_list_items.public IS 'Whether everybody may read the list. Null: a program that does not know this column wrote the item; housekeeping fills it in.';
CREATE INDEX trade_list_items_public ON trade_list_items (card_id, kind, account_id DESC) WHERE public IS NOT FALSE;
CREATE INDEX trade_list_items_unmarked ON trade_list_items (account_id, kind, position) WHERE public IS NULL;

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
            INSERT INTO trade_list_items (account_id, kind, position, card_id, printing_id, quantity, public)
                SELECT account_id, kind, gone.position, heir, NULL, gone.quantity, visibility = 'public'
                FROM trade_lists WHERE account_id = gone.account_id AND kind = gone.kind;
        END IF;
        UPDATE trade_lists SET revision = revision + 1 WHERE account_id = gone.account_id AND kind = gone.kind;
    END LOOP;
END $$;
