-- An approved design that was never shared reserves its name, as shared designs do: otherwise somebody else could share a design of this name, and the approved
-- one could never be released. These designs are in no list, so that the indexes of listed designs do not contain them.

CREATE INDEX designs_approved_names ON designs (game_code, name_skeleton) WHERE status = 'approved' AND NOT listed;
CREATE INDEX designs_approved_name_keys ON designs (game_code, name_key COLLATE "C") WHERE status = 'approved' AND NOT listed;
CREATE INDEX designs_approved_looks ON designs USING gin (name_looks) WHERE status = 'approved' AND NOT listed;
-- Housekeeping computes the looks of all reserved names. Takes the place of designs_stale_looks, which older programs still read.
CREATE INDEX designs_stale_reserved_looks ON designs ((CASE WHEN name_looks IS NULL THEN 0 ELSE name_looks_version END))
    WHERE (listed OR status = 'approved') AND status <> 'official';
-- Admins find approved designs, also those that were never shared.
CREATE INDEX designs_approved ON designs (id) WHERE status = 'approved';
