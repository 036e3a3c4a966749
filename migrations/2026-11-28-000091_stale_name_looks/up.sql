-- Housekeeping finds the looks of names that older rules made. A migration of its own, so that the columns lock the tables only for a moment: readers do not
-- wait for these indexes.

-- Takes the place of card_content_without_looks and designs_without_looks, which older programs still read.
CREATE INDEX card_content_stale_looks ON card_content ((CASE WHEN name_looks IS NULL THEN 0 ELSE name_looks_version END));
CREATE INDEX designs_stale_looks ON designs ((CASE WHEN name_looks IS NULL THEN 0 ELSE name_looks_version END)) WHERE listed AND status <> 'official';
