//! Lists of wanted and offered cards: the caller's lists, and public lists of others. They contain no values or prices.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::collection::counts::CardLineResponse;
use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, Revision};
use crate::app::words::words;
use crate::auth::permission::{Granted, ReadOwnCollection, Viewer, WriteOwnCollection};
use crate::domain::code::Code;
use crate::domain::collection::{MAX_QUANTITY, TradeListKind};
use crate::domain::decks::deck::Visibility;
use crate::domain::ids::{CardId, PrintingId};
use crate::domain::text::AccountName;
use crate::store::StoreError;
use crate::store::catalogue::cards::{self, CardIdentifier, CardView};
use crate::store::copies::trade_lists::{
    self, NewTradeItem, ReplaceOutcome, TradeItemView, TradeListView, VisiblePrinting,
};

/// How often the items of a list are looked up, if one was merged or taken back between the look-up and the write.
const TRIES: usize = 3;

words! {
    Visibility: "Who may read the list: only its owner (`private`), or everybody (`public`).";
}

/// An item of a list of wants or haves.
#[derive(Serialize, ToSchema)]
pub struct TradeItemResponse {
    /// The card.
    pub card: CardLineResponse,
    /// Id of the printing. Absent if any rarity is meant and, in the list of another player, if the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printing: Option<Uuid>,
    /// Its rarity. Absent if any rarity is meant, or if the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rare")]
    pub rarity: Option<String>,
    /// Number of cards.
    #[schema(example = 2, minimum = 1, maximum = 9999)]
    pub quantity: i32,
}

impl From<TradeItemView> for TradeItemResponse {
    fn from(item: TradeItemView) -> Self {
        let TradeItemView { card, printing_id, rarity, quantity } = item;
        Self { card: card.into(), printing: printing_id.map(Uuid::from), rarity, quantity }
    }
}

/// Your list of wants or haves.
#[derive(Serialize, ToSchema)]
pub struct TradeListResponse {
    /// `private` (only you can read it) or `public`.
    #[schema(example = "public")]
    pub visibility: &'static str,
    /// When the list was last changed; absent if you never wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
    /// The items, in your order.
    pub items: Vec<TradeItemResponse>,
}

/// One of the caller's lists, with the version for `If-Match`. Changes of the listed cards themselves are no new
/// version.
pub struct VersionedTradeList {
    /// The version.
    pub revision: Revision,
    pub list: TradeListResponse,
}

impl From<TradeListView> for VersionedTradeList {
    fn from(TradeListView { row, items }: TradeListView) -> Self {
        let list = TradeListResponse {
            visibility: row.visibility.as_str(),
            updated_at: row.updated_at,
            items: items.into_iter().map(Into::into).collect(),
        };
        Self { revision: Revision(row.revision), list }
    }
}

/// The new content of a list.
pub struct TradeListContent {
    /// Who may read it.
    pub visibility: Visibility,
    pub items: Vec<WantedItem>,
}

/// An item to put on a list.
pub struct WantedItem {
    /// The card or printing.
    pub named: NamedItem,
    /// Of a card: the rarity; `None`: any.
    pub rarity: Option<Code>,
    /// Number of cards.
    pub quantity: i32,
}

/// What an item refers to.
pub enum NamedItem {
    /// A printing, by its id.
    Printing(PrintingId),
    /// A card.
    Card(CardIdentifier),
}

/// Finds one of the caller's lists.
pub async fn find_own(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    kind: TradeListKind,
) -> Result<VersionedTradeList, Problem> {
    let mut conn = app.store.connection().await?;
    Ok(trade_lists::find_own(&mut conn, by, viewer, kind).await?.into())
}

/// Replaces one of the caller's lists, if the client's version is current.
pub async fn replace(
    app: &AppState,
    by: &Granted<WriteOwnCollection>,
    viewer: Viewer,
    kind: TradeListKind,
    if_match: &IfMatch,
    content: &TradeListContent,
) -> Result<VersionedTradeList, Problem> {
    let visibility = content.visibility;
    let is_current = |revision| if_match.check(Revision(revision)).is_ok();
    for _ in 0..TRIES {
        let items = resolve(app, by, viewer, kind, &content.items).await?;
        let at = app.clock.now();
        let replaced = app
            .write(by, async |conn, by| {
                let content = (visibility, items.as_slice());
                trade_lists::replace(conn, by, viewer, kind, is_current, content, at).await
            })
            .await?;
        match replaced {
            ReplaceOutcome::Done(list) => {
                tracing::info!(
                    account = %by.account(), list = kind.as_str(), items = items.len(), visibility = visibility.as_str(), "trade list replaced"
                );
                return Ok(list.into());
            }
            ReplaceOutcome::Stale => return Err(Problem::new(ProblemCode::PreconditionFailed)),
            ReplaceOutcome::Gone => {}
        }
    }
    let cause = "cards were merged whenever the items of a list were looked up";
    Err(StoreError::Contended(cause.to_owned()).into())
}

/// Resolves the cards and printings of the items, or returns a fault for each item that cannot be resolved.
async fn resolve(
    app: &AppState,
    by: &Granted<WriteOwnCollection>,
    viewer: Viewer,
    kind: TradeListKind,
    wanted: &[WantedItem],
) -> Result<Vec<NewTradeItem>, Problem> {
    let mut conn = app.store.connection().await?;
    let identifiers: Vec<CardIdentifier> = wanted
        .iter()
        .filter_map(|item| match &item.named {
            NamedItem::Card(identifier) => Some(identifier.clone()),
            NamedItem::Printing(_) => None,
        })
        .collect();
    let ids: Vec<PrintingId> = wanted
        .iter()
        .filter_map(|item| match &item.named {
            NamedItem::Printing(id) => Some(*id),
            NamedItem::Card(_) => None,
        })
        .collect();
    let mut cards = cards::look_up(&mut conn, viewer, &identifiers).await?.into_iter();
    let found: Vec<Option<CardView>> = wanted
        .iter()
        .map(|item| match &item.named {
            NamedItem::Card(_) => cards.next().flatten(),
            NamedItem::Printing(_) => None,
        })
        .collect();
    let with_rarity = found.iter().zip(wanted).filter(|(_, item)| item.rarity.is_some());
    let with_rarity: Vec<CardId> =
        with_rarity.filter_map(|(card, _)| Some(card.as_ref()?.place().id)).collect();
    let printings =
        trade_lists::find_printings(&mut conn, by, viewer, kind, &ids, &with_rarity).await?;
    drop(conn);
    let by_id: BTreeMap<PrintingId, &VisiblePrinting> =
        printings.iter().map(|printing| (printing.id, printing)).collect();
    let by_rarity: BTreeMap<(CardId, &str), PrintingId> = printings
        .iter()
        .map(|printing| ((printing.card_id, printing.rarity.as_str()), printing.id))
        .collect();

    let (mut items, mut faults, mut known) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (place, (item, found)) in wanted.iter().zip(&found).enumerate() {
        let at = format!("/items/{place}");
        let quantity = item.quantity;
        let new = match (&item.named, found, &item.rarity) {
            (NamedItem::Printing(id), ..) => by_id
                .get(id)
                .map(|printing| (printing.card_id, Some(*id)))
                .ok_or(FaultReason::NoPrinting),
            (NamedItem::Card(_), None, _) => Err(FaultReason::NoCard),
            (NamedItem::Card(_), Some(card), None) => Ok((card.place().id, None)),
            (NamedItem::Card(_), Some(card), Some(rarity)) => {
                let card = card.place().id;
                let printing = by_rarity.get(&(card, rarity.as_str()));
                printing.map(|printing| (card, Some(*printing))).ok_or(FaultReason::NoRarityOfCard)
            }
        };
        match new {
            Ok((card, printing)) if known.insert((card, printing)) => {
                items.push(NewTradeItem { card, printing, quantity });
            }
            Ok(_) => faults.push(InputFault::at(at, FaultReason::Repeated)),
            Err(reason) => faults.push(InputFault::at(at, reason)),
        }
    }
    if faults.is_empty() { Ok(items) } else { Err(Problem::invalid(faults)) }
}

/// A player's public list of wants or haves.
#[derive(Serialize, ToSchema)]
pub struct ShownTradeListResponse {
    /// Name of the player.
    #[schema(example = "ada")]
    pub player: String,
    /// When the list was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
    /// The items, in the player's order. A card that is hidden from you is one item for all its rarities.
    pub items: Vec<TradeItemResponse>,
}

/// The items as other players see them: a hidden card has one line, however many rarities of it are listed, because the
/// number of its rarities is secret.
fn shown(items: Vec<TradeItemView>) -> Vec<TradeItemResponse> {
    let mut shown: Vec<TradeItemResponse> = Vec::with_capacity(items.len());
    let mut places: BTreeMap<CardId, usize> = BTreeMap::new();
    for item in items {
        if item.card.name.is_some() {
            shown.push(item.into());
            continue;
        }
        let (id, quantity) = (item.card.id, item.quantity);
        match places.get(&id).and_then(|place| shown.get_mut(*place)) {
            Some(line) => line.quantity = line.quantity.saturating_add(quantity).min(MAX_QUANTITY),
            None => {
                places.insert(id, shown.len());
                shown.push(TradeItemResponse { printing: None, rarity: None, ..item.into() });
            }
        }
    }
    shown
}

/// Finds the list of a player, if it is public.
pub async fn find_shown(
    app: &AppState,
    viewer: Viewer,
    player: &AccountName,
    kind: TradeListKind,
) -> Result<ShownTradeListResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let found = trade_lists::find_public(&mut conn, viewer, player.key(), kind).await?;
    let (player, TradeListView { row, items }) = found.ok_or_else(Problem::not_found)?;
    Ok(ShownTradeListResponse { player, updated_at: row.updated_at, items: shown(items) })
}
