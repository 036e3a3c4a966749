-- Copies refer to a line of the plan of their print run, and the line refers to the printing. Without the foreign key from copies to printings, the deletion of a
-- printing no longer reads all copies: the index of the lines answers. An index of the copies by printing would make each mint slower.
-- A statement trigger checks new copies, once for each distinct printing of a statement; the foreign key did it once for each copy.

ALTER TABLE copies DROP CONSTRAINT copies_printing_id_fkey;
COMMENT ON COLUMN copies.printing_id IS 'A printing of the plan of the run: print_run_lines. Of a discarded run, whose codes are never accepted, the printing may be deleted.';

-- A table that grows within a transaction looks small to the planner, which would read all of it for each statement.
CREATE FUNCTION copies_are_planned() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
    missing uuid;
BEGIN
    -- The lines, and so the printings, stay until this transaction ends.
    PERFORM FROM print_run_lines l WHERE (l.print_run_id, l.printing_id) IN (SELECT print_run_id, printing_id FROM added)
    ORDER BY l.print_run_id, l.printing_id FOR KEY SHARE;
    SELECT a.printing_id INTO missing FROM (SELECT DISTINCT print_run_id, printing_id FROM added) a
    WHERE NOT EXISTS (SELECT FROM print_run_lines l WHERE l.print_run_id = a.print_run_id AND l.printing_id = a.printing_id) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'a copy has a printing of the plan of its run, not %', missing USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER copies_are_planned AFTER INSERT ON copies
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION copies_are_planned();

CREATE FUNCTION copies_stay_planned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a copy stays in its run, with its printing' USING ERRCODE = 'foreign_key_violation';
END $$;
CREATE TRIGGER copies_stay_planned BEFORE UPDATE OF print_run_id, printing_id ON copies
    FOR EACH ROW WHEN (NEW.print_run_id IS DISTINCT FROM OLD.print_run_id OR NEW.printing_id IS DISTINCT FROM OLD.printing_id)
    EXECUTE FUNCTION copies_stay_planned();

-- The plan of a discarded run is deleted at once, before its copies are.
CREATE FUNCTION plans_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM print_runs r WHERE r.id IN (SELECT print_run_id FROM gone) AND r.status <> 'discarded') THEN
        RAISE EXCEPTION 'the plan of a print run stays' USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER plans_stay AFTER DELETE ON print_run_lines
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION plans_stay();

CREATE FUNCTION lines_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a line of a plan stays in its run, with its printing' USING ERRCODE = 'foreign_key_violation';
END $$;
CREATE TRIGGER lines_stay BEFORE UPDATE OF print_run_id, printing_id ON print_run_lines
    FOR EACH ROW WHEN (NEW.print_run_id IS DISTINCT FROM OLD.print_run_id OR NEW.printing_id IS DISTINCT FROM OLD.printing_id)
    EXECUTE FUNCTION lines_stay();
CREATE TRIGGER lines_not_emptied BEFORE TRUNCATE ON print_run_lines EXECUTE FUNCTION lines_stay();
