//! Lists of wanted and offered cards, and players whose lists match.

use std::collections::BTreeSet;
use std::time::Duration as Period;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Int4, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::auth::permission::{Acting, Granted, ReadOwnCollection, Viewer, WriteOwnCollection};
use crate::domain::collection::TradeListKind;
use crate::domain::decks::deck::Visibility;
use crate::domain::ids::{AccountId, CardId, PrintingId};
use crate::store::accounts::credentials;
use crate::store::card_content::collection as card_collection;
use crate::store::db::backlog::{Backlog, work_off};
use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreError, StoreResult};

pub use crate::store::card_content::collection::{TradeItemView, VisiblePrinting};

/// A list without its items.
#[derive(Clone, Debug, QueryableByName)]
pub struct TradeListRow {
    /// Who may read it.
    #[diesel(sql_type = Text)]
    pub visibility: Visibility,
    /// Rises with every change; 0: the list was never written.
    #[diesel(sql_type = BigInt)]
    pub revision: i64,
    /// When it last changed.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub updated_at: Option<DateTime<Utc>>,
}

impl TradeListRow {
    fn empty() -> Self {
        Self { visibility: Visibility::Private, revision: 0, updated_at: None }
    }
}

/// A list as a viewer may see it.
#[derive(Clone, Debug)]
pub struct TradeListView {
    /// The list itself.
    pub row: TradeListRow,
    /// Its items, in the order of their owner.
    pub items: Vec<TradeItemView>,
}

/// An item to store; the card must exist, and the printing must belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NewTradeItem {
    pub card: CardId,
    /// The printing; `None`: any.
    pub printing: Option<PrintingId>,
    /// Quantity: 1 to 9999.
    pub quantity: i32,
}

const LIST_ROW: &str = "SELECT visibility, revision, updated_at FROM trade_lists WHERE account_id = $account AND kind = $kind";

async fn find_row(
    conn: &mut Connection,
    account: AccountId,
    kind: TradeListKind,
) -> StoreResult<Option<TradeListRow>> {
    Ok(sql(LIST_ROW)
        .bind("account", account)
        .bind("kind", kind)
        .get_result(conn)
        .await
        .optional()?)
}

/// One of the caller's lists; an empty, private one if it was never written.
pub async fn find_own(
    conn: &mut Connection,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    kind: TradeListKind,
) -> StoreResult<TradeListView> {
    let row = find_row(conn, by.account(), kind).await?.unwrap_or_else(TradeListRow::empty);
    let items = card_collection::list_trade_items(conn, viewer, by.account(), kind).await?;
    Ok(TradeListView { row, items })
}

/// How often a public list is read, if it changes meanwhile.
const TRIES: usize = 3;

#[derive(QueryableByName)]
struct PublicList {
    #[diesel(sql_type = SqlUuid)]
    id: AccountId,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(embed)]
    row: TradeListRow,
}

/// The public list of the player with that name ([`cardscape_engine::name_key`]), and the name as it is written. The
/// response must be the same for a private list, a banned player and an unknown name.
pub async fn find_public(
    conn: &mut Connection,
    viewer: Viewer,
    name_key: &str,
    kind: TradeListKind,
) -> StoreResult<Option<(String, TradeListView)>> {
    for _ in 0..TRIES {
        let found: Option<PublicList> =
            sql("SELECT a.id, a.name, l.visibility, l.revision, l.updated_at \
             FROM accounts a JOIN trade_lists l ON l.account_id = a.id AND l.kind = $kind \
             WHERE a.name_key = $name AND a.banned_at IS NULL AND l.visibility = 'public'")
            .bind("name", name_key)
            .bind("kind", kind)
            .get_result(conn)
            .await
            .optional()?;
        let Some(PublicList { id, name, row }) = found else { return Ok(None) };
        let items = card_collection::list_trade_items(conn, viewer, id, kind).await?;
        // Each statement reads what is stored when it begins: the items may be those of a list that has become private.
        let after = find_row(conn, id, kind).await?;
        if after.is_some_and(|after| after.revision == row.revision) {
            return Ok(Some((name, TradeListView { row, items })));
        }
    }
    Err(StoreError::Contended("a list changed whenever it was read".to_owned()))
}

/// Printings with these ids, or of these cards: those that the viewer may see, and by id those that are on the list
/// already.
pub async fn find_printings(
    conn: &mut Connection,
    by: &Granted<WriteOwnCollection>,
    viewer: Viewer,
    kind: TradeListKind,
    ids: &[PrintingId],
    cards: &[CardId],
) -> StoreResult<Vec<VisiblePrinting>> {
    let mut found = card_collection::find_visible_printings(conn, viewer, ids, cards).await?;
    let seen: BTreeSet<PrintingId> = found.iter().map(|printing| printing.id).collect();
    let listed = card_collection::list_trade_items(conn, viewer, by.account(), kind).await?;
    let listed = listed.into_iter().filter_map(|item| Some((item.printing_id?, item.card.id)));
    let ids: BTreeSet<&PrintingId> = ids.iter().collect();
    found.extend(
        listed
            .filter(|(id, _)| ids.contains(id) && !seen.contains(id))
            .map(|(id, card_id)| VisiblePrinting { id, card_id, rarity: String::new() }),
    );
    Ok(found)
}

/// The result of replacing a list.
pub enum ReplaceOutcome {
    /// The list as it is now.
    Done(TradeListView),
    /// The list has another revision.
    Stale,
    /// A card or printing of the items does not exist any more: look the items up again.
    Gone,
}

/// Replaces one of the caller's lists, if `is_current` accepts its revision.
pub async fn replace(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    viewer: Viewer,
    kind: TradeListKind,
    is_current: impl Fn(i64) -> bool,
    (visibility, items): (Visibility, &[NewTradeItem]),
    at: DateTime<Utc>,
) -> StoreResult<ReplaceOutcome> {
    let account = by.account();
    // The account is locked, because a list that does not exist yet has no row to lock.
    credentials::lock_account(conn, account).await?;
    // In the order in which a merge of cards locks: cards, printings, lists.
    let cards: BTreeSet<CardId> = items.iter().map(|item| item.card).collect();
    let cards: Vec<CardId> = cards.into_iter().collect();
    let locked = sql("SELECT FROM cards WHERE id = ").any(&cards);
    let locked = locked.push(" ORDER BY id FOR KEY SHARE").execute(conn).await?;
    if locked < cards.len() {
        return Ok(ReplaceOutcome::Gone);
    }
    let printings: BTreeSet<PrintingId> = items.iter().filter_map(|item| item.printing).collect();
    if !printings.is_empty() {
        let printings: Vec<PrintingId> = printings.into_iter().collect();
        let locked = sql("SELECT FROM printings WHERE id = ").any(&printings);
        let locked = locked.push(" ORDER BY id FOR KEY SHARE").execute(conn).await?;
        if locked < printings.len() {
            return Ok(ReplaceOutcome::Gone);
        }
    }
    // With a lock: a merge changes lists without the lock of the account.
    let before: Option<TradeListRow> = sql(LIST_ROW)
        .push(" FOR NO KEY UPDATE")
        .bind("account", account)
        .bind("kind", kind)
        .get_result(conn)
        .await
        .optional()?;
    if !is_current(before.map_or(0, |row| row.revision)) {
        return Ok(ReplaceOutcome::Stale);
    }
    let list: TradeListRow = sql(
        "INSERT INTO trade_lists AS list (account_id, kind, visibility, revision, updated_at) VALUES ($account, $kind, $visibility, 1, $at) \
         ON CONFLICT (account_id, kind) DO UPDATE SET visibility = excluded.visibility, revision = list.revision + 1, \
         updated_at = excluded.updated_at RETURNING visibility, revision, updated_at",
    )
    .bind("account", account)
    .bind("kind", kind)
    .bind("visibility", visibility)
    .bind("at", at)
    .get_result(conn)
    .await?;
    sql("DELETE FROM trade_list_items WHERE account_id = $account AND kind = $kind")
        .bind("account", account)
        .bind("kind", kind)
        .execute(conn)
        .await?;
    sql(
        "INSERT INTO trade_list_items (account_id, kind, position, card_id, printing_id, quantity, public) \
         SELECT $account, $kind, item.place - 1, item.card, item.printing, item.quantity, $public \
         FROM unnest((SELECT $cards), (SELECT $printings), (SELECT $quantities)) WITH ORDINALITY AS item (card, printing, quantity, place)",
    )
    .bind("account", account)
    .bind("kind", kind)
    .bind("cards", items.iter().map(|item| item.card).collect::<Vec<_>>())
    .bind("printings", items.iter().map(|item| item.printing).collect::<Vec<_>>())
    .bind("quantities", items.iter().map(|item| item.quantity).collect::<Vec<_>>())
    .bind("public", visibility == Visibility::Public)
    .execute(conn)
    .await?;
    let items = card_collection::list_trade_items(conn, viewer, account, kind).await?;
    Ok(ReplaceOutcome::Done(TradeListView { row: list, items }))
}

/// Stores with items of lists, for one turn, whether everybody may read the list, where older versions of the program did
/// not; returns of how many.
pub async fn fill_in(store: &Store, turn: Period) -> StoreResult<usize> {
    work_off(&UnmarkedItems, store, turn).await
}

struct UnmarkedItems;

#[derive(QueryableByName)]
struct UnmarkedItem {
    #[diesel(sql_type = SqlUuid)]
    account_id: AccountId,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Int4)]
    position: i32,
    #[diesel(sql_type = Bool)]
    is_public: bool,
}

impl Backlog for UnmarkedItems {
    type Row = UnmarkedItem;

    /// Only items are locked: whoever changes who may read a list deletes its items.
    async fn read(&self, conn: &mut Connection, limit: i64) -> StoreResult<Vec<UnmarkedItem>> {
        Ok(sql(
            "SELECT account_id, kind, position, (SELECT l.visibility = 'public' FROM trade_lists l \
                 WHERE l.account_id = i.account_id AND l.kind = i.kind) AS is_public FROM trade_list_items i \
             WHERE public IS NULL ORDER BY account_id, kind, position LIMIT $limit FOR NO KEY UPDATE SKIP LOCKED",
        )
        .bind("limit", limit)
        .load(conn)
        .await?)
    }

    async fn complete(&self, conn: &mut Connection, rows: &[UnmarkedItem]) -> StoreResult<()> {
        sql(
            "UPDATE trade_list_items i SET public = marked.is_public \
             FROM unnest((SELECT $accounts), (SELECT $kinds), (SELECT $positions), (SELECT $public)) AS marked (account_id, kind, position, is_public) \
             WHERE i.account_id = marked.account_id AND i.kind = marked.kind AND i.position = marked.position",
        )
        .bind("accounts", rows.iter().map(|row| row.account_id).collect::<Vec<_>>())
        .bind("kinds", rows.iter().map(|row| row.kind.as_str()).collect::<Vec<_>>())
        .bind("positions", rows.iter().map(|row| row.position).collect::<Vec<_>>())
        .bind("public", rows.iter().map(|row| row.is_public).collect::<Vec<_>>())
        .execute(conn)
        .await?;
        Ok(())
    }
}

/// A player whose lists match the caller's.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct TradeMatch {
    #[diesel(sql_type = SqlUuid)]
    account_id: AccountId,
    /// Name as written.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// How many of the caller's wanted cards they offer.
    #[diesel(sql_type = BigInt)]
    pub they_have: i64,
    /// How many of the caller's offered cards they want.
    #[diesel(sql_type = BigInt)]
    pub they_want: i64,
    /// Whether both match.
    #[diesel(sql_type = Bool)]
    pub mutual: bool,
}

impl TradeMatch {
    /// Its position in the list.
    pub fn position(&self) -> MatchPosition {
        (self.mutual, self.they_have + self.they_want, self.account_id)
    }
}

/// Whether mutual, matches both ways, account.
pub type MatchPosition = (bool, i64, AccountId);

/// Players who take offers and whose public lists match the caller's, unless one has blocked the other: mutual matches first, then those
/// with the most matches. For each item of the caller, at most a hundred matching items are counted, so that a card that
/// everybody wants does not make the query slow. Items of private lists are not read; those of players who take no offers are.
pub async fn list_matches(
    conn: &mut Connection,
    by: &Granted<ReadOwnCollection>,
    game: Option<&str>,
    after: Option<MatchPosition>,
    limit: i64,
) -> StoreResult<Vec<TradeMatch>> {
    let (mutual, total, account) = after
        .map_or((None, None, None), |(mutual, total, id)| (Some(mutual), Some(total), Some(id)));
    Ok(sql(
        "WITH mine AS (SELECT i.kind, i.position, i.card_id, i.printing_id FROM trade_list_items i JOIN cards c ON c.id = i.card_id \
             WHERE i.account_id = $account AND ($game IS NULL OR c.game_code = $game)), \
         met AS (SELECT theirs.account_id, mine.kind, count(DISTINCT mine.position) AS items FROM mine CROSS JOIN LATERAL ( \
             SELECT i.account_id FROM trade_list_items i \
             JOIN trade_lists l ON l.account_id = i.account_id AND l.kind = i.kind AND l.visibility = 'public' \
             JOIN accounts a ON a.id = i.account_id AND a.banned_at IS NULL AND a.trading <> 'closed' \
             WHERE i.card_id = mine.card_id AND i.kind = CASE mine.kind WHEN 'want' THEN 'have' ELSE 'want' END AND i.public IS NOT FALSE \
               AND (i.printing_id IS NULL OR mine.printing_id IS NULL OR i.printing_id = mine.printing_id) \
               AND i.account_id <> $account ORDER BY i.account_id DESC LIMIT 100) theirs GROUP BY theirs.account_id, mine.kind), \
         both_ways AS (SELECT account_id, coalesce(max(items) FILTER (WHERE kind = 'want'), 0) AS they_have, \
             coalesce(max(items) FILTER (WHERE kind = 'have'), 0) AS they_want FROM met \
             WHERE NOT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = met.account_id AND b.blocked_id = $account) \
               AND NOT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = $account AND b.blocked_id = met.account_id) GROUP BY account_id), \
         ranked AS (SELECT *, they_have > 0 AND they_want > 0 AS mutual, they_have + they_want AS total FROM both_ways) \
         SELECT r.account_id, a.name, r.they_have, r.they_want, r.mutual FROM ranked r JOIN accounts a ON a.id = r.account_id \
         WHERE $after_mutual IS NULL OR (r.mutual, r.total, r.account_id) < ($after_mutual, $after_total, $after_account) \
         ORDER BY r.mutual DESC, r.total DESC, r.account_id DESC LIMIT $limit",
    )
    .bind("account", by.account())
    .bind("game", game)
    .bind("after_mutual", mutual)
    .bind("after_total", total)
    .bind("after_account", account)
    .bind("limit", limit)
    .load(conn)
    .await?)
}
