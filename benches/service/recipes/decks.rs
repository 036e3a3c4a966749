//! Recipes for decks and deck reports.

use super::PAGES;
use super::recipe::Caller::Row;
use super::recipe::{Goal, Recipe, Yardstick};

const DECK: &str = "SELECT id AS deck, account_id AS caller FROM decks WHERE id >= bench.some_deck() ORDER BY id LIMIT :many";
/// Lists of fifty cards (two copies each of 25), drawn from the whole catalogue.
const LISTS: &str = "SELECT p.account AS caller, (SELECT json_agg(json_build_object('quantity', 2, 'name', c.name)) FROM bench.cards c \
     WHERE c.n BETWEEN p.n AND p.n + 24) AS entries_json, (SELECT string_agg(c.card::text, ',') FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS ids \
     FROM bench.players p LIMIT :many";
const LIST: &str =
    "{\"name\": \"Bench <unique>\", \"format\": \"ttcg/standard\", \"entries\": <entries_json>}";
const ONE_DECK: &[&str] = &[
    "SELECT id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at FROM decks WHERE id = :deck::uuid",
    "SELECT zone, quantity, name, set_code, number, rarity, copies FROM deck_entries WHERE deck_id = :deck::uuid ORDER BY position",
];
const SAVES: &[&str] = &[
    "SELECT count(*) FROM decks WHERE account_id = :caller::uuid",
    "INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at) \
     VALUES (gen_random_uuid(), :caller::uuid, 'ttcg', 'standard', 'Bench', 'private', 1, now(), now())",
    "INSERT INTO deck_entries (deck_id, position, zone, quantity, name) SELECT :caller::uuid, n, 'main', 2, 'A card of some name' FROM generate_series(1, 25) AS n",
];
/// What the service runs to save a deck, after it has looked up the session.
const OWN_SAVES: &[&str] = &[
    "SELECT id FROM accounts WHERE id = :caller::uuid LIMIT 1 FOR NO KEY UPDATE",
    "WITH new AS MATERIALIZED (SELECT gen_random_uuid() AS id), deck AS (\
       INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, unlisted, revision, created_at, updated_at, description, tags, folder, \
        unread_lines, card_ids, bound_revision, cloned_deck_id, cloned_revision, cloned_account_id) \
       SELECT new.id, :caller::uuid, 'ttcg', 'standard', 'Bench own', 'private', false, 1, now(), now(), '', '{}'::text[], NULL, '[]'::jsonb, \
        string_to_array(:ids, ',')::uuid[], 1, NULL, NULL, NULL FROM new \
       WHERE CASE WHEN (SELECT count(*) FROM decks WHERE account_id = :caller::uuid) < 10000 THEN true \
        ELSE (SELECT count(*) FROM decks WHERE account_id = :caller::uuid AND deleted_at IS NULL) < 10000 END \
       RETURNING id, revision, like_count, comment_count, created_at, updated_at), \
     written AS (\
       INSERT INTO deck_entries (deck_id, position, zone, quantity, name, set_code, number, rarity, copies) \
       SELECT deck.id, entry.position, entry.zone, entry.quantity, entry.name, entry.set_code, entry.number, entry.rarity, entry.copies::text[] \
       FROM deck, unnest(:positions::int[], :zones::text[], :quantities::int[], :names::text[], :nothing::text[], :nothing::text[], :nothing::text[], :copies::text[]) \
        AS entry (position, zone, quantity, name, set_code, number, rarity, copies)), \
     stored AS (\
       INSERT INTO deck_revisions (deck_id, revision, visibility, content, created_at) SELECT id, revision, 'private', :content::jsonb, now() FROM deck) \
     SELECT revision, like_count, comment_count, created_at, updated_at, (SELECT a.name FROM accounts a WHERE a.id = :caller::uuid) AS author FROM deck",
    "SELECT (SELECT role FROM accounts WHERE banned_at IS NULL AND id = sessions.account_id LIMIT 1), \
       (SELECT must_change_password FROM accounts WHERE banned_at IS NULL AND id = sessions.account_id LIMIT 1) \
     FROM sessions WHERE id = :session::uuid AND revoked_at IS NULL AND expires_at > now() LIMIT 1 FOR NO KEY UPDATE",
];
/// [`LISTS`] with the parameters of [`OWN_SAVES`].
const OWN_LISTS: &str = "SELECT p.account AS caller, (SELECT json_agg(json_build_object('quantity', 2, 'name', c.name)) FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS entries_json, \
      (SELECT string_agg(c.card::text, ',') FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS ids, (SELECT s.id FROM sessions s WHERE s.account_id = p.account LIMIT 1) AS session, \
      (SELECT array_agg(c.n - p.n)::text FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS positions, (SELECT array_agg('main'::text)::text FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS zones, \
      (SELECT array_agg(2)::text FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS quantities, (SELECT array_agg(c.name)::text FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS names, \
      (SELECT array_agg(NULL::text)::text FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS nothing, (SELECT array_agg('{}'::text)::text FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS copies, \
      (SELECT json_build_object('name', 'Bench own', 'game', 'ttcg', 'format', 'standard', 'description', '', 'tags', '[]'::json, 'unread_lines', '[]'::json, \
       'entries', json_agg(json_build_object('position', c.n - p.n, 'zone', 'main', 'quantity', 2, 'name', c.name, 'copies', '[]'::json)))::text FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS content \
     FROM bench.players p LIMIT :many";
/// The benchmark's decks with two revisions.
pub(super) const REVISED: &str = "INSERT INTO deck_revisions (deck_id, revision, visibility, content, created_at) \
     SELECT d.id, r.n, 'private', jsonb_build_object('name', d.name, 'game', 'ttcg', 'format', 'standard', 'description', '', 'tags', '[]'::jsonb, \
      'unread_lines', '[]'::jsonb, 'entries', (SELECT coalesce(jsonb_agg(jsonb_build_object('position', e.position, 'zone', e.zone, 'quantity', r.n, 'name', e.name, \
       'copies', '[]'::jsonb) ORDER BY e.position), '[]') FROM deck_entries e WHERE e.deck_id = d.id)), now() \
     FROM (SELECT d.* FROM decks d WHERE d.id >= bench.some_deck() ORDER BY d.id LIMIT :many) d, generate_series(1, 2) AS r (n) ON CONFLICT DO NOTHING";
pub(super) const REVISED_DECK: &str = "SELECT d.id AS deck, d.account_id AS caller FROM decks d JOIN deck_revisions r ON r.deck_id = d.id WHERE r.revision = 2 ORDER BY d.id LIMIT :many";
const ONE_REVISION: &[&str] = &[
    "SELECT r.content, r.created_at FROM deck_revisions r WHERE r.deck_id = :deck::uuid AND r.revision = 1",
];
pub(super) const NO_REVISIONS: &[&str] = &["DELETE FROM deck_revisions"];
/// The decks as they were before they had two revisions.
const UNREVISED: &[&str] = &[
    NO_REVISIONS[0],
    "UPDATE decks SET revision = 1 WHERE id >= bench.some_deck() AND revision > 1",
];
const CARDS_OF_LIST: &[&str] = &[
    "SELECT t.card_id, t.kind, t.name, t.attributes, t.effects FROM card_content t WHERE t.card_id = ANY (string_to_array(:ids, ',')::uuid[]) AND t.open",
];

/// Cards in public decks, each with the search term of decks that contain it.
pub(super) const SHARED_CARDS: &str = "SELECT c.card, c.name, 'c:' || lower(regexp_replace(c.name, '[^a-zA-Z0-9]', '', 'g')) AS term FROM bench.cards c \
     WHERE EXISTS (SELECT FROM deck_search s WHERE s.cards @> ARRAY[c.card]) LIMIT :many";
/// The query for a page of public decks.
const PUBLIC_DECKS: &str = "SELECT d.id, d.name, d.game_code, d.format_code, d.updated_at, a.name, s.size, s.published_at, s.legal_in FROM deck_search s \
     JOIN decks d ON d.id = s.deck_id JOIN accounts a ON a.id = d.account_id ORDER BY s.published_at DESC, s.deck_id DESC LIMIT 51";
const LIKED_PUBLIC_DECKS: &str = "SELECT d.id, d.name, d.game_code, d.format_code, d.updated_at, a.name, s.size, s.published_at, s.legal_in FROM decks d \
     JOIN deck_search s ON s.deck_id = d.id JOIN accounts a ON a.id = d.account_id WHERE d.visibility = 'public' AND d.deleted_at IS NULL \
     ORDER BY d.like_count DESC, d.id DESC LIMIT 51";
/// The same for decks that contain a card and are legal in a format.
const PUBLIC_DECKS_WITH_CARD: &str = "SELECT d.id, d.name, d.game_code, d.format_code, d.updated_at, a.name, s.size, s.published_at, s.legal_in FROM deck_search s \
     JOIN decks d ON d.id = s.deck_id JOIN accounts a ON a.id = d.account_id WHERE s.terms @> ARRAY['l' || chr(58) || 'ttcg/standard', :term] \
     ORDER BY s.published_at DESC, s.deck_id DESC LIMIT 51";
const PLAYED_WITH: &str = "SELECT card, count(*) FROM (SELECT cards FROM deck_search WHERE cards @> ARRAY[:card::uuid] ORDER BY published_at DESC, deck_id DESC LIMIT 2000) s, \
     unnest(s.cards) AS card GROUP BY card ORDER BY 2 DESC LIMIT 20";

/// Public decks, with a name by which they are deleted afterwards. One account has liked and commented on each, and follows
/// the owners.
const TALKED_OF: &[&str] = &[
    "INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at) \
     SELECT gen_random_uuid(), account, 'ttcg', 'standard', 'Bench ' || n, 'public', 1, now(), now() FROM bench.players WHERE account <> bench.account(2) LIMIT :many",
    "INSERT INTO design_comments (id, deck_id, account_id, text, version, created_at) SELECT gen_random_uuid(), id, bench.account(2), 'Well.', 1, now() FROM decks WHERE name LIKE 'Bench %'",
    "INSERT INTO deck_likes (deck_id, account_id, liked_at, counted) SELECT id, bench.account(2), now(), false FROM decks WHERE name LIKE 'Bench %'",
    "INSERT INTO followed_authors (account_id, author_id, followed_at, counted) SELECT bench.account(2), account_id, now(), false FROM decks WHERE name LIKE 'Bench %' ORDER BY id LIMIT 500",
    "UPDATE decks SET comment_count = 1 WHERE name LIKE 'Bench %'",
];
/// The same decks with that account as the caller.
const FAN: &str = "SELECT d.id AS deck, c.account_id AS caller, c.id AS comment, a.name AS author FROM decks d JOIN design_comments c ON c.deck_id = d.id JOIN accounts a ON a.id = d.account_id \
     WHERE d.name LIKE 'Bench %' LIMIT :many";
/// The first hundred of these decks are watched by that account, too.
const WATCHED: &[&str] = &[
    TALKED_OF[0],
    TALKED_OF[1],
    "INSERT INTO watched_decks (deck_id, game_code, due_at, tried_by) SELECT id, game_code, now() + interval '1 day', 32767 FROM decks WHERE name LIKE 'Bench %' ORDER BY id LIMIT 100",
    "INSERT INTO deck_watches (account_id, deck_id, watched_at) SELECT bench.account(2), deck_id, now() FROM watched_decks",
];
/// Decks that their owners watch, each with a report that is up to date, and that no version judges again.
const ALL_WATCHED: &[&str] = &[
    "INSERT INTO watched_decks (deck_id, game_code, due_at, status, deck_revision, judged_on, game_revision, tried_game_revision, events_seq, judged_at, judged_by, tried_by) \
     SELECT d.id, d.game_code, now() + interval '1 day', 'legal', d.revision, (now() AT TIME ZONE 'UTC')::date, g.revision, g.revision, c.last_seq, now(), 32767, 32767 \
     FROM decks d JOIN games g ON g.code = d.game_code CROSS JOIN event_clock c WHERE d.id >= bench.some_deck() ORDER BY d.id LIMIT :many",
    "INSERT INTO deck_watches (account_id, deck_id, watched_at) SELECT d.account_id, d.id, now() FROM watched_decks w JOIN decks d ON d.id = w.deck_id",
];
const WATCHES: &[&str] = &[
    "SELECT count(*) FROM deck_watches WHERE account_id = :caller::uuid",
    "INSERT INTO watched_decks (deck_id, game_code, due_at) VALUES (:deck::uuid, 'ttcg', now())",
    "INSERT INTO deck_watches (account_id, deck_id, watched_at) VALUES (:caller::uuid, :deck::uuid, now())",
];
/// The same decks, each with an account that has neither liked it nor commented on it.
const NEWCOMERS: &str = "SELECT d.id AS deck, p.account AS caller, a.name AS author FROM (SELECT id, account_id, row_number() OVER (ORDER BY id) AS n FROM decks WHERE name LIKE 'Bench %') d \
     JOIN accounts a ON a.id = d.account_id JOIN bench.players p ON p.n = d.n WHERE p.account NOT IN (d.account_id, bench.account(2)) LIMIT :many";
const FORGOTTEN: &[&str] = &[
    "DELETE FROM decks WHERE name LIKE 'Bench %'",
    "DELETE FROM followed_authors",
    "DELETE FROM daily_counts",
];
const COMMENTS: &[&str] = &[
    "SELECT c.*, w.name AS author FROM decks d JOIN accounts a ON a.id = d.account_id JOIN design_comments c ON c.deck_id = d.id JOIN accounts w ON w.id = c.account_id \
     WHERE d.id = :deck::uuid AND d.visibility = 'public' AND a.banned_at IS NULL AND c.listed ORDER BY c.id DESC LIMIT 51",
];
/// The same decks, with the comments hidden by their owners, who are the callers.
const WITH_HIDDEN: &[&str] = &[
    TALKED_OF[0],
    TALKED_OF[1],
    "UPDATE design_comments SET hidden_at = now(), hidden_by_owner = true WHERE deck_id IN (SELECT id FROM decks WHERE name LIKE 'Bench %')",
];
const HIDERS: &str = "SELECT d.id AS deck, d.account_id AS caller, c.id AS comment FROM decks d JOIN design_comments c ON c.deck_id = d.id WHERE d.name LIKE 'Bench %' LIMIT :many";
const SAYS: &[&str] = &[
    "SELECT revision FROM decks WHERE id = :deck::uuid FOR NO KEY UPDATE",
    "INSERT INTO daily_counts (account_id, activity, day, count) VALUES (:caller::uuid, 'bench', now()::date, 1)",
    "INSERT INTO design_comments (id, deck_id, account_id, text, version, created_at) VALUES (gen_random_uuid(), :deck::uuid, :caller::uuid, 'Well.', 1, now())",
];
const LIKES: &[&str] = &[
    SAYS[0],
    SAYS[1],
    "INSERT INTO deck_likes (deck_id, account_id, liked_at, counted) VALUES (:deck::uuid, :caller::uuid, now(), true) ON CONFLICT DO NOTHING",
];
const FOLLOWS: &[&str] = &[
    SAYS[1],
    "INSERT INTO followed_authors (account_id, author_id, followed_at, counted) SELECT :caller::uuid, account_id, now(), true FROM decks WHERE id = :deck::uuid ON CONFLICT DO NOTHING",
];
const RESERVES: &[&str] = &[
    "SELECT created_at FROM accounts WHERE id = :caller::uuid FOR NO KEY UPDATE",
    "SELECT revision FROM decks WHERE id = :deck::uuid FOR UPDATE",
    "DELETE FROM deck_reservations WHERE deck_id = :deck::uuid",
    "INSERT INTO deck_reservations (deck_id, printing_id, quantity, reserved_at) SELECT :deck::uuid, e.printing_id, 1, now() FROM collection_entries e \
     WHERE e.account_id = :caller::uuid ORDER BY e.printing_id LIMIT 25 ON CONFLICT DO NOTHING",
];
const RESERVES_NOTHING: [&str; 3] = [RESERVES[0], RESERVES[1], RESERVES[2]];
/// The benchmark's decks, each with a reservation of one printing.
const RESERVED: &str = "INSERT INTO deck_reservations (deck_id, printing_id, quantity, reserved_at) \
     SELECT d.id, p.id, 1, now() FROM (SELECT id FROM decks WHERE id >= bench.some_deck() ORDER BY id LIMIT :many) d \
     CROSS JOIN (SELECT id FROM printings ORDER BY id LIMIT 1) p ON CONFLICT DO NOTHING";
const RESERVED_DECK: &str = "SELECT d.id AS deck, d.account_id AS caller FROM decks d WHERE EXISTS (SELECT FROM deck_reservations r WHERE r.deck_id = d.id) ORDER BY d.id LIMIT :many";
const NO_RESERVATIONS: &[&str] = &["DELETE FROM deck_reservations"];
const ONE_ACCOUNT: &str = "all are of one account, which is locked meanwhile";

pub(super) const RECIPES: &[Recipe] = &[
    Recipe::get("list_decks", "own decks", "/v1/decks").by(Row).rows(super::PLAYERS).reads(&[
        "SELECT d.id, d.name, d.game_code, d.format_code, d.visibility, d.updated_at, (SELECT sum(e.quantity) FROM deck_entries e WHERE e.deck_id = d.id) \
         FROM decks d WHERE d.account_id = :caller::uuid ORDER BY d.id DESC LIMIT 51",
    ]),
    Recipe::post("create_deck", "deck of fifty cards saved", "/v1/decks")
        .body(LIST)
        .by(Row)
        .rows(LISTS)
        .restore(&["DELETE FROM decks WHERE name LIKE 'Bench %'"])
        .writes(SAVES)
        .goal(Goal::Rate(1_500.0))
        .why(PAGES),
    Recipe::post("create_deck", "deck of fifty cards saved, beside its own statements", "/v1/decks")
        .body(LIST)
        .by(Row)
        .rows(OWN_LISTS)
        .restore(&["DELETE FROM decks WHERE name LIKE 'Bench %'"])
        .like(Yardstick::OwnWrites(OWN_SAVES))
        .goal(Goal::Ratio(0.7)),
    Recipe::get("find_deck", "own deck", "/v1/decks/<deck>").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::put("replace_deck", "deck of fifty cards replaced", "/v1/decks/<deck>")
        .headers(&["if-match: *"])
        .body("{\"name\": \"Draft <unique>\", \"format\": \"ttcg/standard\", \"entries\": <entries_json>}")
        .by(Row)
        .prepare(&["INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at) \
             SELECT gen_random_uuid(), account, 'ttcg', 'standard', 'Bench to replace', 'private', 1, now(), now() FROM bench.players LIMIT :many"])
        .rows("SELECT d.id AS deck, d.account_id AS caller, (SELECT json_agg(json_build_object('quantity', 2, 'name', c.name)) FROM bench.cards c \
               WHERE c.n BETWEEN p.n AND p.n + 24) AS entries_json FROM decks d JOIN bench.players p ON p.account = d.account_id \
               WHERE d.name = 'Bench to replace' LIMIT :many")
        .restore(&["DELETE FROM decks WHERE name LIKE 'Bench %' OR name LIKE 'Draft %'"])
        .writes(SAVES)
        .goal(Goal::Rate(1_500.0))
        .why(PAGES),
    Recipe::patch("edit_deck", "deck renamed", "/v1/decks/<deck>")
        .headers(&["if-match: *"])
        .body("{\"name\": \"Draft <unique>\"}")
        .by(Row)
        .prepare(&[
            "INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at) \
             SELECT gen_random_uuid(), account, 'ttcg', 'standard', 'Bench to rename', 'private', 1, now(), now() FROM bench.players LIMIT :many",
            "INSERT INTO deck_entries (deck_id, position, zone, quantity, name) SELECT d.id, n, 'main', 2, 'Kettle Imp' FROM decks d, generate_series(0, 24) AS n \
             WHERE d.name = 'Bench to rename'",
        ])
        .rows("SELECT id AS deck, account_id AS caller FROM decks WHERE name = 'Bench to rename' LIMIT :many")
        .restore(&["DELETE FROM decks WHERE name LIKE 'Bench %' OR name LIKE 'Draft %'"])
        .writes(SAVES),
    Recipe::delete("delete_deck", "deck deleted", "/v1/decks/<deck>")
        .headers(&["if-match: *"])
        .by(Row)
        .prepare(&[
            "INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at) \
             SELECT gen_random_uuid(), account, 'ttcg', 'standard', 'Bench to delete', 'private', 1, now(), now() FROM bench.players LIMIT :many",
            "INSERT INTO deck_entries (deck_id, position, zone, quantity, name) SELECT d.id, n, 'main', 2, 'Kettle Imp' FROM decks d, generate_series(1, 25) AS n \
             WHERE d.name = 'Bench to delete'",
        ])
        .rows("SELECT id AS deck, account_id AS caller FROM decks WHERE name = 'Bench to delete' LIMIT :many")
        .spends(3_000)
        .restore(&["DELETE FROM decks WHERE name LIKE 'Bench %'"])
        .writes(SAVES)
        .why("the yardstick saves a deck: what it deletes must have been there"),
    Recipe::post("undelete_deck", "deletion of a deck undone", "/v1/decks/<deck>/undelete")
        .by(Row)
        .prepare(&["INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at, deleted_at, visibility_before) \
             SELECT gen_random_uuid(), account, 'ttcg', 'standard', 'Bench deleted', 'private', 1, now(), now(), now(), 'private' FROM bench.players LIMIT :many"])
        .rows("SELECT id AS deck, account_id AS caller FROM decks WHERE name = 'Bench deleted' LIMIT :many")
        .spends(3_000)
        .restore(&["DELETE FROM decks WHERE name LIKE 'Bench %'"])
        .writes(&[
            "SELECT count(*) FROM decks WHERE account_id = :caller::uuid AND deleted_at IS NULL",
            "UPDATE decks SET deleted_at = NULL, visibility_before = NULL WHERE id = :deck::uuid",
        ]),
    Recipe::post("clone_deck", "deck copied", "/v1/decks/<deck>/clones")
        .body("{}")
        .by(Row)
        .rows(DECK)
        .restore(&["DELETE FROM decks WHERE cloned_deck_id IS NOT NULL"])
        .writes(SAVES)
        .why("the yardstick reads no deck"),
    Recipe::get("export_deck", "own deck in the dialect of Arena", "/v1/decks/<deck>/export?dialect=arena").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::get("export_deck", "share code of an own deck", "/v1/decks/<deck>/export?dialect=share_code").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::put("like_deck", "deck liked", "/v1/decks/<deck>/like")
        .by(Row)
        .prepare(TALKED_OF)
        .rows(NEWCOMERS)
        .restore(FORGOTTEN)
        .writes(LIKES),
    Recipe::delete("unlike_deck", "like of a deck taken back", "/v1/decks/<deck>/like")
        .by(Row)
        .prepare(TALKED_OF)
        .rows(FAN)
        .spends(3_000)
        .restore(FORGOTTEN)
        .writes(LIKES)
        .why(ONE_ACCOUNT),
    Recipe::get("list_liked_decks", "page of liked decks", "/v1/me/liked-decks").by(Row).prepare(TALKED_OF).rows(FAN).restore(FORGOTTEN).reads(&[
        "SELECT d.*, a.name AS author, l.liked_at, (SELECT sum(e.quantity) FROM deck_entries e WHERE e.deck_id = d.id) FROM deck_likes l JOIN decks d ON d.id = l.deck_id \
         JOIN accounts a ON a.id = d.account_id WHERE l.account_id = :caller::uuid AND d.visibility = 'public' ORDER BY l.liked_at DESC, l.deck_id DESC LIMIT 51",
    ]),
    Recipe::put("watch_deck", "deck watched", "/v1/decks/<deck>/watch")
        .by(Row)
        .prepare(TALKED_OF)
        .rows(NEWCOMERS)
        .restore(FORGOTTEN)
        .writes(WATCHES)
        .why("the yardstick judges no deck"),
    Recipe::delete("unwatch_deck", "deck no longer watched", "/v1/decks/<deck>/watch")
        .by(Row)
        .prepare(WATCHED)
        .rows(FAN)
        .spends(100)
        .restore(FORGOTTEN)
        .writes(WATCHES)
        .why(ONE_ACCOUNT),
    Recipe::get("find_deck_watch", "kept report on a watched deck", "/v1/decks/<deck>/watch")
        .by(Row)
        .prepare(ALL_WATCHED)
        .rows("SELECT deck_id AS deck, account_id AS caller FROM deck_watches LIMIT :many")
        .restore(&["DELETE FROM watched_decks"])
        .reads(&["SELECT w.watched_at, r.*, d.name, d.game_code, d.format_code, d.revision, g.revision FROM deck_watches w JOIN watched_decks r ON r.deck_id = w.deck_id JOIN decks d ON d.id = w.deck_id JOIN accounts a ON a.id = d.account_id \
                  JOIN games g ON g.code = d.game_code WHERE w.account_id = :caller::uuid AND w.deck_id = :deck::uuid"]),
    Recipe::get("list_watched_decks", "page of watched decks", "/v1/me/watched-decks").by(Row).prepare(WATCHED).rows(FAN).restore(FORGOTTEN).reads(&[
        "SELECT w.watched_at, r.*, d.name, d.game_code, d.format_code, d.revision, g.revision FROM deck_watches w JOIN watched_decks r ON r.deck_id = w.deck_id JOIN decks d ON d.id = w.deck_id JOIN accounts a ON a.id = d.account_id \
         JOIN games g ON g.code = d.game_code WHERE w.account_id = :caller::uuid ORDER BY w.watched_at DESC, w.deck_id DESC LIMIT 51",
    ]),
    Recipe::get("list_deck_comments", "comments on a deck", "/v1/decks/<deck>/comments").prepare(TALKED_OF).rows(FAN).restore(FORGOTTEN).reads(COMMENTS),
    Recipe::get("find_deck_comment", "comment on a deck", "/v1/decks/<deck>/comments/<comment>").prepare(TALKED_OF).rows(FAN).restore(FORGOTTEN).reads(COMMENTS),
    Recipe::post("create_deck_comment", "comment on a deck written", "/v1/decks/<deck>/comments")
        .body("{\"text\": \"Well, <unique>.\"}")
        .by(Row)
        .prepare(TALKED_OF)
        .rows(NEWCOMERS)
        .restore(FORGOTTEN)
        .writes(SAYS)
        .why("triggers count the written rows, and the accounts concerned are notified"),
    Recipe::put("replace_deck_comment", "comment on a deck changed", "/v1/decks/<deck>/comments/<comment>")
        .headers(&["if-match: *"])
        .body("{\"text\": \"Well, <unique>.\"}")
        .by(Row)
        .prepare(TALKED_OF)
        .rows(FAN)
        .restore(FORGOTTEN)
        .writes(SAYS)
        .why(ONE_ACCOUNT),
    Recipe::delete("delete_deck_comment", "comment on a deck deleted", "/v1/decks/<deck>/comments/<comment>")
        .by(Row)
        .prepare(TALKED_OF)
        .rows(FAN)
        .spends(3_000)
        .restore(FORGOTTEN)
        .writes(SAYS)
        .why(ONE_ACCOUNT),
    Recipe::get("list_hidden_deck_comments", "comments on a deck that its owner hid", "/v1/decks/<deck>/hidden-comments")
        .by(Row)
        .prepare(WITH_HIDDEN)
        .rows(HIDERS)
        .restore(FORGOTTEN)
        .reads(&[
            "SELECT c.*, w.name AS author FROM decks d JOIN accounts a ON a.id = d.account_id JOIN design_comments c ON c.deck_id = d.id JOIN accounts w ON w.id = c.account_id \
             WHERE d.id = :deck::uuid AND d.visibility = 'public' AND a.banned_at IS NULL AND c.hidden_by_owner ORDER BY c.id DESC LIMIT 51",
        ]),
    Recipe::post("show_deck_comment", "comment on a deck shown again", "/v1/decks/<deck>/comments/<comment>/show")
        .by(Row)
        .prepare(WITH_HIDDEN)
        .rows(HIDERS)
        .spends(3_000)
        .restore(FORGOTTEN)
        .writes(SAYS)
        .why("triggers count the shown rows"),
    Recipe::put("follow_author", "author followed", "/v1/authors/<author>/follow")
        .by(Row)
        .prepare(TALKED_OF)
        .rows(NEWCOMERS)
        .restore(FORGOTTEN)
        .writes(FOLLOWS),
    Recipe::delete("unfollow_author", "author no longer followed", "/v1/authors/<author>/follow")
        .by(Row)
        .prepare(TALKED_OF)
        .rows(FAN)
        .spends(500)
        .restore(FORGOTTEN)
        .writes(FOLLOWS)
        .why(ONE_ACCOUNT),
    Recipe::get("list_followed_authors", "page of followed authors", "/v1/me/followed-authors").by(Row).prepare(TALKED_OF).rows(FAN).restore(FORGOTTEN).reads(&[
        "SELECT f.author_id, a.name, f.followed_at FROM followed_authors f JOIN accounts a ON a.id = f.author_id WHERE f.account_id = :caller::uuid ORDER BY f.followed_at DESC, f.author_id DESC LIMIT 51",
    ]),
    Recipe::get("list_followed_decks", "what is new of five hundred authors", "/v1/me/followed-decks").by(Row).prepare(TALKED_OF).rows(FAN).restore(FORGOTTEN).reads(&[
        "SELECT d.*, a.name AS author, (SELECT sum(e.quantity) FROM deck_entries e WHERE e.deck_id = d.id) FROM (\
          SELECT newest.id, newest.at FROM followed_authors f CROSS JOIN LATERAL (SELECT d.id, coalesce(d.published_at, d.created_at) AS at FROM decks d \
           WHERE d.account_id = f.author_id AND d.visibility = 'public' AND d.deleted_at IS NULL ORDER BY coalesce(d.published_at, d.created_at) DESC, d.id DESC LIMIT 51) newest \
          WHERE f.account_id = :caller::uuid ORDER BY newest.at DESC, newest.id DESC LIMIT 51) page \
         JOIN decks d ON d.id = page.id JOIN accounts a ON a.id = d.account_id ORDER BY page.at DESC, page.id DESC",
    ]),
    Recipe::get("list_author_decks", "public decks of an author", "/v1/authors/<author>/decks").prepare(TALKED_OF).rows(FAN).restore(FORGOTTEN).reads(&[
        "SELECT d.*, a.name AS author, (SELECT sum(e.quantity) FROM deck_entries e WHERE e.deck_id = d.id) FROM accounts a JOIN decks d ON d.account_id = a.id \
         WHERE a.name = :author AND a.banned_at IS NULL AND d.visibility = 'public' AND d.deleted_at IS NULL ORDER BY coalesce(d.published_at, d.created_at) DESC, d.id DESC LIMIT 51",
    ]),
    Recipe::get("list_deck_folders", "folders of own decks", "/v1/deck-folders").by(Row).rows(super::PLAYERS).reads(&[
        "SELECT folder, count(*) FROM decks WHERE account_id = :caller::uuid AND deleted_at IS NULL GROUP BY folder ORDER BY folder",
    ]),
    Recipe::get("list_deck_revisions", "revisions of an own deck", "/v1/decks/<deck>/revisions")
        .by(Row)
        .prepare(&[REVISED])
        .rows(REVISED_DECK)
        .restore(NO_REVISIONS)
        .reads(&["SELECT r.revision, r.content ->> 'name', r.created_at FROM deck_revisions r WHERE r.deck_id = :deck::uuid ORDER BY r.revision DESC LIMIT 51"]),
    Recipe::get("find_deck_revision", "revision of an own deck", "/v1/decks/<deck>/revisions/1")
        .by(Row)
        .prepare(&[REVISED])
        .rows(REVISED_DECK)
        .restore(NO_REVISIONS)
        .reads(ONE_REVISION),
    Recipe::get("compare_decks", "two revisions of an own deck compared", "/v1/decks/<deck>/diff?from=1&to=2")
        .by(Row)
        .prepare(&[REVISED])
        .rows(REVISED_DECK)
        .restore(NO_REVISIONS)
        .reads(ONE_REVISION),
    Recipe::post("restore_deck", "revision of a deck restored", "/v1/decks/<deck>/restore")
        .headers(&["if-match: *"])
        .body("{\"revision\": 1}")
        .by(Row)
        .prepare(&[
            REVISED,
            "UPDATE decks d SET revision = 2 FROM deck_revisions r WHERE r.deck_id = d.id AND r.revision = 2",
        ])
        .rows(REVISED_DECK)
        .restore(UNREVISED)
        .writes(SAVES),
    Recipe::post("create_deck_report", "report on a pasted list of fifty cards", "/v1/deck-reports")
        .body("{\"format\": \"ttcg/standard\", \"list\": \"<list>\"}")
        .rows("SELECT (SELECT string_agg('2 ' || c.name, chr(10)) FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS list FROM bench.players p LIMIT :many")
        .like(Yardstick::Static)
        .goal(Goal::Ratio(0.25))
        .why("answers with each line and each broken rule, 10 to 20 KB of JSON, which the static route does not do"),
    Recipe::post("create_deck_reports", "reports on two lists of fifty cards", "/v1/deck-reports/batch")
        .body("{\"format\": \"ttcg/standard\", \"decks\": [{\"entries\": <entries_json>}, {\"entries\": <entries_json>}]}")
        .rows(LISTS)
        .reads(CARDS_OF_LIST)
        .why("the yardstick reads the cards once and judges nothing"),
    Recipe::get("find_deck_availability", "which cards of an own deck one has", "/v1/decks/<deck>/availability")
        .by(Row)
        .rows(DECK)
        .reads(ONE_DECK)
        .why("the yardstick reads the deck alone, neither what its owner has nor other decks"),
    Recipe::get("find_deck_reservation", "what is reserved for an own deck", "/v1/decks/<deck>/reservation")
        .by(Row)
        .prepare(&[RESERVED])
        .rows(RESERVED_DECK)
        .restore(NO_RESERVATIONS)
        .reads(ONE_DECK)
        .why("the yardstick reads the deck alone, neither what its owner has nor what is reserved"),
    Recipe::put("reserve_deck", "copies reserved for a deck", "/v1/decks/<deck>/reservation")
        .by(Row)
        .rows(DECK)
        .restore(NO_RESERVATIONS)
        .writes(RESERVES)
        .why("the deck is read first, and the reservation afterwards; the yardstick does neither"),
    Recipe::delete("release_deck", "reservation of a deck freed", "/v1/decks/<deck>/reservation")
        .by(Row)
        .prepare(&[RESERVED])
        .rows(RESERVED_DECK)
        .spends(3_000)
        .restore(NO_RESERVATIONS)
        .writes(&RESERVES_NOTHING),
    Recipe::get("find_deck_pick_list", "what can be built of an own deck", "/v1/decks/<deck>/pick-list")
        .by(Row)
        .rows(DECK)
        .reads(ONE_DECK)
        .why("the yardstick reads the deck alone, and judges nothing"),
    Recipe::get("find_deck_statistics", "statistics of an own deck", "/v1/decks/<deck>/statistics").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::get("draw_deck_chart", "chart of the ranks of an own deck", "/v1/decks/<deck>/chart?of=rank").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::get("find_draw_odds", "odds of drawing a kind from an own deck", "/v1/decks/<deck>/draw-odds?kind=unit").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::get("find_sample_hand", "hand of an own deck", "/v1/decks/<deck>/sample-hand").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::get("find_deck_legalities", "formats in which an own deck is legal", "/v1/decks/<deck>/legalities").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::get("list_public_decks", "public decks published last", "/v1/public-decks").reads(&[PUBLIC_DECKS]),
    Recipe::get("list_public_decks", "public decks with most likes", "/v1/public-decks?sort=likes").reads(&[LIKED_PUBLIC_DECKS]),
    Recipe::get("list_public_decks", "public decks with a card, legal in a format", "/v1/public-decks?q=contains%3A%22<name>%22+legal%3Attcg%2Fstandard")
        .rows(SHARED_CARDS)
        .reads(&[PUBLIC_DECKS_WITH_CARD])
        .goal(Goal::Ratio(0.7)),
    Recipe::get("list_similar_decks", "public decks like an own one", "/v1/decks/<deck>/similar").by(Row).rows(DECK).reads(ONE_DECK).why("the yardstick reads the deck and compares nothing"),
    Recipe::get("list_cards_played_with", "cards played with a card", "/v1/cards/<card>/played-with").rows(SHARED_CARDS).reads(&[PLAYED_WITH]),
    Recipe::get("find_deck_report", "report on an own deck", "/v1/decks/<deck>/report").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::post("create_deck_report", "report on a list of fifty cards", "/v1/deck-reports")
        .body("{\"format\": \"ttcg/standard\", \"entries\": <entries_json>}")
        .rows(LISTS)
        .reads(CARDS_OF_LIST)
        .goal(Goal::Rate(3_000.0))
        .why("the yardstick reads the cards and judges nothing; of a million cards the service keeps few in memory (`--card-cache`), and a row of a second meets most for the first time: the others are read from the database"),
    Recipe::post("create_deck_report", "report on a list of one card", "/v1/deck-reports")
        .body("{\"format\": \"ttcg/standard\", \"entries\": [{\"quantity\": 2, \"name\": \"<name>\"}]}")
        .rows(super::CARDS)
        .like(Yardstick::Static),
];
