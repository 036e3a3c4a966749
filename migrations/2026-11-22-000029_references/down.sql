DROP INDEX trade_copies_copy;
DROP INDEX copy_ledger_trade;
DROP INDEX refresh_tokens_session;
