-- A print run that was broken off is discarded in a moment: its copies go afterwards, a few thousand in a transaction. A program that knows
-- of none of this may run beside: it deletes them all at once.

ALTER TABLE print_runs
    ADD COLUMN discarded_at timestamptz CHECK (discarded_at IS NULL OR status = 'discarded'),
    ADD COLUMN emptied_at timestamptz CHECK (emptied_at IS NULL OR status = 'discarded');
UPDATE print_runs r SET emptied_at = coalesce(log.at, r.created_at), discarded_at = coalesce(log.at, r.created_at)
FROM print_runs it
LEFT JOIN (SELECT target, min(created_at) AS at FROM audit_log WHERE action = 'print_run.discarded' GROUP BY target) log
    ON log.target = 'print_run:' || it.id
WHERE it.id = r.id AND r.status = 'discarded';
CREATE INDEX print_runs_to_empty ON print_runs (id) WHERE status = 'discarded' AND emptied_at IS NULL;
COMMENT ON COLUMN print_runs.discarded_at IS 'When it was noted that the run was broken off. Null also for runs that a program discarded which does not know this column.';
COMMENT ON COLUMN print_runs.emptied_at IS 'When the last copy of the discarded run was deleted.';

ALTER TABLE print_commitments ADD COLUMN broken_off_at timestamptz;
UPDATE print_commitments m SET broken_off_at = r.discarded_at FROM print_runs r WHERE r.id = m.print_run_id AND r.status = 'discarded';
COMMENT ON COLUMN print_commitments.broken_off_at IS 'Public: when it was noted that a print run of this announcement was broken off, the last time. It may have been printed since.';
