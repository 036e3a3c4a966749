-- Players who like to be named for what they did for the unlocks. Nobody is until she says so.

ALTER TABLE accounts ADD COLUMN on_leaderboard boolean NOT NULL DEFAULT false;
CREATE INDEX accounts_on_leaderboard ON accounts (id) WHERE on_leaderboard;
