-- What the names of cards are compared by with those of designs: a design that is shared compares its name with the open cards in its own transaction, because
-- what services hold in memory lags behind.

ALTER TABLE card_content ADD COLUMN name_looks bytea[];
COMMENT ON COLUMN card_content.name_looks IS 'Hashes of what the name is compared by with those of designs, as in designs.name_looks. NULL: not computed yet; programs that do not know the column leave it NULL.';

-- Of open cards only, so that not even the time of an answer tells of a hidden one.
CREATE INDEX card_content_open_looks ON card_content USING gin (name_looks) WHERE open AND name_looks IS NOT NULL;
CREATE INDEX card_content_without_looks ON card_content (card_id) WHERE name_looks IS NULL;

-- New programs write the column after the name; housekeeping fills it in after older programs.
CREATE TRIGGER name_looks_follow_names BEFORE UPDATE OF name ON card_content
    FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION name_looks_follow_names();
