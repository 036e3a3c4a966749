SET LOCAL lock_timeout = '10s';
DROP INDEX personal_access_tokens_open, personal_access_tokens_ended, sessions_open;
