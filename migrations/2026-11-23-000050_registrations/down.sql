DROP TRIGGER submissions_are_told ON submissions;
DROP FUNCTION submissions_are_told;
DROP FUNCTION is_reviewed;
CREATE FUNCTION submissions_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_events (account_id, kind, submission_id, copy_id, card_id, created_at)
    SELECT NEW.account_id,
           CASE WHEN EXISTS (
               SELECT FROM unlocks u JOIN cards k ON k.id = u.card_id
               JOIN LATERAL (SELECT policy.review FROM unlock_policies policy
                             WHERE policy.game_code = k.game_code AND (policy.set_code = k.set_code OR policy.set_code IS NULL)
                             ORDER BY policy.set_code NULLS LAST LIMIT 1) policy ON policy.review
               WHERE u.card_id = NEW.card_id AND u.unlocked_at IS NULL AND u.by_policy
           ) THEN 'submission.held' ELSE 'submission.accepted' END,
           NEW.id, c.id, NEW.card_id, NEW.created_at
    FROM copies c WHERE c.code_prefix = NEW.code_prefix AND c.code_mac = NEW.code_mac;
    RETURN NULL;
END $$;
CREATE TRIGGER submissions_are_told AFTER INSERT ON submissions FOR EACH ROW EXECUTE FUNCTION submissions_are_told();

DROP TRIGGER unlocks_are_final ON unlocks;
CREATE TRIGGER unlocks_are_final BEFORE UPDATE ON unlocks FOR EACH ROW EXECUTE FUNCTION unlocks_are_final();
DROP TRIGGER registrations_stay ON copies;
CREATE TRIGGER registrations_stay BEFORE UPDATE OF owner_id ON copies
    FOR EACH ROW EXECUTE FUNCTION registrations_stay();

DROP TRIGGER copy_ledger_chain ON copy_ledger;
CREATE OR REPLACE FUNCTION copy_ledger_chain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT owner_id INTO NEW.owner_id FROM copies
        WHERE code_prefix = NEW.code_prefix AND code_mac = NEW.code_mac FOR NO KEY UPDATE;
    IF NEW.entry IN ('register', 'transfer') THEN
        NEW.owner_id := NEW.account_id;
    END IF;
    SELECT coalesce(max(position), 0) + 1 INTO NEW.position FROM copy_ledger
        WHERE code_prefix = NEW.code_prefix AND code_mac = NEW.code_mac;
    RETURN NEW;
END $$;
CREATE TRIGGER copy_ledger_chain BEFORE INSERT ON copy_ledger FOR EACH ROW EXECUTE FUNCTION copy_ledger_chain();

COMMENT ON COLUMN copy_ledger.owner_id IS 'Whose the copy is after this entry.';
ALTER TABLE copy_ledger ADD CONSTRAINT copy_ledger_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES accounts;
CREATE INDEX copy_ledger_copy ON copy_ledger (code_prefix, code_mac, id);
CREATE UNIQUE INDEX copy_ledger_registered_once ON copy_ledger (code_prefix, code_mac) WHERE entry = 'register';
ALTER TABLE copy_ledger DROP CONSTRAINT copy_ledger_begins_with_registration;
