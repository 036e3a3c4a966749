SET LOCAL lock_timeout = '10s';
ALTER TABLE abuse_reports
    DROP COLUMN first_reported,
    DROP COLUMN first_reported_at;
COMMENT ON COLUMN abuse_reports.reported IS 'What others could read when the report was sent: of a deck, name, description, tags and names of unknown entries; of a design, the number of its revision; of a comment, its text. Null: an older program stored the report.';
