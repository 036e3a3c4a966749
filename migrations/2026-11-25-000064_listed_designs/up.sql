-- What lists of designs go by: whether a design is listed, how well it is rated, and how much is said about it.

ALTER TABLE designs
    ADD COLUMN listed boolean NOT NULL GENERATED ALWAYS AS (shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn')) STORED,
    ADD COLUMN comment_count bigint NOT NULL DEFAULT 0 CHECK (comment_count >= 0),
    ADD COLUMN rating_count bigint NOT NULL DEFAULT 0 CHECK (rating_count >= 0),
    ADD COLUMN rating_points bigint NOT NULL DEFAULT 0 CHECK (rating_points BETWEEN 4 * rating_count AND 20 * rating_count),
    -- A Bayesian mean: as if five more players had given three points for everything.
    ADD COLUMN rating integer NOT NULL GENERATED ALWAYS AS ((100 * (60 + rating_points) / (4 * (5 + rating_count)))::integer) STORED;
COMMENT ON COLUMN designs.listed IS 'Everybody sees the newest revision, in lists, too.';
COMMENT ON COLUMN designs.comment_count IS 'Comments that stand: without those that were deleted or hidden.';
COMMENT ON COLUMN designs.rating_count IS 'Ratings that count.';
COMMENT ON COLUMN designs.rating_points IS 'Sum of the points of these: 1 to 5 for each of four criteria.';
COMMENT ON COLUMN designs.rating IS 'What designs are sorted by: hundredths of a point of a criterion, 100 to 500; 300 without ratings.';

-- The same indexes as before, by that column.
DROP INDEX designs_listed_names, designs_listed_name_trigrams, designs_listed, designs_listed_game, designs_listed_kind, designs_listed_status, designs_listed_account;
CREATE UNIQUE INDEX designs_listed_names ON designs (game_code, name_skeleton) WHERE listed;
CREATE INDEX designs_listed_name_trigrams ON designs USING gin (name_key gin_trgm_ops) WHERE listed;
CREATE INDEX designs_listed ON designs (shared_at, code) WHERE listed;
CREATE INDEX designs_listed_game ON designs (game_code, shared_at, code) WHERE listed;
CREATE INDEX designs_listed_kind ON designs (kind, shared_at, code) WHERE listed;
CREATE INDEX designs_listed_status ON designs (status, shared_at, code) WHERE listed;
CREATE INDEX designs_listed_account ON designs (account_id, shared_at, code) WHERE listed;
-- Near names stand beside each other, forwards or backwards.
CREATE INDEX designs_listed_name_order ON designs (game_code, name_key COLLATE "C") WHERE listed;
CREATE INDEX designs_listed_name_order_backwards ON designs (game_code, reverse(name_key) COLLATE "C") WHERE listed;
CREATE INDEX designs_listed_kind_of_game ON designs (game_code, kind, shared_at, code) WHERE listed;
