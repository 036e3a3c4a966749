//! Recipes for effect texts: templates, placeholders, phrase rules and the resulting sentences.

use super::recipe::Caller::Admin;
use super::recipe::Recipe;

/// All effect texts of a game are one row, which is cached as long as its revision does not change.
const REVISION: &[&str] = &["SELECT revision FROM effect_texts WHERE game_code = 'ttcg'"];
/// The statements of an edit, which writes the whole document.
const EDITS: &[&str] = &[
    "SELECT document, revision FROM effect_texts WHERE game_code = 'emojito' FOR UPDATE",
    "UPDATE effect_texts SET document = document, revision = revision + 1, updated_at = now() WHERE game_code = 'emojito'",
    "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'effect_texts.changed', 'emojito', '{}', now())",
];
const ONE_ROW: &str =
    "all texts of a game are one row, and an edit names the version that it saw: one connection";
const NUMBERS: &str = "SELECT n AS number FROM generate_series(1, 40) AS n";

pub(super) const RECIPES: &[Recipe] = &[
    Recipe::get("list_effect_templates", "templates of a game", "/v1/games/ttcg/effect-templates").reads(REVISION),
    Recipe::get("find_effect_template", "one template", "/v1/games/ttcg/effect-templates/<number>").rows(NUMBERS).reads(REVISION),
    Recipe::get("find_effect_choices", "choices of a template", "/v1/games/ttcg/effect-templates/34/choices?picks=<pick>")
        .rows("SELECT generate_series(0, 2) AS pick")
        .reads(REVISION),
    Recipe::get("list_effect_placeholders", "placeholders of a game", "/v1/games/ttcg/effect-placeholders").reads(REVISION),
    Recipe::get("find_effect_placeholder", "one placeholder", "/v1/games/ttcg/effect-placeholders/fodder").reads(REVISION),
    Recipe::get("find_phrase_rules", "rules of phrases", "/v1/games/ttcg/effect-phrase-rules").reads(REVISION),
    Recipe::get("list_effects", "sentences of a template", "/v1/games/ttcg/effects?template=<number>").rows(NUMBERS).reads(REVISION),
    Recipe::get("list_effects", "sentences with a word", "/v1/games/ttcg/effects?q=<word>")
        .rows("SELECT unnest(ARRAY['draw', 'discard', 'shuffle', 'point', 'hand', 'deck']) AS word")
        .reads(REVISION),
    Recipe::get("draw_effects", "random sentences", "/v1/games/ttcg/effects/random?count=10").reads(REVISION),
    Recipe::post("match_effects", "sentences taken apart", "/v1/games/ttcg/effects/match")
        .body("{\"sentences\": [\"Draw two cards.\", \"Discard one card.\", \"<sentence>\"]}")
        .rows("SELECT t.effects #>> '{0,text}' AS sentence FROM bench.cards c JOIN card_content t ON t.card_id = c.card WHERE t.effects #>> '{0,text}' <> '' LIMIT :many")
        .reads(REVISION),
    Recipe::post("expand_template", "template expanded", "/v1/games/ttcg/effects/expand")
        .body("{\"template\": \"Discard <fodder> and draw <n> cards.\", \"limit\": 20}")
        .rows("SELECT '<fodder>' AS fodder, generate_series(2, 9) AS n")
        .reads(REVISION),
    Recipe::put("replace_effect_templates", "all templates replaced", "/v1/games/emojito/effect-templates")
        .headers(&["if-match: *"])
        .body("{\"templates\": [\"Rest.\", \"Be still for <unique> turns.\"]}")
        .by(Admin)
        .prepare(TEXTS)
        .connections(1)
        .writes(EDITS)
        .why(ONE_ROW),
    Recipe::post("create_effect_template", "template added, dry run", "/v1/games/emojito/effect-templates?dry_run=true")
        .headers(&["if-match: \"r<revision>\""])
        .body("{\"template\": \"Wait for <unique> turns.\"}")
        .by(Admin)
        .prepare(TEXTS)
        .rows(SMALL_REVISION)
        .reads(REVISION),
    Recipe::put("replace_effect_template", "template replaced", "/v1/games/emojito/effect-templates/1")
        .headers(&["if-match: *"])
        .body("{\"template\": \"Rest for <unique> turns.\"}")
        .by(Admin)
        .prepare(TEXTS)
        .connections(1)
        .writes(EDITS)
        .why(ONE_ROW),
    Recipe::delete("delete_effect_template", "template deleted, dry run", "/v1/games/emojito/effect-templates/2?dry_run=true")
        .headers(&["if-match: \"r<revision>\""])
        .by(Admin)
        .prepare(TEXTS)
        .rows(SMALL_REVISION)
        .reads(REVISION),
    Recipe::put("replace_effect_placeholder", "placeholder replaced", "/v1/games/emojito/effect-placeholders/mood")
        .headers(&["if-match: *"])
        .body("{\"values\": [\"glad\", \"sad\", \"as <unique>\"]}")
        .by(Admin)
        .prepare(TEXTS)
        .connections(1)
        .writes(EDITS)
        .why(ONE_ROW),
    Recipe::delete("delete_effect_placeholder", "placeholder deleted, dry run", "/v1/games/emojito/effect-placeholders/mood?dry_run=true")
        .headers(&["if-match: *"])
        .by(Admin)
        .prepare(TEXTS)
        .reads(REVISION),
    Recipe::put("replace_phrase_rules", "rules of phrases replaced", "/v1/games/emojito/effect-phrase-rules")
        .headers(&["if-match: *"])
        .body("{\"removals\": [], \"replacements\": [{\"old\": \"gain 1 points\", \"new\": \"gain 1 point, as <unique>\"}]}")
        .by(Admin)
        .prepare(TEXTS)
        .connections(1)
        .writes(EDITS)
        .why(ONE_ROW),
];

const SMALL_REVISION: &str = "SELECT revision FROM effect_texts WHERE game_code = 'emojito'";
/// Restores the effect texts of a small game before each row.
const TEXTS: &[&str] = &["SELECT bench.small_texts()"];
