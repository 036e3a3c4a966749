-- The version of the rules by which stored verdicts on decks were made (JUDGING_VERSION in src/domain/decks/judging.rs). A program judges decks again that a lower
-- version has judged. The version is 0 in rows from before, and in all that older programs write: they do not know the columns.
-- Both tables are locked while their rows are read for the indexes: less than a second with a million rows in each. In the order in which requests take these locks:
-- a deck that is saved makes its public data due first, then its watched report.
SET LOCAL lock_timeout = '10s';
LOCK TABLE deck_judgements, watched_decks IN ACCESS EXCLUSIVE MODE;

ALTER TABLE deck_judgements ADD COLUMN judged_by smallint NOT NULL DEFAULT 0;
COMMENT ON COLUMN deck_judgements.judged_by IS 'The version of the rules by which the deck was judged, or could not be; 0: an older program judged it. Updates that store a verdict set it to the negative number, and a trigger makes it positive.';
CREATE INDEX deck_judgements_judged_by ON deck_judgements (judged_by);

ALTER TABLE watched_decks ADD COLUMN judged_by smallint NOT NULL DEFAULT 0, ADD COLUMN tried_by smallint NOT NULL DEFAULT 0;
COMMENT ON COLUMN watched_decks.judged_by IS 'The version of the rules by which the report was made; 0: an older program made it. Updates that store a report set it to the negative number, and a trigger makes it positive.';
COMMENT ON COLUMN watched_decks.tried_by IS 'The version by which a report was made, or could not be.';
CREATE INDEX watched_decks_tried_by ON watched_decks (tried_by);

-- An update of an older program does not name the column, so the number in the new row is that of the verdict before, which is never negative.
CREATE FUNCTION verdicts_have_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.judged_by := greatest(-NEW.judged_by, 0);
    RETURN NEW;
END $$;
CREATE TRIGGER verdicts_have_versions BEFORE UPDATE OF judged_on ON deck_judgements
    FOR EACH ROW EXECUTE FUNCTION verdicts_have_versions();

CREATE FUNCTION watched_reports_have_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.judged_by := greatest(-NEW.judged_by, 0);
    NEW.tried_by := NEW.judged_by;
    RETURN NEW;
END $$;
CREATE TRIGGER watched_reports_have_versions BEFORE UPDATE OF judged_on ON watched_decks
    FOR EACH ROW EXECUTE FUNCTION watched_reports_have_versions();
