-- Designs are found by the query language, and listed in several orders.

ALTER TABLE designs ADD COLUMN searched_revision bigint;
COMMENT ON COLUMN designs.searched_revision IS 'The revision that its row of design_search was made of; NULL: there is none. Another one than that which is listed, as programs leave it that do not know the table: the row does not count, and is made anew.';
CREATE INDEX designs_to_search ON designs (game_code, id) WHERE listed AND searched_revision IS DISTINCT FROM revision;

CREATE TABLE design_search (
    design_id uuid PRIMARY KEY REFERENCES designs ON DELETE CASCADE,
    game_code text NOT NULL REFERENCES games,
    game_revision bigint NOT NULL,
    words_version smallint NOT NULL,
    kind text NOT NULL,
    search_key text NOT NULL,
    attributes jsonb NOT NULL CHECK (jsonb_typeof(attributes) = 'object'),
    effects jsonb NOT NULL CHECK (jsonb_typeof(effects) = 'array'),
    has_lore boolean NOT NULL,
    printings jsonb NOT NULL CHECK (jsonb_typeof(printings) = 'array'),
    printing_numbers jsonb NOT NULL CHECK (jsonb_typeof(printing_numbers) = 'array'),
    terms text[] NOT NULL,
    words text NOT NULL,
    name_words text NOT NULL,
    effect_words text NOT NULL,
    lore_words text NOT NULL,
    attribute_words jsonb NOT NULL CHECK (jsonb_typeof(attribute_words) = 'object')
);
COMMENT ON TABLE design_search IS 'What designs say that everybody may see, as the query language reads it. Written with the revision that is listed; gone with a design that is taken back.';
COMMENT ON COLUMN design_search.game_revision IS 'The manifest by which the numbers of printings were worked out. The service makes rows of an older one anew.';
COMMENT ON COLUMN design_search.words_version IS 'Which folding made the words, as of cards.';
COMMENT ON COLUMN design_search.effects IS 'Style and slot of each effect.';
COMMENT ON COLUMN design_search.printings IS 'Rarity and own attributes of every printing, those that are worked out among them.';
COMMENT ON COLUMN design_search.printing_numbers IS 'The attributes that are numbers as they are in each printing that has any.';
COMMENT ON COLUMN design_search.terms IS 'Values that the manifest lists, and numbers: kind=unit, a.type=fire for the design, p.attack=300 for its printings, where they may differ. What is equal to something is found by them, and counted.';

CREATE INDEX design_search_terms ON design_search USING gin (terms);
CREATE INDEX design_search_words ON design_search USING gin (array_to_tsvector(string_to_array(ltrim(words), ' ')));
-- A name may be longer than what a tree takes.
CREATE INDEX design_search_names ON design_search USING hash (search_key);
CREATE INDEX design_search_manifests ON design_search (game_code, game_revision);
CREATE INDEX design_search_stale_words ON design_search (words_version);

-- The orders of the gallery, of all games and of one. The newest have theirs already.
CREATE INDEX designs_listed_ratings ON designs (rating, rating_count, shared_at, code) WHERE listed;
CREATE INDEX designs_listed_ratings_of_game ON designs (game_code, rating, rating_count, shared_at, code) WHERE listed;
CREATE INDEX designs_listed_comments ON designs (comment_count, shared_at, code) WHERE listed;
CREATE INDEX designs_listed_comments_of_game ON designs (game_code, comment_count, shared_at, code) WHERE listed;
CREATE INDEX designs_listed_name_order_of_all ON designs (name_key COLLATE "C", code) WHERE listed;
