-- Moderators and admins see all cards. They look up names, beginnings of names, similar names and words of names in the indexes of open cards, and in these of
-- hidden ones. No statement for other readers may use these two: its time would tell whether a hidden card has a name. So the indexes have a condition that
-- all names fulfil, but only statements for moderators contain. Readers do not wait while they are built.
SET LOCAL lock_timeout = '10s';
CREATE INDEX card_content_hidden_keys ON card_content (search_key text_pattern_ops) WHERE NOT open AND name <> '';
CREATE INDEX card_content_hidden_trigrams ON card_content USING gin (search_key gin_trgm_ops, name_words gin_trgm_ops) WHERE NOT open AND name <> '';
