ALTER TABLE deck_watches DROP COLUMN told_status;
