-- A comment that its owner had hidden before a moderator hid it stays hidden by the owner when the moderator's decision is reversed.
-- A program that does not know the column shows such a comment, as before, and leaves the column set: on a comment that is shown it means nothing.

ALTER TABLE design_comments ADD COLUMN owner_hid_before boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN design_comments.hidden_by_owner IS 'Whether the owner of the design or deck hid it, and no moderator has done so since: then the owner can show it again.';
COMMENT ON COLUMN design_comments.owner_hid_before IS 'While a moderator hides it: whether the owner of the design or deck had hidden it before.';
