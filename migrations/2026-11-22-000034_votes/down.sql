DROP TABLE counted_submissions;
DROP VIEW valid_votes;
