ALTER TABLE designs DROP COLUMN rating, DROP COLUMN rating_points, DROP COLUMN rating_count, DROP COLUMN comment_count;
