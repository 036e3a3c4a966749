-- Two names are also the same if only their accents differ, and look the same if they do so in small or in capital letters.

ALTER TABLE designs ADD COLUMN name_looks bytea[];
COMMENT ON COLUMN designs.name_looks IS 'Hashes of what the name is compared by, each with the game: without accents, and its skeletons (UTS 39) as it is written, in small and in capital letters. Of listed designs; NULL: not computed yet; programs that do not know the column leave it NULL.';

CREATE INDEX designs_listed_looks ON designs USING gin (name_looks) WHERE listed AND status <> 'official';
CREATE INDEX designs_without_looks ON designs (id) WHERE listed AND status <> 'official' AND name_looks IS NULL;

-- SQL cannot compute skeletons. New programs write the column after the name; housekeeping fills it in after older programs.
CREATE FUNCTION name_looks_follow_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name_looks := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER name_looks_follow_names BEFORE UPDATE OF name ON designs
    FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION name_looks_follow_names();

-- Services hold the looks of listed designs in memory, too.
DROP TRIGGER changed_designs_are_noted ON designs;
CREATE TRIGGER changed_designs_are_noted AFTER UPDATE ON designs FOR EACH ROW
    WHEN ((OLD.listed OR NEW.listed)
          AND (OLD.listed, OLD.status, OLD.revision, OLD.name, OLD.name_key, OLD.name_skeleton, OLD.effects_key, OLD.code, OLD.game_code, OLD.account_id,
               OLD.shared_at, OLD.searched_revision, OLD.comment_count, OLD.rating_count, OLD.rating, OLD.name_looks)
              IS DISTINCT FROM
              (NEW.listed, NEW.status, NEW.revision, NEW.name, NEW.name_key, NEW.name_skeleton, NEW.effects_key, NEW.code, NEW.game_code, NEW.account_id,
               NEW.shared_at, NEW.searched_revision, NEW.comment_count, NEW.rating_count, NEW.rating, NEW.name_looks))
    EXECUTE FUNCTION design_changes_are_noted();
