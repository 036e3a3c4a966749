-- Reports of designs, comments and players, and what moderators take down.

CREATE TABLE abuse_reports (
    id uuid PRIMARY KEY,
    reporter_id uuid NOT NULL REFERENCES accounts,
    accused_id uuid NOT NULL REFERENCES accounts,
    design_id uuid REFERENCES designs ON DELETE CASCADE,
    comment_id uuid REFERENCES design_comments ON DELETE CASCADE,
    target uuid NOT NULL GENERATED ALWAYS AS (coalesce(comment_id, design_id, accused_id)) STORED,
    reason text NOT NULL CHECK (reason IN ('spam', 'abuse', 'sexual', 'copyright', 'impersonation', 'other')),
    details text CHECK (char_length(details) BETWEEN 1 AND 8000),
    created_at timestamptz NOT NULL,
    decision text CHECK (decision IN ('upheld', 'dismissed')),
    note text CHECK (char_length(note) BETWEEN 1 AND 16000),
    decided_by uuid REFERENCES accounts,
    decided_at timestamptz,
    CHECK (comment_id IS NULL OR design_id IS NOT NULL),
    CHECK (num_nulls(decision, note, decided_by, decided_at) IN (0, 4)),
    CHECK (reporter_id <> accused_id)
);
COMMENT ON TABLE abuse_reports IS 'What players tell moderators of. Nobody else reads it.';
COMMENT ON COLUMN abuse_reports.accused_id IS 'Author of the design or the comment, or the player that is reported.';
COMMENT ON COLUMN abuse_reports.comment_id IS 'The comment, if it is about one; then design_id is what it stands at.';
COMMENT ON COLUMN abuse_reports.target IS 'What it is about: all reports about one thing are decided together.';
CREATE UNIQUE INDEX abuse_reports_open ON abuse_reports (reporter_id, target) WHERE decided_at IS NULL;
CREATE INDEX abuse_reports_queue ON abuse_reports (id) WHERE decided_at IS NULL;
CREATE INDEX abuse_reports_decided ON abuse_reports (id) WHERE decided_at IS NOT NULL;
CREATE INDEX abuse_reports_target ON abuse_reports (target);
CREATE INDEX abuse_reports_design ON abuse_reports (design_id) WHERE design_id IS NOT NULL;
CREATE INDEX abuse_reports_comment ON abuse_reports (comment_id) WHERE comment_id IS NOT NULL;
CREATE INDEX abuse_reports_accused ON abuse_reports (accused_id, id);

ALTER TABLE designs
    ADD COLUMN taken_down_at timestamptz,
    ADD COLUMN taken_down_from text,
    ADD COLUMN takedown_note text,
    ADD CONSTRAINT designs_taken_down CHECK (num_nulls(taken_down_at, taken_down_from, takedown_note) IN (0, 3) AND (taken_down_at IS NULL OR status = 'withdrawn'));
COMMENT ON COLUMN designs.taken_down_at IS 'Since when a moderator keeps it from everybody but its author and moderators. Then it is withdrawn, and its author can do nothing with it.';
COMMENT ON COLUMN designs.taken_down_from IS 'Its status before.';
