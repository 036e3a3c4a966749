-- The version of the rules by which the looks of a name were computed. When the rules change, housekeeping computes the looks of older versions again.

ALTER TABLE card_content ADD COLUMN name_looks_version smallint NOT NULL DEFAULT 1;
ALTER TABLE designs ADD COLUMN name_looks_version smallint NOT NULL DEFAULT 1;
COMMENT ON COLUMN card_content.name_looks_version IS 'By which rules name_looks was made. Programs that do not know the column follow the rules of version 1.';
COMMENT ON COLUMN designs.name_looks_version IS 'By which rules name_looks was made, as of cards.';

CREATE OR REPLACE FUNCTION name_looks_follow_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name_looks := NULL;
    NEW.name_looks_version := 1;
    RETURN NEW;
END $$;

-- Programs that know the column write it together with the looks, and under the same rules a name always has the same looks. So a program that changes only
-- the looks does not know the column.
CREATE FUNCTION name_looks_have_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name_looks_version := 1;
    RETURN NEW;
END $$;
CREATE TRIGGER name_looks_have_versions BEFORE UPDATE OF name_looks ON card_content
    FOR EACH ROW WHEN (OLD.name_looks IS DISTINCT FROM NEW.name_looks AND OLD.name_looks_version = NEW.name_looks_version)
    EXECUTE FUNCTION name_looks_have_versions();
CREATE TRIGGER name_looks_have_versions BEFORE UPDATE OF name_looks ON designs
    FOR EACH ROW WHEN (OLD.name_looks IS DISTINCT FROM NEW.name_looks AND OLD.name_looks_version = NEW.name_looks_version)
    EXECUTE FUNCTION name_looks_have_versions();
