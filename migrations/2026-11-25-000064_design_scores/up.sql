-- What a gallery sorts designs by: how well they are rated, and how much is said about them.

ALTER TABLE designs
    ADD COLUMN comment_count bigint NOT NULL DEFAULT 0 CHECK (comment_count >= 0),
    ADD COLUMN rating_count bigint NOT NULL DEFAULT 0 CHECK (rating_count >= 0),
    ADD COLUMN rating_points bigint NOT NULL DEFAULT 0 CHECK (rating_points BETWEEN 4 * rating_count AND 20 * rating_count),
    -- A Bayesian mean: as if five more players had given three points for everything.
    ADD COLUMN rating integer NOT NULL GENERATED ALWAYS AS ((100 * (60 + rating_points) / (4 * (5 + rating_count)))::integer) STORED;
COMMENT ON COLUMN designs.comment_count IS 'Comments that stand: without those that were deleted or hidden.';
COMMENT ON COLUMN designs.rating_count IS 'Ratings that count.';
COMMENT ON COLUMN designs.rating_points IS 'Sum of the points of these: 1 to 5 for each of four criteria.';
COMMENT ON COLUMN designs.rating IS 'What designs are sorted by: hundredths of a point of a criterion, 100 to 500; 300 without ratings.';
