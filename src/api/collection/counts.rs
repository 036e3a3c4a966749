//! The caller's collection: how many cards of which printing, in which condition. Registered copies are separate.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::catalogue::codes::Codes;
use crate::app::collection::counts::{
    self, Change, CollectionEntryResponse, CountChangesResponse, EntrySelection,
};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem, both};
use crate::app::state::AppState;
use crate::app::words::Word as _;
use crate::auth::permission::{ReadOwnCollection, WriteOwnCollection};
use crate::domain::catalogue::card_name::TypedName;
use crate::domain::code::Code;
use crate::domain::collection::table::WantedPrinting;
use crate::domain::collection::{Condition, MAX_QUANTITY};
use crate::domain::ids::{CardId, PrintingId};
use crate::http::extract::{Caller, IdempotencyKey, Judge, JudgedBody, LooseParams, May};
use crate::memory::rendered::Freshness;
use crate::store::collection::counts::EntryPosition;

/// Most changes of one request.
const MAX_CHANGES: usize = 100;

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
    /// Only this card. The id of a merged card means the card that it became.
    card: Option<Uuid>,
    /// Only printings of this rarity. Entries of cards that are hidden from you are then left out.
    #[param(value_type = Option<String>, example = "common")]
    rarity: Option<Code>,
    /// Whether the answer has the number of all entries, as `total`.
    #[serde(default)]
    #[param(value_type = Option<bool>)]
    total: bool,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists your collection, by game, set and number.
///
/// If a card is hidden from you again, because you gave away your copy of it, its entries stay in the list, with game, set and number but without
/// name, kind and rarity.
#[utoipa::path(
    get, path = "/v1/collection", tag = "collection", security(("bearer" = [])), params(CollectionQuery),
    responses((status = 200, body = Page<CollectionEntryResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_collection(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCollection>,
    query: LooseParams<CollectionQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &CollectionQuery| {
        let (game, set, rarity) = (query.game.clone(), query.set.clone(), query.rarity.clone());
        let codes = Codes { game, set, rarity }.resolve(&state).await;
        both(Cursor::key_of(query.cursor.as_ref()), codes)
    };
    let (query, (after, codes)): (_, (Option<EntryPosition>, _)) = query.checked(check).await?;
    let card = query.card.map(CardId);
    let selection = EntrySelection { codes, card, with_total: query.total };
    let (viewer, limit) = (caller.viewer(), query.limit);
    let page = counts::list(&state, &by, viewer, &selection, after, limit).await?;
    page.answer(&req, Freshness::Private)
}

/// The new count of a printing in one condition.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CountRequest {
    /// Number of cards: 1 to 9999; 0 removes the entry.
    #[schema(example = 4, minimum = 0, maximum = 9999)]
    pub quantity: i32,
    /// The condition of the cards; `near_mint` if absent. Each condition of a printing has a count of its own.
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

impl Judge for CountRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

/// Parses a condition; without a word, the default one.
fn condition_of(word: Option<&str>, pointer: &str, faults: &mut Vec<InputFault>) -> Condition {
    let condition = word.map(Condition::read).transpose();
    condition
        .unwrap_or_else(|fault| {
            faults.push(InputFault::at(pointer, fault));
            None
        })
        .unwrap_or_default()
}

/// Sets how many cards of a printing you have in a condition.
///
/// The new count replaces the old one, whatever it was. To add to a count, perhaps from several devices, use `POST /v1/collection/changes`.
#[utoipa::path(
    put, path = "/v1/collection/{printing}", tag = "collection", security(("bearer" = [])), request_body = CountRequest,
    params(("printing" = Uuid, Path, description = "Id of a printing of a card that you may see, or that you have counted")),
    responses(
        (status = 200, body = CollectionEntryResponse),
        (status = 204, description = "The entry was removed, or there was none."),
        (status = 409, description = "`collection_full`"),
        (status = 422, description = "`invalid_body`"),
    )
)]
pub async fn set_count(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteOwnCollection>,
    printing: web::Path<Uuid>,
    JudgedBody(body): JudgedBody<CountRequest>,
) -> Result<HttpResponse, Problem> {
    let (quantity, condition) = body.value.parse()?;
    let (viewer, key) = (caller.viewer(), (PrintingId(*printing), condition));
    Ok(match counts::set(&state, &by, viewer, key, quantity).await?.entry {
        None => HttpResponse::NoContent().finish(),
        Some(entry) => {
            HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(entry)
        }
    })
}

/// A change of the count of a printing. The printing is named by its id; or by game, set and number; or by name, with game and set if several cards
/// have the name. A rarity is needed if the card has several.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CountChange {
    /// Id of the printing.
    #[serde(default)]
    pub printing: Option<Uuid>,
    /// Code of the game.
    #[serde(default, deserialize_with = "Code::deserialize_typed")]
    #[schema(value_type = Option<String>, example = "ttcg")]
    pub game: Option<Code>,
    /// Code of the set.
    #[serde(default, deserialize_with = "Code::deserialize_typed")]
    #[schema(value_type = Option<String>, example = "hearth")]
    pub set: Option<Code>,
    /// Number in the set.
    #[serde(default, deserialize_with = "Code::deserialize_typed")]
    #[schema(value_type = Option<String>, example = "016")]
    pub number: Option<Code>,
    /// Name of the card: 1 to 120 characters.
    #[serde(default)]
    #[schema(example = "Kettle Imp", min_length = 1, max_length = 120)]
    pub name: Option<String>,
    /// Code of the rarity.
    #[serde(default, deserialize_with = "Code::deserialize_typed")]
    #[schema(value_type = Option<String>, example = "common")]
    pub rarity: Option<Code>,
    /// The condition of the cards; `near_mint` if absent.
    #[schema(value_type = Option<Condition>, example = "near_mint")]
    pub condition: Option<String>,
    /// Number of cards to add, not 0; if it is negative, cards are subtracted.
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
    /// 1 to 100 changes, made in this order: all of them or none.
    #[schema(min_items = 1, max_items = 100, example = json!([
        { "game": "ttcg", "set": "hearth", "number": "016", "rarity": "common", "add": 2 },
        { "printing": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11", "condition": "damaged", "add": -1 },
    ]))]
    pub changes: Vec<CountChange>,
}

impl CountChangesRequest {
    /// Parses the changes, or reports every fault.
    fn parse(&self) -> Result<Vec<Change>, Problem> {
        let count = self.changes.len();
        if !(1..=MAX_CHANGES).contains(&count) {
            let detail = format!("must be 1 to {MAX_CHANGES} changes, not {count}");
            return Err(Problem::invalid(vec![InputFault::at("/changes", detail)]));
        }
        let mut faults = Vec::new();
        let changes =
            self.changes.iter().enumerate().filter_map(|(place, change)| {
                change.parse(&format!("/changes/{place}"), &mut faults)
            });
        let changes: Vec<Change> = changes.collect();
        if faults.is_empty() { Ok(changes) } else { Err(Problem::invalid(faults)) }
    }
}

impl Judge for CountChangesRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

/// Adds to counts and subtracts from them.
///
/// Changes from several devices at the same moment all count. If a count would fall below 0 or rise above 9999, nothing is changed, and `errors`
/// lists the changes. The answer to a repeated request has the counts at that time; it is 410 if cards or their printings have changed
/// since, so that the request names other printings, several, or none.
#[utoipa::path(
    post, path = "/v1/collection/changes", tag = "collection", security(("bearer" = [])), request_body = CountChangesRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 200, body = CountChangesResponse),
        (status = 409, description = "`count_out_of_range`, `collection_full`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: an earlier request with this key made the changes. Since then, cards or their printings have changed, so that the request names other printings, several, or none"),
        (status = 422, description = "`unclear_printing`: see `candidates`; `invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn change_counts(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteOwnCollection>,
    key: IdempotencyKey,
    JudgedBody(body): JudgedBody<CountChangesRequest>,
) -> Result<HttpResponse, Problem> {
    let key = key.claim(&state, by.account(), "change_counts", &body);
    let changes = body.value.parse()?;
    let body = counts::change(&state, &by, caller.viewer(), &changes, key.as_ref()).await?;
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(body))
}
