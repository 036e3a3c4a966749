//! Cards and printings, as the caller may see them.

use actix_web::web::{self, Bytes};
use actix_web::{HttpRequest, HttpResponse};
use cardscape_engine::Effect;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::card_legalities::{LegalityResponse, legalities_of};
use super::card_list::{
    CardEntry, CardMembers, CardsPage, List, ListRequest, Order, QueryWarning, UniqueParam,
};
use super::card_migrations::{redirected, redirected_number};
use super::card_search::{Listed, Part, id_of, list_in_database, list_in_memory, page_of_bodies};
use super::card_text::{card_text, list_text};
use crate::app::catalogue::cards::CardUnlock;
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::http::extract::{
    AnswerForm, Caller, ClientNetwork, Params, cacheable, cacheable_text, linked,
};
use crate::memory::catalogue::card_cache::{KeptCard, PlaceMark};
use crate::memory::kept::Ticket;
use crate::memory::rendered::{Freshness, Rendered};
use crate::memory::rendered::{ONE, json};
use crate::search::{CardFilter, NamePattern, Unique};
use crate::store::catalogue::cards::{
    self, CardPlace, CardView, HiddenCard, JsonText, OpenCard, Printing,
};

/// One effect of a card.
// How an `Effect` looks in answers, which pass on what the database has of it; a test holds them together.
#[derive(ToSchema)]
pub struct EffectResponse {
    /// How it is activated, in games that have styles.
    #[schema(example = "passive")]
    pub style: Option<String>,
    /// Where on the card it stands, in games that have slots.
    pub slot: Option<String>,
    /// The printed sentence.
    #[schema(example = "When this card is destroyed, draw a card.")]
    pub text: String,
}

/// A card that the caller may see.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "id": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11", "game": "ttcg", "set": "hearth", "number": "001", "hidden": false,
    "name": "Kettle Imp", "kind": "unit", "attributes": { "type": "fire", "rank": 1, "attack": 300, "defense": 200 },
    "effects": [{ "style": "passive", "text": "When this card is destroyed, draw a card." }],
    "updated_at": "2026-11-21T08:50:41.563424Z",
}))]
pub struct OpenCardResponse {
    /// Its id.
    pub id: Uuid,
    /// Code of its game.
    #[schema(value_type = String, example = "ttcg")]
    pub game: Code,
    /// Code of its set.
    #[schema(value_type = String, example = "hearth")]
    pub set: Code,
    /// Its number in the set.
    #[schema(value_type = String, example = "001")]
    pub number: Code,
    /// Whether it is hidden from everybody who neither holds it nor oversees the cards.
    pub hidden: bool,
    /// How far it is from being unlocked; absent when it never was hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlock: Option<CardUnlock>,
    /// Its name.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// Code of its kind.
    #[schema(value_type = String, example = "unit")]
    pub kind: Code,
    /// Attributes of the base printing, as the game defines them.
    #[schema(value_type = Object, example = json!({ "type": "fire", "rank": 1, "attack": 300, "defense": 200 }))]
    pub attributes: JsonText<Map<String, Value>>,
    /// Effects, in printed order.
    #[schema(value_type = Vec<EffectResponse>)]
    pub effects: JsonText<Vec<Effect>>,
    /// Background text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lore: Option<String>,
    /// What each format of the game says of it today; only with `include=legalities`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legalities: Option<Vec<LegalityResponse>>,
    /// When it or one of its printings was last changed, or unlocked.
    pub updated_at: DateTime<Utc>,
}

/// A card that is hidden from the caller: this and no more.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HiddenCardResponse {
    /// Its id.
    pub id: Uuid,
    /// Code of its game.
    #[schema(value_type = String, example = "ttcg")]
    pub game: Code,
    /// Code of its set.
    #[schema(value_type = String, example = "veil")]
    pub set: Code,
    /// Its number in the set.
    #[schema(value_type = String, example = "001")]
    pub number: Code,
    /// `true`.
    #[schema(example = true)]
    pub hidden: bool,
    /// How far it is from being unlocked.
    pub unlock: CardUnlock,
}

/// A card as the caller may see it.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum CardResponse {
    /// All of it.
    Open(OpenCardResponse),
    /// That it exists, and how far it is from being unlocked.
    Hidden(HiddenCardResponse),
}

impl From<CardView> for CardResponse {
    fn from(view: CardView) -> Self {
        match view {
            CardView::Open(card) => Self::Open(card.into()),
            CardView::Hidden(card) => Self::Hidden(card.into()),
        }
    }
}

impl From<OpenCard> for OpenCardResponse {
    fn from(card: OpenCard) -> Self {
        Self {
            hidden: card.is_hidden(),
            updated_at: card.public_update(),
            id: card.place.id.0,
            game: card.place.game,
            set: card.place.set,
            number: card.place.number,
            unlock: card.unlock.map(Into::into),
            name: card.name,
            kind: card.kind,
            attributes: card.attributes,
            effects: card.effects,
            lore: card.lore,
            legalities: None,
        }
    }
}

impl From<HiddenCard> for HiddenCardResponse {
    fn from(card: HiddenCard) -> Self {
        Self {
            id: card.place.id.0,
            game: card.place.game,
            set: card.place.set,
            number: card.place.number,
            hidden: true,
            unlock: card.unlock.into(),
        }
    }
}

/// A card in one rarity.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "id": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b12", "rarity": "uncommon", "tier": 2, "attributes": { "attack": 305, "defense": 205 },
}))]
pub struct PrintingResponse {
    /// Its id.
    pub id: Uuid,
    /// Code of the rarity.
    #[schema(example = "uncommon")]
    pub rarity: String,
    /// Place of the rarity in its game's list, from 1, the most common.
    #[schema(example = 2, minimum = 1)]
    pub tier: i16,
    /// The attributes that this printing gives itself; all others are the card's.
    #[schema(value_type = Object, example = json!({ "attack": 305, "defense": 205 }))]
    pub attributes: Map<String, Value>,
}

impl From<Printing> for PrintingResponse {
    fn from(printing: Printing) -> Self {
        Self {
            id: printing.id.0,
            rarity: printing.rarity,
            tier: printing.tier,
            attributes: printing.attributes,
        }
    }
}

/// The printings of a card.
#[derive(Serialize, ToSchema)]
pub struct PrintingsResponse {
    /// The most common first; none while the card is hidden from the caller.
    pub data: Vec<PrintingResponse>,
    /// Whether the card is hidden from everybody who neither holds it nor oversees the cards.
    pub hidden: bool,
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
    /// Number in the set.
    #[param(value_type = Option<String>)]
    number: Option<Code>,
    /// Whether the card is hidden from the public.
    hidden: Option<bool>,
    /// Code of a kind. Never matches a card that is hidden from the caller.
    #[param(value_type = Option<String>)]
    kind: Option<Code>,
    /// The name, or its beginning and `*`; case, punctuation and accents do not count. Never matches a card that is hidden
    /// from the caller.
    #[param(value_type = Option<String>, max_length = 200)]
    name: Option<String>,
    /// Code of a rarity in which the card exists. Never matches a card that is hidden from the caller.
    #[param(value_type = Option<String>)]
    rarity: Option<Code>,
    /// A query: `t:fire attack>700 -"draw a card"`. The language is in docs/SEARCH.md. Terms that cannot be used are told in
    /// `warnings`.
    #[param(value_type = Option<String>, max_length = 1000, example = "t:fire attack>=300")]
    q: Option<String>,
    /// Field to sort by; else what `q` says, else `set`: game, set and number.
    #[param(value_type = Option<String>, max_length = 64, example = "attack")]
    sort: Option<String>,
    /// Which end comes first; else what `q` says, else `asc`. Cards without a value come last.
    #[param(inline)]
    order: Option<Order>,
    /// What an entry stands for; else what `q` says, else `cards`. Lists of printings hold cards that the caller may see.
    #[param(inline)]
    unique: Option<UniqueParam>,
    /// Members of the cards to answer with, separated by commas; all when absent. `id` always comes.
    #[param(value_type = Option<String>, max_length = 200)]
    fields: Option<CardMembers>,
    /// `total` to count all entries of the list.
    #[param(inline)]
    include: Option<Include>,
    /// The same as `include=total`.
    total: Option<bool>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// What else to tell.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Include {
    /// How many entries there are in all.
    Total,
}

impl CardsQuery {
    fn filter(&self) -> Result<CardFilter, Problem> {
        let name = self.name.as_deref().map(NamePattern::parse).transpose();
        let text = |code: &Option<Code>| code.as_ref().map(|code| code.lower_case().into_string());
        Ok(CardFilter {
            game: text(&self.game),
            set: text(&self.set),
            number: self.number.clone().map(Code::into_string),
            hidden: self.hidden,
            kind: text(&self.kind),
            name: name.map_err(|error| {
                Problem::new(ProblemCode::InvalidQuery).detail(error.to_string())
            })?,
            rarity: text(&self.rarity),
        })
    }

    fn request(&self) -> Result<ListRequest, Problem> {
        Ok(ListRequest {
            filter: self.filter()?,
            text: self.q.clone().unwrap_or_default(),
            sort: self.sort.clone(),
            descending: self.order.map(|order| order == Order::Desc),
            unique: self.unique.map(Into::into),
        })
    }

    /// Whether entries are whole cards.
    fn is_whole(&self, list: &List) -> bool {
        self.fields.is_none() && list.query.unique == Unique::Cards
    }

    fn wants_total(&self) -> bool {
        self.include == Some(Include::Total) || self.total == Some(true)
    }
}

/// Open cards change rarely; progress shows within seconds.
pub(in crate::api) fn freshness(viewer: Viewer, may_progress: bool) -> Freshness {
    match (viewer.is_stranger(), may_progress) {
        (false, _) => Freshness::Private,
        (true, true) => Freshness::Public(5),
        (true, false) => Freshness::Public(60),
    }
}

/// Lists cards, or searches them.
///
/// `q` is a query in the language of docs/SEARCH.md; the other filters and it must hold together. A hidden card is found by game, set,
/// number, `hidden` and progress only: any other condition, and the negation of any other, finds only cards that the caller may see.
/// Without `sort` the list follows game, set and number. With `Accept: text/plain` a page is a deck list with one copy of each card.
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
    query: Params<CardsQuery>,
) -> Result<HttpResponse, Problem> {
    let (viewer, request) = (caller.viewer(), query.request()?);
    let list = request.checked(&state).await?;
    let part = Part {
        after: query.cursor.as_ref().map(|cursor| list.position(cursor)).transpose()?,
        limit: query.limit,
        total: query.wants_total(),
    };
    let mut found = match list_in_memory(&state, network.0, viewer, &list, &part).await? {
        Some(mut hits) if form == AnswerForm::Json => {
            let bodies = if query.is_whole(&list) {
                let ids: Vec<CardId> = hits.entries.iter().map(id_of).collect();
                state.bodies_of(viewer, &ids).await?
            } else {
                let members = query.fields.as_ref();
                state.entry_bodies(viewer, &list.query, &hits.entries, members).await?
            };
            let warnings = warnings(list, &mut hits);
            let (next, total) = (hits.next_cursor, hits.total);
            let body = page_of_bodies(&bodies, next.as_deref(), total, &warnings);
            let body = body.map_err(Problem::internal)?;
            let answer = Rendered::of_json(freshness(viewer, true), body).answer(&req);
            return Ok(form.told_apart(linked(&req, next.as_deref(), answer)));
        }
        Some(hits) => state.cards_of(viewer, &list.query, hits).await?,
        None => list_in_database(&state, network.0, viewer, &list, &part).await?,
    };
    let warnings = warnings(list, &mut found);
    let Listed { entries, next_cursor, total, .. } = found;
    let next = next_cursor.clone();
    let fresh = freshness(viewer, true);
    let answer = match form {
        AnswerForm::Text => cacheable_text(&req, fresh, None, list_text(&entries, &warnings)),
        AnswerForm::Json => {
            let members = query.fields.as_ref();
            let entries = entries.into_iter().map(|found| CardEntry::new(found, members));
            let data = entries.collect::<Result<_, _>>().map_err(Problem::internal)?;
            let page = Page { data, next_cursor, total: None };
            cacheable(&req, fresh, None, &CardsPage::new(page, total, warnings))?
        }
    };
    Ok(form.told_apart(linked(&req, next.as_deref(), answer)))
}

/// What is to be said of a list beside its entries.
fn warnings<T>(list: List, found: &mut Listed<T>) -> Vec<QueryWarning> {
    let mut warnings = list.warnings;
    warnings.extend(found.cut.take());
    if found.uncounted {
        warnings.push(QueryWarning::uncounted(&list.text));
    }
    warnings
}

/// What is to be told beside the card itself.
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
    /// What is to be told beside the card itself. Ignored with `Accept: text/plain`.
    #[param(inline)]
    include: Option<CardInclude>,
}

/// Who asks for a card, and in which form.
#[derive(Clone, Copy)]
pub(in crate::api) struct Asked {
    pub(in crate::api) viewer: Viewer,
    pub(in crate::api) form: AnswerForm,
    pub(super) include: Option<CardInclude>,
}

impl Asked {
    /// Whether a kept answer is the viewer's, too: an open card is the same for strangers and players. Who edits cards expects to see at
    /// once what was changed, and what formats say changes with the day.
    fn may_be_kept(self) -> bool {
        !self.viewer.sees_all() && self.form == AnswerForm::Json && self.include.is_none()
    }
}

/// Shows a card.
///
/// While it is hidden, everybody but its holders, moderators and admins gets only its game, set, number and progress. With
/// `Accept: text/plain` the answer is text for people.
#[utoipa::path(
    get, path = "/v1/cards/{card}", tag = "catalogue", security((), ("bearer" = [])),
    params(("card" = Uuid, Path, description = "Id of the card"), CardQuery),
    responses(
        (status = 200, content((CardResponse = "application/json"), (String = "text/plain", example = "Kettle Imp\nttcg hearth 001 unit\n"))),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card became one with another: its place is in `Location`."),
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
    let card = CardId(*card);
    let asked = Asked { viewer: caller.viewer(), form, include: query.include };
    match answer_about(&req, &state, asked, card).await? {
        None => redirected(&req, &mut *state.store.connection().await?, card).await,
        Some(answer) => Ok(answer),
    }
}

/// The answer about a card, from memory where it is kept; `None`: there is no such card.
pub(super) async fn answer_about(
    req: &HttpRequest,
    state: &AppState,
    asked: Asked,
    card: CardId,
) -> Result<Option<HttpResponse>, Problem> {
    if asked.may_be_kept()
        && let Some(kept) = state.card_cache.find(card)
    {
        return Ok(Some(asked.form.told_apart(told(kept, asked.viewer).answer(req))));
    }
    let ticket = state.card_cache.ticket();
    let find = async |conn: &_| cards::find(conn, asked.viewer, card).await;
    match state.store.read(find).await? {
        None => Ok(None),
        Some(view) => written(req, state, asked, ticket, view).await.map(Some),
    }
}

/// Finds the card with a number of a set.
///
/// Zeros at the beginning of the number may be left out, or be more, where the set has one card that is meant: `16` finds `016`.
#[utoipa::path(
    get, path = "/v1/games/{game}/sets/{set}/cards/{number}", tag = "catalogue", security((), ("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "hearth"),
        ("number" = String, Path, description = "Number in the set", example = "001"),
        CardQuery,
    ),
    responses(
        (status = 200, content((CardResponse = "application/json"), (String = "text/plain", example = "Kettle Imp\nttcg hearth 001 unit\n"))),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card was moved, or became one with another: its place is in `Location`."),
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
    let (viewer, place) = (caller.viewer(), path.into_inner());
    let (game, set, number) = (place.0.as_str(), place.1.as_str(), place.2.as_str());
    let asked = Asked { viewer, form, include: query.include };
    if asked.may_be_kept()
        && let Some(card) = state.catalogue.cards().and_then(|all| all.at(game, set, number))
        && let Some(kept) = state.card_cache.find(CardId(Uuid::from_u128(card)))
        // The index may be a moment behind what is kept of a card that moved.
        && kept.place == PlaceMark::of(game, set, number)
    {
        return Ok(form.told_apart(told(kept, viewer).answer(&req)));
    }
    let ticket = state.card_cache.ticket();
    let find = async |conn: &_| cards::find_by_number(conn, viewer, game, set, number).await;
    match state.store.read(find).await? {
        None => {
            let conn = &mut *state.store.connection().await?;
            let moved = redirected_number(&req, conn, (&place.0, &place.1, &place.2)).await;
            // People leave out the zeros. An old number leads on to its card first.
            if moved.is_err()
                && let Some(number) = cards::number_with_zeros(conn, game, set, number).await?
                && let Some(view) = cards::find_by_number(conn, viewer, game, set, &number).await?
            {
                return written(&req, &state, asked, ticket, view).await;
            }
            moved
        }
        Some(view) => written(&req, &state, asked, ticket, view).await,
    }
}

/// A kept answer for somebody who may see what strangers see.
fn told(kept: KeptCard, viewer: Viewer) -> Rendered {
    Rendered::written(freshness(viewer, false), Some(kept.modified), kept.body)
}

/// Writes an answer out, and keeps it when the card is open to everybody.
async fn written(
    req: &HttpRequest,
    state: &AppState,
    asked: Asked,
    ticket: Ticket,
    view: CardView,
) -> Result<HttpResponse, Problem> {
    let Asked { viewer, form, include } = asked;
    if include == Some(CardInclude::Legalities) && form == AnswerForm::Json {
        return with_legalities(req, state, viewer, view).await;
    }
    if view.is_hidden() || !asked.may_be_kept() {
        return answer(req, viewer, form, Some(view));
    }
    let id = view.place().id;
    let written = body_of(view)?;
    let kept = written.kept().ok_or_else(|| Problem::internal("an open card is hidden"))?;
    state.card_cache.keep(ticket, id, kept.clone());
    Ok(form.told_apart(told(kept, viewer).answer(req)))
}

/// A card with what formats say of it today: it changes without the card, and so has no time of its last change.
async fn with_legalities(
    req: &HttpRequest,
    state: &AppState,
    viewer: Viewer,
    view: CardView,
) -> Result<HttpResponse, Problem> {
    let fresh = freshness(viewer, view.is_hidden());
    let legalities = legalities_of(state, &view, state.today()?).await?;
    let mut card = CardResponse::from(view);
    if let CardResponse::Open(card) = &mut card {
        card.legalities = Some(legalities);
    }
    Ok(AnswerForm::Json.told_apart(cacheable(req, fresh, None, &card)?))
}

/// What is answered about a card, written out.
pub(in crate::api) struct CardBody {
    pub(in crate::api) body: Bytes,
    /// When it last became what it is to the public; `None`: it is hidden from it.
    modified: Option<DateTime<Utc>>,
    place: PlaceMark,
}

impl CardBody {
    /// As it may be kept for everybody; `None`: not everybody may see it.
    pub(in crate::api) fn kept(&self) -> Option<KeptCard> {
        let Self { body, modified, place } = self;
        Some(KeptCard { body: body.clone(), modified: (*modified)?, place: *place })
    }
}

/// Writes the answer about a card out.
pub(super) fn body_of(view: CardView) -> Result<CardBody, Problem> {
    let (_, modified) = freshness_of(Viewer::stranger(), &view);
    let CardPlace { game, set, number, .. } = view.place();
    let place = PlaceMark::of(game, set, number);
    // A copy has no room to grow: it may be kept for long.
    let body = Bytes::copy_from_slice(&json(&CardResponse::from(view), ONE)?);
    Ok(CardBody { body, modified, place })
}

pub(in crate::api) fn answer(
    req: &HttpRequest,
    viewer: Viewer,
    form: AnswerForm,
    found: Option<CardView>,
) -> Result<HttpResponse, Problem> {
    let view = found.ok_or_else(Problem::not_found)?;
    let (fresh, modified) = freshness_of(viewer, &view);
    in_form(req, form, fresh, modified, view)
}

/// How long an answer about a card may be kept, and since when the card is what it is.
fn freshness_of(viewer: Viewer, view: &CardView) -> (Freshness, Option<DateTime<Utc>>) {
    // When the content of a hidden card changed is a secret of its own.
    let modified = match view {
        CardView::Open(card) if !card.is_hidden() => Some(card.public_update()),
        _ => None,
    };
    (freshness(viewer, modified.is_none()), modified)
}

/// A card in the form that the client wants.
pub(super) fn in_form(
    req: &HttpRequest,
    form: AnswerForm,
    fresh: Freshness,
    modified: Option<DateTime<Utc>>,
    view: CardView,
) -> Result<HttpResponse, Problem> {
    let answer = match form {
        AnswerForm::Text => {
            let text = card_text(&view).map_err(Problem::internal)?;
            cacheable_text(req, fresh, modified, text)
        }
        AnswerForm::Json => cacheable(req, fresh, modified, &CardResponse::from(view))?,
    };
    Ok(form.told_apart(answer))
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
        (status = 308, description = "The card became one with another: its place is in `Location`."),
    )
)]
pub async fn list_printings(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    card: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (viewer, card) = (caller.viewer(), CardId(*card));
    let mut conn = state.store.connection().await?;
    let Some(found) = cards::find(&conn, viewer, card).await? else {
        return redirected(&req, &mut conn, card).await;
    };
    let printings = cards::printings(&mut conn, viewer, card).await?;
    let hidden = found.is_hidden();
    let body = PrintingsResponse { data: printings.into_iter().map(Into::into).collect(), hidden };
    cacheable(&req, freshness(viewer, hidden), None, &body)
}

#[cfg(test)]
mod tests {
    use utoipa::PartialSchema as _;

    use super::*;

    #[test]
    fn effects_are_documented_as_they_leave() {
        let text = || "x".to_owned();
        let effect = Effect { style: Some(text()), slot: Some(text()), text: text() };
        let left = serde_json::to_value(effect).unwrap();
        let documented = serde_json::to_value(EffectResponse::schema()).unwrap();
        let members = |object: &Value| -> Vec<String> {
            object.as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(members(&left), members(&documented["properties"]));
        assert_eq!(documented["required"], serde_json::json!(["text"]));
    }
}
