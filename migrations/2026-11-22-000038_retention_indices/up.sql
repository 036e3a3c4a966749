-- What housekeeping looks for every few minutes, so that it finds a batch without reading whole tables.

CREATE INDEX sessions_over ON sessions (LEAST(expires_at, revoked_at));
CREATE INDEX personal_access_tokens_over ON personal_access_tokens (expires_at);
CREATE INDEX collection_imports_waiting ON collection_imports (expires_at) WHERE committed_at IS NULL;
CREATE INDEX collection_imports_committed ON collection_imports (committed_at) WHERE committed_at IS NOT NULL;
-- With the id: the unlock of a card tells many accounts at one time, and a page of them begins after the last row of the page before.
CREATE INDEX account_events_order ON account_events (created_at, id);
DROP INDEX account_events_age;
