SET LOCAL lock_timeout = '10s';
DROP TRIGGER card_keys_have_no_letter_apostrophes ON card_content;
DROP TRIGGER name_keys_have_no_letter_apostrophes ON designs;
DROP TRIGGER name_keys_have_no_letter_apostrophes ON accounts;
DROP FUNCTION card_keys_have_no_letter_apostrophes();
DROP FUNCTION name_keys_have_no_letter_apostrophes();
DROP FUNCTION without_letter_apostrophes(text);
