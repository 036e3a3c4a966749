-- Programs of before know no such sessions, which would stay in the lists of their owners.
DELETE FROM sessions WHERE browser_token_hash IS NOT NULL;
ALTER TABLE sessions DROP COLUMN browser_token_hash;
