-- The commit of an import that replaces counts applies what its preview showed: it is refused if these counts have changed since. So the preview stores them.
-- Imports of older programs have none, and older programs do not read them: both are committed as before.
SET LOCAL lock_timeout = '10s';
ALTER TABLE collection_imports ADD COLUMN shown_counts jsonb;
-- Newer programs store more here, which older ones do not read.
COMMENT ON COLUMN abuse_reports.reported IS 'What others could read when the report was sent: of a deck, name, description, tags and names of unknown entries; of a design, the number of its revision; of a comment, its text. Null: an older program stored the report.';
COMMENT ON COLUMN collection_imports.shown_counts IS 'replace: printing, condition and quantity of the entries that it replaces, as they were when the file was shown. Null: the file is added, or an older program read it.';
