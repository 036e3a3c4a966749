DROP TRIGGER printing_content_added ON printing_content;
CREATE TRIGGER printing_content_added AFTER INSERT ON printing_content REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION printing_content_numbers();
DROP TRIGGER printings_added_history ON printing_content;
CREATE TRIGGER printings_added_history AFTER INSERT ON printing_content REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION printings_added_history();
