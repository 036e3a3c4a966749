//! The caller's collection: how many cards of which printing, in which condition. Registered copies are separate.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::catalogue::codes::Codes;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_member::ProblemMember;
use crate::app::state::AppState;
use crate::app::words::words;
use crate::auth::permission::{Granted, ReadOwnCollection, Viewer, WriteOwnCollection};
use crate::domain::collection::resolve::{Choice, Meaning};
use crate::domain::collection::{Condition, EntryKey};
use crate::domain::ids::CardId;
use crate::store::collection::counts::{
    self, CardLine, Changed, Changes, CollectionError, EntryFilter, EntryView,
};
use crate::store::operations::idempotency::IdempotencyClaim;

pub use crate::store::collection::counts::{Change, EntryPosition};

words! {
    Condition: "The condition of a card, the best first.";
}

/// A short form of a card, without name and kind if the card is hidden from you.
#[derive(Serialize, ToSchema)]
pub struct CardLineResponse {
    /// Id of the card.
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
    /// Whether the card is hidden from the public.
    pub hidden: bool,
    /// Its name; absent if the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Kettle Imp")]
    pub name: Option<String>,
    /// Code of its kind; absent if the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "unit")]
    pub kind: Option<String>,
    /// Address of the whole card.
    #[schema(example = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub href: String,
}

impl From<CardLine> for CardLineResponse {
    fn from(card: CardLine) -> Self {
        Self {
            href: format!("/v1/cards/{}", card.id),
            id: card.id.0,
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
    /// Id of the printing.
    pub printing: Uuid,
    /// Its rarity; absent if the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "common")]
    pub rarity: Option<String>,
    /// `mint`, `near_mint`, `lightly_played`, `moderately_played`, `heavily_played` or `damaged`.
    #[schema(example = "near_mint")]
    pub condition: &'static str,
    /// Number of cards.
    #[schema(example = 4, minimum = 1, maximum = 9999)]
    pub quantity: i32,
    /// Its card.
    pub card: CardLineResponse,
    /// When the count was last changed.
    pub updated_at: DateTime<Utc>,
}

impl From<EntryView> for CollectionEntryResponse {
    fn from(entry: EntryView) -> Self {
        Self {
            printing: entry.printing_id.0,
            condition: entry.condition.as_str(),
            quantity: entry.quantity,
            updated_at: entry.updated_at,
            rarity: entry.rarity,
            card: entry.card.into(),
        }
    }
}

/// A count that was changed.
#[derive(Serialize, ToSchema)]
pub struct ChangedCount {
    /// Id of the printing.
    pub printing: Uuid,
    /// The condition.
    #[schema(example = "near_mint")]
    pub condition: &'static str,
    /// The count now, after all changes of the request.
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
    /// One count for each change, in the order of the changes.
    pub data: Vec<ChangedCount>,
}

/// A card or a printing that is meant or may be meant.
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
    /// Name of the card; absent if the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Kettle Imp")]
    pub name: Option<String>,
    /// Code of the rarity. Absent if only the card is known, or if the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "common")]
    pub rarity: Option<String>,
    /// Id of the printing. Absent if only the card is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printing: Option<Uuid>,
}

impl From<Choice> for ChoiceResponse {
    fn from(choice: Choice) -> Self {
        let Choice { game, set, number, name, printing } = choice;
        let id = printing.as_ref().map(|printing| printing.id.0);
        // A printing that the owner may not see has an id, but its rarity was not read.
        let rarity = printing.map(|printing| printing.rarity).filter(|rarity| !rarity.is_empty());
        Self { game, set, number, name, rarity, printing: id }
    }
}

impl From<CollectionError> for Problem {
    fn from(error: CollectionError) -> Self {
        let at = |place: usize| format!("/changes/{place}");
        match error {
            CollectionError::Unknown => Self::not_found(),
            CollectionError::Gone => Self::new(ProblemCode::Gone).detail(
                "An earlier request with this key made these changes. Since then, cards or their printings have changed, so that the request \
                 names other printings, several, or none.",
            ),
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
                    .with(ProblemMember::Candidates, candidates)
            }
            CollectionError::Idempotent(error) => error.into(),
        }
    }
}

/// Filter of collection entries.
pub struct EntrySelection {
    /// Only cards of this game, of sets with this code, and printings of this rarity; the codes must exist.
    pub codes: Codes,
    /// Only this card.
    pub card: Option<CardId>,
    /// Whether to count the whole list as well.
    pub with_total: bool,
}

/// Lists the caller's collection, by game, set and number.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    selection: &EntrySelection,
    after: Option<EntryPosition>,
    limit: PageLimit,
) -> Result<Page<CollectionEntryResponse>, Problem> {
    let EntrySelection { codes, card, with_total } = selection;
    let filter = EntryFilter {
        game: codes.game.as_deref(),
        set: codes.set.as_deref(),
        card: *card,
        rarity: codes.rarity.as_deref(),
        printings: None,
    };
    let mut conn = app.store.connection().await?;
    let rows = counts::list(&mut conn, by, viewer, &filter, after.as_ref(), limit.rows()).await?;
    let mut page = paged(rows, limit, EntryView::position, CollectionEntryResponse::from);
    if *with_total {
        page.total = Some(counts::count(&mut conn, by, viewer, &filter).await?);
    }
    Ok(page)
}

/// A count that was set.
pub struct SetCount {
    /// How many there were.
    pub before: i32,
    /// The entry; `None`: there are none any more.
    pub entry: Option<CollectionEntryResponse>,
}

/// Sets the number of cards of a printing in a condition.
pub async fn set(
    app: &AppState,
    by: &Granted<WriteOwnCollection>,
    viewer: Viewer,
    key: EntryKey,
    quantity: i32,
) -> Result<SetCount, Problem> {
    let at = app.clock.now();
    let counts::SetCount { before, entry } = app
        .write(by, async |conn, by| counts::set(conn, by, viewer, key, quantity, at).await)
        .await?;
    let (printing, _) = key;
    tracing::info!(account = %by.account(), %printing, quantity, "count set");
    Ok(SetCount { before, entry: entry.map(Into::into) })
}

/// An entry after a change.
pub struct ChangedEntry {
    /// The printing, its condition, and how many there are now.
    pub count: ChangedCount,
    /// The whole entry; `None`: nothing is left of it.
    pub entry: Option<CollectionEntryResponse>,
}

/// Entries after changes.
pub struct ChangedEntries {
    /// Whether an earlier request with the same key made the changes; this request then changed nothing.
    pub is_repeat: bool,
    /// One count for each change, in the order of the changes.
    pub entries: Vec<ChangedEntry>,
}

/// Adds to counts and subtracts from them, in one transaction.
pub async fn change(
    app: &AppState,
    by: &Granted<WriteOwnCollection>,
    viewer: Viewer,
    changes: &[Change],
    key: Option<&IdempotencyClaim>,
) -> Result<CountChangesResponse, Problem> {
    let ChangedEntries { entries, .. } = change_entries(app, by, viewer, changes, key).await?;
    Ok(CountChangesResponse { data: entries.into_iter().map(|changed| changed.count).collect() })
}

/// Like [`change`], and also returns the entries after the changes.
pub async fn change_entries(
    app: &AppState,
    by: &Granted<WriteOwnCollection>,
    viewer: Viewer,
    changes: &[Change],
    key: Option<&IdempotencyClaim>,
) -> Result<ChangedEntries, Problem> {
    let at = app.clock.now();
    let Changes { is_repeat, changed } = app
        .write(by, async |conn, by| counts::change(conn, by, viewer, changes, key, at).await)
        .await?;
    tracing::info!(account = %by.account(), changes = changes.len(), "counts changed");
    let entry_of = |changed: Changed| ChangedEntry {
        entry: changed.entry.clone().map(Into::into),
        count: changed.into(),
    };
    Ok(ChangedEntries { is_repeat, entries: changed.into_iter().map(entry_of).collect() })
}
