-- An entry may name the very copies that it means. Programs that do not know of it leave it empty.
ALTER TABLE deck_entries ADD COLUMN copies text[] NOT NULL DEFAULT '{}' CHECK (cardinality(copies) <= quantity);
COMMENT ON COLUMN deck_entries.copies IS 'What the owner calls the copies: ids, labels. Never serial codes, which are refused.';
