-- What a print run holds, card by card: equality over all runs and the shares of the rarities are read from here, not by
-- counting millions of copies.

CREATE TABLE print_run_lines (
    print_run_id uuid NOT NULL REFERENCES print_runs,
    printing_id uuid NOT NULL REFERENCES printings,
    copy_count bigint NOT NULL CHECK (copy_count >= 0),
    PRIMARY KEY (print_run_id, printing_id)
);
CREATE INDEX print_run_lines_printing ON print_run_lines (printing_id);
COMMENT ON TABLE print_run_lines IS 'The plan of a run: how many copies of each printing; zero for a tier that a small run does not reach.';

CREATE INDEX print_runs_pending ON print_runs (id) WHERE status = 'pending';

-- The registered copies of a run, for its figures.
CREATE INDEX copies_registered ON copies (print_run_id) WHERE owner_id IS NOT NULL;

-- The history of a copy; and without it, discarding a run would read the whole ledger for each of its copies.
CREATE INDEX copy_ledger_copy ON copy_ledger (code_prefix, code_mac, id);
