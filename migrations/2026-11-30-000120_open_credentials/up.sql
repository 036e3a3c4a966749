-- A log-in, the list of sessions and a new password need only the sessions of an account that are open, and a new token only the tokens that are not revoked. A
-- script that logs in every few seconds leaves hundreds of thousands of ended ones, which are kept for a month.
-- The sweep deletes a token a month after it was revoked, as it does a session; older programs only after it has expired, up to a year later: for them
-- personal_access_tokens_over stays.
-- Readers do not wait for these indexes. Tokens come first, in the order in which requests write to both tables.
SET LOCAL lock_timeout = '10s';
CREATE INDEX personal_access_tokens_open ON personal_access_tokens (account_id, id) WHERE revoked_at IS NULL;
CREATE INDEX personal_access_tokens_ended ON personal_access_tokens (LEAST(expires_at, revoked_at));
CREATE INDEX sessions_open ON sessions (account_id) WHERE revoked_at IS NULL;
