-- Printings refer to cards, and their content refers to printings, by statement triggers in place of foreign keys. A foreign key is
-- checked with a query and a row lock for each row: six printings a card, each twice, were half of what an import cost. These triggers
-- ask once for each statement. They keep what the keys kept: no printing without its card, no content without its printing, whoever
-- deletes a card takes its printings along, and a card cannot go while a transaction adds printings to it.
-- Deletions at a higher isolation level than READ COMMITTED would not see printings that were committed after they began: there are none.

ALTER TABLE printings DROP CONSTRAINT printings_card_id_fkey;
ALTER TABLE printing_content DROP CONSTRAINT printing_content_printing_id_fkey;

-- A table that grows within a transaction looks small to the planner, which would read all of it for each statement.
CREATE FUNCTION printings_need_cards() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
    missing uuid;
BEGIN
    -- Nobody else sees a new card, so nobody can delete it: its row need not be locked.
    IF current_setting('cardscape.printings_of_new_cards', true) IS DISTINCT FROM 'on' THEN
        PERFORM FROM cards c WHERE c.id IN (SELECT card_id FROM added) ORDER BY c.id FOR KEY SHARE;
    END IF;
    SELECT a.card_id INTO missing FROM (SELECT DISTINCT card_id FROM added) a
    WHERE NOT EXISTS (SELECT FROM cards c WHERE c.id = a.card_id) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'a printing belongs to a card that does not exist: %', missing USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER printings_need_cards AFTER INSERT ON printings
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION printings_need_cards();

CREATE FUNCTION printing_content_needs_printings() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
    missing uuid;
BEGIN
    IF current_setting('cardscape.printings_of_new_cards', true) IS DISTINCT FROM 'on' THEN
        PERFORM FROM printings p WHERE p.id IN (SELECT printing_id FROM added) ORDER BY p.id FOR KEY SHARE;
    END IF;
    SELECT a.printing_id INTO missing FROM added a
    WHERE NOT EXISTS (SELECT FROM printings p WHERE p.id = a.printing_id) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'content belongs to a printing that does not exist: %', missing USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER printing_content_needs_printings AFTER INSERT ON printing_content
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION printing_content_needs_printings();

CREATE FUNCTION delete_printings_of_cards() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
BEGIN
    DELETE FROM printings WHERE card_id IN (SELECT id FROM gone);
    RETURN NULL;
END $$;
CREATE TRIGGER delete_printings_of_cards AFTER DELETE ON cards
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_printings_of_cards();

CREATE FUNCTION delete_content_of_printings() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
BEGIN
    DELETE FROM printing_content WHERE printing_id IN (SELECT id FROM gone);
    RETURN NULL;
END $$;
CREATE TRIGGER delete_content_of_printings AFTER DELETE ON printings
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_content_of_printings();

-- Ids are never changed, and a printing never goes to another card: then nothing need be asked when other columns change.
CREATE FUNCTION refuse_new_references() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'cards, printings and their content keep their ids' USING ERRCODE = 'foreign_key_violation';
END $$;
CREATE TRIGGER cards_keep_ids BEFORE UPDATE OF id ON cards
    FOR EACH ROW WHEN (NEW.id <> OLD.id) EXECUTE FUNCTION refuse_new_references();
CREATE TRIGGER printings_keep_cards BEFORE UPDATE OF id, card_id ON printings
    FOR EACH ROW WHEN ((NEW.id, NEW.card_id) IS DISTINCT FROM (OLD.id, OLD.card_id)) EXECUTE FUNCTION refuse_new_references();
CREATE TRIGGER printing_content_keeps_printings BEFORE UPDATE OF printing_id ON printing_content
    FOR EACH ROW WHEN (NEW.printing_id <> OLD.printing_id) EXECUTE FUNCTION refuse_new_references();
CREATE TRIGGER cards_not_emptied BEFORE TRUNCATE ON cards EXECUTE FUNCTION refuse_new_references();
CREATE TRIGGER printings_not_emptied BEFORE TRUNCATE ON printings EXECUTE FUNCTION refuse_new_references();

COMMENT ON COLUMN printings.card_id IS 'Refers to cards; deleted with the card. Kept by triggers.';
COMMENT ON COLUMN printing_content.printing_id IS 'Refers to printings; deleted with the printing. Kept by triggers.';
