DROP TRIGGER decks_published ON decks;
DROP TRIGGER decks_withdrawn ON decks;
DROP TRIGGER decks_gone ON decks;
DROP FUNCTION note_published_deck();
DROP FUNCTION forget_published_deck();
DROP FUNCTION tell_of_public_deck(text, uuid, text);
DROP INDEX events_cards_of_game;
DELETE FROM events WHERE kind LIKE 'deck.%';
ALTER TABLE events DROP CONSTRAINT events_kind_check;
ALTER TABLE events ADD CONSTRAINT events_kind_check CHECK (kind IN
    ('game.changed', 'set.changed', 'card.added', 'card.changed', 'card.unlocked', 'card.moved', 'card.merged',
     'design.shared', 'design.approved', 'design.official', 'design.withdrawn')) NOT VALID;
DROP TABLE deck_judgements;
DROP TABLE deck_search;
