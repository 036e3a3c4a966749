-- Caps on the accounts of one network count by wider IPv6 prefixes, too: who is given a /48 has 65,536 networks.
ALTER TABLE submission_networks ADD COLUMN wider_macs bytea[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN submission_networks.wider_macs IS 'The /56 and the /48 of an IPv6 address, as keyed hashes; empty for others, and where an older program wrote the row.';
