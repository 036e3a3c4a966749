DROP INDEX decks_liked;
DROP INDEX decks_liked_of_game;
