-- Attempts at serial codes that are reserved for submissions which are not decided yet are told apart from used ones.
-- Older programs neither read nor write these columns: what they reserve looks used to newer ones, as before.
SET LOCAL lock_timeout = '10s';
ALTER TABLE attempts
    ADD COLUMN reserved integer NOT NULL DEFAULT 0 CHECK (reserved >= 0),
    ADD COLUMN reserved_at timestamptz;
COMMENT ON COLUMN attempts.reserved IS 'Of the used units, those of attempts at serial codes that are not decided yet. Information only: no unit is given back because of it, and the units of an instance that crashed stay in it.';
COMMENT ON COLUMN attempts.reserved_at IS 'When units were reserved last. Long after it, what is reserved belongs to attempts that were broken off.';
-- Postgres empties an unlogged table when it recovers from a crash, and not at any other restart.
CREATE UNLOGGED TABLE attempt_epochs (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    epoch uuid NOT NULL
);
COMMENT ON TABLE attempt_epochs IS 'A value that changes when Postgres crashes. A reservation of attempts does not wait for the disk, so a crash may lose it: reserved attempts are given back later only if no crash was in between.';
INSERT INTO attempt_epochs (epoch) VALUES (gen_random_uuid());
