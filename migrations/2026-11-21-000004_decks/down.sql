DROP TABLE deck_entries;
DROP TABLE decks;
