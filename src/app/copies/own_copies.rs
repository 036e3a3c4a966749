//! Registered copies: the caller's copies and their history.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::accounts::people::Names;
use crate::app::catalogue::codes::Codes;
use crate::app::page::{Cursor, Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, OverseeCopies, ReadAccounts, ReadOwnCopies, Viewer};
use crate::domain::code::Code;
use crate::domain::ids::{AccountId, CardId, CopyId};
use crate::store::copies::copy_records::{self, CopyFilter, CopyPosition, CopyView, LedgerRow};

/// The card of a copy, as the caller may see it.
#[derive(Serialize, ToSchema)]
pub struct CopyCard {
    /// Id of the card.
    pub id: Uuid,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of its set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Its number in the set.
    #[schema(example = "001")]
    pub number: String,
    /// Whether the card is hidden from the public.
    pub hidden: bool,
    /// Its name; absent if the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Kettle Imp")]
    pub name: Option<String>,
    /// Address of the whole card.
    #[schema(example = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub href: String,
}

/// The card of a copy, as part of a response.
pub(super) fn card_of(view: &CopyView) -> CopyCard {
    CopyCard {
        id: view.card.0,
        game: view.game.clone(),
        set: view.set.clone(),
        number: view.number.clone(),
        hidden: view.hidden,
        name: view.name.clone(),
        href: format!("/v1/cards/{}", view.card),
    }
}

/// A registered copy. No answer contains its serial code.
#[derive(Serialize, ToSchema)]
pub struct CopyResponse {
    /// Its id.
    pub id: Uuid,
    /// Its card.
    pub card: CopyCard,
    /// Its rarity; absent if the copy is not yours and its card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "common")]
    pub rarity: Option<String>,
    /// Whether a moderator froze it: it cannot be traded.
    pub frozen: bool,
    /// Whether a moderator declared it void, permanently: it belongs to nobody.
    pub voided: bool,
    /// Whether another account claims it in an open dispute.
    pub disputed: bool,
    /// When it was registered to its first owner.
    pub registered_at: DateTime<Utc>,
    /// Id of the account that owns it; if it is void, of its last owner. Present only for moderators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<Uuid>,
    /// Name of that account. Present only for moderators; absent for tokens without `admin:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub owner_name: Option<String>,
}

impl CopyResponse {
    /// The response for a viewer who may see the copy. `names` is given for moderators only: nobody else learns owners.
    pub(super) fn new(view: CopyView, names: Option<&Names>) -> Self {
        Self {
            card: card_of(&view),
            id: view.id.0,
            rarity: view.rarity,
            frozen: view.frozen_at.is_some(),
            voided: view.voided_at.is_some(),
            disputed: view.disputed,
            registered_at: view.registered_at,
            owner_id: names.is_some().then_some(view.owner.0),
            owner_name: names.and_then(|names| names.of(view.owner.0)),
        }
    }
}

/// An event in the history of a copy.
#[derive(Serialize, ToSchema)]
pub struct CopyEventResponse {
    /// Number of the event in the history of the copy, from 1, without gaps.
    #[schema(example = 1, minimum = 1)]
    pub position: i32,
    /// `register`, `transfer` (a trade), `dispute` (another player claims the copy), `freeze`, `unfreeze`, `decide` (a dispute) or `void`.
    #[schema(example = "register")]
    pub event: &'static str,
    /// Who acted or, for `register` and `transfer`, who got the copy: `you`, `another player` or `a moderator`. Players do not see who owned a copy
    /// before them.
    #[schema(example = "another player")]
    pub by: &'static str,
    /// The owner of the copy after the event: `you` or `another player`. After `void`: its last owner.
    #[schema(example = "you")]
    pub owner: &'static str,
    /// The reason that the moderator gave. Absent for events that are not by a moderator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Reported as stolen")]
    pub reason: Option<String>,
    /// Id of the trade that moved the copy. Present only for the two sides of the trade and for moderators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trade: Option<Uuid>,
    /// Id of the dispute that was opened or decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispute: Option<Uuid>,
    /// Id of the account that acted or got the copy, as in `by`. Present only for moderators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<Uuid>,
    /// Name of that account. Present only for moderators; absent for tokens without `admin:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub account_name: Option<String>,
    /// Id of the account that owned the copy after the event. Present only for moderators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<Uuid>,
    /// Name of that account. Present only for moderators; absent for tokens without `admin:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub owner_name: Option<String>,
    /// When it happened.
    pub at: DateTime<Utc>,
}

impl CopyEventResponse {
    fn new(row: LedgerRow, reader: AccountId, names: Option<&Names>) -> Self {
        let is_moderator = names.is_some();
        let person = |account: AccountId| if account == reader { "you" } else { "another player" };
        let by_moderator = row.entry.is_moderators();
        Self {
            position: row.position,
            event: row.entry.as_str(),
            by: match person(row.account_id) {
                "another player" if by_moderator => "a moderator",
                person => person,
            },
            owner: row.owner_id.map_or("another player", person),
            reason: row.reason,
            trade: row.trade_id.filter(|_| row.own_trade || is_moderator).map(Uuid::from),
            dispute: row.dispute_id.map(Uuid::from),
            account_id: is_moderator.then_some(row.account_id.0),
            account_name: names.and_then(|names| names.of(row.account_id.0)),
            owner_id: row.owner_id.filter(|_| is_moderator).map(Uuid::from),
            owner_name: names.and_then(|names| names.of(row.owner_id?.0)),
            at: row.created_at,
        }
    }
}

/// Filter of copies.
pub struct CopySelection {
    /// Only copies of cards of this game and set, and of this rarity; the codes must exist.
    pub codes: Codes,
    /// Only copies of this card.
    pub card: Option<CardId>,
    /// Only copies among these.
    pub only: Option<Vec<CopyId>>,
}

impl CopySelection {
    /// These copies, wherever they are in the list.
    pub fn of(copies: impl IntoIterator<Item = Uuid>) -> Self {
        let only = Some(copies.into_iter().map(CopyId).collect());
        Self { codes: Codes::default(), card: None, only }
    }
}

/// Decodes the cursor: the last copy of the previous page.
pub fn copies_after(cursor: Option<&Cursor>) -> Result<Option<CopyPosition>, Problem> {
    let key = cursor.map(Cursor::key::<(Code, Code, Code, Uuid)>).transpose()?;
    Ok(key.map(|(game, set, number, id)| {
        (game.into_string(), set.into_string(), number.into_string(), CopyId(id))
    }))
}

/// A caller who may see all copies and disputes.
pub struct ModeratorAccess {
    /// The proof of this permission.
    pub copies: Granted<OverseeCopies>,
    /// The proof that names of accounts may be shown, too.
    pub accounts: Option<Granted<ReadAccounts>>,
}

/// Lists the caller's copies, by game, set and number of their cards.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnCopies>,
    viewer: Viewer,
    selection: &CopySelection,
    after: Option<CopyPosition>,
    limit: PageLimit,
) -> Result<Page<CopyResponse>, Problem> {
    let CopySelection { codes, card, only } = selection;
    let filter = CopyFilter {
        game: codes.game.as_deref(),
        set: codes.set.as_deref(),
        card: *card,
        rarity: codes.rarity.as_deref(),
        only: only.as_deref(),
    };
    let mut conn = app.store.connection().await?;
    let rows = copy_records::list(&mut conn, by, viewer, &filter, after, limit.rows()).await?;
    Ok(paged(rows, limit, CopyView::position, |view| CopyResponse::new(view, None)))
}

/// Finds one of the caller's copies; a moderator finds any copy.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnCopies>,
    moderator_access: Option<&ModeratorAccess>,
    viewer: Viewer,
    id: CopyId,
) -> Result<CopyResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let may_see_all = moderator_access.map(|moderator_access| &moderator_access.copies);
    let view = copy_records::find(&mut conn, by, may_see_all, viewer, id)
        .await?
        .ok_or_else(Problem::not_found)?;
    let names = match moderator_access {
        Some(ModeratorAccess { accounts, .. }) => {
            Some(Names::read(&mut conn, accounts.as_ref(), [view.owner.0]).await?)
        }
        None => None,
    };
    Ok(CopyResponse::new(view, names.as_ref()))
}

/// Lists the history of one of the caller's copies, the oldest entry first; for a moderator, of any copy.
pub async fn list_history(
    app: &AppState,
    by: &Granted<ReadOwnCopies>,
    moderator_access: Option<&ModeratorAccess>,
    id: CopyId,
    after: Option<i32>,
    limit: PageLimit,
) -> Result<Page<CopyEventResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let may_see_all = moderator_access.map(|moderator_access| &moderator_access.copies);
    let rows = copy_records::history(&mut conn, by, may_see_all, id, after, limit.rows())
        .await?
        .ok_or_else(Problem::not_found)?;
    let names = match moderator_access {
        Some(ModeratorAccess { accounts, .. }) => {
            let people = rows
                .iter()
                .flat_map(|row| row.owner_id.into_iter().chain([row.account_id]).map(|id| id.0));
            Some(Names::read(&mut conn, accounts.as_ref(), people).await?)
        }
        None => None,
    };
    let event = |row| CopyEventResponse::new(row, by.account(), names.as_ref());
    Ok(paged(rows, limit, |row| row.position, event))
}
