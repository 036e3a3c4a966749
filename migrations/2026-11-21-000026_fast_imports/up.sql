-- New cards come with their printings, and with what triggers would derive from those: nothing is left to derive, and there is no
-- history yet. An import says so for as long as it writes them. Two statements for each printing were more than half of an import.
-- A program that says nothing has everything derived as before.

DROP TRIGGER printing_content_added ON printing_content;
CREATE TRIGGER printing_content_added AFTER INSERT ON printing_content REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT WHEN (current_setting('cardscape.printings_of_new_cards', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION printing_content_numbers();
COMMENT ON TRIGGER printing_content_added ON printing_content IS 'Not while the setting cardscape.printings_of_new_cards is on: then the cards of the printings are new, and came with printing_numbers.';

DROP TRIGGER printings_added_history ON printing_content;
CREATE TRIGGER printings_added_history AFTER INSERT ON printing_content REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT WHEN (current_setting('cardscape.printings_of_new_cards', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION printings_added_history();
COMMENT ON TRIGGER printings_added_history ON printing_content IS 'Not while the setting cardscape.printings_of_new_cards is on: a new card has no history.';
