-- Webhooks: what happens to the catalogue is posted to addresses that admins name. A program that does not know of it posts nothing; the
-- next one that does goes on from each webhook's place in the change feed.

CREATE TABLE webhooks (
    id uuid PRIMARY KEY,
    url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    description text NOT NULL CHECK (length(description) <= 200),
    kinds text[] NOT NULL CHECK (cardinality(kinds) >= 1),
    game_code text REFERENCES games,
    disabled_at timestamptz,
    disabled_reason text CHECK (disabled_reason IN ('admin', 'gone', 'failing')),
    secret_generation integer NOT NULL CHECK (secret_generation >= 1),
    previous_secret_until timestamptz,
    cursor_seq bigint NOT NULL CHECK (cursor_seq >= 0),
    failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    failing_since timestamptz,
    failed_at timestamptz,
    resume_at timestamptz,
    lease_id uuid,
    lease_until timestamptz,
    created_by uuid REFERENCES accounts,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
    CHECK ((failures = 0) = (failing_since IS NULL) AND (failures = 0) = (failed_at IS NULL))
);
COMMENT ON TABLE webhooks IS 'Where events are posted to. No secret is stored: it is derived from the key ring, id and generation.';
COMMENT ON COLUMN webhooks.game_code IS 'Only events of this game; null: of all.';
COMMENT ON COLUMN webhooks.disabled_reason IS 'admin: by hand; gone: the receiver answered 410; failing: nothing got through for days.';
COMMENT ON COLUMN webhooks.secret_generation IS 'Rises when the secret is changed.';
COMMENT ON COLUMN webhooks.previous_secret_until IS 'Until then deliveries are signed with the secret before, too.';
COMMENT ON COLUMN webhooks.cursor_seq IS 'Events up to this number of the change feed have their deliveries.';
COMMENT ON COLUMN webhooks.failures IS 'Attempts that failed since the last that did not.';
COMMENT ON COLUMN webhooks.resume_at IS 'Nothing is posted before: several attempts failed, or the receiver asked for it.';
COMMENT ON COLUMN webhooks.lease_id IS 'The task that posts to it now; nobody else does before lease_until.';
COMMENT ON COLUMN webhooks.deleted_at IS 'Gone for everybody; the row goes when its deliveries are gone.';

CREATE TABLE webhook_deliveries (
    id uuid PRIMARY KEY,
    webhook_id uuid NOT NULL REFERENCES webhooks,
    seq bigint CHECK (seq >= 1),
    kind text NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_at timestamptz,
    last_attempt_at timestamptz,
    last_status integer CHECK (last_status BETWEEN 100 AND 999),
    last_failure text,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    UNIQUE (webhook_id, seq),
    CHECK ((seq IS NULL) = (kind = 'ping')),
    CHECK ((state = 'waiting') = (next_attempt_at IS NOT NULL) AND (state = 'waiting') = (finished_at IS NULL))
);
-- In the order of the feed, tests first.
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, seq NULLS FIRST, id) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
-- What failed is rare, and what admins look for.
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (webhook_id, id) WHERE state = 'failed';
CREATE INDEX webhook_deliveries_old ON webhook_deliveries (created_at);
COMMENT ON TABLE webhook_deliveries IS 'An event for a webhook. What is posted is read from the event; of answers, the status alone is kept.';
COMMENT ON COLUMN webhook_deliveries.seq IS 'Number of the event in the change feed; null for a ping.';
COMMENT ON COLUMN webhook_deliveries.last_failure IS 'Why the last attempt failed, as one word.';
