-- Since when a game has had templates: its first templates do not hold for designs that were submitted before (src/domain/designs/release.rs). A trigger sets the
-- time, because older programs, which do not know the column, store effect texts, too.
-- In rows from before, the time is not known and stays null: their templates hold for all designs that wait.
SET LOCAL lock_timeout = '10s';
ALTER TABLE effect_texts ADD COLUMN templates_since timestamptz;
COMMENT ON COLUMN effect_texts.templates_since IS 'Since when the game has had templates without interruption; null: it has none, or had them before this column. Set by a trigger.';

CREATE FUNCTION templates_have_a_beginning() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.document -> 'templates' -> 0 IS NULL THEN
        NEW.templates_since := NULL;
    ELSIF TG_OP = 'UPDATE' AND OLD.document -> 'templates' -> 0 IS NOT NULL THEN
        NEW.templates_since := OLD.templates_since;
    ELSE
        NEW.templates_since := NEW.updated_at;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER templates_have_a_beginning BEFORE INSERT OR UPDATE OF document ON effect_texts
    FOR EACH ROW EXECUTE FUNCTION templates_have_a_beginning();
