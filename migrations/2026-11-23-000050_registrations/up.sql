-- What a registration costs beside its own four rows: a number in the ledger that is known beforehand, an event that asked four tables,
-- two indices that others serve, and one foreign key that cannot fail.

-- A registration is the first entry of its copy, and the only one of its kind. So the chain's key keeps what an index of its own kept.
ALTER TABLE copy_ledger ADD CONSTRAINT copy_ledger_begins_with_registration CHECK ((entry = 'register') = (position = 1));
DROP INDEX copy_ledger_registered_once;
-- copy_ledger_chain begins with the same columns, and histories are read in its order.
DROP INDEX copy_ledger_copy;

-- What the entry says of the owner is either the account of the entry or the owner of the copy, and both refer to accounts themselves.
ALTER TABLE copy_ledger DROP CONSTRAINT copy_ledger_owner_id_fkey;
COMMENT ON COLUMN copy_ledger.owner_id IS 'Whose the copy is after this entry: account_id, or the owner_id of the copy, which refer to accounts.';

-- Whoever registers a copy knows the entry's place and owner. Older programs name neither.
CREATE OR REPLACE FUNCTION copy_ledger_chain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.entry = 'register' THEN
        NEW.owner_id := NEW.account_id;
        NEW.position := 1;
        RETURN NEW;
    END IF;
    SELECT owner_id INTO NEW.owner_id FROM copies
        WHERE code_prefix = NEW.code_prefix AND code_mac = NEW.code_mac FOR NO KEY UPDATE;
    IF NEW.entry = 'transfer' THEN
        NEW.owner_id := NEW.account_id;
    END IF;
    SELECT coalesce(max(position), 0) + 1 INTO NEW.position FROM copy_ledger
        WHERE code_prefix = NEW.code_prefix AND code_mac = NEW.code_mac;
    RETURN NEW;
END $$;
DROP TRIGGER copy_ledger_chain ON copy_ledger;
CREATE TRIGGER copy_ledger_chain BEFORE INSERT ON copy_ledger FOR EACH ROW
    WHEN (NEW.entry <> 'register' OR NEW.position IS DISTINCT FROM 1 OR NEW.owner_id IS DISTINCT FROM NEW.account_id)
    EXECUTE FUNCTION copy_ledger_chain();

DROP TRIGGER registrations_stay ON copies;
CREATE TRIGGER registrations_stay BEFORE UPDATE OF owner_id ON copies
    FOR EACH ROW WHEN (OLD.owner_id IS NOT NULL AND NEW.owner_id IS NULL) EXECUTE FUNCTION registrations_stay();
DROP TRIGGER unlocks_are_final ON unlocks;
CREATE TRIGGER unlocks_are_final BEFORE UPDATE ON unlocks FOR EACH ROW
    WHEN (OLD.unlocked_at IS NOT NULL AND NEW.unlocked_at IS DISTINCT FROM OLD.unlocked_at) EXECUTE FUNCTION unlocks_are_final();

-- One query for all submissions of a statement. Policies are asked only about hidden cards over which one decides. A table that grows
-- within a transaction looks small to the planner, which would read all of it.
DROP TRIGGER submissions_are_told ON submissions;
CREATE OR REPLACE FUNCTION submissions_are_told() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO account_events (account_id, kind, submission_id, copy_id, card_id, created_at)
    SELECT a.account_id,
           CASE WHEN u.by_policy AND u.unlocked_at IS NULL AND is_reviewed(a.card_id) THEN 'submission.held' ELSE 'submission.accepted' END,
           a.id, c.id, a.card_id, a.created_at
    FROM added a
    JOIN copies c ON c.code_prefix = a.code_prefix AND c.code_mac = a.code_mac
    LEFT JOIN unlocks u ON u.card_id = a.card_id
    ORDER BY a.id;
    RETURN NULL;
END $$;
CREATE FUNCTION is_reviewed(card uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT policy.review FROM cards k
            JOIN unlock_policies policy ON policy.game_code = k.game_code AND (policy.set_code = k.set_code OR policy.set_code IS NULL)
            WHERE k.id = card ORDER BY policy.set_code NULLS LAST LIMIT 1);
END $$;
COMMENT ON FUNCTION is_reviewed IS 'Whether moderators look at submissions of a card before they count, by the policy of its set or else of its game.';
CREATE TRIGGER submissions_are_told AFTER INSERT ON submissions
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION submissions_are_told();
