DROP STATISTICS IF EXISTS card_content_words;
