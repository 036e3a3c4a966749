-- The indexes by `listed` go with it.
DROP INDEX designs_listed_names, designs_listed_name_trigrams, designs_listed, designs_listed_game, designs_listed_kind, designs_listed_status, designs_listed_account,
    designs_listed_name_order, designs_listed_name_order_backwards, designs_listed_kind_of_game;
ALTER TABLE designs DROP COLUMN rating, DROP COLUMN rating_points, DROP COLUMN rating_count, DROP COLUMN comment_count, DROP COLUMN listed;
CREATE UNIQUE INDEX designs_listed_names ON designs (game_code, name_skeleton)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn', 'official');
CREATE INDEX designs_listed_name_trigrams ON designs USING gin (name_key gin_trgm_ops)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
CREATE INDEX designs_listed ON designs (shared_at, code)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
CREATE INDEX designs_listed_game ON designs (game_code, shared_at, code)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
CREATE INDEX designs_listed_kind ON designs (kind, shared_at, code)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
CREATE INDEX designs_listed_status ON designs (status, shared_at, code)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
CREATE INDEX designs_listed_account ON designs (account_id, shared_at, code)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
