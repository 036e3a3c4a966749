DROP TABLE personal_access_tokens;
DROP TABLE refresh_tokens;
DROP TABLE sessions;
DROP TABLE recovery_codes;
DROP TABLE accounts;
