DROP TABLE design_reviews;
