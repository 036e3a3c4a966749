-- Print runs, copies and what players submit. Plain serial codes are never stored: a copy is known by its run prefix and
-- HMAC-SHA256(key, code), truncated to 16 bytes.

CREATE TABLE print_runs (
    id uuid PRIMARY KEY,
    set_id uuid NOT NULL REFERENCES sets,
    code_prefix text NOT NULL CHECK (code_prefix ~ '^[0-9A-HJKMNP-TV-Z]{2}$'),
    key_id text NOT NULL,
    copies_per_card bigint NOT NULL CHECK (copies_per_card >= 1),
    copy_count bigint NOT NULL CHECK (copy_count >= copies_per_card),
    status text NOT NULL CHECK (status IN ('pending', 'active', 'discarded')),
    file_sha256 bytea NOT NULL CHECK (octet_length(file_sha256) = 32),
    created_by uuid REFERENCES accounts,
    created_at timestamptz NOT NULL,
    activated_at timestamptz,
    CHECK ((status = 'active') = (activated_at IS NOT NULL))
);
CREATE INDEX print_runs_set ON print_runs (set_id, created_at);
COMMENT ON COLUMN print_runs.code_prefix IS 'First two symbols of the codes: locality in the index, not identity; runs may share one.';
COMMENT ON COLUMN print_runs.key_id IS 'Which serial key of the configuration the codes were hashed with.';
COMMENT ON COLUMN print_runs.file_sha256 IS 'SHA-256 of the print file, the only place where the plain codes ever were.';
COMMENT ON COLUMN print_runs.created_by IS 'Null when the operator minted at the machine itself.';

CREATE TABLE copies (
    code_prefix text NOT NULL,
    code_mac bytea NOT NULL CHECK (octet_length(code_mac) = 16),
    print_run_id uuid NOT NULL REFERENCES print_runs,
    printing_id uuid NOT NULL REFERENCES printings,
    owner_id uuid REFERENCES accounts,
    registered_at timestamptz,
    frozen_at timestamptz,
    voided_at timestamptz,
    PRIMARY KEY (code_prefix, code_mac),
    CHECK ((owner_id IS NULL) = (registered_at IS NULL))
);
CREATE INDEX copies_owner ON copies (owner_id, printing_id) WHERE owner_id IS NOT NULL;
COMMENT ON TABLE copies IS 'One row for each physical card. Owner and states mirror the newest entries of copy_ledger.';

CREATE TABLE copy_ledger (
    id uuid PRIMARY KEY,
    code_prefix text NOT NULL,
    code_mac bytea NOT NULL,
    entry text NOT NULL CHECK (entry IN ('register', 'transfer', 'dispute', 'freeze', 'void')),
    account_id uuid NOT NULL REFERENCES accounts,
    created_at timestamptz NOT NULL,
    FOREIGN KEY (code_prefix, code_mac) REFERENCES copies
);
CREATE UNIQUE INDEX copy_ledger_registered_once ON copy_ledger (code_prefix, code_mac) WHERE entry = 'register';
CREATE UNIQUE INDEX copy_ledger_one_dispute_each ON copy_ledger (code_prefix, code_mac, account_id) WHERE entry = 'dispute';
COMMENT ON TABLE copy_ledger IS 'What happened to a copy, in order. Append-only: a trigger refuses changes.';
COMMENT ON COLUMN copy_ledger.account_id IS 'register, transfer: the new owner; dispute: the claimant; freeze, void: the moderator.';

CREATE TABLE submissions (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts,
    card_id uuid NOT NULL REFERENCES cards,
    code_prefix text NOT NULL,
    code_mac bytea NOT NULL,
    counted boolean NOT NULL,
    created_at timestamptz NOT NULL,
    UNIQUE (code_prefix, code_mac),
    FOREIGN KEY (code_prefix, code_mac) REFERENCES copies
);
CREATE UNIQUE INDEX submissions_counted_once ON submissions (account_id, card_id) WHERE counted;
CREATE INDEX submissions_account ON submissions (account_id, id);
COMMENT ON COLUMN submissions.counted IS 'Whether it counts for the unlock: the first of an account for a card does.';

CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER copy_ledger_append_only BEFORE UPDATE OR DELETE ON copy_ledger
    FOR EACH ROW EXECUTE FUNCTION append_only();
