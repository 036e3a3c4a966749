DROP INDEX accounts_on_leaderboard;
ALTER TABLE accounts DROP COLUMN on_leaderboard;
