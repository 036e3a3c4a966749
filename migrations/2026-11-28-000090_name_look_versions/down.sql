DROP TRIGGER name_looks_have_versions ON card_content;
DROP TRIGGER name_looks_have_versions ON designs;
DROP FUNCTION name_looks_have_versions();
CREATE OR REPLACE FUNCTION name_looks_follow_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name_looks := NULL;
    RETURN NEW;
END $$;
ALTER TABLE card_content DROP COLUMN name_looks_version;
ALTER TABLE designs DROP COLUMN name_looks_version;
