SET LOCAL lock_timeout = '10s';
ALTER TABLE accounts DROP COLUMN name_small_look, DROP COLUMN name_capital_look;
