//! Recipes for log-ins, refreshes, sessions and personal access tokens.

use super::recipe::Caller::Row;
use super::recipe::{Goal, Recipe, Yardstick};
use super::{HASHES, PLAYERS};

pub(super) const RECIPES: &[Recipe] = &[
    Recipe::get("list_sessions", "own sessions", "/v1/sessions").by(Row).rows(PLAYERS).reads(&[
        "SELECT id, created_at, last_used_at, expires_at FROM sessions WHERE account_id = :caller::uuid AND revoked_at IS NULL AND expires_at > now()",
    ]),
    Recipe::post("log_in", "log-in", "/v1/sessions")
        .body("{\"name\": \"<name>\", \"password\": \"tram window sonnet\"}")
        .rows("SELECT name FROM bench.players LIMIT :many")
        .like(Yardstick::Argon2)
        .goal(Goal::Ratio(0.9))
        .why(HASHES),
    Recipe::post("refresh", "session refreshed", "/v1/sessions/refresh")
        .body("{\"refresh_token\": \"<refresh_token>\"}")
        .prepare(&[
            FRESH_SESSIONS,
            "INSERT INTO refresh_tokens (token_hash, session_id, generation, issued_at) \
             SELECT sha256(bench.refresh_token(id)::bytea), id, 0, now() FROM bench.fresh_sessions",
        ])
        .rows("SELECT bench.refresh_token(id) AS refresh_token, id AS session_id FROM bench.fresh_sessions LIMIT :many")
        .spends(4_000)
        .writes(&[
            "UPDATE refresh_tokens SET replaced_at = now() WHERE session_id = :session_id::uuid AND replaced_at IS NULL",
            "INSERT INTO refresh_tokens (token_hash, session_id, generation, issued_at) \
             SELECT sha256(gen_random_uuid()::text::bytea), :session_id::uuid, 1, now()",
            "UPDATE sessions SET generation = generation + 1, last_used_at = now() WHERE id = :session_id::uuid",
        ]),
    Recipe::delete("log_out", "log-out", "/v1/sessions/current")
        .by(Row)
        .prepare(&[FRESH_SESSIONS])
        .rows(OF_FRESH)
        .spends(4_000)
        .writes(ENDS),
    Recipe::delete("end_session", "another session ended", "/v1/sessions/<ended>")
        .by(Row)
        .prepare(&[FRESH_SESSIONS])
        .rows("SELECT id AS ended, account_id AS caller FROM bench.fresh_sessions LIMIT :many")
        .spends(4_000)
        .writes(&["UPDATE sessions SET revoked_at = now(), revoked_reason = 'logout' WHERE id = :ended::uuid"]),
    Recipe::get("list_tokens", "own tokens", "/v1/tokens").by(Row).rows(PLAYERS).reads(&[
        "SELECT id, name, scopes, created_at, expires_at, last_used_at FROM personal_access_tokens \
         WHERE account_id = :caller::uuid AND revoked_at IS NULL ORDER BY id",
    ]),
    Recipe::post("create_token", "token made", "/v1/tokens")
        .body("{\"name\": \"scanner\", \"scopes\": [\"decks:read\"]}")
        .by(Row)
        .prepare(&["DELETE FROM personal_access_tokens WHERE name = 'scanner'"])
        .rows(PLAYERS)
        .writes(&[
            "SELECT FROM accounts WHERE id = :caller::uuid FOR NO KEY UPDATE",
            "INSERT INTO personal_access_tokens (id, account_id, name, token_hash, scopes, created_at, expires_at) \
             SELECT gen_random_uuid(), :caller::uuid, 'scanner', sha256(gen_random_uuid()::text::bytea), ARRAY['decks'], now(), now() + interval '90 days'",
        ])
        .restore(&["DELETE FROM personal_access_tokens WHERE name = 'scanner'"])
        .goal(Goal::Ratio(0.5))
        .why("the yardstick writes a token alone: neither does it look for the session of whoever asks, nor count her tokens"),
    Recipe::delete("revoke_token", "token revoked", "/v1/tokens/<token>")
        .by(Row)
        .prepare(&["INSERT INTO personal_access_tokens (id, account_id, name, token_hash, scopes, created_at, expires_at) \
             SELECT gen_random_uuid(), account, 'to revoke', sha256(gen_random_uuid()::text::bytea), ARRAY['decks:read'], now(), now() + interval '90 days' \
             FROM bench.players LIMIT :many"])
        .rows("SELECT id AS token, account_id AS caller FROM personal_access_tokens WHERE name = 'to revoke' AND revoked_at IS NULL LIMIT :many")
        .spends(4_000)
        .restore(&["DELETE FROM personal_access_tokens WHERE name = 'to revoke'"])
        .writes(&["UPDATE personal_access_tokens SET revoked_at = now() WHERE id = :token::uuid"]),
];

/// Creates an additional session for many accounts.
const FRESH_SESSIONS: &str = "WITH made AS (INSERT INTO sessions (id, account_id, network_mac, generation, created_at, last_used_at, expires_at) \
     SELECT gen_random_uuid(), account, decode(repeat('00', 16), 'hex'), 1, now(), now(), now() + interval '30 days' FROM bench.players LIMIT :many \
     RETURNING id, account_id), emptied AS (DELETE FROM bench.fresh_sessions) INSERT INTO bench.fresh_sessions SELECT id, account_id FROM made";
const OF_FRESH: &str =
    "SELECT id AS session, account_id AS caller FROM bench.fresh_sessions LIMIT :many";
const ENDS: &[&str] = &[
    "UPDATE sessions SET revoked_at = now(), revoked_reason = 'logout' WHERE id = :session::uuid",
];
