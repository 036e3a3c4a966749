DROP TABLE daily_counts;
DROP TABLE design_revisions;
DROP TABLE designs;
