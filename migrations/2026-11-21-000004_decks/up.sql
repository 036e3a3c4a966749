CREATE TABLE decks (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    game_code text NOT NULL REFERENCES games,
    format_code text NOT NULL,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    visibility text NOT NULL CHECK (visibility IN ('private', 'public')),
    revision bigint NOT NULL CHECK (revision >= 1),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE INDEX decks_account ON decks (account_id, id);
COMMENT ON COLUMN decks.revision IS 'Rises with every change; its ETag and If-Match.';

CREATE TABLE deck_entries (
    deck_id uuid NOT NULL REFERENCES decks ON DELETE CASCADE,
    position integer NOT NULL CHECK (position >= 0),
    zone text NOT NULL,
    quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 10000),
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    set_code text,
    number text,
    rarity text,
    PRIMARY KEY (deck_id, position)
);
COMMENT ON TABLE deck_entries IS 'Lines as the player wrote them. They name cards by text, so that a deck can hold a card that is unknown or still hidden; reports resolve them anew each time, for the one who asks.';
