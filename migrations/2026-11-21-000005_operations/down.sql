DROP TABLE attempts;
DROP TABLE idempotency_keys;
DROP TABLE audit_log;
DROP TABLE events;
