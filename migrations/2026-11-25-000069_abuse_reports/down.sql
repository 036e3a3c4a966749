-- What was taken down is shown to nobody without the columns, either.
UPDATE designs SET shared_at = NULL, public_revision = NULL WHERE taken_down_at IS NOT NULL;
ALTER TABLE designs DROP CONSTRAINT designs_taken_down, DROP COLUMN takedown_note, DROP COLUMN taken_down_from, DROP COLUMN taken_down_at;
DROP TABLE abuse_reports;
