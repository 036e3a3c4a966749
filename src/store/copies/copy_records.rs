//! Registered copies: their owners, cards and history.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::json;
use uuid::Uuid;

use super::ledger::{self, LockedCopy, NewEntry};
use crate::auth::permission::{
    Acting, Granted, ModerateCopies, OverseeCopies, ReadOwnCopies, ReadTrades, Viewer,
};
use crate::domain::copies::dispute::DisputeState;
use crate::domain::copies::ledger::LedgerKind;
use crate::domain::ids::{AccountId, CardId, CopyId, DisputeId, TradeId};
use crate::store::card_content::pool::find_names;
use crate::store::db::pages::push_page;
use crate::store::db::schema::copies;
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::operations::audit;
use crate::store::serials::votes;
use crate::store::{Connection, StoreResult};

/// A registered copy, without the content of its card.
#[derive(Clone, Debug, QueryableByName)]
pub(in crate::store) struct CopyRow {
    #[diesel(sql_type = SqlUuid)]
    id: CopyId,
    #[diesel(sql_type = SqlUuid)]
    owner_id: AccountId,
    #[diesel(sql_type = Text)]
    rarity: String,
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    set_code: String,
    #[diesel(sql_type = Text)]
    number: String,
    #[diesel(sql_type = Bool)]
    hidden: bool,
    #[diesel(sql_type = Timestamptz)]
    registered_at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    frozen_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    voided_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Bool)]
    disputed: bool,
}

/// The columns of a [`CopyRow`]. An open dispute is a sub-select: with `EXISTS` a generic plan would read all disputes. Claims
/// of `$reader` do not count: otherwise a claimant who asks for copies in an offer could find the disputed one, and its owner.
pub(in crate::store) const COLUMNS: &str = "c.id, c.owner_id, p.rarity, k.id AS card_id, k.game_code, k.set_code, k.number, \
    u.card_id IS NOT NULL AND u.unlocked_at IS NULL AS hidden, c.registered_at, c.frozen_at, c.voided_at, \
    coalesce((SELECT true FROM disputes claim WHERE claim.code_prefix = c.code_prefix AND claim.code_mac = c.code_mac \
              AND claim.state = 'open' AND claim.claimant_id <> $reader LIMIT 1), false) AS disputed";

/// Joins a copy `c` to its card.
pub(super) const JOIN_CARD: &str = "JOIN printings p ON p.id = c.printing_id JOIN cards k ON k.id = p.card_id \
                                       LEFT JOIN unlocks u ON u.card_id = k.id";

/// A registered copy as a viewer sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyView {
    pub id: CopyId,
    /// The owner. For moderators; everybody else sees at most whether it is their own copy.
    pub owner: AccountId,
    pub card: CardId,
    /// Code of the card's game.
    pub game: String,
    /// Code of the card's set.
    pub set: String,
    /// The card's number in the set.
    pub number: String,
    /// Whether the card is hidden from the public.
    pub hidden: bool,
    /// The card's name; `None`: the card is hidden from the viewer.
    pub name: Option<String>,
    /// The rarity; `None`: it is somebody else's copy of a card that is hidden from the viewer.
    pub rarity: Option<String>,
    /// When it was first registered, by any account.
    pub registered_at: DateTime<Utc>,
    /// When a moderator froze it.
    pub frozen_at: Option<DateTime<Utc>>,
    /// When a moderator declared it void.
    pub voided_at: Option<DateTime<Utc>>,
    /// Whether an account that is not the viewer's claims it.
    pub disputed: bool,
}

/// Converts copies to views for a viewer; the account's own copies always show their rarity.
pub(in crate::store) async fn view_copies(
    conn: &mut Connection,
    viewer: Viewer,
    account: AccountId,
    rows: Vec<CopyRow>,
) -> StoreResult<Vec<CopyView>> {
    let cards: Vec<CardId> = rows.iter().map(|row| row.card_id).collect();
    let names = find_names(conn, viewer, &cards).await?;
    let view = |row: CopyRow| {
        let name = names.get(&row.card_id).cloned();
        let shows_rarity = name.is_some() || row.owner_id == account;
        CopyView {
            id: row.id,
            owner: row.owner_id,
            card: row.card_id,
            game: row.game_code,
            set: row.set_code,
            number: row.number,
            hidden: row.hidden,
            name,
            rarity: shows_rarity.then_some(row.rarity),
            registered_at: row.registered_at,
            frozen_at: row.frozen_at,
            voided_at: row.voided_at,
            disputed: row.disputed,
        }
    };
    Ok(rows.into_iter().map(view).collect())
}

#[derive(Clone, Debug, Default)]
pub struct CopyFilter<'a> {
    /// Code of the card's game.
    pub game: Option<&'a str>,
    /// Code of the card's set.
    pub set: Option<&'a str>,
    pub card: Option<CardId>,
    pub rarity: Option<&'a str>,
    /// Only copies among these.
    pub only: Option<&'a [CopyId]>,
}

/// The position of a copy in a list: game, set, number, id. Contains no card content.
pub type CopyPosition = (String, String, String, CopyId);

impl CopyView {
    /// Its position in a list.
    pub fn position(&self) -> CopyPosition {
        (self.game.clone(), self.set.clone(), self.number.clone(), self.id)
    }
}

/// The caller's copies by game, set, number and id, after the position `after`; including voided ones.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnCopies>,
    viewer: Viewer,
    filter: &CopyFilter<'_>,
    after: Option<CopyPosition>,
    limit: i64,
) -> StoreResult<Vec<CopyView>> {
    let own = (by.account(), false);
    let rows = list_by_owner(conn, by.account(), own, filter, after, limit).await?;
    view_copies(conn, viewer, by.account(), rows).await
}

/// The copies that the player of that name shows: those that the player could trade. `None`: there is no such player,
/// or the player shows no copies, or none to the caller, whom the player has blocked; the response must be the same in
/// all cases.
pub async fn list_shown(
    conn: &mut Connection,
    by: &Granted<ReadTrades>,
    viewer: Viewer,
    name_key: &str,
    filter: &CopyFilter<'_>,
    after: Option<CopyPosition>,
    limit: i64,
) -> StoreResult<Option<Vec<CopyView>>> {
    #[derive(QueryableByName)]
    struct OwnerRow {
        #[diesel(sql_type = SqlUuid)]
        id: AccountId,
    }
    let found: Option<OwnerRow> = sql(
        "SELECT a.id FROM accounts a WHERE a.name_key = $name AND a.trading = 'public' AND a.banned_at IS NULL \
           AND NOT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = a.id AND b.blocked_id = $reader)",
    )
    .bind("name", name_key)
    .bind("reader", by.account())
    .get_result(conn)
    .await
    .optional()?;
    let Some(OwnerRow { id: owner }) = found else { return Ok(None) };
    let rows = list_by_owner(conn, by.account(), (owner, true), filter, after, limit).await?;
    view_copies(conn, viewer, by.account(), rows).await.map(Some)
}

/// The copies of an owner, all or only those that the owner could trade. The owner's copies are selected first (`MATERIALIZED`) and filtered afterwards: in one generic plan for all filters, the
/// planner expects each filter to leave few cards, and would begin with all cards.
async fn list_by_owner(
    conn: &mut Connection,
    reader: AccountId,
    (owner, tradable): (AccountId, bool),
    filter: &CopyFilter<'_>,
    after: Option<CopyPosition>,
    limit: i64,
) -> StoreResult<Vec<CopyRow>> {
    let start = || (String::new(), String::new(), String::new(), CopyId(Uuid::nil()));
    let (game, set, number, id) = after.unwrap_or_else(start);
    let among = if filter.only.is_some() { "AND c.id = ANY($only)" } else { "" };
    Ok(sql(format!(
        "WITH mine AS MATERIALIZED (SELECT k.game_code, k.set_code, k.number, c.id, k.id AS card_id, p.rarity FROM copies c \
           JOIN printings p ON p.id = c.printing_id JOIN cards k ON k.id = p.card_id \
           WHERE c.owner_id = $owner AND (NOT $tradable OR (c.frozen_at IS NULL AND c.voided_at IS NULL)) {among}), \
         page AS (SELECT id FROM mine \
           WHERE ($game IS NULL OR game_code = $game) AND ($set IS NULL OR set_code = $set) AND ($card IS NULL OR card_id = $card) \
             AND ($rarity IS NULL OR rarity = $rarity) AND (game_code, set_code, number) >= ($after_game, $after_set, $after_number) \
             AND ((game_code, set_code, number) <> ($after_game, $after_set, $after_number) OR id > $after_id) \
           ORDER BY game_code, set_code, number, id LIMIT $limit) \
         SELECT {COLUMNS} FROM page JOIN copies c ON c.id = page.id {JOIN_CARD} \
         ORDER BY k.game_code, k.set_code, k.number, c.id"
    ))
    .bind("reader", reader)
    .bind("owner", owner)
    .bind("tradable", tradable)
    .bind("game", filter.game)
    .bind("set", filter.set)
    .bind("card", filter.card)
    .bind("rarity", filter.rarity)
    .bind_some("only", filter.only.map(<[CopyId]>::to_vec))
    .bind("after_game", game)
    .bind("after_set", set)
    .bind("after_number", number)
    .bind("after_id", id)
    .bind("limit", limit)
    .get_results(conn)
    .await?)
}

/// One of the caller's copies; with `moderator_access`, any copy.
pub async fn find(
    conn: &mut Connection,
    by: &Granted<ReadOwnCopies>,
    moderator_access: Option<&Granted<OverseeCopies>>,
    viewer: Viewer,
    copy: CopyId,
) -> StoreResult<Option<CopyView>> {
    let found = load_one(conn, viewer, by.account(), copy).await?;
    Ok(found.filter(|view| moderator_access.is_some() || view.owner == by.account()))
}

async fn load_one(
    conn: &mut Connection,
    viewer: Viewer,
    account: AccountId,
    copy: CopyId,
) -> StoreResult<Option<CopyView>> {
    let rows = sql(format!("SELECT {COLUMNS} FROM copies c {JOIN_CARD} WHERE c.id = $copy"))
        .bind("copy", copy)
        .bind("reader", account)
        .get_results(conn)
        .await?;
    Ok(view_copies(conn, viewer, account, rows).await?.pop())
}

/// An entry in the history of a copy.
#[derive(Clone, Debug, QueryableByName)]
pub struct LedgerRow {
    /// Number of the entry in the copy's history, from 1.
    #[diesel(sql_type = Integer)]
    pub position: i32,
    #[diesel(sql_type = Text)]
    pub entry: LedgerKind,
    /// The account that acted, or that received the copy.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: AccountId,
    /// The owner after the entry.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub owner_id: Option<AccountId>,
    /// The moderator's reason.
    #[diesel(sql_type = Nullable<Text>)]
    pub reason: Option<String>,
    /// The trade that moved it.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub trade_id: Option<TradeId>,
    /// Whether the reader was a side of that trade.
    #[diesel(sql_type = Bool)]
    pub own_trade: bool,
    /// The dispute that was opened or decided.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub dispute_id: Option<DisputeId>,
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
}

/// The history of one of the caller's copies (with `moderator_access`: any copy), the oldest entry first, after the position
/// `after`. `None`: there is no such copy for the reader.
pub async fn history(
    conn: &mut Connection,
    by: &Granted<ReadOwnCopies>,
    moderator_access: Option<&Granted<OverseeCopies>>,
    copy: CopyId,
    after: Option<i32>,
    limit: i64,
) -> StoreResult<Option<Vec<LedgerRow>>> {
    let owner: Option<Option<AccountId>> = copies::table
        .filter(copies::id.eq(copy))
        .select(copies::owner_id)
        .first(conn)
        .await
        .optional()?;
    if owner.is_none() || (moderator_access.is_none() && owner != Some(Some(by.account()))) {
        return Ok(None);
    }
    let statement = sql(
        "SELECT l.position, l.entry, l.account_id, l.owner_id, l.reason, l.trade_id, \
                coalesce($account IN (t.offered_by, t.offered_to), false) AS own_trade, \
                CASE WHEN l.entry = 'dispute' THEN l.id ELSE l.dispute_id END AS dispute_id, l.created_at \
         FROM copies c JOIN copy_ledger l ON l.code_prefix = c.code_prefix AND l.code_mac = c.code_mac \
         LEFT JOIN trades t ON t.id = l.trade_id \
         WHERE c.id = $copy AND l.position > $after",
    )
    .bind("copy", copy)
    .bind("after", after.unwrap_or(0))
    .bind("account", by.account());
    Ok(Some(push_page(statement, "position", limit).get_results(conn).await?))
}

/// An action of a moderator on a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moderation {
    /// The copy cannot be traded.
    Freeze,
    /// The copy can be traded again.
    Unfreeze,
    /// The copy has no owner any more; final.
    Void,
}

impl Moderation {
    fn kind(self) -> LedgerKind {
        match self {
            Self::Freeze => LedgerKind::Freeze,
            Self::Unfreeze => LedgerKind::Unfreeze,
            Self::Void => LedgerKind::Void,
        }
    }

    /// The name of the action, in the audit log and other logs.
    pub fn action(self) -> &'static str {
        match self {
            Self::Freeze => "copy.frozen",
            Self::Unfreeze => "copy.unfrozen",
            Self::Void => "copy.voided",
        }
    }

    /// Whether the copy is in the target state already.
    fn is_done(self, copy: &LockedCopy) -> bool {
        match self {
            Self::Freeze => copy.frozen_at.is_some(),
            Self::Unfreeze => copy.frozen_at.is_none(),
            Self::Void => copy.voided_at.is_some(),
        }
    }
}

/// Outcome of [`moderate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModerationOutcome {
    /// The copy is in the wanted state.
    Done {
        copy: Box<CopyView>,
        /// Whether it was in that state before, so that nothing was written.
        already: bool,
    },
    /// There is no such copy.
    Missing,
    /// The copy is void, which is final.
    Void,
    /// The moderator owns or claims the copy, or did so before.
    OwnCase,
    /// The copy belongs to another account than the one that the moderator has read about.
    OtherOwner,
}

/// What a moderator does with a copy, and what the moderator has read of it.
#[derive(Clone, Copy, Debug)]
pub struct ModerationRequest<'a> {
    pub action: Moderation,
    /// The reason, which the owner can read.
    pub reason: &'a str,
    /// The owner of the copy; `None`: the client does not say whom the moderator has read about.
    pub owner: Option<AccountId>,
}

/// Freezes, unfreezes or voids a copy, with a reason that its owner can read. Voiding closes its disputes, and removes
/// its vote for a card that is still hidden. Nothing is done if the copy has another owner than the moderator has read about.
pub async fn moderate(
    conn: &mut Connection,
    by: &Acting<ModerateCopies>,
    viewer: Viewer,
    copy: CopyId,
    request: ModerationRequest<'_>,
    at: DateTime<Utc>,
) -> StoreResult<ModerationOutcome> {
    let ModerationRequest { action: what, reason, owner } = request;
    let Some(locked) = ledger::lock(conn, copy).await? else {
        return Ok(ModerationOutcome::Missing);
    };
    if ledger::is_party(conn, &locked, by.account()).await? {
        return Ok(ModerationOutcome::OwnCase);
    }
    if locked.voided_at.is_some() && what != Moderation::Void {
        return Ok(ModerationOutcome::Void);
    }
    let already = what.is_done(&locked);
    if !already {
        if owner.is_some_and(|owner| owner != locked.owner_id) {
            return Ok(ModerationOutcome::OtherOwner);
        }
        apply(conn, by, &locked, what, reason, at).await?;
    }
    match load_one(conn, viewer, by.account(), copy).await? {
        Some(copy) => Ok(ModerationOutcome::Done { copy: Box::new(copy), already }),
        None => Ok(ModerationOutcome::Missing),
    }
}

async fn apply(
    conn: &mut Connection,
    by: &Acting<ModerateCopies>,
    locked: &LockedCopy,
    what: Moderation,
    reason: &str,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let row = copies::table.find((&locked.code_prefix, &locked.code_mac));
    match what {
        Moderation::Freeze => {
            diesel::update(row).set(copies::frozen_at.eq(at)).cached().execute(conn).await?
        }
        Moderation::Unfreeze => {
            let none = None::<DateTime<Utc>>;
            diesel::update(row).set(copies::frozen_at.eq(none)).cached().execute(conn).await?
        }
        Moderation::Void => {
            diesel::update(row).set(copies::voided_at.eq(at)).cached().execute(conn).await?;
            void_disputes(conn, locked, at).await?
        }
    };
    let entry = NewEntry {
        copy: locked,
        kind: what.kind(),
        account: by.account(),
        reason: Some(reason),
        trade: None,
        dispute: None,
        at,
    };
    ledger::append(conn, &[entry]).await?;
    let entry = audit::NewAuditEntry {
        actor: Some(by.account()),
        action: what.action(),
        target: format!("copy:{}", locked.id),
        details: json!({ "reason": reason, "owner": locked.owner_id }),
        at,
    };
    audit::write(conn, entry).await?;
    if what == Moderation::Void {
        votes::count_copy(conn, &locked.code_prefix, &locked.code_mac, at).await?;
    }
    Ok(())
}

async fn void_disputes(
    conn: &mut Connection,
    locked: &LockedCopy,
    at: DateTime<Utc>,
) -> StoreResult<usize> {
    use crate::store::db::schema::disputes;
    let of_copy = disputes::table
        .filter(disputes::code_prefix.eq(&locked.code_prefix))
        .filter(disputes::code_mac.eq(&locked.code_mac))
        .filter(disputes::state.eq(DisputeState::Open));
    Ok(diesel::update(of_copy)
        .set((disputes::state.eq(DisputeState::Voided), disputes::closed_at.eq(at)))
        .cached()
        .execute(conn)
        .await?)
}
