//! Decks and what the rules say of them.

use super::PAGES;
use super::recipe::Caller::Row;
use super::recipe::{Goal, Recipe, Yardstick};

const DECK: &str = "SELECT id AS deck, account_id AS caller FROM decks WHERE id >= bench.some_deck() ORDER BY id LIMIT :many";
/// Lists of fifty cards, two of each, drawn from the whole catalogue.
const LISTS: &str = "SELECT p.account AS caller, (SELECT json_agg(json_build_object('quantity', 2, 'name', c.name)) FROM bench.cards c \
     WHERE c.n BETWEEN p.n AND p.n + 24) AS entries_json, (SELECT string_agg(c.card::text, ',') FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS ids \
     FROM bench.players p LIMIT :many";
const LIST: &str =
    "{\"name\": \"Bench <fresh>\", \"format\": \"ttcg/standard\", \"entries\": <entries_json>}";
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
/// Decks of the bench with two revisions.
const REVISED: &str = "INSERT INTO deck_revisions (deck_id, revision, visibility, content, created_at) \
     SELECT d.id, r.n, 'private', jsonb_build_object('name', d.name, 'game', 'ttcg', 'format', 'standard', 'description', '', 'tags', '[]'::jsonb, \
      'unread_lines', '[]'::jsonb, 'entries', (SELECT coalesce(jsonb_agg(jsonb_build_object('position', e.position, 'zone', e.zone, 'quantity', r.n, 'name', e.name, \
       'copies', '[]'::jsonb) ORDER BY e.position), '[]') FROM deck_entries e WHERE e.deck_id = d.id)), now() \
     FROM (SELECT d.* FROM decks d WHERE d.id >= bench.some_deck() ORDER BY d.id LIMIT :many) d, generate_series(1, 2) AS r (n) ON CONFLICT DO NOTHING";
const REVISED_DECK: &str = "SELECT d.id AS deck, d.account_id AS caller FROM decks d JOIN deck_revisions r ON r.deck_id = d.id WHERE r.revision = 2 ORDER BY d.id LIMIT :many";
const ONE_REVISION: &[&str] = &[
    "SELECT r.content, r.created_at FROM deck_revisions r WHERE r.deck_id = :deck::uuid AND r.revision = 1",
];
const NO_REVISIONS: &[&str] = &["DELETE FROM deck_revisions"];
const CARDS_OF_LIST: &[&str] = &[
    "SELECT t.card_id, t.kind, t.name, t.attributes, t.effects FROM card_content t WHERE t.card_id = ANY (string_to_array(:ids, ',')::uuid[]) AND t.open",
];

/// Cards that are in public decks, and the term that decks with them have.
const SHARED_CARDS: &str = "SELECT c.card, c.name, 'c:' || lower(regexp_replace(c.name, '[^a-zA-Z0-9]', '', 'g')) AS term FROM bench.cards c \
     WHERE EXISTS (SELECT FROM deck_search s WHERE s.cards @> ARRAY[c.card]) LIMIT :many";
/// What is shown of a public deck.
const PUBLIC_DECKS: &str = "SELECT d.id, d.name, d.game_code, d.format_code, d.updated_at, a.name, s.size, s.published_at, s.legal_in FROM deck_search s \
     JOIN decks d ON d.id = s.deck_id JOIN accounts a ON a.id = d.account_id ORDER BY s.published_at DESC, s.deck_id DESC LIMIT 51";
/// The same of those with a card that are legal in a format.
const PUBLIC_DECKS_WITH_CARD: &str = "SELECT d.id, d.name, d.game_code, d.format_code, d.updated_at, a.name, s.size, s.published_at, s.legal_in FROM deck_search s \
     JOIN decks d ON d.id = s.deck_id JOIN accounts a ON a.id = d.account_id WHERE s.terms @> ARRAY['l:ttcg/standard', :term] \
     ORDER BY s.published_at DESC, s.deck_id DESC LIMIT 51";
const PLAYED_WITH: &str = "SELECT card, count(*) FROM (SELECT cards FROM deck_search WHERE cards @> ARRAY[:card::uuid] ORDER BY published_at DESC, deck_id DESC LIMIT 2000) s, \
     unnest(s.cards) AS card GROUP BY card ORDER BY 2 DESC LIMIT 20";

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
    Recipe::get("find_deck", "own deck", "/v1/decks/<deck>").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::put("replace_deck", "deck of fifty cards replaced", "/v1/decks/<deck>")
        .headers(&["if-match: *"])
        .body("{\"name\": \"Draft <fresh>\", \"format\": \"ttcg/standard\", \"entries\": <entries_json>}")
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
        .prepare(&[REVISED])
        .rows(REVISED_DECK)
        .restore(NO_REVISIONS)
        .writes(SAVES),
    Recipe::post("create_deck_report", "report on a pasted list of fifty cards", "/v1/deck-reports")
        .body("{\"format\": \"ttcg/standard\", \"list\": \"<list>\"}")
        .rows("SELECT (SELECT string_agg('2 ' || c.name, chr(10)) FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 24) AS list FROM bench.players p LIMIT :many")
        .like(Yardstick::Static)
        .goal(Goal::Ratio(0.25)),
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
    Recipe::get("find_deck_statistics", "statistics of an own deck", "/v1/decks/<deck>/statistics").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::get("draw_deck_chart", "chart of the ranks of an own deck", "/v1/decks/<deck>/chart?of=rank").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::get("find_draw_odds", "odds of drawing a kind from an own deck", "/v1/decks/<deck>/draw-odds?kind=unit").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::get("find_sample_hand", "hand of an own deck", "/v1/decks/<deck>/sample-hand").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::get("find_deck_legalities", "formats in which an own deck is legal", "/v1/decks/<deck>/legalities").by(Row).rows(DECK).reads(ONE_DECK),
    Recipe::get("list_public_decks", "public decks published last", "/v1/public-decks").reads(&[PUBLIC_DECKS]),
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
