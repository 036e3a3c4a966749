-- Copies that may be named outside, a ledger whose entries follow each other, trades and disputes. A program that knows of none of
-- this may run beside: ids, places in the ledger, owners and disputes are filled in by triggers, whoever writes.

ALTER TABLE accounts ADD COLUMN trading text NOT NULL DEFAULT 'offers' CHECK (trading IN ('closed', 'offers', 'public'));
COMMENT ON COLUMN accounts.trading IS 'closed: nobody sends her offers; offers: whoever knows her name may; public: and may list her copies, too.';

ALTER TABLE copies ADD COLUMN id uuid;
UPDATE copies SET id = gen_random_uuid() WHERE owner_id IS NOT NULL;
CREATE UNIQUE INDEX copies_id ON copies (id) WHERE id IS NOT NULL;
ALTER TABLE copies ADD CONSTRAINT copies_registered_has_id CHECK ((owner_id IS NULL) = (id IS NULL));
COMMENT ON COLUMN copies.id IS 'What the copy is called outside, from its registration on. Random: it tells nothing of the code, nor of when or beside what it was registered.';

CREATE FUNCTION copies_are_named() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.id := gen_random_uuid();
    RETURN NEW;
END $$;
CREATE TRIGGER copies_are_named BEFORE INSERT OR UPDATE OF owner_id ON copies
    FOR EACH ROW WHEN (NEW.owner_id IS NOT NULL AND NEW.id IS NULL) EXECUTE FUNCTION copies_are_named();

CREATE FUNCTION copies_final_states() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.id IS NOT NULL AND NEW.id IS DISTINCT FROM OLD.id THEN
        RAISE EXCEPTION 'a copy keeps its id' USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.voided_at IS NOT NULL
       AND (NEW.voided_at IS DISTINCT FROM OLD.voided_at OR NEW.owner_id IS DISTINCT FROM OLD.owner_id) THEN
        RAISE EXCEPTION 'a voided copy stays void' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER copies_final_states BEFORE UPDATE ON copies
    FOR EACH ROW WHEN (OLD.id IS NOT NULL OR OLD.voided_at IS NOT NULL) EXECUTE FUNCTION copies_final_states();

CREATE TABLE trades (
    id uuid PRIMARY KEY,
    offered_by uuid NOT NULL REFERENCES accounts,
    offered_to uuid NOT NULL REFERENCES accounts,
    state text NOT NULL CHECK (state IN ('open', 'accepted', 'declined', 'cancelled', 'countered', 'lapsed', 'expired')),
    message text CHECK (char_length(message) BETWEEN 1 AND 500),
    counter_to uuid UNIQUE REFERENCES trades ON DELETE SET NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
    closed_at timestamptz,
    CHECK (offered_by <> offered_to),
    CHECK ((state = 'open') = (closed_at IS NULL))
);
CREATE INDEX trades_offered_by ON trades (offered_by, id);
CREATE INDEX trades_offered_to ON trades (offered_to, id);
CREATE INDEX trades_open ON trades (expires_at) WHERE state = 'open';
CREATE INDEX trades_closed ON trades (closed_at) WHERE state NOT IN ('open', 'accepted');
COMMENT ON TABLE trades IS 'Offers to exchange copies; one that asks for nothing is a transfer. An open offer locks nothing: everything is checked again when it is accepted.';
COMMENT ON COLUMN trades.state IS 'open also when its time is over and nobody has looked yet: expires_at counts.';

CREATE TABLE trade_copies (
    trade_id uuid NOT NULL REFERENCES trades ON DELETE CASCADE,
    code_prefix text NOT NULL,
    code_mac bytea NOT NULL,
    given boolean NOT NULL,
    gone boolean NOT NULL DEFAULT false,
    PRIMARY KEY (trade_id, code_prefix, code_mac),
    FOREIGN KEY (code_prefix, code_mac) REFERENCES copies
);
COMMENT ON COLUMN trade_copies.given IS 'Whether the one who offers gives it; otherwise she asks for it.';
COMMENT ON COLUMN trade_copies.gone IS 'Whether the offer lapsed because of this copy.';

CREATE FUNCTION closed_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what is closed in % stays closed', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER trades_closed_stay BEFORE UPDATE OF state, offered_by, offered_to, closed_at ON trades
    FOR EACH ROW WHEN (OLD.state <> 'open') EXECUTE FUNCTION closed_stays();

-- The ledger as a chain. Rows that are there are numbered once; for that the ledger is open to change for a moment.
ALTER TABLE copy_ledger DISABLE TRIGGER copy_ledger_append_only;
ALTER TABLE copy_ledger
    ADD COLUMN position integer CHECK (position >= 1),
    ADD COLUMN owner_id uuid REFERENCES accounts,
    ADD COLUMN reason text CHECK (char_length(reason) BETWEEN 1 AND 500),
    ADD COLUMN trade_id uuid REFERENCES trades,
    ADD COLUMN dispute_id uuid REFERENCES copy_ledger;
UPDATE copy_ledger l SET position = numbered.position, owner_id = c.owner_id
FROM (SELECT id, row_number() OVER (PARTITION BY code_prefix, code_mac ORDER BY entry <> 'register', created_at, id) AS position
      FROM copy_ledger) numbered, copies c
WHERE numbered.id = l.id AND c.code_prefix = l.code_prefix AND c.code_mac = l.code_mac;
ALTER TABLE copy_ledger ALTER COLUMN position SET NOT NULL;
ALTER TABLE copy_ledger ADD CONSTRAINT copy_ledger_chain UNIQUE (code_prefix, code_mac, position);
ALTER TABLE copy_ledger ENABLE TRIGGER copy_ledger_append_only;
ALTER TABLE copy_ledger DROP CONSTRAINT copy_ledger_entry_check;
ALTER TABLE copy_ledger ADD CONSTRAINT copy_ledger_entry_check
    CHECK (entry IN ('register', 'transfer', 'dispute', 'freeze', 'unfreeze', 'decide', 'void'));
COMMENT ON COLUMN copy_ledger.account_id IS 'register, transfer: the new owner; dispute: the claimant; freeze, unfreeze, decide, void: the moderator.';
COMMENT ON COLUMN copy_ledger.position IS 'Place in the copy''s history, from 1, without gaps: each state is reached from one before it, once.';
COMMENT ON COLUMN copy_ledger.owner_id IS 'Whose the copy is after this entry.';
COMMENT ON COLUMN copy_ledger.reason IS 'What the moderator says; the owner reads it.';
COMMENT ON COLUMN copy_ledger.trade_id IS 'transfer: the trade that moved the copy.';
COMMENT ON COLUMN copy_ledger.dispute_id IS 'decide: the dispute.';

-- Whoever writes holds the copy's row, so the chain has the order of the locks, and owner_id is what the writer has made of it.
CREATE FUNCTION copy_ledger_chain() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE TABLE disputes (
    id uuid PRIMARY KEY REFERENCES copy_ledger,
    code_prefix text NOT NULL,
    code_mac bytea NOT NULL,
    claimant_id uuid NOT NULL REFERENCES accounts,
    state text NOT NULL CHECK (state IN ('open', 'for_owner', 'for_claimant', 'withdrawn', 'settled', 'voided')),
    opened_at timestamptz NOT NULL,
    closed_at timestamptz,
    decided_by uuid REFERENCES accounts,
    reason text CHECK (char_length(reason) BETWEEN 1 AND 500),
    lost_by uuid REFERENCES accounts,
    UNIQUE (code_prefix, code_mac, claimant_id),
    FOREIGN KEY (code_prefix, code_mac) REFERENCES copies,
    CHECK ((state = 'open') = (closed_at IS NULL)),
    CHECK ((state IN ('for_owner', 'for_claimant')) = (decided_by IS NOT NULL AND reason IS NOT NULL)),
    CHECK ((state = 'for_claimant') = (lost_by IS NOT NULL))
);
CREATE INDEX disputes_lost_by ON disputes (lost_by) WHERE lost_by IS NOT NULL;
CREATE INDEX disputes_claimant ON disputes (claimant_id, id);
CREATE INDEX disputes_open ON disputes (id) WHERE state = 'open';
COMMENT ON TABLE disputes IS 'What became of the claims in the ledger. The id is that of the ledger entry that opened it.';
COMMENT ON COLUMN disputes.state IS 'for_owner, for_claimant: decided by a moderator; withdrawn: by the claimant; settled: the copy came to the claimant by a trade; voided: the copy was voided.';
COMMENT ON COLUMN disputes.lost_by IS 'for_claimant: who owned the copy until then; she may read why.';
CREATE TRIGGER disputes_closed_stay BEFORE UPDATE ON disputes
    FOR EACH ROW WHEN (OLD.state <> 'open') EXECUTE FUNCTION closed_stays();

CREATE TABLE dispute_statements (
    dispute_id uuid NOT NULL REFERENCES disputes,
    position integer NOT NULL CHECK (position >= 1),
    side text NOT NULL CHECK (side IN ('claimant', 'owner')),
    account_id uuid NOT NULL REFERENCES accounts,
    text text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 2000),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (dispute_id, position)
);
COMMENT ON TABLE dispute_statements IS 'What the two sides say. Read by their author and by moderators: the sides do not learn who the other is.';
CREATE TRIGGER dispute_statements_append_only BEFORE UPDATE OR DELETE ON dispute_statements
    FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER dispute_statements_not_emptied BEFORE TRUNCATE ON dispute_statements EXECUTE FUNCTION append_only();

INSERT INTO disputes (id, code_prefix, code_mac, claimant_id, state, opened_at)
SELECT id, code_prefix, code_mac, account_id, 'open', created_at FROM copy_ledger WHERE entry = 'dispute';

CREATE FUNCTION disputes_are_opened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A claim that waited for a trade that brought the copy to the claimant has nothing left to claim.
    INSERT INTO disputes (id, code_prefix, code_mac, claimant_id, state, opened_at, closed_at)
    VALUES (NEW.id, NEW.code_prefix, NEW.code_mac, NEW.account_id,
            CASE WHEN NEW.owner_id = NEW.account_id THEN 'settled' ELSE 'open' END, NEW.created_at,
            CASE WHEN NEW.owner_id = NEW.account_id THEN NEW.created_at END);
    RETURN NULL;
END $$;
CREATE TRIGGER disputes_are_opened AFTER INSERT ON copy_ledger
    FOR EACH ROW WHEN (NEW.entry = 'dispute') EXECUTE FUNCTION disputes_are_opened();
