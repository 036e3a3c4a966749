//! The statements of a sweep that need only a time and a number of rows.

use chrono::Duration;

use super::{
    ARTWORK_RETENTION, ATTEMPT_RETENTION, BATCH, CHANGE_RETENTION, DAILY_COUNT_RETENTION,
    IDEMPOTENCY_RETENTION, SESSION_RETENTION,
};
use crate::domain::copies::trade::CLOSED_RETENTION;
use crate::domain::operations::webhook::LEASE;
use crate::store::accounts::second_factors::UNCONFIRMED_RETENTION;
use crate::store::decks::deck_deletions::DELETED_RETENTION;
use crate::store::designs::design_changes;
use crate::store::operations::webhook_deliveries;

/// One kind of rows, and the statement that deletes a batch of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Name of the rows, for the log and the metric.
    pub(super) rows: &'static str,
    /// Parameters: `$before`, a time, and `$limit`, the most rows.
    pub(super) statement: &'static str,
    /// How long before the current time `$before` is.
    pub(super) keep: Duration,
    /// Size of the first batch.
    pub(super) batch: i64,
}

// Rows are found by arrays of their keys: IN (SELECT …) would read the whole table once more. A ctid is as good as a
// key, because the rows are locked when it is read.
pub(super) const STEPS: [Step; 18] = [
    Step {
        rows: "attempts",
        statement: "DELETE FROM attempts WHERE ctid = ANY (ARRAY( \
                        SELECT ctid FROM attempts WHERE window_start < $before \
                        ORDER BY window_start LIMIT $limit FOR UPDATE SKIP LOCKED))",
        keep: ATTEMPT_RETENTION,
        batch: BATCH,
    },
    Step {
        rows: "daily_counts",
        statement: "DELETE FROM daily_counts WHERE ctid = ANY (ARRAY( \
                        SELECT ctid FROM daily_counts WHERE day < ($before AT TIME ZONE 'UTC')::date \
                        ORDER BY day LIMIT $limit FOR UPDATE SKIP LOCKED))",
        keep: DAILY_COUNT_RETENTION,
        batch: BATCH,
    },
    // A concurrent upload of the same artwork has locked its row, or waits and stores it again. Deleting an artwork
    // deletes its files, up to two hundred chunks.
    Step {
        rows: "artworks",
        statement: "DELETE FROM artworks WHERE id = ANY (ARRAY( \
                        SELECT id FROM artworks WHERE released_at < $before AND removed_at IS NULL \
                        ORDER BY released_at LIMIT $limit FOR UPDATE SKIP LOCKED))",
        keep: ARTWORK_RETENTION,
        batch: BATCH / 50,
    },
    // Deleting a deck also deletes its entries, its revisions, and reports about it, of which none may wait for a decision.
    Step {
        rows: "deleted_decks",
        statement: "DELETE FROM decks WHERE id = ANY (ARRAY( \
                        SELECT d.id FROM decks d WHERE d.deleted_at < $before \
                         AND (SELECT true FROM abuse_reports r WHERE r.deck_id = d.id AND r.decided_at IS NULL LIMIT 1) IS NULL \
                        ORDER BY d.deleted_at LIMIT $limit FOR UPDATE OF d SKIP LOCKED))",
        keep: DELETED_RETENTION,
        batch: BATCH / 50,
    },
    Step {
        rows: "idempotency_keys",
        statement: "DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY( \
                        SELECT ctid FROM idempotency_keys WHERE created_at < $before \
                        ORDER BY created_at LIMIT $limit FOR UPDATE SKIP LOCKED))",
        keep: IDEMPOTENCY_RETENTION,
        batch: BATCH,
    },
    // A session has a token for each refresh, and its client can refresh it millions of times. So its tokens are deleted before it, in batches of their own.
    // Both statements need the order of the index on sessions: if most tokens belong to one session, Postgres expects to find some of any session soon, and
    // would read the whole table for each session that has none.
    Step {
        rows: "refresh_tokens",
        statement: "DELETE FROM refresh_tokens WHERE token_hash = ANY (ARRAY( \
                        SELECT t.token_hash FROM sessions s CROSS JOIN LATERAL ( \
                            SELECT token_hash FROM refresh_tokens WHERE session_id >= s.id AND session_id <= s.id \
                            ORDER BY session_id LIMIT $limit FOR UPDATE SKIP LOCKED) t \
                        WHERE LEAST(s.expires_at, s.revoked_at) < $before LIMIT $limit))",
        keep: SESSION_RETENTION,
        batch: BATCH,
    },
    Step {
        rows: "sessions",
        statement: "DELETE FROM sessions WHERE id = ANY (ARRAY( \
                        SELECT s.id FROM sessions s WHERE LEAST(s.expires_at, s.revoked_at) < $before \
                         AND (SELECT t.session_id FROM refresh_tokens t WHERE t.session_id >= s.id ORDER BY t.session_id LIMIT 1) IS DISTINCT FROM s.id \
                        ORDER BY LEAST(s.expires_at, s.revoked_at) LIMIT $limit FOR UPDATE OF s SKIP LOCKED))",
        keep: SESSION_RETENTION,
        batch: BATCH / 10,
    },
    Step {
        rows: "personal_access_tokens",
        statement: "DELETE FROM personal_access_tokens WHERE id = ANY (ARRAY( \
                        SELECT id FROM personal_access_tokens WHERE LEAST(expires_at, revoked_at) < $before \
                        ORDER BY LEAST(expires_at, revoked_at) LIMIT $limit FOR UPDATE SKIP LOCKED))",
        keep: SESSION_RETENTION,
        batch: BATCH,
    },
    // In the order of their numbers, up to the first that is kept, and by one instance at a time: so the kept numbers
    // have no gap, and a reader sees from the oldest number whether it missed events.
    Step {
        rows: "events",
        statement: "DELETE FROM events WHERE seq = ANY (ARRAY( \
                        SELECT seq FROM (SELECT seq, bool_and(created_at < $before) OVER (ORDER BY seq) AS is_over FROM ( \
                            SELECT seq, created_at FROM events WHERE seq IS NOT NULL ORDER BY seq LIMIT $limit) oldest) judged \
                        WHERE is_over AND (SELECT pg_try_advisory_xact_lock(7233172009))))",
        keep: CHANGE_RETENTION,
        batch: BATCH,
    },
    Step {
        rows: "second_factors",
        statement: "DELETE FROM second_factors WHERE account_id = ANY (ARRAY( \
                        SELECT account_id FROM second_factors WHERE last_step IS NULL AND created_at < $before \
                        ORDER BY created_at LIMIT $limit FOR UPDATE SKIP LOCKED))",
        keep: UNCONFIRMED_RETENTION,
        batch: BATCH,
    },
    Step {
        rows: "collection_imports",
        statement: "DELETE FROM collection_imports WHERE id = ANY (ARRAY( \
                        SELECT id FROM collection_imports WHERE committed_at IS NULL AND expires_at < $before \
                        ORDER BY expires_at LIMIT $limit FOR UPDATE SKIP LOCKED))",
        keep: Duration::zero(),
        batch: BATCH,
    },
    // Responses to commits can be repeated for as long as those of other requests.
    Step {
        rows: "collection_imports",
        statement: "DELETE FROM collection_imports WHERE id = ANY (ARRAY( \
                        SELECT id FROM collection_imports WHERE committed_at IS NOT NULL AND committed_at < $before \
                        ORDER BY committed_at LIMIT $limit FOR UPDATE SKIP LOCKED))",
        keep: IDEMPOTENCY_RETENTION,
        batch: BATCH,
    },
    // An open offer that has expired is shown as expired; this step stores the state, and notifies its sides.
    Step {
        rows: "expired_trades",
        statement: "UPDATE trades SET state = 'expired', closed_at = expires_at WHERE id = ANY (ARRAY( \
                        SELECT id FROM trades WHERE state = 'open' AND expires_at <= $before \
                        ORDER BY expires_at LIMIT $limit FOR UPDATE SKIP LOCKED))",
        keep: Duration::zero(),
        batch: BATCH,
    },
    Step {
        rows: "trades",
        statement: "DELETE FROM trades WHERE id = ANY (ARRAY( \
                        SELECT id FROM trades WHERE state NOT IN ('open', 'accepted') AND closed_at < $before \
                        ORDER BY closed_at LIMIT $limit FOR UPDATE SKIP LOCKED))",
        keep: CLOSED_RETENTION,
        batch: BATCH,
    },
    Step {
        rows: "webhook_deliveries",
        statement: "DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY( \
                        SELECT id FROM webhook_deliveries WHERE created_at < $before \
                        ORDER BY created_at LIMIT $limit FOR UPDATE SKIP LOCKED))",
        keep: webhook_deliveries::RETENTION,
        batch: BATCH,
    },
    // A delivery that was being sent when its webhook was deleted has ended by now.
    Step {
        rows: "webhook_deliveries",
        statement: "DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY( \
                        SELECT d.id FROM webhooks w CROSS JOIN LATERAL ( \
                            SELECT id FROM webhook_deliveries WHERE webhook_id = w.id LIMIT $limit FOR UPDATE SKIP LOCKED) d \
                        WHERE w.deleted_at < $before LIMIT $limit))",
        keep: LEASE,
        batch: BATCH,
    },
    Step {
        rows: "webhooks",
        statement: "DELETE FROM webhooks WHERE id = ANY (ARRAY( \
                        SELECT w.id FROM webhooks w WHERE w.deleted_at < $before \
                        AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id) \
                        LIMIT $limit FOR UPDATE OF w SKIP LOCKED))",
        keep: LEASE,
        batch: BATCH,
    },
    Step {
        rows: "design_changes",
        statement: "DELETE FROM design_changes WHERE id = ANY (ARRAY( \
                        SELECT id FROM design_changes WHERE noted_at < $before ORDER BY noted_at LIMIT $limit FOR UPDATE SKIP LOCKED))",
        keep: design_changes::RETENTION,
        batch: BATCH,
    },
];
