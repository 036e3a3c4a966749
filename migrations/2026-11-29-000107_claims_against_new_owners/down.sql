SET LOCAL lock_timeout = '10s';
DROP TRIGGER open_claims_are_told ON copy_ledger;
DROP FUNCTION open_claims_are_told();
