-- A watcher of a deck that was incomplete is told when a change makes it illegal: whether the deck was legal does not say that.

ALTER TABLE deck_watches ADD COLUMN told_status text CHECK (told_status IN ('legal', 'incomplete', 'illegal'));
COMMENT ON COLUMN deck_watches.told_status IS 'The status of the deck that belongs to told_legal. NULL, or one that contradicts told_legal: not known, because an older program does not write it.';
