//! Recipes for accounts: registration, passwords, second factors, notifications.

use super::recipe::Caller::{Admin, Moderator, Row};
use super::recipe::{Goal, Recipe, Special, Yardstick};
use super::{HASHES, PLAYERS};

/// Accounts whose password or role a run may change; no other rows use them.
const SPARE: &str = "SELECT account AS caller, name FROM bench.spare LIMIT :many";
const OWN: &[&str] = &[
    "SELECT s.revoked_at, s.expires_at, a.id, a.name, a.role, a.created_at FROM sessions s JOIN accounts a ON a.id = s.account_id \
     WHERE a.id = :caller::uuid LIMIT 1",
];
/// Pairs of a player and another account that the player blocks.
const PAIRS: &str = "SELECT account AS caller, bench.account(3) AS account FROM bench.players WHERE account <> bench.account(3) LIMIT :many";
const BLOCKS: &[&str] = &[
    "SELECT FROM accounts WHERE id = :caller::uuid FOR NO KEY UPDATE",
    "INSERT INTO account_blocks (account_id, blocked_id, created_at) VALUES (:caller::uuid, :account::uuid, now()) ON CONFLICT DO NOTHING",
];
const HASHES_ONCE: &str = "one hash is the whole work";
const HASHES_TWICE: &str = "hashes the old and the new password";

pub(super) const RECIPES: &[Recipe] = &[
    Recipe::post("register", "registration", "/v1/accounts")
        .body("{\"name\": \"New <unique>\", \"password\": \"tram window sonnet\"}")
        .like(Yardstick::Argon2)
        .goal(Goal::Ratio(0.8))
        .why(HASHES_ONCE),
    Recipe::post("recover", "password set with a recovery code", "/v1/accounts/recover")
        .body("{\"name\": \"<name>\", \"recovery_code\": \"<recovery_code>\", \"new_password\": \"tram window sonnet\"}")
        .prepare(&[
            "DELETE FROM recovery_codes WHERE account_id IN (SELECT account FROM bench.spare)",
            "INSERT INTO recovery_codes (account_id, code_hash) SELECT account, sha256(bench.recovery_code(n)::bytea) FROM bench.spare LIMIT :many",
        ])
        .rows("SELECT name, bench.recovery_code(n) AS recovery_code FROM bench.spare JOIN recovery_codes r ON r.account_id = account \
               AND r.code_hash = sha256(bench.recovery_code(n)::bytea) LIMIT :many")
        .spends(300)
        .like(Yardstick::Argon2)
        .goal(Goal::Ratio(0.8))
        .why(HASHES),
    Recipe::get("list_accounts", "accounts by a part of their names", "/v1/accounts?name=<part>")
        .by(Moderator)
        .rows("SELECT right(name, 3) AS part, '%' || right(name, 3) || '%' AS pattern FROM bench.players WHERE name ~ '[0-9]{3}$' LIMIT :many")
        .reads(&[
            "SELECT id, name, role, banned_at, created_at, second_factor_since, trading FROM accounts WHERE name_key LIKE :pattern \
             ORDER BY name_key COLLATE \"C\" LIMIT 51",
        ])
        .why("looks for names that begin with it and then for those that have it inside; plans both for the letters each time"),
    Recipe::get("find_account", "account by id", "/v1/accounts/<account>")
        .by(Moderator)
        .rows("SELECT account FROM bench.players LIMIT :many")
        .reads(&["SELECT id, name, role, banned_at, created_at, second_factor_since FROM accounts WHERE id = :account::uuid"]),
    Recipe::patch("change_account", "ban of an account", "/v1/accounts/<account>")
        .body("{\"banned\": true}")
        .by(Admin)
        .prepare(&["UPDATE accounts SET banned_at = NULL WHERE id IN (SELECT account FROM bench.spare)"])
        .rows("SELECT account FROM bench.spare LIMIT :many")
        .spends(300)
        .restore(&["UPDATE accounts SET banned_at = NULL WHERE id IN (SELECT account FROM bench.spare)", RENEW])
        .writes(&[
            "UPDATE accounts SET banned_at = now() WHERE id = :account::uuid",
            "UPDATE sessions SET revoked_at = now(), revoked_reason = 'banned' WHERE account_id = :account::uuid AND revoked_at IS NULL",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'account.banned', :account, '{}', now())",
        ]),
    Recipe::delete("remove_second_factor", "second factor taken off by an admin", "/v1/accounts/<caller>/second-factor")
        .by(Admin)
        .rows(SPARE)
        .special(Special::SecondFactor(true))
        .spends(300)
        .restore(&[NO_FACTORS, RENEW])
        .writes(&[
            "DELETE FROM second_factors WHERE account_id = :caller::uuid",
            "UPDATE accounts SET second_factor_since = NULL WHERE id = :caller::uuid",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'second_factor.removed', :caller, '{}', now())",
        ]),
    Recipe::get("find_me", "own account", "/v1/me").by(Row).rows(PLAYERS).reads(OWN),
    Recipe::put("change_password", "password changed", "/v1/me/password")
        .body("{\"current_password\": \"tram window sonnet\", \"new_password\": \"violet harbour lamp\"}")
        .by(Row)
        .rows(SPARE)
        .spends(300)
        .restore(&["UPDATE accounts SET password_hash = (SELECT password_hash FROM accounts WHERE id = bench.account(1)) WHERE id IN (SELECT account FROM bench.spare)", RENEW])
        .like(Yardstick::Argon2)
        .goal(Goal::Ratio(0.4))
        .why(HASHES_TWICE),
    Recipe::post("replace_recovery_codes", "new recovery codes", "/v1/me/recovery-codes")
        .body("{\"password\": \"tram window sonnet\"}")
        .by(Row)
        .rows(SPARE)
        .spends(300)
        .like(Yardstick::Argon2)
        .goal(Goal::Ratio(0.8))
        .why(HASHES),
    Recipe::get("find_second_factor", "own second factor", "/v1/me/second-factor").by(Row).rows(PLAYERS).reads(&[
        "SELECT s.revoked_at, a.second_factor_since, f.created_at FROM sessions s JOIN accounts a ON a.id = s.account_id \
         LEFT JOIN second_factors f ON f.account_id = a.id WHERE a.id = :caller::uuid LIMIT 1",
    ]),
    Recipe::post("begin_second_factor", "second factor begun", "/v1/me/second-factor")
        .body("{\"current_password\": \"tram window sonnet\"}")
        .by(Row)
        .prepare(&[NO_FACTORS])
        .rows(SPARE)
        .spends(300)
        .restore(&[NO_FACTORS])
        .like(Yardstick::Argon2)
        .goal(Goal::Ratio(0.8))
        .why(HASHES),
    Recipe::post("confirm_second_factor", "second factor switched on", "/v1/me/second-factor/confirm")
        .body("{\"code\": \"<second_factor_code>\"}")
        .by(Row)
        .rows(SPARE)
        .special(Special::SecondFactor(false))
        .spends(300)
        .restore(&[NO_FACTORS, RENEW])
        .writes(&[
            "UPDATE second_factors SET last_step = 1 WHERE account_id = :caller::uuid",
            "UPDATE accounts SET second_factor_since = now() WHERE id = :caller::uuid",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'second_factor.on', :caller, '{}', now())",
        ]),
    Recipe::post("switch_off_second_factor", "second factor switched off", "/v1/me/second-factor/switch-off")
        .body("{\"current_password\": \"tram window sonnet\", \"code\": \"<second_factor_code>\"}")
        .by(Row)
        .rows(SPARE)
        .special(Special::SecondFactor(true))
        .spends(300)
        .restore(&[NO_FACTORS, RENEW])
        .like(Yardstick::Argon2)
        .goal(Goal::Ratio(0.8))
        .why(HASHES),
    Recipe::post("replace_second_factor_codes", "new recovery codes of the second factor", "/v1/me/second-factor/recovery-codes")
        .body("{\"current_password\": \"tram window sonnet\", \"code\": \"<second_factor_code>\"}")
        .by(Row)
        .rows(SPARE)
        .special(Special::SecondFactor(true))
        .spends(300)
        .restore(&[NO_FACTORS, RENEW])
        .like(Yardstick::Argon2)
        .goal(Goal::Ratio(0.8))
        .why(HASHES),
    Recipe::get("find_event_settings", "own event settings", "/v1/me/event-settings")
        .by(Row)
        .rows(PLAYERS)
        .reads(&["SELECT muted FROM event_settings WHERE account_id = :caller::uuid"]),
    Recipe::put("replace_event_settings", "own event settings changed", "/v1/me/event-settings")
        .body("{\"muted\": [\"design.commented\"]}")
        .by(Row)
        .rows(PLAYERS)
        .restore(&["DELETE FROM event_settings"])
        .writes(&["INSERT INTO event_settings (account_id, muted) VALUES (:caller::uuid, '{design.commented}')"]),
    Recipe::get("list_blocks", "own blocks", "/v1/me/blocks").by(Row).rows(PLAYERS).reads(&[
        "SELECT b.blocked_id, a.name, b.created_at FROM account_blocks b JOIN accounts a ON a.id = b.blocked_id WHERE b.account_id = :caller::uuid ORDER BY b.created_at DESC LIMIT 51",
    ]),
    Recipe::put("block_account", "account blocked", "/v1/me/blocks/<account>")
        .by(Row)
        .rows(PAIRS)
        .restore(&["DELETE FROM account_blocks"])
        .writes(BLOCKS),
    Recipe::delete("unblock_account", "block taken back", "/v1/me/blocks/<account>")
        .by(Row)
        .prepare(&["INSERT INTO account_blocks (account_id, blocked_id, created_at) SELECT account, bench.account(3), now() FROM bench.players WHERE account <> bench.account(3) LIMIT :many"])
        .rows(PAIRS)
        .spends(3_000)
        .restore(&["DELETE FROM account_blocks"])
        .writes(BLOCKS),
    Recipe::get("list_account_events", "page of own events", "/v1/me/events?after=0").by(Row).rows(PLAYERS).reads(&[
        "SELECT last_seq FROM account_event_clocks WHERE account_id = :caller::uuid",
        "SELECT seq, kind, submission_id, copy_id, card_id, trade_id, created_at FROM account_events \
         WHERE account_id = :caller::uuid AND seq > 0 ORDER BY seq LIMIT 51",
    ]),
    Recipe::get("stream_account_events", "stream of own events, first bytes", "/v1/me/events/stream?after=0")
        .by(Row)
        .rows(PLAYERS)
        .first_bytes()
        .spends(super::STREAMS)
        .like(Yardstick::Static),
    Recipe::put("change_listing", "leaderboard joined", "/v1/me/leaderboard")
        .body("{\"on_leaderboard\": true}")
        .by(Row)
        .rows(PLAYERS)
        .writes(&["UPDATE accounts SET on_leaderboard = true WHERE id = :caller::uuid"]),
    Recipe::put("change_trading", "offers of trades allowed", "/v1/me/trading")
        .body("{\"trading\": \"public\"}")
        .by(Row)
        .rows(PLAYERS)
        .writes(&["UPDATE accounts SET trading = 'public' WHERE id = :caller::uuid"]),
];

const NO_FACTORS: &str = "WITH gone AS (DELETE FROM second_factors RETURNING account_id) \
     UPDATE accounts SET second_factor_since = NULL WHERE id IN (SELECT account FROM bench.spare) OR id IN (SELECT account_id FROM gone)";
/// Restores the sessions that the run has ended.
const RENEW: &str = "UPDATE sessions SET revoked_at = NULL, revoked_reason = NULL WHERE revoked_at IS NOT NULL AND id IN \
     (SELECT bench.session(account) FROM bench.spare)";
