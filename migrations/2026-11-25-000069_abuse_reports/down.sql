ALTER TABLE designs DROP CONSTRAINT designs_taken_down, DROP COLUMN takedown_note, DROP COLUMN taken_down_from, DROP COLUMN taken_down_at;
DROP TABLE abuse_reports;
