//! Recipes for collections, their files, wants and haves.

use super::recipe::Caller::Row;
use super::recipe::{Goal, Recipe, Yardstick};
use super::{PAGES, PLAYERS, PLAYERS_AND_CARDS};

macro_rules! entries {
    ($limit:literal) => {
        concat!(
            "SELECT e.printing_id, e.condition, e.quantity, e.updated_at, p.rarity, k.id, k.game_code, k.set_code, k.number, t.name \
             FROM collection_entries e JOIN printings p ON p.id = e.printing_id JOIN cards k ON k.id = p.card_id JOIN card_content t ON t.card_id = k.id \
             WHERE e.account_id = :caller::uuid ORDER BY k.game_code, k.set_code, k.number, p.tier, e.condition ", $limit
        )
    };
}
const ONE_COUNT: &[&str] = &[
    "SELECT t.open FROM printings p JOIN card_content t USING (card_id) WHERE p.id = :printing::uuid",
    "INSERT INTO collection_entries (account_id, printing_id, condition, quantity, updated_at) \
     VALUES (:caller::uuid, :printing::uuid, 'near_mint', 1, now())",
    "UPDATE accounts SET trading = trading WHERE id = :caller::uuid",
];
macro_rules! list_of {
    ($kind:literal, $account:literal) => {
        concat!(
            "SELECT l.visibility, l.revision, i.position, i.quantity, k.id, k.set_code, k.number, t.name, p.rarity FROM trade_lists l \
             LEFT JOIN trade_list_items i USING (account_id, kind) LEFT JOIN cards k ON k.id = i.card_id LEFT JOIN card_content t ON t.card_id = k.id \
             LEFT JOIN printings p ON p.id = i.printing_id WHERE l.kind = '", $kind, "' AND l.account_id = ", $account, " ORDER BY i.position"
        )
    };
}
/// Collection files of fifty lines, in the format that the service writes.
const FILES: &str = "SELECT p.account AS caller, c.file_json FROM (SELECT n % 200 AS part, 'Count,Name,Edition,Collector Number,Condition,Rarity' || E'\\n' \
     || string_agg('1,\"' || replace(name, '\"', '\"\"') || '\",' || set_code || ',' || number || ',NM,' || rarity, E'\\n') AS file_json, min(n) AS n \
     FROM (SELECT * FROM bench.cards WHERE n <= 10000) c GROUP BY 1) c JOIN bench.players p ON p.n = c.n LIMIT :many";

pub(super) const RECIPES: &[Recipe] = &[
    Recipe::get("list_collection", "page of a collection", "/v1/collection").by(Row).rows(PLAYERS).reads(&[entries!("LIMIT 51")]),
    Recipe::post("change_counts", "collection changed by one card", "/v1/collection/changes")
        .body("{\"changes\": [{\"printing\": \"<printing>\", \"add\": 1}]}")
        .by(Row)
        .rows(PLAYERS_AND_CARDS)
        .writes(ONE_COUNT)
        .goal(Goal::Rate(1_500.0))
        .why(PAGES),
    Recipe::put("set_count", "count of a printing set", "/v1/collection/<printing>")
        .body("{\"quantity\": 3}")
        .by(Row)
        .rows(PLAYERS_AND_CARDS)
        .writes(ONE_COUNT)
        .goal(Goal::Rate(1_500.0))
        .why(PAGES),
    Recipe::post("read_import", "file of fifty lines read", "/v1/collection/imports")
        .content_type("text/csv")
        .body("<file_json>")
        .by(Row)
        .rows(FILES)
        .connections(2)
        .restore(&["DELETE FROM collection_imports"])
        .like(Yardstick::None("the work is finding out which cards the lines mean; as many files are read at once as there is memory for")),
    Recipe::post("commit_import", "file of twenty cards taken", "/v1/collection/imports/<import>/commit")
        .body("{\"only_ok\": true}")
        .by(Row)
        .prepare(&[
            "DELETE FROM collection_imports",
            "INSERT INTO collection_imports (id, account_id, mode, entries, rejected, created_at, expires_at) \
             SELECT gen_random_uuid(), p.account, 'add', (SELECT jsonb_agg(jsonb_build_array(c.printing, 'near_mint', 1)) \
             FROM bench.cards c WHERE c.n BETWEEN p.n AND p.n + 19), '[]', now(), now() + interval '1 hour' FROM bench.players p WHERE p.n <= 1500 LIMIT :many",
        ])
        .rows("SELECT id AS import, account_id AS caller FROM collection_imports WHERE committed_at IS NULL LIMIT :many")
        .spends(1_500)
        .restore(&["DELETE FROM collection_imports"])
        .writes(&[
            "SELECT entries FROM collection_imports WHERE id = :import::uuid FOR UPDATE",
            "INSERT INTO collection_entries (account_id, printing_id, condition, quantity, updated_at) \
             SELECT :caller::uuid, gen_random_uuid(), 'near_mint', 1, now() FROM generate_series(1, 20)",
            "UPDATE collection_imports SET expires_at = expires_at WHERE id = :import::uuid",
        ]),
    Recipe::get("export_collection", "whole collection as CSV", "/v1/collection/export?format=csv").by(Row).rows(PLAYERS).reads(&[entries!("")]),
    Recipe::get("find_completion", "completion of a game", "/v1/collection/completion?game=ttcg").by(Row).rows(PLAYERS).reads(&[
        "SELECT k.set_code, count(DISTINCT k.id) FROM collection_entries e JOIN printings p ON p.id = e.printing_id JOIN cards k ON k.id = p.card_id \
         WHERE e.account_id = :caller::uuid AND k.game_code = 'ttcg' GROUP BY 1",
        "SELECT code, name FROM sets WHERE game_code = 'ttcg' ORDER BY code",
    ])
    .why("the yardstick does not count how many cards a set has, which a hand-written schema would keep with the set"),
    Recipe::get("list_duplicates", "what is held more than once", "/v1/collection/duplicates?over=1").by(Row).rows(PLAYERS).reads(&[
        "SELECT k.id, sum(e.quantity) FROM collection_entries e JOIN printings p ON p.id = e.printing_id JOIN cards k ON k.id = p.card_id \
         WHERE e.account_id = :caller::uuid GROUP BY k.id HAVING sum(e.quantity) > 1 ORDER BY k.id LIMIT 51",
    ]),
    Recipe::get("find_wants", "own wants", "/v1/me/wants").by(Row).rows(PLAYERS).reads(&[list_of!("want", ":caller::uuid")]),
    Recipe::put("replace_wants", "own wants replaced", "/v1/me/wants").headers(&["if-match: *"]).body(TEN).by(Row).rows(TEN_CARDS).writes(TEN_WRITES),
    Recipe::get("find_haves", "own haves", "/v1/me/haves").by(Row).rows(PLAYERS).reads(&[list_of!("have", ":caller::uuid")]),
    Recipe::put("replace_haves", "own haves replaced", "/v1/me/haves").headers(&["if-match: *"]).body(TEN).by(Row).rows(TEN_CARDS).writes(TEN_WRITES),
    Recipe::get("list_player_wants", "wants of a player", "/v1/players/<name>/wants").rows(LISTED).reads(&[list_of!("want", ":player::uuid")]),
    Recipe::get("list_player_haves", "haves of a player", "/v1/players/<name>/haves").rows(LISTED).reads(&[list_of!("have", ":player::uuid")]),
    Recipe::get("list_trade_matches", "who would suit", "/v1/trade-matches").by(Row).rows(PLAYERS).reads(&[
        "SELECT theirs.account_id, count(*) FROM trade_list_items mine JOIN trade_list_items theirs ON theirs.card_id = mine.card_id AND theirs.kind = 'have' \
         JOIN trade_lists l ON l.account_id = theirs.account_id AND l.kind = 'have' AND l.visibility = 'public' \
         WHERE mine.account_id = :caller::uuid AND mine.kind = 'want' GROUP BY 1 ORDER BY 2 DESC LIMIT 51",
    ]),
];

/// Players with public lists.
const LISTED: &str = "SELECT p.name, p.account AS player FROM bench.players p JOIN trade_lists l ON l.account_id = p.account AND l.kind = 'want' LIMIT :many";
const TEN: &str = "{\"visibility\": \"public\", \"items\": <items_json>}";
const TEN_CARDS: &str = "SELECT p.account AS caller, (SELECT json_agg(json_build_object('card', c.card, 'quantity', 1)) FROM bench.cards c \
     WHERE c.n BETWEEN p.n AND p.n + 9) AS items_json FROM bench.players p WHERE p.n <= 1500 LIMIT :many";
const TEN_WRITES: &[&str] = &[
    "UPDATE trade_lists SET revision = revision + 1, updated_at = now() WHERE account_id = :caller::uuid AND kind = 'want'",
    "INSERT INTO trade_list_items (account_id, kind, position, card_id, quantity, public) \
     SELECT :caller::uuid, 'want', n, gen_random_uuid(), 1, true FROM generate_series(1, 10) AS n",
];
