//! Lists of wanted and offered cards: the caller's lists, public lists of others, and matching players. They contain no
//! values or prices.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::catalogue::card_lookups::CardIdentifierBody;
use crate::app::catalogue::codes::Codes;
use crate::app::copies::trade_lists::{
    self, NamedItem, ShownTradeListResponse, TradeListContent, TradeListResponse,
    VersionedTradeList, WantedItem,
};
use crate::app::copies::trade_matches::{self, TradeMatchResponse};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem, both};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::app::words::Word as _;
use crate::auth::permission::{ReadOwnCollection, WriteOwnCollection};
use crate::domain::code::Code;
use crate::domain::collection::{MAX_QUANTITY, MAX_TRADE_ITEMS, TradeListKind};
use crate::domain::decks::deck::Visibility;
use crate::domain::ids::PrintingId;
use crate::domain::text::AccountName;
use crate::http::extract::{Caller, Judge, JudgedBody, LooseParams, May, cacheable};
use crate::memory::rendered::Freshness;
use crate::store::copies::trade_lists::MatchPosition;

/// An item to put on a list. It has `printing` alone; or `card`; or `game`, `set` and `number`; or `game`, `name` and optionally `set`. `rarity`
/// limits a card to one rarity. The case of the codes of games, sets and rarities does not count.
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
    /// Code of the rarity; absent: any rarity. It must be absent for a card that is hidden from you.
    #[serde(default, deserialize_with = "Code::deserialize_typed")]
    #[schema(value_type = Option<String>, example = "rare")]
    pub rarity: Option<Code>,
    /// Number of cards; 1 if absent.
    #[serde(default = "default_quantity")]
    #[schema(example = 2, minimum = 1, maximum = 9999)]
    pub quantity: i32,
}

fn default_quantity() -> i32 {
    1
}

/// The new content of a list, which replaces the old content.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TradeListRequest {
    /// `private` (the default) or `public`.
    #[serde(default)]
    #[schema(value_type = Option<Visibility>, example = "public")]
    pub visibility: Option<String>,
    /// The items of the list: at most 2000.
    #[schema(max_items = 2000, example = json!([
        { "game": "ttcg", "set": "hearth", "number": "016", "rarity": "rare", "quantity": 2 },
        { "game": "ttcg", "name": "Bellows Smith" },
    ]))]
    pub items: Vec<TradeItemBody>,
}

impl TradeListRequest {
    /// Parses the content, or reports every fault that can be found in the request alone.
    fn parse(&self) -> Result<TradeListContent, Problem> {
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
        let mut items = Vec::with_capacity(self.items.len());
        for (place, item) in self.items.iter().enumerate() {
            let at = format!("/items/{place}");
            if !(1..=MAX_QUANTITY).contains(&item.quantity) {
                let detail = format!("must be 1 to {MAX_QUANTITY}");
                faults.push(InputFault::at(format!("{at}/quantity"), detail));
            }
            let TradeItemBody { printing, card, game, set, number, name, rarity, .. } = item;
            let others = [card, game, set, number, name].iter().any(|field| field.is_some());
            let named = match printing {
                Some(_) if others || rarity.is_some() => {
                    faults.push(InputFault::at(&at, "has a printing, which says everything else"));
                    None
                }
                Some(printing) => Some(NamedItem::Printing(PrintingId(*printing))),
                None => {
                    let body = CardIdentifierBody {
                        id: card.clone(),
                        game: game.clone(),
                        set: set.clone(),
                        number: number.clone(),
                        name: name.clone(),
                    };
                    let ids = ["printing", "card"];
                    body.parse(&at, &ids, &mut faults).map(NamedItem::Card)
                }
            };
            let (rarity, quantity) = (rarity.as_ref().map(Code::lower_case), item.quantity);
            items.extend(named.map(|named| WantedItem { named, rarity, quantity }));
        }
        if faults.is_empty() {
            Ok(TradeListContent { visibility, items })
        } else {
            Err(Problem::invalid(faults))
        }
    }
}

impl Judge for TradeListRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

/// The cards on a list change without the list, so its response must not be cached.
fn answer(VersionedTradeList { revision, list }: &VersionedTradeList) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(revision.header())
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(list)
}

async fn replace(
    state: &AppState,
    caller: &Caller,
    by: &May<WriteOwnCollection>,
    kind: TradeListKind,
    if_match: Result<IfMatch, Problem>,
    request: &TradeListRequest,
) -> Result<HttpResponse, Problem> {
    let (if_match, content) = (if_match?, request.parse()?);
    let viewer = caller.viewer();
    let replaced = trade_lists::replace(state, by, viewer, kind, &if_match, &content).await?;
    Ok(answer(&replaced))
}

/// Shows your list of wants: the cards that you look for.
///
/// The `ETag` is the version, which `PUT` needs in `If-Match`. It is `"r0"` before you first write the list.
#[utoipa::path(
    get, path = "/v1/me/wants", tag = "collection", security(("bearer" = [])),
    responses((status = 200, body = TradeListResponse, headers(("ETag" = String, description = "Its version, for `If-Match`"))))
)]
pub async fn find_wants(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCollection>,
) -> Result<HttpResponse, Problem> {
    let found = trade_lists::find_own(&state, &by, caller.viewer(), TradeListKind::Want).await?;
    Ok(answer(&found))
}

/// Replaces your list of wants: the cards that you look for.
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
    JudgedBody(body): JudgedBody<TradeListRequest>,
) -> Result<HttpResponse, Problem> {
    replace(&state, &caller, &by, TradeListKind::Want, if_match, &body.value).await
}

/// Shows your list of haves: the cards that you would give away.
///
/// The `ETag` is the version, which `PUT` needs in `If-Match`. It is `"r0"` before you first write the list.
#[utoipa::path(
    get, path = "/v1/me/haves", tag = "collection", security(("bearer" = [])),
    responses((status = 200, body = TradeListResponse, headers(("ETag" = String, description = "Its version, for `If-Match`"))))
)]
pub async fn find_haves(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCollection>,
) -> Result<HttpResponse, Problem> {
    let found = trade_lists::find_own(&state, &by, caller.viewer(), TradeListKind::Have).await?;
    Ok(answer(&found))
}

/// Replaces your list of haves: the cards that you would give away.
///
/// Readers from whom a card is hidden see only its game, set and number.
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
    JudgedBody(body): JudgedBody<TradeListRequest>,
) -> Result<HttpResponse, Problem> {
    replace(&state, &caller, &by, TradeListKind::Have, if_match, &body.value).await
}

async fn answer_shown(
    req: &HttpRequest,
    state: &AppState,
    caller: &Caller,
    player: &str,
    kind: TradeListKind,
) -> Result<HttpResponse, Problem> {
    let player = AccountName::parse(player).map_err(|_| Problem::not_found())?;
    let shown = trade_lists::find_shown(state, caller.viewer(), &player, kind).await?;
    cacheable(req, Freshness::Private, None, &shown)
}

/// Shows a player's list of wants, if it is public.
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
    answer_shown(&req, &state, &caller, &player, TradeListKind::Want).await
}

/// Shows a player's list of haves, if it is public.
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
    answer_shown(&req, &state, &caller, &player, TradeListKind::Have).await
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
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists players whose public haves match your wants, or whose public wants match your haves.
///
/// Players who match in both directions come first, then those with the most matching items. Players who take no offers are left out. Your own lists may be private. For each of your items,
/// at most 100 items of other players are compared.
#[utoipa::path(
    get, path = "/v1/trade-matches", tag = "collection", security(("bearer" = [])), params(MatchesQuery),
    responses((status = 200, body = Page<TradeMatchResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_trade_matches(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnCollection>,
    query: LooseParams<MatchesQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &MatchesQuery| {
        let codes = Codes::of_game(query.game.clone());
        both(Cursor::key_of(query.cursor.as_ref()), codes.resolve(&state).await)
    };
    let (query, (after, codes)): (_, (Option<MatchPosition>, _)) = query.checked(check).await?;
    let page = trade_matches::list(&state, &by, &codes, after, query.limit).await?;
    page.answer(&req, Freshness::Private)
}
