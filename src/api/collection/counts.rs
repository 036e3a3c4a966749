//! The own collection: how many cards of which printing, in which condition. Registered copies are not counted here.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::catalogue::codes::Codes;
use crate::app::page::{Cursor, Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::words::{Word as _, words};
use crate::auth::permission::{ReadOwnCollection, WriteOwnCollection};
use crate::domain::catalogue::card_name::TypedName;
use crate::domain::code::Code;
use crate::domain::collection::resolve::{Choice, Meaning};
use crate::domain::collection::table::WantedPrinting;
use crate::domain::collection::{Condition, MAX_QUANTITY};
use crate::domain::ids::{CardId, PrintingId};
use crate::http::extract::{Body, Caller, IdempotencyKey, May, Params};
use crate::memory::rendered::Freshness;
use crate::store::collection::counts::{
    self, CardLine, Change, Changed, CollectionError, EntryFilter, EntryPosition, EntryView,
};

/// Most changes of one request.
const MAX_CHANGES: usize = 100;

words! {
    Condition: "In which condition a card is, the best first.";
}

/// A card in few words. A card that is hidden from the caller has game, set and number only.
#[derive(Serialize, ToSchema)]
pub struct CardLineResponse {
    /// Id.
    pub id: Uuid,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of its set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Its number in the set.
    #[schema(example = "016")]
    pub number: String,
    /// Whether it is hidden from the public.
    pub hidden: bool,
    /// Name; absent when the card is hidden from the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Kettle Imp")]
    pub name: Option<String>,
    /// Code of its kind; absent when the card is hidden from the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "unit")]
    pub kind: Option<String>,
    /// Where the whole card is.
    #[schema(example = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub href: String,
}

impl From<CardLine> for CardLineResponse {
    fn from(card: CardLine) -> Self {
        Self {
            href: format!("/v1/cards/{}", card.id),
            id: card.id,
            game: card.game_code,
            set: card.set_code,
            number: card.number,
            hidden: card.hidden,
            name: card.name,
            kind: card.kind,
        }
    }
}

/// An entry of a collection.
#[derive(Serialize, ToSchema)]
pub struct CollectionEntryResponse {
    /// The printing.
    pub printing: Uuid,
    /// Its rarity; absent when the card is hidden from the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "common")]
    pub rarity: Option<String>,
    /// `mint`, `near_mint`, `lightly_played`, `moderately_played`, `heavily_played` or `damaged`.
    #[schema(example = "near_mint")]
    pub condition: &'static str,
    /// How many.
    #[schema(example = 4, minimum = 1, maximum = 9999)]
    pub quantity: i32,
    /// Its card.
    pub card: CardLineResponse,
    /// When the count was changed last.
    pub updated_at: DateTime<Utc>,
}

impl From<EntryView> for CollectionEntryResponse {
    fn from(entry: EntryView) -> Self {
        Self {
            printing: entry.printing_id,
            condition: entry.condition.as_str(),
            quantity: entry.quantity,
            updated_at: entry.updated_at,
            rarity: entry.rarity,
            card: entry.card.into(),
        }
    }
}

/// Which entries, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CollectionQuery {
    /// Only cards of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Only cards of sets with this code.
    #[param(value_type = Option<String>, example = "hearth")]
    set: Option<Code>,
    /// Only this card.
    card: Option<Uuid>,
    /// Only printings of this rarity; entries of cards that are hidden from you have none.
    #[param(value_type = Option<String>, example = "common")]
    rarity: Option<Code>,
    /// Whether to count the whole list, too.
    #[serde(default)]
    #[param(value_type = Option<bool>)]
    total: bool,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists your collection, by game, set and number.
///
/// A card that is hidden from you again, because you gave away your copy of it, stays in the list with its game, set and number only.
#[utoipa::path(
    get, path = "/v1/collection", tag = "collection", security(("bearer" = [])), params(CollectionQuery),
    responses((status = 200, body = Page<CollectionEntryResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_collection(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCollection>,
    query: Params<CollectionQuery>,
) -> Result<HttpResponse, Problem> {
    let after = query.cursor.as_ref().map(Cursor::key::<EntryPosition>).transpose()?;
    let (game, set, rarity) = (query.game.clone(), query.set.clone(), query.rarity.clone());
    let codes = Codes { game, set, rarity }.known(&state).await?;
    let filter = EntryFilter {
        game: codes.game.as_deref(),
        set: codes.set.as_deref(),
        card: query.card.map(CardId),
        rarity: codes.rarity.as_deref(),
        printings: None,
    };
    let (viewer, limit) = (caller.viewer(), query.limit.rows());
    let mut conn = state.store.connection().await?;
    let rows = counts::list(&mut conn, &by, viewer, &filter, after.as_ref(), limit).await?;
    let mut page = paged(rows, query.limit, EntryView::position, CollectionEntryResponse::from);
    if query.total {
        page.total = Some(counts::count(&mut conn, &by, viewer, &filter).await?);
    }
    page.answer(&req, Freshness::Private)
}

/// How many there are now.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CountRequest {
    /// 1 to 9999; 0 removes the entry.
    #[schema(example = 4, minimum = 0, maximum = 9999)]
    pub quantity: i32,
    /// In which condition; `near_mint` when absent. Other conditions of the printing have counts of their own.
    #[schema(value_type = Option<Condition>, example = "near_mint")]
    pub condition: Option<String>,
}

impl CountRequest {
    fn parse(&self) -> Result<(i32, Condition), Problem> {
        let mut faults = Vec::new();
        if !(0..=MAX_QUANTITY).contains(&self.quantity) {
            let detail = format!("must be 0 to {MAX_QUANTITY}, not {}", self.quantity);
            faults.push(InputFault::at("/quantity", detail));
        }
        let condition = condition_of(self.condition.as_deref(), "/condition", &mut faults);
        if faults.is_empty() {
            Ok((self.quantity, condition))
        } else {
            Err(Problem::invalid(faults))
        }
    }
}

/// The condition of that name, or the usual one.
fn condition_of(word: Option<&str>, pointer: &str, faults: &mut Vec<InputFault>) -> Condition {
    let condition = word.map(Condition::read).transpose();
    condition
        .unwrap_or_else(|fault| {
            faults.push(InputFault::at(pointer, fault));
            None
        })
        .unwrap_or_default()
}

/// Sets how many cards of a printing you have.
///
/// The count becomes what you say, whatever it was: to add to it, from several devices perhaps, use `POST /v1/collection/changes`.
#[utoipa::path(
    put, path = "/v1/collection/{printing}", tag = "collection", security(("bearer" = [])), request_body = CountRequest,
    params(("printing" = Uuid, Path, description = "Id of a printing of a card that you may see, or that you have counted")),
    responses(
        (status = 200, body = CollectionEntryResponse),
        (status = 204, description = "There is no such entry any more."),
        (status = 409, description = "`collection_full`"),
        (status = 422, description = "`invalid_body`"),
    )
)]
pub async fn set_count(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteOwnCollection>,
    printing: web::Path<Uuid>,
    body: Body<CountRequest>,
) -> Result<HttpResponse, Problem> {
    let (quantity, condition) = body.value.parse()?;
    let (viewer, key, at) =
        (caller.viewer(), (PrintingId(*printing), condition), state.clock.now());
    let entry = state
        .write(&by, async |conn, by| counts::set(conn, by, viewer, key, quantity, at).await)
        .await?;
    tracing::info!(account = %by.account(), printing = %printing, quantity, "count set");
    Ok(match entry {
        None => HttpResponse::NoContent().finish(),
        Some(entry) => HttpResponse::Ok()
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .json(CollectionEntryResponse::from(entry)),
    })
}

/// How many more, or fewer, of a printing: named by its id; or by game, set and number; or by name, with game and set where that is
/// needed. A rarity is needed where the card has several.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CountChange {
    /// Id of the printing.
    #[serde(default)]
    pub printing: Option<Uuid>,
    /// Code of the game.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "ttcg")]
    pub game: Option<Code>,
    /// Code of the set.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "hearth")]
    pub set: Option<Code>,
    /// Number in the set.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "016")]
    pub number: Option<Code>,
    /// Name of the card: 1 to 120 characters.
    #[serde(default)]
    #[schema(example = "Kettle Imp", min_length = 1, max_length = 120)]
    pub name: Option<String>,
    /// Code of the rarity.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "common")]
    pub rarity: Option<Code>,
    /// In which condition; `near_mint` when absent.
    #[schema(value_type = Option<Condition>, example = "near_mint")]
    pub condition: Option<String>,
    /// How many more; below 0: how many fewer.
    #[schema(example = 1, minimum = -9999, maximum = 9999)]
    pub add: i32,
}

impl CountChange {
    fn parse(&self, at: &str, faults: &mut Vec<InputFault>) -> Option<Change> {
        let before = faults.len();
        if self.add == 0 || !(-MAX_QUANTITY..=MAX_QUANTITY).contains(&self.add) {
            let detail = format!("must be 1 to {MAX_QUANTITY}, or the same below 0");
            faults.push(InputFault::at(format!("{at}/add"), detail));
        }
        let at_condition = format!("{at}/condition");
        let condition = condition_of(self.condition.as_deref(), &at_condition, faults);
        let name = self.name.as_deref().map(TypedName::parse).transpose();
        let name = name.map_err(|error| faults.push(InputFault::at(format!("{at}/name"), error)));
        let has_place = self.game.is_some() && self.set.is_some() && self.number.is_some();
        if self.printing.is_none() && self.name.is_none() && !has_place {
            let detail = "must have printing; or game, set and number; or name";
            faults.push(InputFault::at(at, detail));
        }
        let text = |code: &Option<Code>| code.as_ref().map(|code| code.as_str().to_owned());
        let wanted = WantedPrinting {
            printing: self.printing.map(PrintingId),
            game: text(&self.game),
            sets: text(&self.set).into_iter().collect(),
            number: text(&self.number),
            name: name.ok()?,
            rarity: text(&self.rarity),
            finish: None,
        };
        let change = Change { wanted, condition, add: self.add };
        (faults.len() == before).then_some(change)
    }
}

/// Changes of counts.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CountChangesRequest {
    /// 1 to 100 changes, made in their order: all of them or none.
    #[schema(min_items = 1, max_items = 100, example = json!([
        { "game": "ttcg", "set": "hearth", "number": "016", "rarity": "common", "add": 2 },
        { "printing": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11", "condition": "damaged", "add": -1 },
    ]))]
    pub changes: Vec<CountChange>,
}

/// A count that was changed.
#[derive(Serialize, ToSchema)]
pub struct ChangedCount {
    /// The printing.
    pub printing: Uuid,
    /// The condition.
    #[schema(example = "near_mint")]
    pub condition: &'static str,
    /// How many there are now, after all changes of the request.
    #[schema(example = 6, minimum = 0, maximum = 9999)]
    pub quantity: i32,
}

impl From<Changed> for ChangedCount {
    fn from(Changed { key: (printing, condition), entry }: Changed) -> Self {
        Self {
            printing: printing.0,
            condition: condition.as_str(),
            quantity: entry.map_or(0, |entry| entry.quantity),
        }
    }
}

/// The counts after the changes.
#[derive(Serialize, ToSchema)]
pub struct CountChangesResponse {
    /// One for each change, in their order.
    pub data: Vec<ChangedCount>,
}

/// Adds to counts and takes from them.
///
/// Changes of several devices at the same moment all count. No count falls below 0: then nothing is changed, and `errors` names the
/// changes. A repeated request is answered with the counts as they are then.
#[utoipa::path(
    post, path = "/v1/collection/changes", tag = "collection", security(("bearer" = [])), request_body = CountChangesRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 200, body = CountChangesResponse),
        (status = 409, description = "`count_out_of_range`, `collection_full`, `idempotency_in_progress`"),
        (status = 422, description = "`unclear_printing`: see `candidates`; `invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn change_counts(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteOwnCollection>,
    key: IdempotencyKey,
    body: Body<CountChangesRequest>,
) -> Result<HttpResponse, Problem> {
    let key = key.claim(&state, by.account(), "change_counts", &body);
    let requests = &body.value.changes;
    if !(1..=MAX_CHANGES).contains(&requests.len()) {
        let detail = format!("must be 1 to {MAX_CHANGES} changes, not {}", requests.len());
        return Err(Problem::invalid(vec![InputFault::at("/changes", detail)]));
    }
    let mut faults = Vec::new();
    let changes = requests
        .iter()
        .enumerate()
        .filter_map(|(place, change)| change.parse(&format!("/changes/{place}"), &mut faults));
    let changes: Vec<Change> = changes.collect();
    if !faults.is_empty() {
        return Err(Problem::invalid(faults));
    }
    let (viewer, at) = (caller.viewer(), state.clock.now());
    let changed = state
        .write(&by, async |conn, by| {
            counts::change(conn, by, viewer, &changes, key.as_ref(), at).await
        })
        .await?;
    tracing::info!(account = %by.account(), changes = changes.len(), "counts changed");
    let body = CountChangesResponse { data: changed.into_iter().map(Into::into).collect() };
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(body))
}

/// A card, or a printing of it, that may be meant.
#[derive(Serialize, ToSchema)]
pub struct ChoiceResponse {
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of its set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Its number in the set.
    #[schema(example = "016")]
    pub number: String,
    /// Name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Kettle Imp")]
    pub name: Option<String>,
    /// Rarity, where the card is clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "common")]
    pub rarity: Option<String>,
    /// Id of the printing, where the card is clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printing: Option<Uuid>,
}

impl From<Choice> for ChoiceResponse {
    fn from(choice: Choice) -> Self {
        let Choice { game, set, number, name, printing } = choice;
        let id = printing.as_ref().map(|printing| printing.id.0);
        // What the owner may not see has a printing, whose rarity was not read.
        let rarity = printing.map(|printing| printing.rarity).filter(|rarity| !rarity.is_empty());
        Self { game, set, number, name, rarity, printing: id }
    }
}

impl From<CollectionError> for Problem {
    fn from(error: CollectionError) -> Self {
        let at = |place: usize| format!("/changes/{place}");
        match error {
            CollectionError::Unknown => Self::not_found(),
            CollectionError::Full => Self::new(ProblemCode::CollectionFull),
            CollectionError::OutOfRange(places) => {
                let fault = |place| InputFault::at(at(place), "leaves the range of 0 to 9999");
                let faults = places.into_iter().map(fault).collect();
                Self::new(ProblemCode::CountOutOfRange).errors(faults)
            }
            CollectionError::Unclear(unclear) => {
                let (mut faults, mut candidates) = (Vec::new(), Vec::new());
                for (place, meaning) in unclear {
                    let (Meaning::Ambiguous(reason, choices) | Meaning::Unknown(reason, choices)) =
                        meaning
                    else {
                        continue;
                    };
                    faults.push(InputFault::at(at(place), reason));
                    let choices: Vec<ChoiceResponse> =
                        choices.into_iter().map(Into::into).collect();
                    candidates.push(json!({ "change": place, "choices": choices }));
                }
                Self::new(ProblemCode::UnclearPrinting)
                    .errors(faults)
                    .with("candidates", candidates)
            }
            CollectionError::Idempotent(error) => error.into(),
        }
    }
}
