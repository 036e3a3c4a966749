//! Recipes for serial codes, unlocks and unlock policies.

use super::HIDDEN;
use super::recipe::Caller::{Admin, Moderator, Row};
use super::recipe::{Goal, Recipe, Yardstick};

/// Codes that were not submitted, each with an account that can submit it and the name of its card.
const CODES: &str = "WITH drawn AS (DELETE FROM bench.codes WHERE n IN (SELECT n FROM bench.codes ORDER BY n LIMIT :many) RETURNING *) \
     SELECT code_number, card_name, account AS caller, card, code_prefix, encode(code_mac, 'hex') AS code_mac FROM drawn ORDER BY n";
/// Codes of a single card.
const CODES_OF_ONE: &str = "WITH drawn AS (DELETE FROM bench.hot_codes WHERE n IN (SELECT n FROM bench.hot_codes ORDER BY n LIMIT :many) RETURNING *) \
     SELECT code_number, card_name, account AS caller, card, code_prefix, encode(code_mac, 'hex') AS code_mac FROM drawn ORDER BY n";
/// Converts codes of other cards to codes of that card, because it has too few for many runs.
const MORE_OF_ONE: &str = "WITH others AS (DELETE FROM bench.codes WHERE n IN ( \
         SELECT n FROM bench.codes ORDER BY n DESC LIMIT (SELECT greatest(6000 - count(*), 0) FROM bench.hot_codes)) RETURNING *), \
     hot AS (SELECT h.card, t.name FROM bench.hidden h JOIN card_content t ON t.card_id = h.card ORDER BY h.n LIMIT 1) \
     INSERT INTO bench.hot_codes (n, code_number, card_name, account, card, code_prefix, code_mac) \
     SELECT (SELECT coalesce(max(n), 0) FROM bench.hot_codes) + row_number() OVER (), \
            code_number, hot.name, account, hot.card, code_prefix, code_mac FROM others, hot; \
     UPDATE copies c SET printing_id = hot.id FROM bench.hot_codes u, \
         (SELECT p.id FROM bench.hidden h JOIN printings p ON p.card_id = h.card ORDER BY h.n, p.tier LIMIT 1) hot \
     WHERE c.code_prefix = u.code_prefix AND c.code_mac = u.code_mac AND c.printing_id <> hot.id";
/// Batches of fifty codes, each for one account.
const BATCHES: &str = "WITH drawn AS (DELETE FROM bench.codes WHERE n IN (SELECT n FROM bench.codes ORDER BY n LIMIT :many * 50) RETURNING *), \
     placed AS (SELECT *, row_number() OVER (ORDER BY n) - 1 AS place FROM drawn) \
     SELECT min(account::text) AS caller, json_agg(json_build_object('code_number', code_number::text, 'code_prefix', code_prefix, 'name', card_name)) AS batch_json \
     FROM placed GROUP BY place / 50 HAVING count(*) = 50";

/// The minimal statements of a submission: they set the owner of the copy, write the ledger and the submission, raise the
/// card's count, and notify the account.
const SUBMITS: &[&str] = &[
    "SELECT p.card_id, t.name, c.owner_id, u.threshold FROM copies c JOIN printings p ON p.id = c.printing_id \
     JOIN card_content t ON t.card_id = p.card_id LEFT JOIN unlocks u ON u.card_id = p.card_id \
     WHERE c.code_prefix = :code_prefix AND c.code_mac = decode(:code_mac, 'hex')",
    "UPDATE copies SET owner_id = :caller::uuid, registered_at = now(), id = coalesce(id, gen_random_uuid()) WHERE code_prefix = :code_prefix AND code_mac = decode(:code_mac, 'hex')",
    "INSERT INTO copy_ledger (id, code_prefix, code_mac, entry, account_id, created_at, position, owner_id) \
     SELECT gen_random_uuid(), :code_prefix, decode(:code_mac, 'hex'), 'register', :caller::uuid, now(), 1, :caller::uuid",
    "INSERT INTO submissions (id, account_id, card_id, code_prefix, code_mac, counted, created_at) \
     SELECT gen_random_uuid(), :caller::uuid, :card::uuid, :code_prefix, decode(:code_mac, 'hex'), true, now()",
    "INSERT INTO account_events (account_id, kind, card_id, created_at) VALUES (:caller::uuid, 'submission.accepted', :card::uuid, now())",
    "UPDATE unlocks SET submissions = submissions WHERE card_id = :card::uuid",
];
/// Removes the owners that the yardstick has set, for which the ledger has no entries.
const UNREGISTER: &[&str] = &["SET session_replication_role = replica; \
     UPDATE copies c SET owner_id = NULL, registered_at = NULL, id = NULL FROM yard.rows y \
     WHERE c.code_prefix = y.code_prefix AND c.code_mac = decode(y.code_mac, 'hex') \
       AND NOT EXISTS (SELECT FROM copy_ledger l WHERE l.code_prefix = c.code_prefix AND l.code_mac = c.code_mac); \
     RESET session_replication_role"];
const WHY_SUBMITS: &str = "beside what the yardstick writes it counts attempts of account and networks, applies the policy, and announces unlocks";

pub(super) const RECIPES: &[Recipe] = &[
    Recipe::post("create_submission", "submit a serial", "/v1/submissions")
        .body(SUBMIT)
        .by(Row)
        .rows(CODES)
        .spends_as_the_yardstick(4_000)
        .writes(SUBMITS)
        .restore(UNREGISTER)
        .goal(Goal::Ratio(0.5))
        .why(WHY_SUBMITS),
    Recipe::post("create_submission", "submit a serial, 64 connections", "/v1/submissions")
        .body(SUBMIT)
        .by(Row)
        .rows(CODES)
        .spends_as_the_yardstick(4_000)
        .connections(64)
        .writes(SUBMITS)
        .restore(UNREGISTER)
        .goal(Goal::Ratio(0.5))
        .why(WHY_SUBMITS),
    Recipe::post("create_submission", "submit a serial, all of one card", "/v1/submissions")
        .body(SUBMIT)
        .by(Row)
        .prepare(&[MORE_OF_ONE])
        .rows(CODES_OF_ONE)
        .spends_as_the_yardstick(3_000)
        .writes(SUBMITS)
        .restore(UNREGISTER)
        .goal(Goal::Ratio(0.5))
        .why("each waits for the commit of the one before it"),
    Recipe::post("create_submission", "submit a serial, one account on one network", "/v1/submissions")
        .body(SUBMIT)
        .headers(&["x-forwarded-for: 203.0.113.77"])
        .by(Row)
        .rows("WITH drawn AS (DELETE FROM bench.codes WHERE n IN (SELECT n FROM bench.codes ORDER BY n LIMIT :many) RETURNING *) \
               SELECT code_number, card_name, bench.account(2) AS caller, card, code_prefix, encode(code_mac, 'hex') AS code_mac FROM drawn ORDER BY n")
        .spends_as_the_yardstick(3_000)
        .writes(SUBMITS)
        .restore(UNREGISTER)
        .goal(Goal::Ratio(0.5))
        .why("one account's submissions share its row, which a ban waits for"),
    Recipe::post("create_submissions", "submit fifty serials", "/v1/submissions/batch")
        .body("{\"submissions\": <batch_json>}")
        .by(Row)
        .rows(BATCHES)
        .spends(200)
        .like(Yardstick::None("five times as many codes in a second as one by one is the goal: compare with that row")),
    Recipe::get("list_submissions", "own submissions", "/v1/submissions").by(Row).rows(super::PLAYERS).reads(&[
        "SELECT s.id, s.card_id, s.counted, s.created_at, c.id, p.rarity, k.set_code, k.number FROM submissions s \
         JOIN copies c ON c.code_prefix = s.code_prefix AND c.code_mac = s.code_mac JOIN printings p ON p.id = c.printing_id \
         JOIN cards k ON k.id = s.card_id WHERE s.account_id = :caller::uuid ORDER BY s.id DESC LIMIT 51",
    ]),
    Recipe::get("find_submission", "own submission by id", "/v1/submissions/<submission>")
        .by(Row)
        .rows("SELECT id AS submission, account_id AS caller FROM submissions WHERE id > bench.some_uuid() ORDER BY id LIMIT :many")
        .reads(&["SELECT s.id, s.card_id, s.counted, s.created_at, c.id, p.rarity, k.set_code, k.number FROM submissions s \
                  JOIN copies c ON c.code_prefix = s.code_prefix AND c.code_mac = s.code_mac JOIN printings p ON p.id = c.printing_id \
                  JOIN cards k ON k.id = s.card_id WHERE s.id = :submission::uuid AND s.account_id = :caller::uuid"]),
    Recipe::put("review_submission", "submission reviewed", "/v1/submissions/<submission>/review")
        .body("{\"confirmed\": true, \"note\": \"seen at the fair\"}")
        .by(Moderator)
        .prepare(&[REVIEWED_SET])
        .rows("SELECT s.id AS submission FROM bench.reviewed v JOIN cards k ON k.set_code = v.set_code AND k.game_code = 'ttcg' \
               JOIN submissions s ON s.card_id = k.id WHERE NOT EXISTS (SELECT FROM submission_reviews r WHERE r.submission_id = s.id) LIMIT :many")
        .spends(400)
        .writes(&[
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'submission.reviewed', :submission, '{}', now())",
            "SELECT FROM submissions s JOIN unlocks u ON u.card_id = s.card_id WHERE s.id = :submission::uuid FOR UPDATE OF u",
        ])
        .why("the yardstick counts no votes"),
    Recipe::get("list_waiting_submissions", "submissions that wait for a review", "/v1/submission-reviews")
        .by(Moderator)
        .prepare(&[REVIEWED_SET])
        .reads(&["SELECT s.id, s.card_id, s.account_id, s.created_at FROM unlock_policies p JOIN cards k ON k.game_code = p.game_code AND k.set_code = p.set_code \
                  JOIN unlocks u ON u.card_id = k.id AND u.unlocked_at IS NULL JOIN submissions s ON s.card_id = k.id \
                  WHERE p.review AND NOT EXISTS (SELECT FROM submission_reviews r WHERE r.submission_id = s.id) ORDER BY s.id LIMIT 51"]),
    Recipe::get("find_game_policy", "unlock policy of a game", "/v1/games/ttcg/unlock-policy")
        .prepare(&[GAME_POLICY])
        .reads(&["SELECT * FROM unlock_policies WHERE game_code = 'ttcg' AND set_code IS NULL"]),
    Recipe::put("set_game_policy", "unlock policy of a game set", "/v1/games/yu-gi-oh/unlock-policy")
        .headers(&["if-match: *"])
        .body("{\"threshold\": <threshold>}")
        .by(Admin)
        .prepare(&["INSERT INTO unlock_policies (id, game_code, threshold, rarities, min_account_age_days, review, revision, updated_at) \
                    VALUES (gen_random_uuid(), 'yu-gi-oh', 90000, 1, 0, false, 1, now()) ON CONFLICT DO NOTHING"])
        .rows("SELECT 90000 + n AS threshold FROM generate_series(1, 4000) AS n")
        .connections(1)
        .writes(POLICY_WRITES),
    Recipe::delete("remove_game_policy", "unlock policy of a game removed", "/v1/games/magic/unlock-policy")
        .headers(&["if-match: *"])
        .by(Admin)
        .prepare(&["INSERT INTO unlock_policies (id, game_code, threshold, rarities, min_account_age_days, review, revision, updated_at) \
                    VALUES (gen_random_uuid(), 'magic', 90000, 1, 0, false, 1, now()) ON CONFLICT DO NOTHING"])
        .spends(1)
        .connections(1)
        .writes(POLICY_WRITES)
        .why("a game has one policy: one request, alone"),
    Recipe::get("find_set_policy", "unlock policy of a set", "/v1/games/ttcg/sets/<set_code>/unlock-policy")
        .prepare(&[GAME_POLICY])
        .rows(super::SETS)
        .reads(&["SELECT p.* FROM sets s LEFT JOIN unlock_policies p ON p.game_code = s.game_code AND (p.set_code = s.code OR p.set_code IS NULL) \
                  WHERE s.game_code = 'ttcg' AND s.code = :set_code ORDER BY p.set_code NULLS LAST LIMIT 1"]),
    Recipe::put("set_set_policy", "unlock policy of a set set", "/v1/games/ttcg/sets/<set_code>/unlock-policy")
        .headers(&["if-match: *"])
        .body("{\"threshold\": 90000}")
        .by(Admin)
        .prepare(&[SET_POLICIES])
        .rows("SELECT set_code FROM bench.open_sets LIMIT :many")
        .connections(2)
        .restore(&[NO_SET_POLICIES])
        .writes(POLICY_WRITES),
    Recipe::delete("remove_set_policy", "unlock policy of a set removed", "/v1/games/ttcg/sets/<set_code>/unlock-policy")
        .headers(&["if-match: *"])
        .by(Admin)
        .prepare(&[SET_POLICIES])
        .rows("SELECT set_code FROM bench.open_sets LIMIT :many")
        .spends(400)
        .restore(&[NO_SET_POLICIES])
        .writes(POLICY_WRITES),
    Recipe::get("list_set_unlocks", "unlocks of a set", "/v1/games/ttcg/sets/<set_code>/unlocks")
        .rows(super::HIDDEN_SETS)
        .reads(&["SELECT k.id, k.number, u.threshold, u.submissions, u.unlocked_at FROM cards k JOIN unlocks u ON u.card_id = k.id \
                  WHERE k.game_code = 'ttcg' AND k.set_code = :set_code ORDER BY k.number LIMIT 51"]),
    Recipe::post("unlock_set", "set unlocked that is open already", "/v1/games/ttcg/sets/<set_code>/unlocks")
        .body("{\"reason\": \"shown at the fair\"}")
        .by(Admin)
        .rows(super::SETS)
        .reads(&["SELECT k.id FROM cards k JOIN unlocks u ON u.card_id = k.id WHERE k.game_code = 'ttcg' AND k.set_code = :set_code AND u.unlocked_at IS NULL"])
        .why("a set that is hidden could be unlocked once only"),
    Recipe::get("find_unlock_statistics", "statistics of unlocks of a set", "/v1/statistics/unlocks?game=ttcg&set=<set_code>")
        .rows(super::HIDDEN_SETS)
        .reads(&["SELECT count(*), count(u.unlocked_at), sum(u.submissions) FROM cards k JOIN unlocks u ON u.card_id = k.id \
                  WHERE k.game_code = 'ttcg' AND k.set_code = :set_code"]),
    Recipe::get("find_leaderboard", "leaderboard of a game", "/v1/statistics/leaderboard?game=ttcg").reads(&[
        "SELECT a.name, count(*) FROM accounts a JOIN submissions s ON s.account_id = a.id WHERE a.on_leaderboard GROUP BY a.id ORDER BY 2 DESC LIMIT 50",
    ]),
    Recipe::get("list_unlocks", "unlocks, newest first", "/v1/unlocks")
        .reads(&["SELECT card_id, threshold, submissions, unlocked_at, reason FROM unlocks WHERE unlocked_at IS NOT NULL ORDER BY unlocked_at DESC, card_id DESC LIMIT 51"]),
    Recipe::get("find_unlock", "progress of a hidden card", "/v1/cards/<card>/unlock")
        .rows(HIDDEN)
        .reads(&["SELECT threshold, submissions, unlocked_at, reason FROM unlocks WHERE card_id = :card::uuid"]),
    Recipe::post("unlock_card", "card unlocked by an admin", "/v1/cards/<card>/unlock")
        .body("{\"reason\": \"shown at the fair\"}")
        .by(Admin)
        .rows("SELECT h.card FROM bench.hidden h JOIN unlocks u ON u.card_id = h.card WHERE u.unlocked_at IS NULL ORDER BY h.n DESC LIMIT :many")
        .spends(100)
        .writes(&[
            "UPDATE unlocks SET threshold = threshold WHERE card_id = :card::uuid",
            "UPDATE cards SET updated_at = now() WHERE id = :card::uuid",
            "INSERT INTO events (id, kind, subject_id, payload, created_at) VALUES (gen_random_uuid(), 'card.unlocked', :card::uuid, '{}', now())",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'card.unlocked', :card, '{}', now())",
        ])
        .why("the yardstick unlocks nothing: a card is unlocked once"),
];

const SUBMIT: &str = "{\"serial\": \"<serial>\", \"name\": \"<card_name>\"}";
const GAME_POLICY: &str = "INSERT INTO unlock_policies (id, game_code, threshold, rarities, min_account_age_days, review, revision, updated_at) \
     VALUES (gen_random_uuid(), 'ttcg', 100000, 1, 0, false, 1, now()) ON CONFLICT DO NOTHING";
/// Lets submissions for one hidden set wait for moderators.
const REVIEWED_SET: &str = "INSERT INTO unlock_policies (id, game_code, set_code, threshold, rarities, min_account_age_days, review, revision, updated_at) \
     SELECT gen_random_uuid(), 'ttcg', set_code, 100000, 1, 0, true, 1, now() FROM bench.reviewed ON CONFLICT DO NOTHING";
const SET_POLICIES: &str = "INSERT INTO unlock_policies (id, game_code, set_code, threshold, rarities, min_account_age_days, review, revision, updated_at) \
     SELECT gen_random_uuid(), 'ttcg', set_code, 90000, 1, 0, false, 1, now() FROM bench.open_sets ON CONFLICT DO NOTHING";
const NO_SET_POLICIES: &str =
    "DELETE FROM unlock_policies WHERE set_code IN (SELECT set_code FROM bench.open_sets)";
const POLICY_WRITES: &[&str] = &[
    "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'unlock_policy.set', 'game', '{}', now())",
    "UPDATE unlock_policies SET updated_at = now() WHERE game_code = 'nowhere'",
];
