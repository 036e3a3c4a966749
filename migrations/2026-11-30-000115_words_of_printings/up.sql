-- The search words of a card have the texts of its printings, too. A program that does not know this changes printings without them: triggers mark the words of
-- these cards as stale then, as card_content_words does when content changes. Newer programs write the words after the printings, in the same transaction.
-- Once for each statement, because imports are large; and only for printings with strings (texts and choices), which few games have: other imports write no row more.
SET LOCAL lock_timeout = '10s';
-- Both at once, in the order in which imports write them.
LOCK TABLE printings, printing_content IN SHARE ROW EXCLUSIVE MODE;

COMMENT ON COLUMN card_content.attribute_words IS 'The attributes that are texts, folded likewise, by code; those of printings, and their choices, by rarity and code: rare/motto.';

CREATE FUNCTION words_of_added_printings() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
BEGIN
    IF EXISTS (SELECT FROM written WHERE attributes @? '$.* ? (@.type() == "string")') THEN
        UPDATE card_content SET words_version = 0 WHERE words_version <> 0 AND card_id IN (
            SELECT p.card_id FROM written JOIN printings p ON p.id = written.printing_id
            WHERE written.attributes @? '$.* ? (@.type() == "string")');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER words_of_added_printings AFTER INSERT ON printing_content REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT WHEN (current_setting('cardscape.printings_of_new_cards', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION words_of_added_printings();
COMMENT ON TRIGGER words_of_added_printings ON printing_content IS 'Not while the setting cardscape.printings_of_new_cards is on: a new card came with its words, and with the version that made them.';

-- Programs update only printings that differ. So texts are not compared: it is enough that there were some, or are some now.
CREATE FUNCTION words_of_changed_printings() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
BEGIN
    IF EXISTS (SELECT FROM written WHERE attributes @? '$.* ? (@.type() == "string")')
        OR EXISTS (SELECT FROM replaced WHERE attributes @? '$.* ? (@.type() == "string")') THEN
        UPDATE card_content SET words_version = 0 WHERE words_version <> 0 AND card_id IN (
            SELECT p.card_id FROM printings p WHERE p.id IN (
                SELECT printing_id FROM written WHERE attributes @? '$.* ? (@.type() == "string")'
                UNION SELECT printing_id FROM replaced WHERE attributes @? '$.* ? (@.type() == "string")'));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER words_of_changed_printings AFTER UPDATE ON printing_content REFERENCING OLD TABLE AS replaced NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION words_of_changed_printings();

-- The content of these printings may be deleted already. The words of their cards show whether they had texts.
CREATE FUNCTION words_of_removed_printings() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
BEGIN
    UPDATE card_content content SET words_version = 0 FROM gone
    WHERE content.card_id = gone.card_id AND content.words_version <> 0 AND content.attribute_words <> '{}'
        AND EXISTS (SELECT FROM jsonb_object_keys(content.attribute_words) AS word (code) WHERE starts_with(word.code, gone.rarity || '/'));
    RETURN NULL;
END $$;
CREATE TRIGGER words_of_removed_printings AFTER DELETE ON printings REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION words_of_removed_printings();
