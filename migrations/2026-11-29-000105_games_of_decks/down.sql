SET LOCAL lock_timeout = '10s';
LOCK TABLE decks, games IN ACCESS EXCLUSIVE MODE;
COMMENT ON COLUMN decks.game_code IS NULL;
ALTER TABLE decks ADD CONSTRAINT decks_game_code_fkey FOREIGN KEY (game_code) REFERENCES games;
