-- A name is kept from names that are or look the same also when they do so only without accents, or only in small or in capital letters.

ALTER TABLE designs ADD COLUMN name_looks bytea[];
COMMENT ON COLUMN designs.name_looks IS 'Hashes of what the name is compared by, each with the game: without accents, and its skeletons (UTS 39) as it is written, in small and in capital letters. Of listed designs; NULL: not made yet, as programs leave it that do not know the column.';

CREATE INDEX designs_listed_looks ON designs USING gin (name_looks) WHERE listed AND status <> 'official';
CREATE INDEX designs_without_looks ON designs (id) WHERE listed AND status <> 'official' AND name_looks IS NULL;

-- SQL cannot compute skeletons. A program that knows the column writes it after the name; after one that does not, housekeeping makes it anew.
CREATE FUNCTION name_looks_follow_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name_looks := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER name_looks_follow_names BEFORE UPDATE OF name ON designs
    FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION name_looks_follow_names();
