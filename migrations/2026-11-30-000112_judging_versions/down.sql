DROP TRIGGER watched_reports_have_versions ON watched_decks;
DROP FUNCTION watched_reports_have_versions();
DROP TRIGGER verdicts_have_versions ON deck_judgements;
DROP FUNCTION verdicts_have_versions();
ALTER TABLE watched_decks DROP COLUMN tried_by, DROP COLUMN judged_by;
ALTER TABLE deck_judgements DROP COLUMN judged_by;
