DROP TRIGGER unlocks_open_designs ON unlocks;
DROP FUNCTION unlocks_open_designs();
DROP FUNCTION make_design_official(uuid, timestamptz);
-- The other index stays as it is: names that were taken meanwhile would not fit into the former one.
DROP INDEX designs_listed_official_names;
ALTER TABLE card_content DROP COLUMN designed_by;
DROP TABLE design_releases;
