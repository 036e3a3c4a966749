DROP TRIGGER reservations_follow_printings ON printings;
DROP FUNCTION reservations_follow_printings();
DROP TRIGGER reservations_follow_cards ON cards;
DROP FUNCTION reservations_follow_cards();
DROP FUNCTION reservations_become(uuid, uuid);
DROP TRIGGER deleted_decks_reserve_nothing ON decks;
DROP FUNCTION deleted_decks_reserve_nothing();
DROP TABLE deck_reservations;
