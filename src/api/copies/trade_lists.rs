//! What players want and would give: own lists, those that others show, and who would suit whom. No values, no prices.

use std::collections::{BTreeMap, BTreeSet};

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::api::catalogue::card_lookups::CardIdentifierBody;
use crate::app::collection::counts::CardLineResponse;
use crate::app::catalogue::codes::Codes;
use crate::app::page::{Cursor, Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, Revision};
use crate::app::words::Word as _;
use crate::auth::permission::{Granted, ReadOwnCollection, Viewer, WriteOwnCollection};
use crate::domain::code::Code;
use crate::domain::collection::{MAX_QUANTITY, MAX_TRADE_ITEMS, TradeListKind};
use crate::domain::decks::deck::Visibility;
use crate::domain::text::AccountName;
use crate::http::extract::{Body, Caller, May, Params, cacheable};
use crate::memory::rendered::Freshness;
use crate::store::catalogue::cards::{self, CardIdentifier, CardView};
use crate::store::copies::trade_lists::{
    self, MatchPosition, NewTradeItem, SeenPrinting, TradeItemView, TradeListView, TradeMatch,
};
use crate::store::decks::deck_lists::Edited;

/// An item of a list.
#[derive(Serialize, ToSchema)]
pub struct TradeItemResponse {
    /// The card.
    pub card: CardLineResponse,
    /// The printing; absent: any rarity, or the card is hidden from the reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printing: Option<Uuid>,
    /// Its rarity; absent: any, or the card is hidden from the reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rare")]
    pub rarity: Option<String>,
    /// How many.
    #[schema(example = 2, minimum = 1, maximum = 9999)]
    pub quantity: i32,
}

impl From<TradeItemView> for TradeItemResponse {
    fn from(item: TradeItemView) -> Self {
        let TradeItemView { card, printing_id, rarity, quantity } = item;
        Self { card: card.into(), printing: printing_id, rarity, quantity }
    }
}

/// One of the own lists.
#[derive(Serialize, ToSchema)]
pub struct TradeListResponse {
    /// `private` (only you read it) or `public`.
    #[schema(example = "public")]
    pub visibility: &'static str,
    /// When it was changed last; absent when it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
    /// What stands on it, in your order.
    pub items: Vec<TradeItemResponse>,
}

impl TradeListResponse {
    fn answer(TradeListView { row, items }: TradeListView) -> HttpResponse {
        let body = Self {
            visibility: row.visibility.as_str(),
            updated_at: row.updated_at,
            items: items.into_iter().map(Into::into).collect(),
        };
        // The version is of the list. The cards on it change by themselves, so no answer is kept.
        HttpResponse::Ok()
            .insert_header(Revision(row.revision).header())
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .json(body)
    }
}

/// An item to put on a list: `printing`; or `card`; or `game`, `set` and `number`; or `game`, `name` and perhaps `set`. With a `rarity`,
/// unless any will do.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TradeItemBody {
    /// Id of a printing.
    #[serde(default)]
    pub printing: Option<Uuid>,
    /// Id of a card.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub card: Option<String>,
    /// Code of the game.
    #[serde(default)]
    #[schema(example = "ttcg")]
    pub game: Option<String>,
    /// Code of the set.
    #[serde(default)]
    #[schema(example = "hearth")]
    pub set: Option<String>,
    /// Number in the set.
    #[serde(default)]
    #[schema(example = "016")]
    pub number: Option<String>,
    /// Name of the card.
    #[serde(default)]
    #[schema(example = "Kettle Imp")]
    pub name: Option<String>,
    /// Code of the rarity; absent: any. A card that is hidden from you has none that you could name.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "rare")]
    pub rarity: Option<Code>,
    /// How many; 1 when absent.
    #[serde(default = "one")]
    #[schema(value_type = Option<i32>, example = 2, minimum = 1, maximum = 9999)]
    pub quantity: i32,
}

fn one() -> i32 {
    1
}

/// What a list shall be: all of it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TradeListRequest {
    /// `private` (when absent) or `public`.
    #[serde(default)]
    #[schema(value_type = Option<Visibility>, example = "public")]
    pub visibility: Option<String>,
    /// What stands on it: 2000 items at most.
    #[schema(max_items = 2000, example = json!([
        { "game": "ttcg", "set": "hearth", "number": "016", "rarity": "rare", "quantity": 2 },
        { "game": "ttcg", "name": "Bellows Smith" },
    ]))]
    pub items: Vec<TradeItemBody>,
}

/// What an item names.
enum Named {
    Printing(Uuid),
    Card(CardIdentifier),
}

impl TradeListRequest {
    /// What the request says by itself.
    fn parse(&self) -> Result<(Visibility, Vec<Named>), Problem> {
        let mut faults = Vec::new();
        let visibility = match self.visibility.as_deref() {
            None => Visibility::default(),
            Some(word) => Visibility::read(word).unwrap_or_else(|fault| {
                faults.push(InputFault::at("/visibility", fault));
                Visibility::default()
            }),
        };
        if self.items.len() > MAX_TRADE_ITEMS {
            let detail = format!("must be at most {MAX_TRADE_ITEMS} items");
            return Err(Problem::invalid(vec![InputFault::at("/items", detail)]));
        }
        let mut named = Vec::with_capacity(self.items.len());
        for (place, item) in self.items.iter().enumerate() {
            let at = format!("/items/{place}");
            if !(1..=MAX_QUANTITY).contains(&item.quantity) {
                let detail = format!("must be 1 to {MAX_QUANTITY}");
                faults.push(InputFault::at(format!("{at}/quantity"), detail));
            }
            let TradeItemBody { printing, card, game, set, number, name, rarity, .. } = item;
            let others = [card, game, set, number, name].iter().any(|field| field.is_some());
            match printing {
                Some(_) if others || rarity.is_some() => {
                    faults.push(InputFault::at(&at, "has a printing, which says everything else"));
                }
                Some(printing) => named.push(Named::Printing(*printing)),
                None => {
                    let body = CardIdentifierBody {
                        id: card.clone(),
                        game: game.clone(),
                        set: set.clone(),
                        number: number.clone(),
                        name: name.clone(),
                    };
                    let ids = ["printing", "card"];
                    named.extend(body.parse(&at, &ids, &mut faults).map(Named::Card));
                }
            }
        }
        if faults.is_empty() { Ok((visibility, named)) } else { Err(Problem::invalid(faults)) }
    }

    /// The cards and printings that the items name.
    async fn resolve(
        &self,
        state: &AppState,
        by: &Granted<WriteOwnCollection>,
        viewer: Viewer,
        kind: TradeListKind,
        named: &[Named],
    ) -> Result<Vec<NewTradeItem>, Problem> {
        let mut conn = state.store.connection().await?;
        let identifiers: Vec<CardIdentifier> = named
            .iter()
            .filter_map(|named| match named {
                Named::Card(identifier) => Some(identifier.clone()),
                Named::Printing(_) => None,
            })
            .collect();
        let ids: Vec<Uuid> = named
            .iter()
            .filter_map(|named| match named {
                Named::Printing(id) => Some(*id),
                Named::Card(_) => None,
            })
            .collect();
        let mut cards = cards::look_up(&mut conn, viewer, &identifiers).await?.into_iter();
        let found: Vec<Option<CardView>> = named
            .iter()
            .map(|named| match named {
                Named::Card(_) => cards.next().flatten(),
                Named::Printing(_) => None,
            })
            .collect();
        let with_rarity = found.iter().zip(&self.items).filter(|(_, item)| item.rarity.is_some());
        let with_rarity: Vec<Uuid> =
            with_rarity.filter_map(|(card, _)| Some(card.as_ref()?.place().id.0)).collect();
        let printings =
            trade_lists::printings(&mut conn, by, viewer, kind, &ids, &with_rarity).await?;
        let by_id: BTreeMap<Uuid, &SeenPrinting> =
            printings.iter().map(|printing| (printing.id, printing)).collect();
        let by_rarity: BTreeMap<(Uuid, &str), Uuid> = printings
            .iter()
            .map(|printing| ((printing.card_id, printing.rarity.as_str()), printing.id))
            .collect();

        let (mut items, mut faults, mut known) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (place, (item, named)) in self.items.iter().zip(named).enumerate() {
            let at = format!("/items/{place}");
            let quantity = item.quantity;
            let new = match (named, &found[place], &item.rarity) {
                (Named::Printing(id), ..) => by_id
                    .get(id)
                    .map(|printing| (printing.card_id, Some(*id)))
                    .ok_or("there is no such printing, or none that you may see"),
                (Named::Card(_), None, _) => Err("there is no such card, or none that you may see"),
                (Named::Card(_), Some(card), None) => Ok((card.place().id.0, None)),
                (Named::Card(_), Some(card), Some(rarity)) => {
                    let card = card.place().id.0;
                    let printing = by_rarity.get(&(card, rarity.as_str()));
                    printing
                        .map(|printing| (card, Some(*printing)))
                        .ok_or("the card has no printing of that rarity that you may see")
                }
            };
            match new {
                Ok((card, printing)) if known.insert((card, printing)) => {
                    items.push(NewTradeItem { card, printing, quantity });
                }
                Ok(_) => faults.push(InputFault::at(at, "stands on the list twice")),
                Err(reason) => faults.push(InputFault::at(at, reason)),
            }
        }
        if faults.is_empty() { Ok(items) } else { Err(Problem::invalid(faults)) }
    }
}

async fn own(
    state: &AppState,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    kind: TradeListKind,
) -> Result<HttpResponse, Problem> {
    let mut conn = state.store.connection().await?;
    let list = trade_lists::own(&mut conn, by, viewer, kind).await?;
    Ok(TradeListResponse::answer(list))
}

async fn replace(
    state: &AppState,
    by: &Granted<WriteOwnCollection>,
    viewer: Viewer,
    kind: TradeListKind,
    if_match: Result<IfMatch, Problem>,
    request: &TradeListRequest,
) -> Result<HttpResponse, Problem> {
    let if_match = if_match?;
    let (visibility, named) = request.parse()?;
    let items = request.resolve(state, by, viewer, kind, &named).await?;
    let at = state.clock.now();
    let is_current = |revision| if_match.check(Revision(revision)).is_ok();
    let edited = state
        .write(by, async |conn, by| {
            let content = (visibility, items.as_slice());
            trade_lists::replace(conn, by, viewer, kind, is_current, content, at).await
        })
        .await?;
    let list = match edited {
        Edited::Done(list) => list,
        Edited::Stale => return Err(Problem::new(ProblemCode::PreconditionFailed)),
        Edited::Missing => return Err(Problem::not_found()),
    };
    tracing::info!(
        account = %by.account(), list = kind.as_str(), items = items.len(), visibility = visibility.as_str(), "trade list replaced"
    );
    Ok(TradeListResponse::answer(list))
}

/// Shows the list of what you look for.
///
/// The `ETag` is the version that `PUT` replaces; before the first it is `"r0"`.
#[utoipa::path(
    get, path = "/v1/me/wants", tag = "collection", security(("bearer" = [])),
    responses((status = 200, body = TradeListResponse, headers(("ETag" = String, description = "Its version, for `If-Match`"))))
)]
pub async fn find_wants(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCollection>,
) -> Result<HttpResponse, Problem> {
    own(&state, &by, caller.viewer(), TradeListKind::Want).await
}

/// Replaces the list of what you look for.
///
/// A card that is hidden from you can be named by game, set and number.
#[utoipa::path(
    put, path = "/v1/me/wants", tag = "collection", security(("bearer" = [])), request_body = TradeListRequest,
    params(("If-Match" = String, Header, description = "ETag of the version to replace", example = "\"r0\"")),
    responses(
        (status = 200, body = TradeListResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 412, description = "`precondition_failed`: it was changed since; nothing is overwritten."),
        (status = 422, description = "`invalid_body`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_wants(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteOwnCollection>,
    if_match: Result<IfMatch, Problem>,
    body: Body<TradeListRequest>,
) -> Result<HttpResponse, Problem> {
    replace(&state, &by, caller.viewer(), TradeListKind::Want, if_match, &body.value).await
}

/// Shows the list of what you would give away.
///
/// The `ETag` is the version that `PUT` replaces; before the first it is `"r0"`.
#[utoipa::path(
    get, path = "/v1/me/haves", tag = "collection", security(("bearer" = [])),
    responses((status = 200, body = TradeListResponse, headers(("ETag" = String, description = "Its version, for `If-Match`"))))
)]
pub async fn find_haves(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCollection>,
) -> Result<HttpResponse, Problem> {
    own(&state, &by, caller.viewer(), TradeListKind::Have).await
}

/// Replaces the list of what you would give away.
///
/// Of a card that is hidden from them, readers see the place.
#[utoipa::path(
    put, path = "/v1/me/haves", tag = "collection", security(("bearer" = [])), request_body = TradeListRequest,
    params(("If-Match" = String, Header, description = "ETag of the version to replace", example = "\"r0\"")),
    responses(
        (status = 200, body = TradeListResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 412, description = "`precondition_failed`: it was changed since; nothing is overwritten."),
        (status = 422, description = "`invalid_body`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_haves(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteOwnCollection>,
    if_match: Result<IfMatch, Problem>,
    body: Body<TradeListRequest>,
) -> Result<HttpResponse, Problem> {
    replace(&state, &by, caller.viewer(), TradeListKind::Have, if_match, &body.value).await
}

/// A list that a player shows.
#[derive(Serialize, ToSchema)]
pub struct ShownTradeListResponse {
    /// Name of the player.
    #[schema(example = "ada")]
    pub player: String,
    /// When the list was changed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
    /// What stands on it, in the player's order.
    pub items: Vec<TradeItemResponse>,
}

/// The items as somebody else sees them: of a hidden card one line, whatever rarities of it the owner has, because how many there are
/// is part of the secret.
fn shown(items: Vec<TradeItemView>) -> Vec<TradeItemResponse> {
    let mut shown: Vec<TradeItemResponse> = Vec::with_capacity(items.len());
    let mut places: BTreeMap<Uuid, usize> = BTreeMap::new();
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

async fn of_player(
    req: &HttpRequest,
    state: &AppState,
    caller: &Caller,
    player: &str,
    kind: TradeListKind,
) -> Result<HttpResponse, Problem> {
    let name = AccountName::parse(player).map_err(|_| Problem::not_found())?;
    let mut conn = state.store.connection().await?;
    let found = trade_lists::public(&mut conn, caller.viewer(), name.key(), kind).await?;
    let (player, TradeListView { row, items }) = found.ok_or_else(Problem::not_found)?;
    let body = ShownTradeListResponse { player, updated_at: row.updated_at, items: shown(items) };
    cacheable(req, Freshness::Private, None, &body)
}

/// Shows what a player looks for, if the list is public.
#[utoipa::path(
    get, path = "/v1/players/{player}/wants", tag = "collection", security((), ("bearer" = [])),
    params(("player" = String, Path, description = "Name of the player", example = "ada")),
    responses((status = 200, body = ShownTradeListResponse), (status = 304, description = "Not changed."))
)]
pub async fn list_player_wants(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    player: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    of_player(&req, &state, &caller, &player, TradeListKind::Want).await
}

/// Shows what a player would give away, if the list is public.
#[utoipa::path(
    get, path = "/v1/players/{player}/haves", tag = "collection", security((), ("bearer" = [])),
    params(("player" = String, Path, description = "Name of the player", example = "ada")),
    responses((status = 200, body = ShownTradeListResponse), (status = 304, description = "Not changed."))
)]
pub async fn list_player_haves(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    player: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    of_player(&req, &state, &caller, &player, TradeListKind::Have).await
}

/// Which matches, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MatchesQuery {
    /// Only cards of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// A player who would suit.
#[derive(Serialize, ToSchema)]
pub struct TradeMatchResponse {
    /// Name of the player.
    #[schema(example = "ben")]
    pub player: String,
    /// How many items of your wants they have.
    #[schema(example = 3, minimum = 0)]
    pub they_have: i64,
    /// How many items of your haves they want.
    #[schema(example = 1, minimum = 0)]
    pub they_want: i64,
    /// Whether both is so.
    #[schema(example = true)]
    pub mutual: bool,
}

impl From<TradeMatch> for TradeMatchResponse {
    fn from(found: TradeMatch) -> Self {
        let TradeMatch { name, they_have, they_want, mutual, .. } = found;
        Self { player: name, they_have, they_want, mutual }
    }
}

/// Lists players whose public haves match your wants, or whose public wants match your haves.
///
/// First come players for whom both is true, then those with the most matching items. Your own lists may be private. For each of your
/// items at most a hundred items of other players are compared.
#[utoipa::path(
    get, path = "/v1/trade-matches", tag = "collection", security(("bearer" = [])), params(MatchesQuery),
    responses((status = 200, body = Page<TradeMatchResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_trade_matches(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnCollection>,
    query: Params<MatchesQuery>,
) -> Result<HttpResponse, Problem> {
    let after = query.cursor.as_ref().map(Cursor::key::<MatchPosition>).transpose()?;
    let codes = Codes { game: query.game.clone(), ..Codes::default() }.known(&state).await?;
    let (game, limit) = (codes.game.as_deref(), query.limit.rows());
    let mut conn = state.store.connection().await?;
    let rows = trade_lists::matches(&mut conn, &by, game, after, limit).await?;
    let page = paged(rows, query.limit, TradeMatch::position, TradeMatchResponse::from);
    page.answer(&req, Freshness::Private)
}
