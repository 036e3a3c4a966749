SET LOCAL lock_timeout = '10s';
DROP TRIGGER templates_have_a_beginning ON effect_texts;
DROP FUNCTION templates_have_a_beginning();
ALTER TABLE effect_texts DROP COLUMN templates_since;
