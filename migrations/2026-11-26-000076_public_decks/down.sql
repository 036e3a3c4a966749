DROP TRIGGER decks_published ON decks;
DROP TRIGGER decks_withdrawn ON decks;
DROP FUNCTION note_published_deck();
DROP FUNCTION forget_published_deck();
DROP TABLE decks_to_search;
DROP TABLE deck_search;
