SET LOCAL lock_timeout = '10s';
DROP INDEX card_content_hidden_keys, card_content_hidden_trigrams;
