//! Recipes for cards, sets, games, rulings and errata, bulk files and the change feed.

use super::recipe::Caller::{Admin, Row};
use super::recipe::{Goal, Recipe, Yardstick};
use super::{CARDS, FRAME, HIDDEN, MEMORY, SETS};

/// The query for a page of cards.
macro_rules! page_of_cards {
    ($where:literal) => {
        concat!(
            "SELECT c.id, c.set_code, c.number, t.kind, t.name, t.attributes, t.effects, t.lore, s.name, s.released_on, \
             (SELECT jsonb_agg(jsonb_build_object('id', p.id, 'rarity', p.rarity, 'attributes', o.attributes) ORDER BY p.tier) \
              FROM printings p LEFT JOIN printing_content o ON o.printing_id = p.id WHERE p.card_id = c.id) \
             FROM cards c JOIN card_content t ON t.card_id = c.id JOIN sets s ON s.game_code = c.game_code AND s.code = c.set_code WHERE ",
            $where
        )
    };
}

const BY_ID: &[&str] = &[page_of_cards!("c.id = :card::uuid AND t.open")];
const ONE_OF_NAME: &[&str] =
    &[page_of_cards!("t.game_code = :game AND t.name_key = :name_key AND t.name_scope = ''")];

/// Types and ranks of cards: forty pairs.
pub(super) const TYPES_AND_RANKS: &str = "SELECT type, rank FROM unnest(ARRAY['fire', 'water', 'dark', 'light', 'air', 'earth', 'nature', 'electric']) AS type, \
     generate_series(1, 5) AS rank";
const NO_STATEMENT: Yardstick =
    Yardstick::None("no statement over these tables answers it from an index");

/// The encodings that browsers accept: most answers are compressed for them.
const BROWSER: &[&str] = &["accept-encoding: gzip, deflate, br, zstd"];

pub(super) const RECIPES: &[Recipe] = &[
    Recipe::get("find_card", "card by id", "/v1/cards/<card>").rows(CARDS).reads(BY_ID),
    Recipe::get("find_card", "card by id, logged in", "/v1/cards/<card>")
        .rows(super::PLAYERS_AND_CARDS)
        .by(Row)
        .reads(&[
            "SELECT s.revoked_at, s.expires_at, a.role, a.banned_at FROM sessions s JOIN accounts a ON a.id = s.account_id \
             WHERE a.id = :caller::uuid LIMIT 1",
            page_of_cards!("c.id = :card::uuid AND t.open"),
        ]),
    Recipe::get("find_card", "card by id, for a browser", "/v1/cards/<card>")
        .headers(BROWSER)
        .rows(CARDS)
        .reads(BY_ID),
    Recipe::get("draw_card_picture", "picture of any card", "/v1/cards/<card>/picture")
        .rows(CARDS)
        .reads(BY_ID)
        .why("of all cards few have their pictures in the cache: the others are read and drawn"),
    Recipe::get("draw_card_picture", "picture of a card, cached", "/v1/cards/<card>/picture")
        .rows("SELECT card FROM bench.cards ORDER BY n LIMIT 500")
        .like(Yardstick::StaticFile)
        .goal(Goal::Ratio(0.7))
        .why(FRAME),
    Recipe::get("draw_card_picture", "picture of a card, cached, for a browser", "/v1/cards/<card>/picture")
        .headers(BROWSER)
        .rows("SELECT card FROM bench.cards ORDER BY n LIMIT 500")
        .like(Yardstick::StaticFile)
        .goal(Goal::Ratio(0.7))
        .why(FRAME),
    Recipe::get("draw_card_picture", "picture of a card as PNG, cached", "/v1/cards/<card>/picture?format=png")
        .rows("SELECT card FROM bench.cards ORDER BY n LIMIT 20")
        .like(Yardstick::StaticFile)
        .goal(Goal::Ratio(0.7))
        .why("drawing takes 14 to 42 ms; the picture is cached"),
    Recipe::get("find_card", "hidden card by id", "/v1/cards/<card>").rows(HIDDEN).reads(&[
        "SELECT c.id, c.set_code, c.number, u.threshold, u.submissions FROM cards c JOIN unlocks u ON u.card_id = c.id WHERE c.id = :card::uuid",
    ]),
    Recipe::get("list_cards", "page of a kind in a set", "/v1/cards?game=ttcg&set=<set_code>&kind=unit")
        .rows(SETS)
        .reads(&[page_of_cards!(
            "c.game_code = 'ttcg' AND c.set_code = :set_code AND t.kind = 'unit' AND t.open ORDER BY c.number LIMIT 50"
        )])
        .goal(Goal::Rate(2_000.0))
        .why(MEMORY),
    Recipe::get("list_cards", "page of a set", "/v1/cards?game=ttcg&set=<set_code>")
        .rows(SETS)
        .reads(&[page_of_cards!(
            "c.game_code = 'ttcg' AND c.set_code = :set_code AND t.open ORDER BY c.number LIMIT 50"
        )])
        .goal(Goal::Rate(2_000.0))
        .why(MEMORY),
    Recipe::get("list_cards", "cards by type and rank", "/v1/cards?q=type%3A<type>%20rank%3A<rank>")
        .rows(TYPES_AND_RANKS)
        .like(NO_STATEMENT)
        .goal(Goal::Rate(2_000.0)),
    Recipe::get("list_cards", "cards by type and rank, for a browser", "/v1/cards?q=type%3A<type>%20rank%3A<rank>")
        .headers(BROWSER)
        .rows(TYPES_AND_RANKS)
        .like(NO_STATEMENT)
        .goal(Goal::Rate(2_000.0)),
    Recipe::get("find_named_card", "card by its exact name", "/v1/cards/named?exact=<name>&game=<game>")
        .rows(CARDS)
        .reads(ONE_OF_NAME)
        .goal(Goal::Rate(8_000.0))
        .why(MEMORY),
    Recipe::get("find_named_card", "card by a misspelt name", "/v1/cards/named?fuzzy=<typed>&game=<game>")
        .rows("SELECT game, name_key, overlay(name PLACING 'x' FROM 3 FOR 1) AS typed FROM bench.cards LIMIT :many")
        .reads(ONE_OF_NAME)
        .why("the yardstick gets the right name; no statement finds a misspelt one from an index as exactly"),
    Recipe::get("suggest_card_names", "names that begin with three letters", "/v1/cards/autocomplete?q=<typed>&game=<game>")
        .rows("SELECT DISTINCT game, lower(left(name, 3)) AS typed FROM bench.cards WHERE left(name, 3) ~ '^[A-Za-z]+$' LIMIT 400")
        .reads(&["SELECT DISTINCT name FROM card_content WHERE open AND game_code = :game AND search_key LIKE :typed || '%' LIMIT 20"])
        .goal(Goal::Rate(2_000.0)),
    Recipe::get("draw_card", "random card of a game", "/v1/cards/random?game=ttcg")
        .reads(&[page_of_cards!(
            "c.id = (SELECT card_id FROM card_content WHERE open AND card_id >= gen_random_uuid() ORDER BY card_id LIMIT 1)"
        )])
        .goal(Goal::Rate(5_000.0)),
    Recipe::get("draw_card", "random card of a set", "/v1/cards/random?game=ttcg&set=<set_code>")
        .rows(SETS)
        .reads(&[page_of_cards!(
            "c.game_code = 'ttcg' AND c.set_code = :set_code AND t.open ORDER BY random() LIMIT 1"
        )])
        .goal(Goal::Rate(5_000.0)),
    Recipe::get("draw_card", "random card that a query finds", "/v1/cards/random?game=ttcg&q=type%3A<type>%20rank%3A<rank>")
        .rows(TYPES_AND_RANKS)
        .like(NO_STATEMENT)
        .goal(Goal::Rate(2_000.0)),
    Recipe::post("look_up_cards", "ten cards by place", "/v1/cards/lookup")
        .body("{\"identifiers\": <identifiers_json>}")
        .rows("SELECT jsonb_agg(jsonb_build_object('game', game, 'set', set_code, 'number', number)) AS identifiers_json, \
               string_agg(card::text, ',') AS ids FROM bench.cards WHERE n <= 4000 GROUP BY n / 10 LIMIT :many")
        .reads(&[page_of_cards!("c.id = ANY (string_to_array(:ids, ',')::uuid[])")])
        .goal(Goal::Rate(8_000.0)),
    Recipe::patch("edit_card", "a card's lore edited", "/v1/cards/<card>")
        .headers(&["if-match: *"])
        .body("{\"lore\": \"Told again on <unique>.\"}")
        .by(Admin)
        .rows(CARDS)
        .writes(&[
            "UPDATE card_content SET lore = :card WHERE card_id = :card::uuid",
            "UPDATE cards SET revision = revision + 1, updated_at = now() WHERE id = :card::uuid",
            "INSERT INTO events (id, kind, subject_id, payload, created_at) VALUES (gen_random_uuid(), 'card.changed', :card::uuid, '{}', now())",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'card.changed', :card, '{}', now())",
        ]),
    Recipe::get("list_printings", "printings of a card", "/v1/cards/<card>/printings").rows(CARDS).reads(&[
        "SELECT p.id, p.rarity, o.attributes FROM printings p JOIN card_content t ON t.card_id = p.card_id \
         LEFT JOIN printing_content o ON o.printing_id = p.id WHERE p.card_id = :card::uuid AND t.open ORDER BY p.tier",
    ]),
    Recipe::get("list_legalities", "legality of a card", "/v1/cards/<card>/legalities").rows(CARDS).reads(&[
        "SELECT t.name, t.kind, t.attributes, s.released_on FROM cards c JOIN card_content t ON t.card_id = c.id \
         JOIN sets s ON s.game_code = c.game_code AND s.code = c.set_code WHERE c.id = :card::uuid AND t.open",
    ]),
    Recipe::get("find_card", "card with its legality", "/v1/cards/<card>?include=legalities").rows(CARDS).reads(BY_ID),
    Recipe::get("list_cards", "page of cards legal in a format", "/v1/cards?q=legal%3Attcg%2Fstandard%20type%3A<type>%20rank%3A<rank>")
        .rows(TYPES_AND_RANKS)
        .like(NO_STATEMENT)
        .goal(Goal::Rate(2_000.0)),
    Recipe::get("find_card_by_number", "card by its number", "/v1/games/<game>/sets/<set_code>/cards/<number>")
        .rows(CARDS)
        .reads(&[page_of_cards!("c.game_code = :game AND c.set_code = :set_code AND c.number = :number AND t.open")]),
    Recipe::get("list_rulings", "rulings of a card", "/v1/cards/<card>/rulings").rows(CARDS).reads(&[
        "SELECT r.id, r.kind, r.text, r.published_on, r.source FROM card_content t LEFT JOIN card_rulings r ON r.card_id = t.card_id \
         WHERE t.card_id = :card::uuid AND t.open ORDER BY r.published_on, r.id",
    ]),
    Recipe::post("create_ruling", "ruling written", "/v1/cards/<card>/rulings")
        .body("{\"kind\": \"ruling\", \"text\": \"It counts once, as <unique> asked.\", \"published_on\": \"2026-11-21\"}")
        .by(Admin)
        .rows(CARDS)
        .writes(&[
            "INSERT INTO card_rulings (id, card_id, kind, text, published_on, created_at) \
             VALUES (gen_random_uuid(), :card::uuid, 'ruling', 'It counts once.', '2026-11-21', now())",
            "INSERT INTO card_history (id, card_id, change, changes, early, at) VALUES (gen_random_uuid(), :card::uuid, 'ruling_added', '[]', false, now())",
            "INSERT INTO events (id, kind, subject_id, payload, created_at) VALUES (gen_random_uuid(), 'card.changed', :card::uuid, '{}', now())",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'ruling.added', :card, '{}', now())",
        ]),
    Recipe::get("find_ruling", "ruling by id", "/v1/rulings/<ruling>")
        .rows(RULINGS)
        .reads(&["SELECT r.card_id, r.kind, r.text, r.published_on, r.source FROM card_rulings r JOIN card_content t USING (card_id) \
                  WHERE r.id = :ruling::uuid AND t.open"]),
    Recipe::put("replace_ruling", "ruling replaced", "/v1/rulings/<ruling>")
        .headers(&["if-match: *"])
        .body("{\"kind\": \"ruling\", \"text\": \"It counts twice, as <unique> asked.\", \"published_on\": \"2026-11-22\"}")
        .by(Admin)
        .rows(RULINGS)
        .writes(&[
            "UPDATE card_rulings SET text = 'It counts twice, as ' || gen_random_uuid() WHERE id = :ruling::uuid",
            "INSERT INTO card_history (id, card_id, change, changes, early, at) VALUES (gen_random_uuid(), :card::uuid, 'ruling_changed', '[]', false, now())",
            "INSERT INTO events (id, kind, subject_id, payload, created_at) VALUES (gen_random_uuid(), 'card.changed', :card::uuid, '{}', now())",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'ruling.changed', :card, '{}', now())",
        ]),
    Recipe::delete("delete_ruling", "ruling deleted", "/v1/rulings/<ruling>")
        .headers(&["if-match: *"])
        .by(Admin)
        .prepare(&["INSERT INTO card_rulings (id, card_id, kind, text, published_on, created_at) \
                    SELECT gen_random_uuid(), card, 'ruling', 'To be deleted.', '2026-11-21', now() FROM bench.cards LIMIT :many"])
        .rows("SELECT id AS ruling, card_id AS card FROM card_rulings WHERE text = 'To be deleted.' LIMIT :many")
        .spends(4_000)
        .writes(&[
            "DELETE FROM card_rulings WHERE id = :ruling::uuid",
            "INSERT INTO card_history (id, card_id, change, changes, early, at) VALUES (gen_random_uuid(), :card::uuid, 'ruling_removed', '[]', false, now())",
            "INSERT INTO events (id, kind, subject_id, payload, created_at) VALUES (gen_random_uuid(), 'card.changed', :card::uuid, '{}', now())",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'ruling.removed', :card, '{}', now())",
        ]),
    Recipe::get("list_history", "history of a card", "/v1/cards/<card>/history").rows(CARDS).reads(&[
        "SELECT h.change, h.changes, h.at FROM card_content t LEFT JOIN card_history h ON h.card_id = t.card_id AND NOT h.early \
         WHERE t.card_id = :card::uuid AND t.open ORDER BY h.at DESC, h.id DESC LIMIT 50",
    ]),
    Recipe::post("move_card", "card moved to another number", "/v1/cards/<card>/move")
        .body("{\"number\": \"M<unique>\"}")
        .by(Admin)
        .rows("SELECT m.card FROM bench.movable m JOIN cards k ON k.id = m.card LIMIT :many")
        .spends(200)
        .writes(&[
            "UPDATE cards SET updated_at = now() WHERE id = :card::uuid",
            "INSERT INTO card_history (id, card_id, change, changes, early, at) VALUES (gen_random_uuid(), :card::uuid, 'moved', '[]', false, now())",
            "INSERT INTO events (id, kind, subject_id, payload, created_at) VALUES (gen_random_uuid(), 'card.moved', :card::uuid, '{}', now())",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'card.moved', :card, '{}', now())",
        ])
        .why("the yardstick does not know old numbers, and moves nothing"),
    Recipe::post("merge_card", "card merged into another", "/v1/cards/<card>/merge")
        .body("{\"into\": \"<heir>\"}")
        .by(Admin)
        .rows(MERGEABLE)
        .spends(50)
        .like(Yardstick::None("what follows a merged card (copies, collections, decks, trade lists) follows by triggers, whoever merges")),
    Recipe::get("list_card_migrations", "moves and merges, newest first", "/v1/card-migrations").reads(&[
        "SELECT * FROM card_migrations ORDER BY performed_at DESC, id DESC LIMIT 51",
    ]),
    Recipe::get("find_card_migration", "one move", "/v1/card-migrations/<migration>")
        .rows("SELECT id AS migration FROM card_migrations ORDER BY id LIMIT :many")
        .reads(&["SELECT * FROM card_migrations WHERE id = :migration::uuid"]),
    Recipe::get("list_games", "games", "/v1/games").reads(&["SELECT code, name, revision, updated_at FROM games ORDER BY code"]),
    Recipe::get("find_game", "one game", "/v1/games/ttcg").reads(GAME),
    Recipe::get("find_manifest", "manifest of a game", "/v1/games/ttcg/manifest").reads(GAME),
    Recipe::put("replace_manifest", "manifest tried, dry run", "/v1/games/ttcg/manifest?dry_run=true")
        .content_type("application/toml")
        .headers(&["if-match: *"])
        .body("<manifest_json>")
        .by(Admin)
        .rows("SELECT manifest AS manifest_json FROM games WHERE code = 'ttcg'")
        .connections(2)
        .like(Yardstick::None("the work is checking every card against the manifest"))
        .why("reads and checks the whole game: grows with the catalogue"),
    Recipe::get("find_schema", "schema of a set file", "/v1/games/ttcg/schema").reads(GAME),
    Recipe::get("list_formats", "formats of a game", "/v1/games/ttcg/formats").reads(GAME),
    Recipe::get("find_format", "one format", "/v1/games/ttcg/formats/standard").reads(GAME),
    Recipe::get("list_sets", "sets of a game", "/v1/games/ttcg/sets")
        .reads(&["SELECT s.code, s.name, s.released_on, s.hidden, s.revision, s.updated_at FROM sets s WHERE game_code = 'ttcg' ORDER BY code LIMIT 51"])
        .goal(Goal::Rate(5_000.0))
        .why("the yardstick reads no numbers of cards, which a hand-written schema would keep with the set"),
    Recipe::get("list_sets", "sets of a game, for a browser", "/v1/games/ttcg/sets")
        .headers(BROWSER)
        .reads(&["SELECT s.code, s.name, s.released_on, s.hidden, s.revision, s.updated_at FROM sets s WHERE game_code = 'ttcg' ORDER BY code LIMIT 51"])
        .goal(Goal::Rate(5_000.0))
        .why("as sets of a game"),
    Recipe::get("list_all_sets", "sets of all games", "/v1/sets")
        .reads(&["SELECT s.game_code, s.code, s.name, s.released_on, s.hidden, s.revision, s.updated_at FROM sets s ORDER BY game_code, code LIMIT 51"])
        .goal(Goal::Rate(5_000.0))
        .why("as sets of a game"),
    Recipe::get("find_set", "one set", "/v1/games/ttcg/sets/<set_code>")
        .rows(SETS)
        .reads(&["SELECT s.code, s.name, s.released_on, s.hidden, s.revision FROM sets s WHERE game_code = 'ttcg' AND code = :set_code"])
        .goal(Goal::Rate(5_000.0))
        .why("a row of a second meets most of 1,653 sets for the first time: they are read from the database once, and kept"),
    Recipe::post("create_set", "set without cards created", "/v1/games/ttcg/sets")
        .body("{\"code\": \"made-<unique>\", \"name\": \"Made <unique>\"}")
        .by(Admin)
        .restore(&["DELETE FROM sets WHERE code LIKE 'made-%'"])
        .writes(&[
            "INSERT INTO sets (id, game_code, code, name, hidden, unlock_threshold, created_at, updated_at, edited_at) \
             VALUES (gen_random_uuid(), 'ttcg', 'made-' || substr(md5(random()::text), 1, 24), 'Made', true, 5, now(), now(), now())",
            "INSERT INTO events (id, kind, payload, created_at) VALUES (gen_random_uuid(), 'set.changed', '{}', now())",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'set.created', 'set', '{}', now())",
        ])
        .why("all changes of the catalogue wait for each other, and the answer waits until the cards in memory are as new as the database"),
    Recipe::delete("delete_set", "set without cards deleted", "/v1/games/ttcg/sets/<set_code>")
        .headers(&["if-match: *"])
        .by(Admin)
        .prepare(&[
            "DELETE FROM sets WHERE code LIKE 'gone-%'",
            "INSERT INTO sets (id, game_code, code, name, hidden, unlock_threshold, created_at, updated_at) \
             SELECT gen_random_uuid(), 'ttcg', 'gone-' || n, 'Gone', true, 5, now(), now() FROM generate_series(1, :many) AS n",
        ])
        .rows("SELECT code AS set_code FROM sets WHERE code LIKE 'gone-%' LIMIT :many")
        .spends(1_000)
        .restore(&["DELETE FROM sets WHERE code LIKE 'gone-%'"])
        .writes(&[
            "DELETE FROM sets WHERE game_code = 'ttcg' AND code = :set_code",
            "INSERT INTO events (id, kind, payload, created_at) VALUES (gen_random_uuid(), 'set.changed', '{}', now())",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'set.deleted', :set_code, '{}', now())",
        ])
        .why("as a set that is created"),
    Recipe::put("replace_set", "set file tried, dry run", "/v1/games/ttcg/sets/hearth?dry_run=true")
        .body(include_str!("../../../seed-data/games/ttcg/sets/hearth.json"))
        .by(Admin)
        .connections(2)
        .like(Yardstick::None("the work is checking the cards of the file")),
    Recipe::patch("edit_set", "set's day edited", "/v1/games/ttcg/sets/<set_code>")
        .headers(&["if-match: *"])
        .body("{\"released_on\": \"2026-01-<day>\"}")
        .by(Admin)
        .rows("SELECT code AS set_code, lpad(n::text, 2, '0') AS day FROM sets, generate_series(1, 28) AS n WHERE code LIKE 'synthetic-%' AND NOT hidden \
               ORDER BY n, code LIMIT :many")
        .writes(&[
            "UPDATE sets SET released_on = current_date, revision = revision + 1, updated_at = now(), edited_at = now() \
             WHERE game_code = 'ttcg' AND code = :set_code",
            "INSERT INTO events (id, kind, payload, created_at) VALUES (gen_random_uuid(), 'set.changed', '{}', now())",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'set.changed', :set_code, '{}', now())",
        ]),
    Recipe::get("list_facets", "facets of a game", "/v1/games/ttcg/facets")
        .like(Yardstick::Static)
        .goal(Goal::Rate(2_000.0)),
    Recipe::get("list_facets", "facets of what a query finds", "/v1/games/ttcg/facets?q=type%3A<type>%20rank%3A<rank>")
        .rows(TYPES_AND_RANKS)
        .like(NO_STATEMENT)
        .goal(Goal::Rate(2_000.0)),
    Recipe::get("list_facets", "facets of a set", "/v1/games/ttcg/facets?set=<set_code>").rows(SETS).like(Yardstick::Static),
    Recipe::get("list_bulk_files", "bulk files", "/v1/bulk-files")
        .reads(&["SELECT name, kind, row_count, size, sha256, created_at FROM bulk_files WHERE replaced_at IS NULL ORDER BY name"]),
    Recipe::get("download_bulk_file", "first MiB of a bulk file", "/v1/bulk-files/<file>")
        .headers(&["range: bytes=0-1048575"])
        .rows("SELECT name AS file, id AS file_id FROM bulk_files WHERE replaced_at IS NULL AND kind = 'cards' ORDER BY size DESC LIMIT 1")
        .reads(&["SELECT data FROM bulk_chunks WHERE file_id = :file_id::uuid AND position < 16 ORDER BY position"]),
    Recipe::get("list_changes", "page of the change feed", "/v1/changes?after=<after>")
        .rows("SELECT (random() * last_seq * 0.9)::bigint AS after FROM event_clock, generate_series(1, :many)")
        .reads(&["SELECT last_seq FROM event_clock", "SELECT seq, kind, payload, created_at FROM events WHERE seq > :after::bigint ORDER BY seq LIMIT 51"]),
    Recipe::get("stream_changes", "stream of changes, first bytes", "/v1/changes/stream?after=<after>")
        .rows("SELECT last_seq - 5 AS after FROM event_clock, generate_series(1, :many)")
        .first_bytes()
        .spends(super::STREAMS)
        .connections(2)
        .like(Yardstick::Static),
];

const RULINGS: &str = "SELECT r.id AS ruling, r.card_id AS card FROM card_rulings r JOIN card_content t USING (card_id) \
     WHERE t.open AND r.text <> 'To be deleted.' LIMIT :many";
const GAME: &[&str] = &["SELECT code, name, manifest, revision FROM games WHERE code = 'ttcg'"];
/// Pairs of cards of one kind with the same rarities, which no other rows use.
const MERGEABLE: &str = "SELECT min(card::text) AS card, max(card::text) AS heir FROM \
     (SELECT m.card, row_number() OVER (PARTITION BY t.kind ORDER BY m.card DESC) AS place, t.kind FROM bench.movable m \
      JOIN cards k ON k.id = m.card JOIN card_content t ON t.card_id = m.card WHERE t.open) numbered \
     GROUP BY kind, place / 2 HAVING count(*) = 2 LIMIT :many";
