-- How many cards have a word. What Postgres counts for the index of open cards it does not use for planning, because that index is
-- partial; without these statistics it takes every word for one in fifty cards, and sorts thousands of them for one page.

DO $$
BEGIN
    -- Statistics on expressions came with PostgreSQL 14.
    IF current_setting('server_version_num')::integer >= 140000 THEN
        EXECUTE 'CREATE STATISTICS card_content_words ON (array_to_tsvector(string_to_array(ltrim(words), '' ''))) FROM card_content';
        EXECUTE 'COMMENT ON STATISTICS card_content_words IS ''How many cards have which words: for the planning of searches.''';
    END IF;
END $$;

ANALYZE card_content;
