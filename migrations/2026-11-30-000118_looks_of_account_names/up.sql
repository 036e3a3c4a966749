-- What a name looks like depends on the case of its letters ("m" looks like "rn", "M" does not), but names that differ only in case are the same. So names are also
-- compared as they look in small and in capital letters. A program that does not know these columns leaves them null, and the next one fills them in.
SET LOCAL lock_timeout = '10s';
ALTER TABLE accounts ADD COLUMN name_small_look text, ADD COLUMN name_capital_look text;
-- Partial, so that they are no keys for the locks of rows: filling them in disturbs nobody who refers to the account.
CREATE UNIQUE INDEX accounts_name_small_look_key ON accounts (name_small_look) WHERE name_small_look IS NOT NULL;
CREATE UNIQUE INDEX accounts_name_capital_look_key ON accounts (name_capital_look) WHERE name_capital_look IS NOT NULL;
CREATE INDEX accounts_without_looks ON accounts (id) WHERE name_small_look IS NULL;
COMMENT ON COLUMN accounts.name_small_look IS 'Skeleton of the name in small letters (UTS 39), folded. Of older accounts that look like another: with a line break and their id behind it.';
COMMENT ON COLUMN accounts.name_capital_look IS 'Skeleton of the name in capital letters (UTS 39), folded, with 1 for I and 1. Of older accounts that look like another: with a line break and their id behind it.';
