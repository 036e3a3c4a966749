//! Cards and printings, as the caller may see them.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::catalogue::card_list::{self, CardMembers, CardsPage, ListPage};
use crate::app::catalogue::card_query::{List, ListRequest};
use crate::app::catalogue::cards::{self, CardRequest, CardResponse, PrintingsResponse, freshness};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{InputFault, Problem, both};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::http::extract::{
    AnswerForm, Caller, ClientNetwork, LooseParams, Params, cacheable, linked,
};
use crate::search::{CardFilter, NamePattern, Unique};

/// Direction in which a list is sorted.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The lowest value first.
    Asc,
    /// The highest value first.
    Desc,
}

/// What the entries of a list are.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UniqueParam {
    /// Cards.
    Cards,
    /// Printings: cards in one rarity.
    Printings,
}

impl From<UniqueParam> for Unique {
    fn from(unique: UniqueParam) -> Self {
        match unique {
            UniqueParam::Cards => Self::Cards,
            UniqueParam::Printings => Self::Printings,
        }
    }
}

/// Which cards, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CardsQuery {
    /// Code of a game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Code of a set.
    #[param(value_type = Option<String>, example = "hearth")]
    set: Option<Code>,
    /// Number in the set. Leading zeros and case do not count.
    #[param(value_type = Option<String>)]
    number: Option<Code>,
    /// Whether the card is hidden from the public.
    hidden: Option<bool>,
    /// Code of a kind. It never matches a card that is hidden from the caller.
    #[param(value_type = Option<String>)]
    kind: Option<Code>,
    /// The name, or its beginning and `*`; case, punctuation and accents do not count. It never matches a card that is hidden from the caller.
    #[param(value_type = Option<String>, max_length = 200)]
    name: Option<String>,
    /// Code of a rarity in which the card exists. It never matches a card that is hidden from the caller.
    #[param(value_type = Option<String>)]
    rarity: Option<Code>,
    /// A query: `t:fire attack>700 -"draw a card"`. `/docs/search` describes the language. Terms that cannot be used are reported in `warnings`.
    #[param(value_type = Option<String>, max_length = 1000, example = "t:fire attack>=300")]
    q: Option<String>,
    /// Field to sort by. If it is absent, `q` may set it; otherwise it is `set`: by game, set and number.
    #[param(value_type = Option<String>, max_length = 64, example = "attack")]
    sort: Option<String>,
    /// Direction in which to sort. If it is absent, `q` may set it; otherwise it is `asc`. Cards without a value come last.
    #[param(inline)]
    order: Option<Order>,
    /// Whether entries are cards or printings. If it is absent, `q` may set it; otherwise it is `cards`. Lists of printings only contain cards that
    /// the caller may see.
    #[param(inline)]
    unique: Option<UniqueParam>,
    /// Members of the cards to return, separated by commas; `id` is always returned. If it is absent, all members are returned.
    #[param(value_type = Option<String>, max_length = 200)]
    fields: Option<CardMembers>,
    /// `total`: also count all entries of the list.
    #[param(inline)]
    include: Option<Include>,
    /// The same as `include=total`.
    total: Option<bool>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// What to add to the answer.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Include {
    /// How many entries there are in all.
    Total,
}

impl CardsQuery {
    /// The filter, and the fault of a name that is no valid pattern.
    fn filter(&self) -> (CardFilter, Option<InputFault>) {
        let name = self.name.as_deref().map(NamePattern::parse).transpose();
        let (name, fault) = match name {
            Ok(name) => (name, None),
            Err(error) => (None, Some(InputFault::at("?name", error.to_string()))),
        };
        let text = |code: &Option<Code>| code.as_ref().map(|code| code.lower_case().into_string());
        let filter = CardFilter {
            game: text(&self.game),
            set: text(&self.set),
            number: self.number.clone().map(Code::into_string),
            hidden: self.hidden,
            kind: text(&self.kind),
            name,
            rarity: text(&self.rarity),
        };
        (filter, fault)
    }

    /// The requested list; reports every fault.
    async fn list(&self, state: &AppState) -> Result<List, Problem> {
        let (filter, name_fault) = self.filter();
        let request = ListRequest {
            filter,
            text: self.q.clone().unwrap_or_default(),
            sort: self.sort.clone(),
            descending: self.order.map(|order| order == Order::Desc),
            unique: self.unique.map(Into::into),
        };
        let name = name_fault.map_or(Ok(()), |fault| Err(Problem::of_query(vec![fault])));
        // Whether the cursor belongs to this list is checked by the list.
        let cursor = self.cursor.as_ref().map_or(Ok(()), List::require_cursor);
        let (_, list) = both(both(name, cursor), request.check(state).await)?;
        Ok(list)
    }

    fn page(&self) -> ListPage<'_> {
        ListPage {
            cursor: self.cursor.as_ref(),
            limit: self.limit,
            total: self.include == Some(Include::Total) || self.total == Some(true),
            members: self.fields.as_ref(),
        }
    }
}

/// Lists cards, or searches them.
///
/// `q` is a query in the language of `/docs/search`; a card must match the query and the other filters. A hidden card is found only by game, set,
/// number, `hidden` and the progress of its unlock: any other condition, and the negation of any other condition, finds only cards that the caller
/// may see. Without `sort` the list is sorted by game, set and number. With `Accept: text/plain` a page is a deck list with one copy of each card.
#[utoipa::path(
    get, path = "/v1/cards", tag = "catalogue", security((), ("bearer" = [])), params(CardsQuery),
    responses((status = 200, content((CardsPage = "application/json"), (String = "text/plain", example = "1 Kettle Imp (hearth) 001\n"))), (status = 304, description = "Not changed."))
)]
pub async fn list_cards(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    form: AnswerForm,
    query: LooseParams<CardsQuery>,
) -> Result<HttpResponse, Problem> {
    let viewer = caller.viewer();
    let (query, list) = query.checked(async |query| query.list(&state).await).await?;
    let listed = card_list::list(&state, network.0, viewer, form, list, query.page()).await?;
    let answer = linked(&req, listed.next_cursor.as_deref(), listed.answer.answer(&req));
    Ok(form.vary_by_accept(answer))
}

/// What to add to the card.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CardInclude {
    /// What each format says of it today, in UTC.
    Legalities,
}

/// How one card is asked for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CardQuery {
    /// What to add to the card. Ignored with `Accept: text/plain`.
    #[param(inline)]
    include: Option<CardInclude>,
}

impl CardQuery {
    fn request(&self, caller: &Caller, form: AnswerForm) -> CardRequest {
        let legalities = self.include == Some(CardInclude::Legalities);
        CardRequest { viewer: caller.viewer(), form, legalities }
    }
}

/// Shows a card.
///
/// While the card is hidden, only holders of a registered copy, moderators and admins get its contents; others get only `id`, `game`, `set`,
/// `number`, `hidden`, `unlock` and `image_uris`. With `Accept: text/plain` the answer is text for people.
#[utoipa::path(
    get, path = "/v1/cards/{card}", tag = "catalogue", security((), ("bearer" = [])),
    params(("card" = Uuid, Path, description = "Id of the card"), CardQuery),
    responses(
        (status = 200, content((CardResponse = "application/json"), (String = "text/plain", example = "Kettle Imp\nttcg hearth 001 unit\n")),
            headers(("Last-Modified" = String, description = "When the card last changed; absent for a hidden card, and in JSON with `include`"))),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card was merged into another card: its address is in `Location`."),
    )
)]
pub async fn find_card(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    form: AnswerForm,
    card: web::Path<Uuid>,
    query: Params<CardQuery>,
) -> Result<HttpResponse, Problem> {
    let request = query.request(&caller, form);
    let found = cards::find(&state, request, CardId(*card)).await?;
    found.answer(&req, |answer| Ok(form.vary_by_accept(answer.answer(&req))))
}

/// Finds the card with a number of a set.
///
/// Leading zeros of a number of digits do not count, unless the set has several such numbers: `16` finds `016`. If no card has such a number, an old number answers 308
/// with the present address, also with other leading zeros.
#[utoipa::path(
    get, path = "/v1/games/{game}/sets/{set}/cards/{number}", tag = "catalogue", security((), ("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "hearth"),
        ("number" = String, Path, description = "Number in the set", example = "001"),
        CardQuery,
    ),
    responses(
        (status = 200, content((CardResponse = "application/json"), (String = "text/plain", example = "Kettle Imp\nttcg hearth 001 unit\n")),
            headers(("Last-Modified" = String, description = "When the card last changed; absent for a hidden card, and in JSON with `include`"))),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card was moved, or merged into another card: its address is in `Location`."),
    )
)]
pub async fn find_card_by_number(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    form: AnswerForm,
    path: web::Path<(Code, Code, Code)>,
    query: Params<CardQuery>,
) -> Result<HttpResponse, Problem> {
    let (game, set, number) = path.into_inner();
    let request = query.request(&caller, form);
    let found = cards::find_by_number(&state, request, (&game, &set, &number)).await?;
    found.answer(&req, |answer| Ok(form.vary_by_accept(answer.answer(&req))))
}

/// Lists the printings of a card: one for each rarity, with its own numbers.
///
/// The list is empty while the card is hidden from the caller.
#[utoipa::path(
    get, path = "/v1/cards/{card}/printings", tag = "catalogue", security((), ("bearer" = [])),
    params(("card" = Uuid, Path, description = "Id of the card")),
    responses(
        (status = 200, body = PrintingsResponse),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card was merged into another card: its address is in `Location`."),
    )
)]
pub async fn list_printings(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    card: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let viewer = caller.viewer();
    let found = cards::list_printings(&state, viewer, CardId(*card)).await?;
    found.answer(&req, |body| cacheable(&req, freshness(viewer, body.hidden), None, &body))
}
