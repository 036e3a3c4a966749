-- A report that its reporter sends again keeps what it contained when it was sent first, beside what it contains now.
-- Older programs neither read nor write these columns: with them, a repeated report replaces what it contains, and keeps what is stored here.
SET LOCAL lock_timeout = '10s';
ALTER TABLE abuse_reports
    ADD COLUMN first_reported jsonb,
    ADD COLUMN first_reported_at timestamptz;
COMMENT ON COLUMN abuse_reports.reported IS 'What others could read when the report was sent last: of a deck, name, description, tags and names of unknown entries; of a design, the number of its revision; of a comment, its text. Null: an older program stored the report.';
COMMENT ON COLUMN abuse_reports.first_reported IS 'What others could read when the report was sent first, like reported; if that was not stored, when it was stored first. Null: the report was not sent again since then.';
COMMENT ON COLUMN abuse_reports.first_reported_at IS 'When the report with the content of first_reported was sent. Null: first_reported is null.';
