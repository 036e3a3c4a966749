-- Announcing print runs: before anything is printed, the service publishes a hash of the plan and of a seed; later an admin
-- reveals both, and anyone can check. Packs are dealt from the seed. Codes have nothing to do with any of it.

CREATE TABLE print_commitments (
    id uuid PRIMARY KEY,
    set_id uuid NOT NULL REFERENCES sets,
    digest bytea NOT NULL UNIQUE,
    seed bytea NOT NULL CHECK (octet_length(seed) = 32),
    plan text NOT NULL,
    announced_by uuid REFERENCES accounts,
    announced_at timestamptz NOT NULL,
    print_run_id uuid UNIQUE REFERENCES print_runs,
    revealed_at timestamptz CHECK (revealed_at IS NULL OR print_run_id IS NOT NULL),
    CHECK (digest = sha256(convert_to('cardscape-print-commitment-v1' || E'\n' || encode(seed, 'hex') || E'\n' || plan, 'UTF8')))
);
CREATE INDEX print_commitments_set ON print_commitments (set_id, id);
COMMENT ON TABLE print_commitments IS 'What was announced of a print run. A run that was broken off gives its announcement back.';
COMMENT ON COLUMN print_commitments.digest IS 'Public: SHA-256 over a tag, the seed in hexadecimal and the plan, each on a line.';
COMMENT ON COLUMN print_commitments.seed IS 'Secret until revealed: 32 random bytes. Packs are dealt from it, codes never.';
COMMENT ON COLUMN print_commitments.plan IS 'Secret until revealed: the plan as JSON with sorted keys and without spaces.';
COMMENT ON COLUMN print_commitments.announced_by IS 'Null when the operator minted at the machine itself.';

CREATE FUNCTION print_commitments_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP IN ('DELETE', 'TRUNCATE') THEN
        RAISE EXCEPTION 'what was announced stays' USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.id, NEW.set_id, NEW.digest, NEW.seed, NEW.plan, NEW.announced_by, NEW.announced_at)
       IS DISTINCT FROM (OLD.id, OLD.set_id, OLD.digest, OLD.seed, OLD.plan, OLD.announced_by, OLD.announced_at)
       OR (OLD.revealed_at IS NOT NULL AND NEW.revealed_at IS DISTINCT FROM OLD.revealed_at) THEN
        RAISE EXCEPTION 'what was announced or revealed stays as it is' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.print_run_id IS DISTINCT FROM OLD.print_run_id
       AND EXISTS (SELECT 1 FROM print_runs r WHERE r.id = OLD.print_run_id AND r.status <> 'discarded') THEN
        RAISE EXCEPTION 'an announcement is printed once' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER print_commitments_stay BEFORE UPDATE OR DELETE ON print_commitments
    FOR EACH ROW EXECUTE FUNCTION print_commitments_stay();
CREATE TRIGGER print_commitments_not_emptied BEFORE TRUNCATE ON print_commitments EXECUTE FUNCTION print_commitments_stay();

ALTER TABLE print_runs ADD COLUMN packing_sha256 bytea CHECK (octet_length(packing_sha256) = 32);
COMMENT ON COLUMN print_runs.packing_sha256 IS 'SHA-256 of the packing list; null for a run without packs. Like the print file, the list itself is not stored.';

-- Registered copies of each printing, for the statistics; no copy is in it before somebody registers it.
CREATE INDEX copies_registered_printings ON copies (printing_id) WHERE owner_id IS NOT NULL;
