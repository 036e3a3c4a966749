//! How complete a collection is, and what it has more of than it needs.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::counts::CardLineResponse;
use crate::app::catalogue::codes::Codes;
use crate::app::page::{Cursor, Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnCollection;
use crate::domain::code::Code;
use crate::http::extract::{Caller, May, Params, cacheable};
use crate::memory::rendered::Freshness;
use crate::store::catalogue::sets;
use crate::store::collection::counts::{
    self, DuplicateFilter, DuplicatePosition, DuplicateView, OwnedRow, TotalRow,
};

/// Which sets.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CompletionQuery {
    /// Code of the game.
    #[param(value_type = String, example = "ttcg")]
    game: Code,
    /// Code of a set; without it, all sets of which you have something.
    #[param(value_type = Option<String>, example = "hearth")]
    set: Option<Code>,
}

/// So many of so many.
#[derive(Default, Serialize, ToSchema)]
pub struct PartResponse {
    /// How many you have.
    #[schema(example = 12, minimum = 0)]
    pub owned: i64,
    /// How many there are.
    #[schema(example = 54, minimum = 0)]
    pub total: i64,
}

/// So many of so many that have something in common.
#[derive(Serialize, ToSchema)]
pub struct CodedPartResponse {
    /// Code of the rarity or kind.
    #[schema(example = "common")]
    pub code: String,
    /// How many of them.
    #[serde(flatten)]
    pub part: PartResponse,
}

/// How complete a set is.
#[derive(Serialize, ToSchema)]
pub struct SetCompletionResponse {
    /// Code of the set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Name of the set.
    #[schema(example = "Hearth and Home")]
    pub name: String,
    /// Cards, in whatever rarity: all of the set, hidden ones, too.
    pub cards: PartResponse,
    /// Printings of cards that you may see.
    pub printings: PartResponse,
    /// Printings of cards that you may see by rarity, the most common first.
    pub rarities: Vec<CodedPartResponse>,
    /// Cards that you may see by kind.
    pub kinds: Vec<CodedPartResponse>,
}

/// How complete the sets of a game are.
#[derive(Serialize, ToSchema)]
pub struct CompletionResponse {
    /// The sets, by code.
    pub data: Vec<SetCompletionResponse>,
}

/// One set: what there is of it, and what somebody has. Numbers that were counted one after the other may differ by what happened in between, but
/// nobody has more than there is.
fn completion_of(
    (set, name): (String, String),
    totals: &[TotalRow],
    owned: &[OwnedRow],
) -> SetCompletionResponse {
    // By place, so that rarities are in their order.
    let mut parts: BTreeMap<(&str, i32, &str), PartResponse> = BTreeMap::new();
    let place_of = |part: &str, code: &str| {
        let total = totals.iter().find(|row| row.part == part && row.code == code);
        let owned = owned.iter().find(|row| row.part == part && row.code == code);
        let places = total.map(|row| row.place).into_iter().chain(owned.map(|row| row.place));
        places.min().unwrap_or_default()
    };
    for TotalRow { part, code, total, .. } in totals {
        let counts = parts.entry((part, place_of(part, code), code)).or_default();
        counts.total += total;
    }
    for OwnedRow { part, code, owned, beside, .. } in owned {
        let counts = parts.entry((part, place_of(part, code), code)).or_default();
        counts.owned += owned;
        counts.total = (counts.total + beside).max(counts.owned);
    }
    let mut found = SetCompletionResponse {
        set,
        name,
        cards: PartResponse::default(),
        printings: PartResponse::default(),
        rarities: Vec::new(),
        kinds: Vec::new(),
    };
    for ((part, _, code), counts) in parts {
        let coded = |part| CodedPartResponse { code: code.to_owned(), part };
        match part {
            "cards" => found.cards = counts,
            "printings" => found.printings = counts,
            "rarity" => found.rarities.push(coded(counts)),
            _ => found.kinds.push(coded(counts)),
        }
    }
    found
}

/// Tells how complete the sets of a game are: by cards, printings, rarity and kind.
///
/// You have a printing when you counted it or have a registered copy of it. Hidden cards count as cards of their set; in what rarities they are
/// and of which kind is counted for those alone who may see them.
#[utoipa::path(
    get, path = "/v1/collection/completion", tag = "collection", security(("bearer" = [])), params(CompletionQuery),
    responses((status = 200, body = CompletionResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_completion(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCollection>,
    query: Result<Params<CompletionQuery>, Problem>,
) -> Result<HttpResponse, Problem> {
    let query = query?;
    let codes =
        Codes { game: Some(query.game.clone()), set: query.set.clone(), ..Codes::default() };
    let codes = codes.known(&state).await?;
    let (viewer, set) = (caller.viewer(), codes.set.as_deref());
    let game = codes.game.as_deref().unwrap_or_default();
    let games = state.all_games().await?;
    let mut conn = state.store.connection().await?;
    let mut owned: BTreeMap<String, Vec<OwnedRow>> = BTreeMap::new();
    for row in counts::owned(&mut conn, &by, viewer, game, set).await? {
        owned.entry(row.set_code.clone()).or_default().push(row);
    }
    if let Some(set) = set {
        owned.entry(set.to_owned()).or_default();
    }
    let Some(loaded) = games.iter().find(|loaded| loaded.game.code() == game) else {
        return cacheable(&req, Freshness::Private, None, &CompletionResponse { data: Vec::new() });
    };
    let codes: Vec<&str> = owned.keys().map(String::as_str).collect();
    let mut data = Vec::with_capacity(owned.len());
    for named in sets::names(&conn, game, &codes).await? {
        let of = (&loaded.game, loaded.revision);
        let totals = state.totals_of_set(&mut conn, viewer, of, &named.0).await?;
        if !totals.is_empty() {
            let owned = owned.remove(&named.0).unwrap_or_default();
            data.push(completion_of(named, &totals, &owned));
        }
    }
    cacheable(&req, Freshness::Private, None, &CompletionResponse { data })
}

/// Which printings, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DuplicatesQuery {
    /// How many of a printing you keep: 1 to 9999. More than so many are listed.
    #[serde(default = "one")]
    #[param(value_type = Option<i64>, minimum = 1, maximum = 9999, default = 1)]
    over: i64,
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

fn one() -> i64 {
    1
}

/// A printing of which you have several.
#[derive(Serialize, ToSchema)]
pub struct DuplicateResponse {
    /// The printing.
    pub printing: Uuid,
    /// Its rarity; absent when the card is hidden from the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "common")]
    pub rarity: Option<String>,
    /// Counted, in all conditions.
    #[schema(example = 3, minimum = 0)]
    pub counted: i64,
    /// Registered copies.
    #[schema(example = 1, minimum = 0)]
    pub registered: i64,
    /// How many there are beyond those that you keep.
    #[schema(example = 3, minimum = 1)]
    pub spare: i64,
    /// Its card.
    pub card: CardLineResponse,
}

/// Lists printings of which you have more than you keep, counted and registered together, by game, set and number.
#[utoipa::path(
    get, path = "/v1/collection/duplicates", tag = "collection", security(("bearer" = [])), params(DuplicatesQuery),
    responses((status = 200, body = Page<DuplicateResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_duplicates(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCollection>,
    query: Params<DuplicatesQuery>,
) -> Result<HttpResponse, Problem> {
    let over = query.over;
    if !(1..=9999).contains(&over) {
        let fault = InputFault::at("?over", "must be 1 to 9999");
        return Err(Problem::new(ProblemCode::InvalidQuery).errors(vec![fault]));
    }
    let after = query.cursor.as_ref().map(Cursor::key::<DuplicatePosition>).transpose()?;
    let codes = Codes { game: query.game.clone(), ..Codes::default() }.known(&state).await?;
    let filter = DuplicateFilter { game: codes.game.as_deref(), over };
    let (viewer, limit) = (caller.viewer(), query.limit.rows());
    let mut conn = state.store.connection().await?;
    let rows = counts::duplicates(&mut conn, &by, viewer, &filter, after.as_ref(), limit).await?;
    let response = |row: DuplicateView| DuplicateResponse {
        printing: row.printing_id,
        rarity: row.rarity,
        counted: row.counted,
        registered: row.registered,
        spare: row.counted + row.registered - over,
        card: row.card.into(),
    };
    let page = paged(rows, query.limit, DuplicateView::position, response);
    page.answer(&req, Freshness::Private)
}
