ALTER TABLE design_comments DROP COLUMN owner_hid_before;
COMMENT ON COLUMN design_comments.hidden_by_owner IS 'Whether the owner of the design or deck hid it, not a moderator: then the owner can show it again.';
