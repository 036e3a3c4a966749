//! How complete a collection is, and its duplicates.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::counts::CardLineResponse;
use crate::app::catalogue::codes::Codes;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnCollection, Viewer};
use crate::store::catalogue::sets;
use crate::store::collection::counts::{
    self, DuplicateFilter, DuplicatePosition, DuplicateView, OwnedRow, TotalRow,
};

/// How many you own, and how many there are.
#[derive(Default, Serialize, ToSchema)]
pub struct PartResponse {
    /// How many you have.
    #[schema(example = 12, minimum = 0)]
    pub owned: i64,
    /// How many there are.
    #[schema(example = 54, minimum = 0)]
    pub total: i64,
}

/// How many cards or printings of a rarity or kind you own, and how many there are.
#[derive(Serialize, ToSchema)]
pub struct CodedPartResponse {
    /// Code of the rarity or kind.
    #[schema(example = "common")]
    pub code: String,
    /// How many you own, and how many there are.
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
    /// All cards of the set, hidden cards included. You own a card if you own it in any rarity.
    pub cards: PartResponse,
    /// Printings of cards that you may see.
    pub printings: PartResponse,
    /// Printings of cards that you may see, by rarity, the most common first.
    pub rarities: Vec<CodedPartResponse>,
    /// Cards that you may see, by kind.
    pub kinds: Vec<CodedPartResponse>,
}

/// How complete the sets of a game are.
#[derive(Serialize, ToSchema)]
pub struct CompletionResponse {
    /// The sets, by code.
    pub data: Vec<SetCompletionResponse>,
}

/// The completion of one set. The totals and the owned counts are read one after the other, so a change in between may
/// make them inconsistent; owned counts are limited to the totals.
fn completion_of(
    (set, name): (String, String),
    totals: &[TotalRow],
    owned: &[OwnedRow],
) -> SetCompletionResponse {
    // Keyed by display position, so that rarities stay in their order.
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

/// Finds how complete the sets of a game are: one set, or all sets of which the account owns cards.
pub async fn find_completion(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    codes: &Codes,
) -> Result<CompletionResponse, Problem> {
    let set = codes.set.as_deref();
    let game = codes.game.as_deref().unwrap_or_default();
    let games = app.all_games().await?;
    let mut conn = app.store.connection().await?;
    let mut owned: BTreeMap<String, Vec<OwnedRow>> = BTreeMap::new();
    for row in counts::owned(&mut conn, by, viewer, game, set).await? {
        owned.entry(row.set_code.clone()).or_default().push(row);
    }
    if let Some(set) = set {
        owned.entry(set.to_owned()).or_default();
    }
    let Some(loaded) = games.iter().find(|loaded| loaded.game.code() == game) else {
        return Ok(CompletionResponse { data: Vec::new() });
    };
    let codes: Vec<&str> = owned.keys().map(String::as_str).collect();
    let mut data = Vec::with_capacity(owned.len());
    let names = sets::names(&conn, game, &codes).await?;
    let codes: Vec<&str> = names.keys().map(String::as_str).collect();
    let of = (&loaded.game, loaded.revision);
    let totals = app.totals_of_sets(&mut conn, viewer, of, &codes).await?;
    for named in names {
        let totals = totals.get(&named.0).map(|rows| &**rows).unwrap_or_default();
        // A set that was named is listed even if it has no cards.
        if set.is_some() || !totals.is_empty() {
            let owned = owned.remove(&named.0).unwrap_or_default();
            data.push(completion_of(named, totals, &owned));
        }
    }
    Ok(CompletionResponse { data })
}

/// A printing of which you have more than you keep.
#[derive(Serialize, ToSchema)]
pub struct DuplicateResponse {
    /// Id of the printing.
    pub printing: Uuid,
    /// Its rarity; absent if the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "common")]
    pub rarity: Option<String>,
    /// Number of counted cards, in all conditions.
    #[schema(example = 3, minimum = 0)]
    pub counted: i64,
    /// Number of registered copies.
    #[schema(example = 1, minimum = 0)]
    pub registered: i64,
    /// How many more than `over` you have.
    #[schema(example = 3, minimum = 1)]
    pub spare: i64,
    /// Its card.
    pub card: CardLineResponse,
}

/// Lists printings of which the account owns more than `over` (counted entries and registered copies together), by
/// game, set and number. With `codes`, which must exist, only those of that game.
pub async fn list_duplicates(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    codes: &Codes,
    over: i64,
    after: Option<DuplicatePosition>,
    limit: PageLimit,
) -> Result<Page<DuplicateResponse>, Problem> {
    let filter = DuplicateFilter { game: codes.game.as_deref(), over };
    let (mut conn, after) = (app.store.connection().await?, after.as_ref());
    let rows = counts::duplicates(&mut conn, by, viewer, &filter, after, limit.rows()).await?;
    let response = |row: DuplicateView| DuplicateResponse {
        printing: row.printing_id.0,
        rarity: row.rarity,
        counted: row.counted,
        registered: row.registered,
        spare: row.counted + row.registered - over,
        card: row.card.into(),
    };
    Ok(paged(rows, limit, DuplicateView::position, response))
}
