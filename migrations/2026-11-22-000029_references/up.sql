-- A row that goes is looked for in every table that refers to it: without an index each deletion reads the whole of them.
-- Ended sessions and forgotten offers are swept every few minutes; the copies of a run that was broken off are many.
CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id);
CREATE INDEX copy_ledger_trade ON copy_ledger (trade_id) WHERE trade_id IS NOT NULL;
CREATE INDEX trade_copies_copy ON trade_copies (code_prefix, code_mac);
