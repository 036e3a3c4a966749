DROP TRIGGER lines_not_emptied ON print_run_lines;
DROP TRIGGER lines_stay ON print_run_lines;
DROP FUNCTION lines_stay();
DROP TRIGGER plans_stay ON print_run_lines;
DROP FUNCTION plans_stay();
DROP TRIGGER copies_stay_planned ON copies;
DROP FUNCTION copies_stay_planned();
DROP TRIGGER copies_are_planned ON copies;
DROP FUNCTION copies_are_planned();
COMMENT ON COLUMN copies.printing_id IS NULL;
-- Copies of discarded runs are deleted anyway; these first, because their printings are deleted already.
DELETE FROM copies c USING print_runs r WHERE r.id = c.print_run_id AND r.status = 'discarded'
    AND NOT EXISTS (SELECT FROM printings p WHERE p.id = c.printing_id);
ALTER TABLE copies ADD CONSTRAINT copies_printing_id_fkey FOREIGN KEY (printing_id) REFERENCES printings (id);
