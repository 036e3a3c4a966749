-- Public decks are listed by their likes.

CREATE INDEX decks_liked ON decks (like_count, id) WHERE visibility = 'public' AND deleted_at IS NULL;
CREATE INDEX decks_liked_of_game ON decks (game_code, like_count, id) WHERE visibility = 'public' AND deleted_at IS NULL;
