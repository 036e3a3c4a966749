ALTER TABLE accounts DROP COLUMN name_skeleton;
