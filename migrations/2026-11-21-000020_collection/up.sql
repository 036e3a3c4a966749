-- Counted collections, for cards without registered copies, and lists of what players want and have to give.

CREATE TABLE collection_entries (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    printing_id uuid NOT NULL REFERENCES printings ON DELETE CASCADE,
    condition text NOT NULL
        CHECK (condition IN ('mint', 'near_mint', 'lightly_played', 'moderately_played', 'heavily_played', 'damaged')),
    quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 9999),
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, printing_id, condition)
);
CREATE INDEX collection_entries_printing ON collection_entries (printing_id);
COMMENT ON TABLE collection_entries IS 'How many cards of a printing, in one condition, a player says to own. Registered copies are not counted here.';

CREATE TABLE collection_imports (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    mode text NOT NULL CHECK (mode IN ('add', 'replace')),
    game_code text,
    entries jsonb NOT NULL CHECK (jsonb_typeof(entries) = 'array'),
    rejected jsonb NOT NULL CHECK (jsonb_typeof(rejected) = 'array'),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
    committed_at timestamptz,
    result jsonb,
    CHECK ((committed_at IS NULL) = (result IS NULL))
);
CREATE INDEX collection_imports_account ON collection_imports (account_id, created_at);
CREATE INDEX collection_imports_age ON collection_imports (created_at);
COMMENT ON TABLE collection_imports IS 'What a file was read as: shown to the player first, then applied exactly so.';
COMMENT ON COLUMN collection_imports.game_code IS 'replace: only this game''s entries are replaced; null: all.';
COMMENT ON COLUMN collection_imports.entries IS 'Printing, condition and quantity of the lines that can be taken, each pair once.';
COMMENT ON COLUMN collection_imports.rejected IS 'The other lines: number, verdict and reason. Nothing that hidden cards could show in.';

CREATE TABLE trade_lists (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('want', 'have')),
    visibility text NOT NULL CHECK (visibility IN ('private', 'public')),
    revision bigint NOT NULL CHECK (revision >= 1),
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, kind)
);
CREATE TABLE trade_list_items (
    account_id uuid NOT NULL,
    kind text NOT NULL,
    position integer NOT NULL CHECK (position >= 0),
    card_id uuid NOT NULL REFERENCES cards ON DELETE CASCADE,
    printing_id uuid REFERENCES printings ON DELETE CASCADE,
    quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 9999),
    PRIMARY KEY (account_id, kind, position),
    FOREIGN KEY (account_id, kind) REFERENCES trade_lists ON DELETE CASCADE
);
CREATE UNIQUE INDEX trade_list_items_once ON trade_list_items (account_id, kind, card_id, coalesce(printing_id, card_id));
CREATE INDEX trade_list_items_card ON trade_list_items (card_id, kind, account_id DESC);
CREATE INDEX trade_list_items_printing ON trade_list_items (printing_id) WHERE printing_id IS NOT NULL;
COMMENT ON COLUMN trade_list_items.printing_id IS 'Null: any rarity of the card.';

-- Cards become others, and printings are taken back. What players wrote down goes along, whoever writes the catalogue.

CREATE FUNCTION trade_items_become(gone_card uuid, gone_printing uuid, heir uuid) RETURNS void LANGUAGE plpgsql AS $$
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

CREATE FUNCTION counts_become(gone_printing uuid, heir uuid) RETURNS void LANGUAGE sql AS $$
    INSERT INTO collection_entries AS mine (account_id, printing_id, condition, quantity, updated_at)
        SELECT account_id, heir, condition, quantity, updated_at FROM collection_entries WHERE printing_id = gone_printing
        ON CONFLICT (account_id, printing_id, condition)
        DO UPDATE SET quantity = least(mine.quantity + excluded.quantity, 9999)
$$;

CREATE FUNCTION collections_follow_cards() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER collections_follow_cards BEFORE DELETE ON cards
    FOR EACH ROW EXECUTE FUNCTION collections_follow_cards();

CREATE FUNCTION collections_follow_printings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    heir uuid := (SELECT id FROM printings WHERE card_id = OLD.card_id AND id <> OLD.id ORDER BY tier LIMIT 1);
BEGIN
    -- A card that is deleted takes its printings along: there the counts are somewhere else already.
    IF heir IS NOT NULL AND EXISTS (SELECT FROM cards WHERE id = OLD.card_id) THEN
        PERFORM counts_become(OLD.id, heir);
        PERFORM trade_items_become(OLD.card_id, OLD.id, OLD.card_id);
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER collections_follow_printings BEFORE DELETE ON printings
    FOR EACH ROW EXECUTE FUNCTION collections_follow_printings();
