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
const CARDS_OF_LIST: &[&str] = &[
    "SELECT t.card_id, t.kind, t.name, t.attributes, t.effects FROM card_content t WHERE t.card_id = ANY (string_to_array(:ids, ',')::uuid[]) AND t.open",
];

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
