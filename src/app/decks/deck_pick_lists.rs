//! Pick lists: which owned printings to take for a deck, what is missing, and whether the reduced deck is legal.

use cardscape_engine::{CardReference, Date, Deck, DeckDialect, DeckEntry, write_deck};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_cards::{Requester, find_longer_names, with_present_names};
use super::deck_holdings::DeckHoldings;
use super::deck_lists::find_seen;
use super::deck_reports;
use super::deck_responses::SeenDeck;
use super::masks::EntryCardResponse;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::words::words;
use crate::auth::permission::{Granted, ReadOwnCollection, ReadOwnDecks};
use crate::domain::decks::allocation::{Allocated, OwnedPrinting, allocate};
use crate::domain::decks::reservation::{ReservedCopies, open_to};
use crate::domain::ids::DeckId;

words! {
    ReservedCopies: "Whether copies that are reserved for other decks are taken: `include`, or `exclude`.";
}

/// The part of a deck that you can build from your collection.
#[derive(Serialize, ToSchema)]
pub struct DeckPickListResponse {
    /// Whether you can build the whole deck.
    pub buildable: bool,
    /// Copies that the deck needs.
    #[schema(example = 50)]
    pub needed: u64,
    /// Needed copies that cannot be taken, because you do not own them or, without `reserved=include`, because they are reserved for your other decks.
    #[schema(example = 3)]
    pub missing: u64,
    /// The entries of the deck, each with the printings to take for it.
    pub entries: Vec<PickedEntryResponse>,
    /// The copies that can be taken, as a deck list in the dialect of this service, with set, number and rarity of each printing: a line for each printing of an
    /// entry. The field `list` of a deck accepts it, if it has at most 500 lines.
    #[schema(example = "2 Kettle Imp (hearth) 016 {common}\n")]
    pub list: String,
    /// The format of the deck: `game/format`, or `game/format:variant`.
    #[schema(example = "ttcg/standard")]
    pub format: String,
    /// Status of that list in the format of the deck: `legal`, `incomplete` (only cards are missing) or `illegal`; absent: the format does not exist
    /// on that day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "incomplete")]
    pub status: Option<&'static str>,
    /// The day whose rules and limit lists were applied.
    #[schema(value_type = String, format = Date, example = "2026-11-01")]
    pub on: Date,
}

/// An entry of a deck, and the printings to take for it.
#[derive(Serialize, ToSchema)]
pub struct PickedEntryResponse {
    /// Zone of the entry.
    #[schema(example = "main")]
    pub zone: String,
    /// Number of copies.
    #[schema(example = 3)]
    pub quantity: u32,
    /// Name of the card as in the deck; empty: the card is hidden from you.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// The card; `card_id` is only there if it is hidden from you.
    #[serde(flatten)]
    pub card: EntryCardResponse,
    /// Code of the rarity, if the entry names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rare")]
    pub rarity: Option<String>,
    /// The printings to take; those that the entry names come first.
    pub take: Vec<PickedPrintingResponse>,
    /// Copies of the entry that cannot be taken.
    #[schema(example = 1)]
    pub missing: u64,
}

/// Copies of a printing to take.
#[derive(Serialize, ToSchema)]
pub struct PickedPrintingResponse {
    /// Id of the printing.
    pub printing_id: Uuid,
    /// Name of the card.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// Code of the set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Number in the set.
    #[schema(example = "016")]
    pub number: String,
    /// Code of the rarity.
    #[schema(example = "common")]
    pub rarity: String,
    /// Number of copies to take.
    #[schema(example = 2, minimum = 1)]
    pub quantity: u64,
    /// Whether the entry names this printing; always `true` if the entry names no printing.
    #[schema(example = false)]
    pub is_named: bool,
}

impl PickedPrintingResponse {
    fn new(owned: &OwnedPrinting, taken: Allocated) -> Self {
        Self {
            printing_id: owned.printing.0,
            name: owned.name.clone(),
            set: owned.set.clone(),
            number: owned.number.clone(),
            rarity: owned.rarity.clone(),
            quantity: taken.quantity,
            is_named: !taken.is_other,
        }
    }
}

/// Finds which part of a deck can be built from the account's cards. Reservations are respected only if the caller may read decks; otherwise all owned cards
/// are used.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    reads: Option<&Granted<ReadOwnDecks>>,
    requester: Requester,
    id: DeckId,
    reserved: ReservedCopies,
) -> Result<DeckPickListResponse, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let seen = find_seen(app, &mut conn, (requester.0, reads), id).await?;
    let SeenDeck { content, masks, .. } = seen;
    let loaded = app.named_game_on(&mut conn, content.format.game()).await?;
    let loaded = loaded.map_err(Problem::internal)?;
    let deck = with_present_names(app, &mut conn, requester, &loaded.game, &content).await?;
    let format = content.format;
    let holdings =
        DeckHoldings::find(app, &mut conn, (by, reads), requester, &loaded.game, &deck).await?;
    drop(conn);
    let known = Some(holdings.pool);
    let owned = match reserved {
        ReservedCopies::Exclude => open_to(id, &holdings.owned, &holdings.reservations.in_effect),
        ReservedCopies::Include => holdings.owned,
    };
    let mut picked: Vec<Vec<Allocated>> = deck.entries.iter().map(|_| Vec::new()).collect();
    for taken in allocate(&deck.entries, &owned) {
        picked[taken.entry].push(taken);
    }
    let reduced = reduced(&deck, &picked, &owned);
    let longer = find_longer_names(app, requester.0, &loaded.game, &reduced).await?;
    let list = write_deck(&reduced, DeckDialect::Own, &longer, None).text;
    let on = app.today()?;
    let mut conn = StepConnection::new(&app.store);
    let verdict =
        deck_reports::verdict_in(app, &mut conn, requester, &format, (reduced, &[]), known, on)
            .await?;
    drop(conn);
    let status = verdict.judged.map(|(status, _)| status);
    let entry = |(at, (entry, taken)): (usize, (DeckEntry, Vec<Allocated>))| {
        let DeckEntry { zone, quantity, card, .. } = entry;
        let CardReference { name, set, number, rarity } = card;
        let copies: u64 = taken.iter().map(|one| one.quantity).sum();
        let take = taken.into_iter();
        let take = take.map(|one| PickedPrintingResponse::new(&owned[one.printing], one));
        let (take, missing) = (take.collect(), u64::from(quantity).saturating_sub(copies));
        let card = masks.card_at(at, (set, number));
        PickedEntryResponse { zone, quantity, name, card, rarity, take, missing }
    };
    let entries: Vec<PickedEntryResponse> =
        deck.entries.into_iter().zip(picked).enumerate().map(entry).collect();
    let missing = entries.iter().map(|entry| entry.missing).sum();
    Ok(DeckPickListResponse {
        buildable: missing == 0,
        needed: entries.iter().map(|entry| u64::from(entry.quantity)).sum(),
        missing,
        entries,
        list,
        format: format.to_string(),
        status,
        on,
    })
}

/// The deck of the taken copies, with one entry for each printing.
fn reduced(deck: &Deck, picked: &[Vec<Allocated>], owned: &[OwnedPrinting]) -> Deck {
    let mut reduced = Deck::default();
    for (entry, taken) in deck.entries.iter().zip(picked) {
        for one in taken {
            let OwnedPrinting { name, set, number, rarity, .. } = owned[one.printing].clone();
            let card =
                CardReference { name, set: Some(set), number: Some(number), rarity: Some(rarity) };
            reduced.entries.push(DeckEntry {
                zone: entry.zone.clone(),
                quantity: u32::try_from(one.quantity).unwrap_or(u32::MAX),
                card,
                copies: Vec::new(),
            });
        }
    }
    reduced
}
