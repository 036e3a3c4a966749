DROP TRIGGER abuse_reports_have_targets ON abuse_reports;
DROP FUNCTION abuse_reports_have_targets();
DELETE FROM abuse_reports WHERE suggestion_id IS NOT NULL;
ALTER TABLE abuse_reports DROP COLUMN suggestion_id;
-- What comes out of an expression cannot be made so again without a new column.
ALTER TABLE abuse_reports DROP COLUMN target;
ALTER TABLE abuse_reports ADD COLUMN target uuid NOT NULL GENERATED ALWAYS AS (coalesce(comment_id, design_id, accused_id)) STORED;
CREATE UNIQUE INDEX abuse_reports_open ON abuse_reports (reporter_id, target) WHERE decided_at IS NULL;
CREATE INDEX abuse_reports_target ON abuse_reports (target);
-- The former program would show what was hidden.
DELETE FROM suggested_changes WHERE hidden_at IS NOT NULL;
ALTER TABLE suggested_changes DROP COLUMN hidden_at;
DROP TRIGGER official_designs_are_rewarded ON designs;
DROP FUNCTION official_designs_are_rewarded();
DROP TABLE designer_rewards;
DROP FUNCTION reserved_copies_are_told();
ALTER TABLE unlock_policies DROP COLUMN designer_perk;
