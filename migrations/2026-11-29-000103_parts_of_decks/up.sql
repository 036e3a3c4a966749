-- Saving a deck of twenty-five entries checked twenty-five times that the deck exists. Entries and revisions are written only by statements that write their deck,
-- or after its row was locked, so these foreign keys found nothing. What they did beyond that, a trigger does: with a deck, its entries and revisions are deleted.
-- An older program works with this schema: it writes in the same way.

CREATE FUNCTION delete_deck_parts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM deck_entries WHERE deck_id = OLD.id;
    DELETE FROM deck_revisions WHERE deck_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER delete_deck_parts AFTER DELETE ON decks FOR EACH ROW EXECUTE FUNCTION delete_deck_parts();
-- An id that changes would leave them behind.
CREATE FUNCTION refuse_other_deck_ids() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a deck keeps its id' USING ERRCODE = 'foreign_key_violation';
END $$;
CREATE TRIGGER refuse_other_deck_ids BEFORE UPDATE OF id ON decks FOR EACH ROW WHEN (NEW.id <> OLD.id) EXECUTE FUNCTION refuse_other_deck_ids();

ALTER TABLE deck_entries DROP CONSTRAINT deck_entries_deck_id_fkey;
ALTER TABLE deck_revisions DROP CONSTRAINT deck_revisions_deck_id_fkey;
COMMENT ON COLUMN deck_entries.deck_id IS 'A deck. No foreign key, which would be checked for each entry: the trigger delete_deck_parts deletes them with the deck.';
COMMENT ON COLUMN deck_revisions.deck_id IS 'A deck. No foreign key: the trigger delete_deck_parts deletes them with the deck.';

-- Games are never deleted and keep their codes. But each new deck locked the row of its game, and all that were stored at the same time shared that lock.
ALTER TABLE decks DROP CONSTRAINT decks_game_code_fkey;
COMMENT ON COLUMN decks.game_code IS 'A game. No foreign key: each new deck would lock the row of its game, which all decks of the game have in common.';

-- Accounts are never deleted, and no statement looks for copies of the decks of an account.
DROP INDEX decks_cloned_account;
