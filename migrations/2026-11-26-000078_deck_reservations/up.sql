-- Copies that players set aside for their decks. An older program knows nothing of them: it deletes decks and merges cards, and the triggers keep up.

CREATE TABLE deck_reservations (
    deck_id uuid NOT NULL REFERENCES decks ON DELETE CASCADE,
    printing_id uuid NOT NULL REFERENCES printings ON DELETE CASCADE,
    quantity integer NOT NULL CHECK (quantity >= 1),
    reserved_at timestamptz NOT NULL,
    PRIMARY KEY (deck_id, printing_id)
);
COMMENT ON TABLE deck_reservations IS 'Which printings, and how many of each, the owner of a deck has set aside for it. Not which copies: those of a printing are alike. When fewer are owned than are reserved, the decks that were reserved first have theirs.';
COMMENT ON COLUMN deck_reservations.reserved_at IS 'Since when the deck has a reservation: the same in all rows of a deck.';
CREATE INDEX deck_reservations_printing ON deck_reservations (printing_id);

CREATE FUNCTION deleted_decks_reserve_nothing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM deck_reservations WHERE deck_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER deleted_decks_reserve_nothing AFTER UPDATE OF deleted_at ON decks
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION deleted_decks_reserve_nothing();

-- Cards become others, and printings are taken back: reservations go along with the counts of collections, in the same way.

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
