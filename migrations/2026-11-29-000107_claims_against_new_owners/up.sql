-- Open claims to a copy stay open when it comes to another account by a trade or by the decision of a dispute. The new owner is told of them, and can make
-- statements. A claim of the new owner is settled, or was decided.
SET LOCAL lock_timeout = '10s';

CREATE FUNCTION open_claims_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_events (account_id, kind, copy_id, card_id, dispute_id, created_at)
    SELECT NEW.owner_id, 'dispute.opened', c.id, p.card_id, d.id, NEW.created_at
    FROM disputes d JOIN copies c ON c.code_prefix = d.code_prefix AND c.code_mac = d.code_mac JOIN printings p ON p.id = c.printing_id
    WHERE d.code_prefix = NEW.code_prefix AND d.code_mac = NEW.code_mac AND d.state = 'open' AND d.claimant_id <> NEW.owner_id
      AND NEW.owner_id IS DISTINCT FROM (
          SELECT before.owner_id FROM copy_ledger before WHERE before.code_prefix = NEW.code_prefix AND before.code_mac = NEW.code_mac
             AND before.position = NEW.position - 1)
    ORDER BY d.id;
    RETURN NULL;
END $$;
-- Its name comes after copy_ledger_is_told: the copy is received first.
CREATE TRIGGER open_claims_are_told AFTER INSERT ON copy_ledger
    FOR EACH ROW WHEN (NEW.entry IN ('transfer', 'decide')) EXECUTE FUNCTION open_claims_are_told();
