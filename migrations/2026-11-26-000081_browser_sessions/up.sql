-- Sessions of browsers: one secret in a cookie for as long as the session lives, in the place of tokens that replace each other. Two
-- tabs that renew such tokens at once look like a theft.
ALTER TABLE sessions ADD COLUMN browser_token_hash bytea CHECK (octet_length(browser_token_hash) = 32);
CREATE UNIQUE INDEX sessions_browser_token_hash_key ON sessions (browser_token_hash) WHERE browser_token_hash IS NOT NULL;
