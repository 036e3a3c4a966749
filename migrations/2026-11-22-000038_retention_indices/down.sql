CREATE INDEX account_events_age ON account_events (created_at);
DROP INDEX account_events_order;
DROP INDEX collection_imports_committed;
DROP INDEX collection_imports_waiting;
DROP INDEX personal_access_tokens_over;
DROP INDEX sessions_over;
