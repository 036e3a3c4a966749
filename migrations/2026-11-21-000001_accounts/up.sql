-- Who may do what. Times are set by the service, never by the database, so that one clock rules and tests can set it.

CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (char_length(name) BETWEEN 3 AND 32),
    name_key text NOT NULL UNIQUE CHECK (name_key <> ''),
    password_hash text NOT NULL CHECK (password_hash LIKE '$argon2id$%'),
    role text NOT NULL CHECK (role IN ('player', 'moderator', 'admin')),
    must_change_password boolean NOT NULL DEFAULT false,
    banned_at timestamptz,
    created_at timestamptz NOT NULL
);
COMMENT ON COLUMN accounts.name_key IS 'The name folded (NFKC, case, punctuation): two accounts never differ only by look.';
COMMENT ON COLUMN accounts.password_hash IS 'PHC string of argon2id; its parameters travel with it and rise at the next log-in.';

CREATE TABLE recovery_codes (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    code_hash bytea NOT NULL CHECK (octet_length(code_hash) = 32),
    used_at timestamptz,
    PRIMARY KEY (account_id, code_hash)
);
COMMENT ON TABLE recovery_codes IS 'One-time codes handed out at registration; each is 80 random bits, stored as SHA-256.';

CREATE TABLE sessions (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    network_mac bytea NOT NULL CHECK (octet_length(network_mac) = 16),
    generation integer NOT NULL CHECK (generation >= 1),
    created_at timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    revoked_reason text CHECK (revoked_reason IN ('logout', 'password_changed', 'refresh_reused', 'banned', 'role_changed', 'recovered')),
    CHECK ((revoked_at IS NULL) = (revoked_reason IS NULL))
);
CREATE INDEX sessions_account ON sessions (account_id, network_mac);
COMMENT ON COLUMN sessions.network_mac IS 'HMAC of the network that logged in: a known network is not throttled by what strangers try elsewhere.';
COMMENT ON COLUMN sessions.generation IS 'Generation of the newest refresh token; the one before is honoured for 30 s after its rotation.';

CREATE TABLE refresh_tokens (
    token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
    generation integer NOT NULL CHECK (generation >= 0),
    issued_at timestamptz NOT NULL,
    replaced_at timestamptz
);
CREATE UNIQUE INDEX refresh_tokens_one_current ON refresh_tokens (session_id) WHERE replaced_at IS NULL;
COMMENT ON TABLE refresh_tokens IS 'Every token of a session, kept after rotation so that a re-use is recognised.';
COMMENT ON COLUMN refresh_tokens.generation IS 'Counts rotations from 1. 0: superseded by another of its generation because its reply was lost; never honoured again.';

CREATE TABLE personal_access_tokens (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    scopes text[] NOT NULL CHECK (cardinality(scopes) >= 1),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
    last_used_at timestamptz,
    revoked_at timestamptz
);
CREATE INDEX personal_access_tokens_account ON personal_access_tokens (account_id, id);
