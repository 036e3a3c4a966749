-- A second factor at log-in: time-based codes (RFC 6238) and one-time recovery codes of their own. A program that does not know of it
-- lets in with the password alone, so second factors are to be switched on only when no such program runs any more.

ALTER TABLE accounts ADD COLUMN second_factor_since timestamptz;
COMMENT ON COLUMN accounts.second_factor_since IS 'When the second factor was confirmed; null: the password alone is enough.';

CREATE TABLE second_factors (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    key_id text NOT NULL,
    sealed bytea NOT NULL CHECK (octet_length(sealed) = 60),
    created_at timestamptz NOT NULL,
    last_step bigint
);
CREATE INDEX second_factors_unconfirmed ON second_factors (created_at) WHERE last_step IS NULL;
COMMENT ON TABLE second_factors IS 'Whoever changes a row, or accepts a code, holds the row of the account.';
COMMENT ON COLUMN second_factors.key_id IS 'Which key of the key file the secret is encrypted under.';
COMMENT ON COLUMN second_factors.sealed IS 'Nonce (24 bytes), secret of 20 bytes and tag (16), XChaCha20-Poly1305; the account id is authenticated with it.';
COMMENT ON COLUMN second_factors.last_step IS 'Time step of the newest code that was accepted: this and older ones are refused. Null until confirmed.';

CREATE TABLE second_factor_codes (
    account_id uuid NOT NULL REFERENCES second_factors ON DELETE CASCADE,
    code_hash bytea NOT NULL CHECK (octet_length(code_hash) = 32),
    used_at timestamptz,
    PRIMARY KEY (account_id, code_hash)
);
COMMENT ON TABLE second_factor_codes IS 'One-time codes in place of a code of the device; each is 80 random bits, stored as SHA-256.';

ALTER TABLE sessions DROP CONSTRAINT sessions_revoked_reason_check;
ALTER TABLE sessions ADD CONSTRAINT sessions_revoked_reason_check CHECK (revoked_reason IN (
    'logout', 'password_changed', 'refresh_reused', 'banned', 'role_changed', 'recovered', 'second_factor_changed'));
