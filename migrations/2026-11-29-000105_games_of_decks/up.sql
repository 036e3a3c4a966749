-- Games are never deleted and keep their codes. But each new deck locked the row of its game, and all that were stored at the same time shared that lock.
-- Both locks at once, as in the migration of the parts of decks; an import holds that of its game for as long as it takes.
SET LOCAL lock_timeout = '10s';
LOCK TABLE decks, games IN ACCESS EXCLUSIVE MODE;
ALTER TABLE decks DROP CONSTRAINT decks_game_code_fkey;
COMMENT ON COLUMN decks.game_code IS 'A game. No foreign key: each new deck would lock the row of its game, which all decks of the game have in common.';
