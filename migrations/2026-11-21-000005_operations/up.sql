CREATE TABLE events (
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('card.unlocked')),
    subject_id uuid NOT NULL,
    payload jsonb NOT NULL CHECK (jsonb_typeof(payload) = 'object'),
    created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX events_unlocked_once ON events (subject_id) WHERE kind = 'card.unlocked';
COMMENT ON TABLE events IS 'Outbox: written in the transaction of the change it tells of. Payloads hold only what a stranger may know.';

CREATE TABLE audit_log (
    id uuid PRIMARY KEY,
    actor_id uuid REFERENCES accounts,
    action text NOT NULL,
    target text NOT NULL,
    details jsonb NOT NULL CHECK (jsonb_typeof(details) = 'object'),
    created_at timestamptz NOT NULL
);
CREATE INDEX audit_log_newest ON audit_log (created_at DESC, id);
COMMENT ON COLUMN audit_log.actor_id IS 'Null when the operator acted at the machine itself.';
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION append_only();

CREATE TABLE idempotency_keys (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
    operation text NOT NULL,
    body_mac bytea NOT NULL CHECK (octet_length(body_mac) = 32),
    resource_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
COMMENT ON TABLE idempotency_keys IS 'Written in the transaction that creates the resource; a repeat is answered by rendering that resource again. Bodies compare by keyed HMAC: nothing of them is stored.';

CREATE TABLE attempts (
    scope text NOT NULL,
    subject_mac bytea NOT NULL CHECK (octet_length(subject_mac) = 16),
    window_start timestamptz NOT NULL,
    used integer NOT NULL CHECK (used >= 0),
    PRIMARY KEY (scope, subject_mac, window_start)
);
CREATE INDEX attempts_age ON attempts (window_start);
COMMENT ON TABLE attempts IS 'Attempts left on what guards secrets, shared by all instances. A unit is reserved and committed before the secret is looked at, and given back on success.';
