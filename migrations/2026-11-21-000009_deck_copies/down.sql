ALTER TABLE deck_entries DROP COLUMN copies;
