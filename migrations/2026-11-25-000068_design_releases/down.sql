DROP TRIGGER unlocks_open_designs ON unlocks;
DROP FUNCTION unlocks_open_designs();
DROP FUNCTION make_design_official(uuid, timestamptz);
DROP INDEX designs_listed_official_names;
DROP INDEX designs_listed_names;
CREATE UNIQUE INDEX designs_listed_names ON designs (game_code, name_skeleton) WHERE listed;
ALTER TABLE card_content DROP COLUMN designed_by;
DROP TABLE design_releases;
