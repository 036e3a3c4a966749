DROP TABLE effect_texts;
