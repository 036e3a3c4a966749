-- Who saves or judges a deck may hold copies of hidden cards. Those that the deck names are looked up by their names, among the hidden cards alone. With the id,
-- so that a name that is there is not told by a page of the table that is read for it.
CREATE INDEX card_content_hidden_names ON card_content (game_code, name_key) INCLUDE (card_id) WHERE NOT open;
