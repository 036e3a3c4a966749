//! Unlock policies: the stored policies, and recounting when a policy or the day changes.
//!
//! Without a stored policy, the statement that registers a copy counts the submission and unlocks the card at the
//! threshold (`store/serials/registrations.rs`). With a stored policy, the card's row of `unlocks` is marked
//! (`by_policy`), and every change of the votes recounts them with that row locked (`store/serials/votes.rs`).

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Int4, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::votes;
use crate::auth::permission::{Acting, UnlockCards};
use crate::domain::designs::perk::DesignerPerk;
use crate::domain::ids::CardId;
use crate::domain::serials::unlock_policy::UnlockPolicy;
use crate::store::catalogue::changes;
use crate::store::db::deadlines;
use crate::store::db::schema::{games, sets, unlock_policies};
use crate::store::db::statement::{run_commands, sql};
use crate::store::operations::audit;
use crate::store::{Connection, OpenTransaction, Store, StoreError, StoreResult};

/// The scope of a policy: a set, or a game, for those of its sets that have no policy of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyPlace {
    pub game: String,
    /// Set code; `None`: the whole game.
    pub set: Option<String>,
}

impl PolicyPlace {
    fn target(&self) -> String {
        match &self.set {
            Some(set) => format!("set:{}/{set}", self.game),
            None => format!("game:{}", self.game),
        }
    }
}

/// A policy as it is stored.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = unlock_policies)]
pub struct PolicyRow {
    set_code: Option<String>,
    threshold: i32,
    rarities: i16,
    min_account_age_days: i16,
    per_network: Option<i32>,
    review: bool,
    unlock_at: Option<DateTime<Utc>>,
    designer_perk: Option<DesignerPerk>,
    /// Rises with every change.
    pub revision: i64,
}

impl PolicyRow {
    /// The policy without its version and place.
    pub fn policy(&self) -> UnlockPolicy {
        UnlockPolicy {
            threshold: self.threshold,
            rarities: self.rarities,
            min_account_age_days: self.min_account_age_days,
            per_network: self.per_network,
            review: self.review,
            unlock_at: self.unlock_at,
            designer_perk: self.designer_perk,
        }
    }

    /// Whether it belongs to the set, not to the game.
    pub fn is_of_set(&self) -> bool {
        self.set_code.is_some()
    }
}

/// The policy that applies to a set.
#[derive(Clone, Debug)]
pub struct EffectivePolicy {
    pub policy: UnlockPolicy,
    /// The stored policy; `None`: only the threshold of the set file applies.
    pub stored: Option<PolicyRow>,
}

/// The policy that is stored for this scope itself.
pub async fn find(conn: &mut Connection, place: &PolicyPlace) -> StoreResult<Option<PolicyRow>> {
    let rows = unlock_policies::table
        .filter(unlock_policies::game_code.eq(&place.game))
        .filter(unlock_policies::set_code.is_not_distinct_from(place.set.as_deref()))
        .select(PolicyRow::as_select());
    Ok(rows.first(conn).await.optional()?)
}

/// The policy that applies to a set: its own, else its game's, else the threshold of the set file. `None`: there is no
/// such set.
pub async fn find_effective(
    conn: &mut Connection,
    game: &str,
    set: &str,
) -> StoreResult<Option<EffectivePolicy>> {
    let applies = unlock_policies::game_code.eq(sets::game_code).and(
        unlock_policies::set_code.eq(sets::code.nullable()).or(unlock_policies::set_code.is_null()),
    );
    let found: Option<(i32, Option<PolicyRow>)> = sets::table
        .left_join(unlock_policies::table.on(applies))
        .filter(sets::game_code.eq(game).and(sets::code.eq(set)))
        // The policy of the set comes before that of the game.
        .order(unlock_policies::set_code.is_null())
        .select((sets::unlock_threshold, Option::<PolicyRow>::as_select()))
        .first(conn)
        .await
        .optional()?;
    let Some((threshold, stored)) = found else { return Ok(None) };
    let policy = stored.as_ref().map_or_else(|| UnlockPolicy::plain(threshold), PolicyRow::policy);
    Ok(Some(EffectivePolicy { policy, stored }))
}

/// The result of a change of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyChange {
    /// The policy applies.
    Done {
        /// Its version.
        revision: i64,
        /// Whether the scope had no policy before.
        is_new: bool,
        /// Number of cards that it unlocked at once.
        unlocked: usize,
    },
    /// The stored version is not the expected one.
    Stale,
    /// There is no such game or set, or no policy to delete.
    Missing,
}

/// What clients read about the policy of a scope.
#[derive(Debug)]
pub struct ShownPolicy {
    /// Version of the scope's own policy.
    pub revision: Option<i64>,
    /// The policy of the game, or the threshold of the set file, for a set that has no policy of its own.
    pub default: Option<EffectivePolicy>,
}

pub async fn find_shown(conn: &mut Connection, place: &PolicyPlace) -> StoreResult<ShownPolicy> {
    let revision = find(conn, place).await?.map(|row| row.revision);
    let default = match (&place.set, revision) {
        (Some(set), None) => find_effective(conn, &place.game, set).await?,
        _ => None,
    };
    Ok(ShownPolicy { revision, default })
}

/// Stores a policy for a scope, or deletes it (`None`), if `is_current` accepts what is shown for the scope.
///
/// Recounts at once: cards with enough votes are unlocked, and unlocked cards are never hidden again.
pub async fn change(
    conn: &mut Connection,
    by: &Acting<UnlockCards>,
    place: &PolicyPlace,
    policy: Option<&UnlockPolicy>,
    is_current: impl Fn(ShownPolicy) -> bool,
    at: DateTime<Utc>,
) -> StoreResult<PolicyChange> {
    run_commands(conn, LONG_TIMEOUTS).await?;
    let Some(codes) = lock_sets(conn, place).await? else { return Ok(PolicyChange::Missing) };
    let shown = find_shown(conn, place).await?;
    let stored = shown.revision;
    if !is_current(shown) {
        return Ok(PolicyChange::Stale);
    }
    if stored.is_none() && policy.is_none() {
        return Ok(PolicyChange::Missing);
    }
    // Higher than every earlier revision, including those of deleted policies.
    let revision = at.timestamp_micros().max(stored.unwrap_or_default() + 1);
    diesel::delete(
        unlock_policies::table
            .filter(unlock_policies::game_code.eq(&place.game))
            .filter(unlock_policies::set_code.is_not_distinct_from(place.set.as_deref())),
    )
    .execute(conn)
    .await?;
    if let Some(policy) = policy {
        insert(conn, place, policy, revision, at).await?;
    }
    let mut unlocked = 0;
    for (id, set) in &codes {
        changes::set_changed(conn, *id, &place.game, set, at).await?;
        unlocked += apply(conn, &place.game, set, Recount::Everything, at).await?;
    }
    let action = if policy.is_some() { "unlock_policy.set" } else { "unlock_policy.removed" };
    let policy = policy.map(|policy| {
        serde_json::json!({
            "threshold": policy.threshold,
            "rarities": policy.rarities,
            "min_account_age_days": policy.min_account_age_days,
            "per_network": policy.per_network,
            "review": policy.review,
            "unlock_at": policy.unlock_at,
            "designer_perk": policy.designer_perk.map(DesignerPerk::as_str),
        })
    });
    let details = serde_json::json!({ "policy": policy, "unlocked": unlocked });
    write_audit(conn, by, action, place.target(), details, at).await?;
    Ok(PolicyChange::Done { revision, is_new: stored.is_none(), unlocked })
}

/// Locks the game, so that imports and other changes of policies wait, and returns the sets in the scope. `None`: there
/// is no such scope.
async fn lock_sets(
    conn: &mut Connection,
    place: &PolicyPlace,
) -> StoreResult<Option<Vec<(Uuid, String)>>> {
    let game = games::table.find(&place.game).select(games::code).for_no_key_update();
    let game: Option<String> = game.first(conn).await.optional()?;
    let Some(game) = game else { return Ok(None) };
    let of_game = sets::table.filter(sets::game_code.eq(game)).select((sets::id, sets::code));
    let Some(set) = &place.set else {
        return Ok(Some(of_game.order(sets::code).load(conn).await?));
    };
    let found: Option<(Uuid, String)> =
        of_game.filter(sets::code.eq(set)).first(conn).await.optional()?;
    Ok(found.map(|found| vec![found]))
}

async fn insert(
    conn: &mut Connection,
    place: &PolicyPlace,
    policy: &UnlockPolicy,
    revision: i64,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    diesel::insert_into(unlock_policies::table)
        .values((
            unlock_policies::id.eq(Uuid::now_v7()),
            unlock_policies::game_code.eq(&place.game),
            unlock_policies::set_code.eq(place.set.as_deref()),
            unlock_policies::threshold.eq(policy.threshold),
            unlock_policies::rarities.eq(policy.rarities),
            unlock_policies::min_account_age_days.eq(policy.min_account_age_days),
            unlock_policies::per_network.eq(policy.per_network),
            unlock_policies::review.eq(policy.review),
            unlock_policies::unlock_at.eq(policy.unlock_at),
            unlock_policies::designer_perk.eq(policy.designer_perk),
            unlock_policies::revision.eq(revision),
            unlock_policies::updated_at.eq(at),
        ))
        .execute(conn)
        .await?;
    Ok(())
}

async fn write_audit(
    conn: &mut Connection,
    by: &Acting<UnlockCards>,
    action: &str,
    target: String,
    details: serde_json::Value,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let entry = audit::NewAuditEntry { actor: Some(by.account()), action, target, details, at };
    audit::write(conn, entry).await
}

/// Which cards of a set are recounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Recount {
    /// Cards whose threshold changed.
    Changed,
    /// All hidden cards.
    Everything,
}

#[derive(QueryableByName)]
struct CardRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
}

#[derive(QueryableByName)]
struct HiddenRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
    #[diesel(sql_type = Int4)]
    threshold: i32,
    #[diesel(sql_type = Bool)]
    by_policy: bool,
}

/// Applies the policy of a set to its hidden cards; returns how many cards this unlocked.
///
/// The rows are locked first, in the order of ids as everywhere, and the policy is read while they are locked: a change
/// that was committed before is seen, and a later one waits for these rows and counts again.
pub(in crate::store) async fn apply(
    conn: &mut Connection,
    game: &str,
    set: &str,
    recount: Recount,
    at: DateTime<Utc>,
) -> StoreResult<usize> {
    // The cards of the set are an array: a join would read all rows of hidden cards, and most cards.
    let hidden: Vec<HiddenRow> = sql(
        "SELECT card_id, threshold, by_policy FROM unlocks \
         WHERE card_id = ANY (ARRAY(SELECT id FROM cards WHERE game_code = $game AND set_code = $set)) AND unlocked_at IS NULL \
         ORDER BY card_id FOR UPDATE",
    )
    .bind("game", game)
    .bind("set", set)
    .load(conn)
    .await?;
    apply_to(conn, (game, set), &hidden, recount, at).await
}

/// Like [`apply`], for new cards of a set, which no other transaction sees yet.
pub(in crate::store) async fn apply_to_new(
    conn: &mut Connection,
    (game, set): (&str, &str),
    cards: &[CardId],
    at: DateTime<Utc>,
) -> StoreResult<usize> {
    if cards.is_empty() {
        return Ok(0);
    }
    let hidden: Vec<HiddenRow> = sql("SELECT card_id, threshold, by_policy FROM unlocks \
         WHERE card_id = ANY ($cards) AND unlocked_at IS NULL ORDER BY card_id")
    .bind("cards", cards)
    .load(conn)
    .await?;
    apply_to(conn, (game, set), &hidden, Recount::Changed, at).await
}

/// Whether [`apply`] would count cards of a set again, because the threshold or the policy of the set is another one
/// than these cards have.
pub(in crate::store) async fn is_to_be_applied(
    conn: &mut Connection,
    game: &str,
    set: &str,
) -> StoreResult<bool> {
    #[derive(QueryableByName)]
    struct Differs {
        #[diesel(sql_type = Bool)]
        differs: bool,
    }
    let Some(EffectivePolicy { policy, stored }) = find_effective(conn, game, set).await? else {
        return Ok(false);
    };
    let Differs { differs } = sql("SELECT EXISTS (SELECT FROM unlocks \
         WHERE card_id = ANY (ARRAY(SELECT id FROM cards WHERE game_code = $game AND set_code = $set)) AND unlocked_at IS NULL \
           AND (threshold <> $threshold OR by_policy <> $by_policy)) AS differs")
    .bind("game", game)
    .bind("set", set)
    .bind("threshold", policy.threshold)
    .bind("by_policy", stored.is_some())
    .get_result(conn)
    .await?;
    Ok(differs)
}

/// Applies the policy of a set to hidden cards of it, which are locked or new.
async fn apply_to(
    conn: &mut Connection,
    (game, set): (&str, &str),
    hidden: &[HiddenRow],
    recount: Recount,
    at: DateTime<Utc>,
) -> StoreResult<usize> {
    let Some(EffectivePolicy { policy, stored }) = find_effective(conn, game, set).await? else {
        return Ok(0);
    };
    let by_policy = stored.is_some();
    let differs = |row: &HiddenRow| row.threshold != policy.threshold || row.by_policy != by_policy;
    let changed: Vec<CardId> =
        hidden.iter().filter(|row| differs(row)).map(|row| row.card_id).collect();
    if !changed.is_empty() {
        sql("UPDATE unlocks SET threshold = $threshold, by_policy = $by_policy WHERE card_id = ANY ($changed)")
            .bind("changed", changed)
            .bind("threshold", policy.threshold)
            .bind("by_policy", by_policy)
            .execute(conn)
            .await?;
    }
    let counted = hidden.iter().filter(|row| recount == Recount::Everything || differs(row));
    let counted: Vec<CardId> = counted.map(|row| row.card_id).collect();
    if policy.unlock_at.is_some_and(|day| day <= at) {
        return unlock(conn, &counted, UnlockReason::Date, at).await;
    }
    let enough = votes::tally_cards(conn, &policy, &counted, at).await?;
    unlock(conn, &enough, UnlockReason::Threshold, at).await
}

#[derive(QueryableByName)]
struct PlaceRow {
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    set_code: String,
}

/// Why a card was unlocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum UnlockReason {
    Threshold,
    Date,
    Admin,
}

impl UnlockReason {
    pub(in crate::store) fn as_str(self) -> &'static str {
        match self {
            Self::Threshold => "threshold",
            Self::Date => "date",
            Self::Admin => "admin",
        }
    }
}

/// Unlocks those cards that are hidden, and writes their events; returns how many.
///
/// `FOR UPDATE`, before any content is written: that waits for imports which change one of these cards, and for all
/// transactions that count one of them, if the caller has not locked them to count them itself.
pub(in crate::store) async fn unlock(
    conn: &mut Connection,
    cards: &[CardId],
    reason: UnlockReason,
    at: DateTime<Utc>,
) -> StoreResult<usize> {
    if cards.is_empty() {
        return Ok(0);
    }
    let mut cards = cards.to_vec();
    cards.sort_unstable();
    let events: Vec<Uuid> = cards.iter().map(|_| Uuid::now_v7()).collect();
    let opened = sql(
        "WITH locked AS ( \
             SELECT u.card_id FROM unlocks u JOIN cards k ON k.id = u.card_id WHERE u.card_id = ANY ($cards) AND u.unlocked_at IS NULL \
             ORDER BY k.game_code, k.set_code, u.card_id FOR UPDATE OF u \
         ), opened AS ( \
             UPDATE unlocks u SET unlocked_at = $at, reason = $reason FROM locked \
             WHERE u.card_id = locked.card_id RETURNING u.card_id \
         ) INSERT INTO events (id, kind, subject_id, payload, created_at) \
           SELECT new.id, 'card.unlocked', k.id, \
                  jsonb_build_object('card', k.id, 'game', k.game_code, 'set', k.set_code, 'number', k.number), $at \
           FROM unnest((SELECT $events), (SELECT $cards)) AS new (id, card_id) JOIN opened ON opened.card_id = new.card_id \
           JOIN cards k ON k.id = opened.card_id",
    )
    .bind("events", events)
    .bind("cards", cards)
    .bind("at", at)
    .bind("reason", reason)
    .execute(conn)
    .await?;
    Ok(opened)
}

/// Unlocks a card by order of an admin, with a reason; returns whether it was hidden. `None`: there is no such card, or
/// it never was hidden.
pub async fn unlock_card(
    conn: &mut Connection,
    by: &Acting<UnlockCards>,
    card: CardId,
    why: &str,
    at: DateTime<Utc>,
) -> StoreResult<Option<bool>> {
    if super::unlocks::find_progress(conn, card).await?.is_none() {
        return Ok(None);
    }
    let is_unlocked = unlock(conn, &[card], UnlockReason::Admin, at).await? == 1;
    if is_unlocked {
        let details = serde_json::json!({ "reason": why });
        write_audit(conn, by, "card.unlocked", format!("card:{card}"), details, at).await?;
    }
    Ok(Some(is_unlocked))
}

/// Unlocks all hidden cards of a set by order of an admin, with a reason; returns how many. `None`: there is no such
/// set.
pub async fn unlock_set(
    conn: &mut Connection,
    by: &Acting<UnlockCards>,
    game: &str,
    set: &str,
    why: &str,
    at: DateTime<Utc>,
) -> StoreResult<Option<usize>> {
    run_commands(conn, LONG_TIMEOUTS).await?;
    let place = PolicyPlace { game: game.to_owned(), set: Some(set.to_owned()) };
    if lock_sets(conn, &place).await?.is_none() {
        return Ok(None);
    }
    let cards = list_hidden_cards(conn, game, set).await?;
    let unlocked = unlock(conn, &cards, UnlockReason::Admin, at).await?;
    if unlocked > 0 {
        let details = serde_json::json!({ "reason": why, "cards": unlocked });
        write_audit(conn, by, "set.unlocked", place.target(), details, at).await?;
    }
    Ok(Some(unlocked))
}

async fn list_hidden_cards(
    conn: &mut Connection,
    game: &str,
    set: &str,
) -> StoreResult<Vec<CardId>> {
    let rows: Vec<CardRow> =
        sql("SELECT u.card_id FROM unlocks u JOIN cards k ON k.id = u.card_id \
         WHERE k.game_code = $game AND k.set_code = $set AND u.unlocked_at IS NULL")
        .bind("game", game)
        .bind("set", set)
        .load(conn)
        .await?;
    Ok(rows.into_iter().map(|row| row.card_id).collect())
}

/// Time limits for recounting many cards, which may take longer than a request may.
pub(in crate::store) const LONG_TIMEOUTS: &str =
    "SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = '60s'";

/// Time limits for unlocking what is due. Cards that wait for another one, which an import changes, are locked meanwhile,
/// so that nobody can submit them; and what is due is soon tried again. The wait is shorter than that of a submission.
const DUE_TIMEOUTS: &str = "SET LOCAL lock_timeout = '1s'; SET LOCAL statement_timeout = '60s'";

/// Unlocks the sets whose unlock day came after `since`; returns how many cards. Several instances may do this at once.
/// A set that fails is logged, and the others are unlocked. A set with cards that other transactions have locked for
/// long, such as an import, is left to the next call.
///
/// For each set without hidden cards this reads all of its cards, so callers that run it every few seconds pass a
/// recent `since`.
pub async fn unlock_due_sets(
    store: &Store,
    since: DateTime<Utc>,
    at: DateTime<Utc>,
) -> StoreResult<usize> {
    let mut begun = begin_due(store).await?;
    let due: QueryResult<Vec<PlaceRow>> = sql(
        // Starts with the few policies whose day has come; starting with cards would read all of them.
        "SELECT s.game_code, s.code AS set_code FROM unlock_policies p \
         JOIN sets s ON s.game_code = p.game_code AND (p.set_code = s.code OR p.set_code IS NULL AND NOT EXISTS ( \
             SELECT FROM unlock_policies own WHERE own.game_code = s.game_code AND own.set_code = s.code)) \
         WHERE p.unlock_at <= $at AND p.unlock_at > $since AND (SELECT true FROM cards k JOIN unlocks u ON u.card_id = k.id \
             WHERE k.game_code = s.game_code AND k.set_code = s.code AND u.unlocked_at IS NULL LIMIT 1)",
    )
    .bind("at", at)
    .bind("since", since)
    .load(begun.conn())
    .await;
    let due = begun.end(due.map_err(StoreError::from)).await?;
    let mut unlocked = 0;
    for PlaceRow { game_code, set_code } in due {
        match unlock_by_date(store, &game_code, &set_code, at).await {
            Ok(cards) => unlocked += cards,
            Err(error @ (StoreError::Unavailable(_) | StoreError::NoWrites(_))) => {
                tracing::warn!(%error, game = game_code, set = set_code, "cannot unlock a set that is due now; it is tried again");
            }
            Err(error) => {
                tracing::error!(%error, game = game_code, set = set_code, "cannot unlock a set that is due");
            }
        }
    }
    Ok(unlocked)
}

/// Unlocks what became due after `since`: sets whose day has come ([`unlock_due_sets`]), and cards for whose submitters
/// the accounts became old enough. `left`: cards that earlier calls could not recount, which this call tries again; after it,
/// those that are left now.
pub async fn unlock_all_due(
    store: &Store,
    since: DateTime<Utc>,
    at: DateTime<Utc>,
    left: &mut BTreeSet<CardId>,
) -> StoreResult<usize> {
    let mut unlocked = unlock_due_sets(store, since, at).await?;
    let mut begun = begin_due(store).await?;
    let due: QueryResult<Vec<CardRow>> = sql(
        // An account that becomes old enough after `since` submitted nothing earlier than `since` less the age: the index of
        // the submissions of a card has this bound. One such submission of a card is enough. Without `LIMIT 1`, Postgres joins all
        // submissions of these cards first.
        "SELECT DISTINCT u.card_id FROM unlock_policies p \
         JOIN cards k ON k.game_code = p.game_code AND (p.set_code IS NULL OR k.set_code = p.set_code) \
         JOIN unlocks u ON u.card_id = k.id AND u.unlocked_at IS NULL AND u.by_policy \
         CROSS JOIN LATERAL ( \
             SELECT FROM valid_votes v \
             WHERE v.card_id = u.card_id AND v.created_at > $since - make_interval(days => p.min_account_age_days) \
               AND v.account_since + make_interval(days => p.min_account_age_days) > greatest(v.created_at, $since) \
               AND v.account_since + make_interval(days => p.min_account_age_days) <= $at LIMIT 1) due \
         WHERE p.min_account_age_days > 0 \
         UNION SELECT card_id FROM unlocks WHERE card_id = ANY ($left) AND unlocked_at IS NULL AND by_policy",
    )
    .bind("at", at)
    .bind("since", since)
    .bind("left", left.iter().copied().collect::<Vec<CardId>>())
    .load(begun.conn())
    .await;
    let due = begun.end(due.map_err(StoreError::from)).await?;
    left.clear();
    for CardRow { card_id } in due {
        match recount_due_card(store, card_id, at).await {
            Ok(is_unlocked) => unlocked += usize::from(is_unlocked),
            Err(error @ (StoreError::Unavailable(_) | StoreError::NoWrites(_))) => {
                tracing::warn!(%error, card = %card_id, "cannot recount a card that is due now; it is tried again");
                left.insert(card_id);
            }
            Err(error) => {
                tracing::error!(%error, card = %card_id, "cannot recount a card whose submitters' accounts are old enough now");
                left.insert(card_id);
            }
        }
    }
    Ok(unlocked)
}

/// Opens a transaction with [`DUE_TIMEOUTS`], for unlocks and also for the look-ups of what is due: the first check, of all
/// time, may take longer than a request may.
async fn begin_due(store: &Store) -> StoreResult<OpenTransaction> {
    let mut begun = store.with_deadline(deadlines::BATCH).begin().await?;
    match run_commands(begun.conn(), DUE_TIMEOUTS).await {
        Ok(()) => Ok(begun),
        Err(error) => begun.end(Err(error)).await,
    }
}

async fn recount_due_card(store: &Store, card: CardId, at: DateTime<Utc>) -> StoreResult<bool> {
    let mut begun = begin_due(store).await?;
    let done = votes::count_card(begun.conn(), card, at).await;
    begun.end(done).await
}

async fn unlock_by_date(
    store: &Store,
    game: &str,
    set: &str,
    at: DateTime<Utc>,
) -> StoreResult<usize> {
    let mut begun = begin_due(store).await?;
    let done = apply(begun.conn(), game, set, Recount::Everything, at).await;
    begun.end(done).await
}
