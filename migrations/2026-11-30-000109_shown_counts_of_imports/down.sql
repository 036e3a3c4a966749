SET LOCAL lock_timeout = '10s';
ALTER TABLE collection_imports DROP COLUMN shown_counts;
COMMENT ON COLUMN abuse_reports.reported IS 'Of a report about a deck: name, description, tags and names of unknown entries, as others read them when it was reported.';
