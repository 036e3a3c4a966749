-- What an account's name looks like, so that nobody registers a name that can be taken for another's. A program that does not know of it
-- leaves it null, and the next one fills it in.
ALTER TABLE accounts ADD COLUMN name_skeleton text;
-- Partial, so that it is no key for the locks of rows: filling it in disturbs nobody who refers to the account.
CREATE UNIQUE INDEX accounts_name_skeleton_key ON accounts (name_skeleton) WHERE name_skeleton IS NOT NULL;
CREATE INDEX accounts_without_skeleton ON accounts (id) WHERE name_skeleton IS NULL;
COMMENT ON COLUMN accounts.name_skeleton IS 'Skeleton of the name (UTS 39), folded. Of older accounts that look like another: with a line break and their id behind it.';
