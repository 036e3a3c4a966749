-- Finding people: accounts by part of their names, and what the audit log says of somebody or something.

-- Names that begin with something, and every list of accounts in order.
CREATE INDEX accounts_name_order ON accounts (name_key COLLATE "C");
-- Names that have something in them.
CREATE INDEX accounts_name_trigrams ON accounts USING gin (name_key gin_trgm_ops);
-- The few among the many.
CREATE INDEX accounts_staff ON accounts (name_key COLLATE "C") WHERE role <> 'player';
CREATE INDEX accounts_banned ON accounts (name_key COLLATE "C") WHERE banned_at IS NOT NULL;

-- The log is kept for ever: each way to ask it reads a page of an index.
CREATE INDEX audit_log_actor ON audit_log (actor_id, created_at, id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_log_target ON audit_log (target, created_at, id);
CREATE INDEX audit_log_action ON audit_log (action, created_at, id);
CREATE INDEX audit_log_noun ON audit_log (split_part(action, '.', 1), created_at, id);
