-- What must never go back, whoever asks: unlocks, registrations, active runs, the ledger and the log.

CREATE OR REPLACE FUNCTION unlocks_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'the progress of a card is never forgotten' USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.unlocked_at IS NOT NULL AND NEW.unlocked_at IS DISTINCT FROM OLD.unlocked_at THEN
        RAISE EXCEPTION 'an unlocked card stays unlocked' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.submissions < OLD.submissions THEN
        RAISE EXCEPTION 'submissions that were counted stay counted' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER unlocks_stay BEFORE DELETE ON unlocks FOR EACH ROW EXECUTE FUNCTION unlocks_are_final();

CREATE FUNCTION registrations_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.owner_id IS NOT NULL AND NEW.owner_id IS NULL THEN
        RAISE EXCEPTION 'a registered copy has an owner' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER registrations_stay BEFORE UPDATE OF owner_id ON copies
    FOR EACH ROW EXECUTE FUNCTION registrations_stay();

CREATE FUNCTION active_runs_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status = 'active' AND NEW.status <> 'active' THEN
        RAISE EXCEPTION 'an active print run stays active' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER active_runs_stay BEFORE UPDATE OF status ON print_runs
    FOR EACH ROW EXECUTE FUNCTION active_runs_stay();

CREATE TRIGGER submissions_append_only BEFORE UPDATE OR DELETE ON submissions
    FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER submissions_not_emptied BEFORE TRUNCATE ON submissions EXECUTE FUNCTION append_only();
CREATE TRIGGER copy_ledger_not_emptied BEFORE TRUNCATE ON copy_ledger EXECUTE FUNCTION append_only();
CREATE TRIGGER audit_log_not_emptied BEFORE TRUNCATE ON audit_log EXECUTE FUNCTION append_only();

-- A copy's code begins with the prefix of its run. Not checked anew for what is there: the press wrote both.
ALTER TABLE print_runs ADD CONSTRAINT print_runs_id_prefix UNIQUE (id, code_prefix);
ALTER TABLE copies DROP CONSTRAINT copies_print_run_id_fkey;
ALTER TABLE copies ADD CONSTRAINT copies_print_run_id_fkey
    FOREIGN KEY (print_run_id, code_prefix) REFERENCES print_runs (id, code_prefix) NOT VALID;
