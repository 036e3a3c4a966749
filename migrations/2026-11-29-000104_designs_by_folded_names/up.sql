-- The gallery sorts names as cards are sorted: without accents, so that É comes beside E and not after Z. The expression is that of FOLDED_NAME in
-- src/store/designs/gallery.rs; names of ASCII characters, of which most are, need no folding. Its length is limited, because an index takes no longer texts:
-- longer names with the same beginning are sorted by identifier.
-- designs_listed_name_order_of_all stays for older programs. A migration of its own: readers do not wait for these indexes.

CREATE INDEX designs_listed_folded_names ON designs ((
    CASE WHEN octet_length(name_key) = length(name_key) THEN left(name_key, 200) ELSE left(normalize(replace(replace(replace(translate(
    regexp_replace(normalize(name_key, NFD), '[\u0300-\u036f]', '', 'g'), 'øłđðħı', 'olddhi'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), NFC), 200) END) COLLATE "C", code)
    WHERE listed;
CREATE INDEX designs_listed_folded_names_of_game ON designs (game_code, (
    CASE WHEN octet_length(name_key) = length(name_key) THEN left(name_key, 200) ELSE left(normalize(replace(replace(replace(translate(
    regexp_replace(normalize(name_key, NFD), '[\u0300-\u036f]', '', 'g'), 'øłđðħı', 'olddhi'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), NFC), 200) END) COLLATE "C", code)
    WHERE listed;
