-- What was told is lost.
DROP TRIGGER disputes_closed_are_told ON disputes;
DROP TRIGGER disputes_opened_are_told ON disputes;
DROP FUNCTION disputes_are_told;
DROP TRIGGER copy_ledger_is_told ON copy_ledger;
DROP FUNCTION copy_ledger_is_told;
DROP TRIGGER trades_closed_are_told ON trades;
DROP TRIGGER trades_offered_are_told ON trades;
DROP FUNCTION trades_are_told;
DROP TRIGGER submission_reviews_are_told ON submission_reviews;
DROP FUNCTION submission_reviews_are_told;
DROP TRIGGER submissions_are_told ON submissions;
DROP FUNCTION submissions_are_told;
DROP INDEX events_unlocks;
DROP TABLE account_event_clocks;
DROP TABLE account_events;
