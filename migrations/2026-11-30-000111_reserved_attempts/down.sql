SET LOCAL lock_timeout = '10s';
DROP TABLE attempt_epochs;
ALTER TABLE attempts
    DROP COLUMN reserved,
    DROP COLUMN reserved_at;
