-- Trades and disputes are lost; the ledger keeps its entries. The constraint on their kinds is not checked for what is there.
DROP TRIGGER disputes_are_opened ON copy_ledger;
DROP FUNCTION disputes_are_opened;
DROP TABLE dispute_statements;
DROP TABLE disputes;
DROP TRIGGER copy_ledger_chain ON copy_ledger;
DROP FUNCTION copy_ledger_chain;
ALTER TABLE copy_ledger DROP CONSTRAINT copy_ledger_entry_check;
ALTER TABLE copy_ledger ADD CONSTRAINT copy_ledger_entry_check
    CHECK (entry IN ('register', 'transfer', 'dispute', 'freeze', 'void')) NOT VALID;
ALTER TABLE copy_ledger DROP COLUMN position, DROP COLUMN owner_id, DROP COLUMN reason, DROP COLUMN trade_id, DROP COLUMN dispute_id;
DROP TABLE trade_copies;
DROP TABLE trades;
DROP FUNCTION closed_stays;
DROP TRIGGER copies_final_states ON copies;
DROP FUNCTION copies_final_states;
DROP TRIGGER copies_are_named ON copies;
DROP FUNCTION copies_are_named;
ALTER TABLE copies DROP CONSTRAINT copies_registered_has_id;
ALTER TABLE copies DROP COLUMN id;
ALTER TABLE accounts DROP COLUMN trading;
