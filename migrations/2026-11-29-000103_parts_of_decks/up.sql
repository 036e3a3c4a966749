-- Saving a deck of twenty-five entries checked twenty-five times that the deck exists. Entries and revisions are written only by statements that write their deck,
-- or after its row was locked, so these foreign keys found nothing. What they did beyond that, a trigger does: with a deck, its entries and revisions are deleted.
-- An older program works with this schema: it writes in the same way.

-- All locks at once, and in the order in which requests take them: an older program may serve meanwhile. Requests wait behind this statement, so it does not wait for
-- long: if a transaction that takes minutes uses the tables (the files of public decks), the start fails and can be repeated.
SET LOCAL lock_timeout = '10s';
LOCK TABLE decks, deck_entries, deck_revisions IN ACCESS EXCLUSIVE MODE;

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

-- Accounts are never deleted, and no statement looks for copies of the decks of an account.
DROP INDEX decks_cloned_account;
