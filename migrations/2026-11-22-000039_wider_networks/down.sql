ALTER TABLE submission_networks DROP COLUMN wider_macs;
