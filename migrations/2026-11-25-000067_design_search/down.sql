DROP INDEX designs_listed_name_order_of_all;
DROP INDEX designs_listed_comments_of_game;
DROP INDEX designs_listed_comments;
DROP INDEX designs_listed_ratings_of_game;
DROP INDEX designs_listed_ratings;
DROP TABLE design_search;
ALTER TABLE designs DROP COLUMN searched_revision;
