//! Decks in the dialects of other programs, and as share codes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cardscape_engine::{
    DeckDialect, DeckEntry, DeckLoss, LossKind, leaves_out_all, write_named_deck,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::deck_cards::{self, Requester};
use super::deck_sheets::{SheetCard, card_of};
use super::opened_decks::{OpenedDeck, open};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::words::must_be_one_of;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::ids::DeckId;

/// A deck in a dialect.
#[derive(Serialize, ToSchema)]
pub struct DeckExportResponse {
    /// The dialect of the text.
    #[schema(example = "arena")]
    pub dialect: &'static str,
    /// The deck as text.
    #[schema(example = "Deck\n2 Kettle Imp (HEARTH) 001\n")]
    pub text: String,
    /// What the dialect cannot express; empty: reading the text gives the same deck.
    pub losses: Vec<DeckLossResponse>,
}

/// A deck in a dialect, and what is needed to name a file of it.
pub struct ExportedDeck {
    /// Name of the deck, which everybody who may read the deck may read.
    pub name: String,
    pub dialect: DeckDialect,
    pub written: DeckExportResponse,
    /// What the dialect cannot express, by kind: first what leaves out cards.
    pub losses: Vec<LostParts>,
    /// Number of cards that the text does not have, and of those in the deck.
    pub left_out: (u64, u64),
}

/// The entries of which a dialect cannot express the same part.
pub struct LostParts {
    pub kind: LossKind,
    /// The entries as the reader sees them, in the order of the deck; empty: the loss concerns the whole deck.
    pub entries: Vec<LostEntry>,
}

/// An entry of which a dialect cannot express a part.
pub struct LostEntry {
    pub quantity: u32,
    /// Its card, as the page of the deck shows it.
    pub card: SheetCard,
}

/// A part of a deck that a dialect cannot express.
#[derive(Serialize, ToSchema)]
pub struct DeckLossResponse {
    /// Position of the entry in the deck, from 0; absent: the loss concerns the whole deck.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 0)]
    pub entry: Option<usize>,
    /// What is lost, as a word for programs; `/docs/deck-text` lists the words.
    #[schema(value_type = String, example = "rarity")]
    pub kind: serde_json::Value,
    /// What is lost, in words for people.
    #[schema(example = "the rarity")]
    pub detail: String,
}

/// The dialect of a word, or the problem of the parameter; `None`: the parameter is missing.
pub fn read_dialect(word: Option<&str>) -> Result<DeckDialect, Problem> {
    let known = DeckDialect::ALL.map(DeckDialect::code);
    let fault = |fault| Problem::of_query(vec![fault]);
    let Some(word) = word else {
        let detail = format!("is missing; must be one of {}", known.join(", "));
        return Err(fault(InputFault::at("?dialect", detail)));
    };
    word.parse().map_err(|_| fault(InputFault::at("?dialect", must_be_one_of(word, known))))
}

/// The dialects that can express at least one entry of a deck, without share codes, which the page of the deck shows anyway.
pub fn useful_dialects(opened: &OpenedDeck) -> Vec<DeckDialect> {
    let (deck, catalogue) = (&opened.seen.content.deck, &opened.catalogue);
    let has_ids = opened.game().external_id().is_some();
    let is_useful = |dialect: &DeckDialect| match dialect {
        DeckDialect::ShareCode => false,
        DeckDialect::Ydk | DeckDialect::Ydke if !has_ids => false,
        _ => !leaves_out_all(deck, *dialect, catalogue),
    };
    DeckDialect::ALL.into_iter().filter(is_useful).collect()
}

/// What was lost, by kind: first what leaves out entries.
fn losses_by_kind(opened: &OpenedDeck, losses: &[DeckLoss]) -> Vec<LostParts> {
    let mut by_kind: BTreeMap<(bool, LossKind), Vec<LostEntry>> = BTreeMap::new();
    for DeckLoss { entry, kind } in losses {
        let lost = by_kind.entry((!kind.leaves_out(), *kind)).or_default();
        lost.extend(entry.and_then(|at| lost_entry(opened, at)));
    }
    by_kind.into_iter().map(|((_, kind), entries)| LostParts { kind, entries }).collect()
}

/// The entry at a position of the deck.
fn lost_entry(opened: &OpenedDeck, at: usize) -> Option<LostEntry> {
    let entry = opened.seen.content.deck.entries.get(at)?;
    let is_hidden = opened.seen.masks.hidden.contains_key(&at);
    let (_, card) = card_of(&entry.card, is_hidden, &opened.catalogue);
    Some(LostEntry { quantity: entry.quantity, card })
}

/// Number of cards that are left out, and of all cards.
fn count_left_out(entries: &[DeckEntry], losses: &[DeckLoss]) -> (u64, u64) {
    let leaving_out = || losses.iter().filter(|loss| loss.kind.leaves_out());
    let is_all_lost = leaving_out().any(|loss| loss.entry.is_none());
    let lost: BTreeSet<usize> = leaving_out().filter_map(|loss| loss.entry).collect();
    let cards = |is_counted: &dyn Fn(usize) -> bool| -> u64 {
        let counted = entries.iter().enumerate().filter(|(at, _)| is_counted(*at));
        counted.map(|(_, entry)| u64::from(entry.quantity)).sum()
    };
    (cards(&|at| is_all_lost || lost.contains(&at)), cards(&|_| true))
}

/// Writes a deck that the reader may see in a dialect.
pub async fn export(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    requester: Requester,
    id: DeckId,
    dialect: DeckDialect,
) -> Result<ExportedDeck, Problem> {
    let opened = open(app, reader, requester, id).await?;
    let sets = match dialect {
        DeckDialect::Archidekt | DeckDialect::NetrunnerDb | DeckDialect::Csv => {
            let mut conn = StepConnection::new(&app.store);
            Some(deck_cards::known_sets(app, &mut conn, opened.game()).await?)
        }
        _ => None,
    };
    let content = &opened.seen.content;
    let name = content.name.as_str();
    let cards = match dialect {
        DeckDialect::Own => {
            let (viewer, game) = (requester.0, opened.game());
            Arc::new(deck_cards::find_longer_names(app, viewer, game, &content.deck).await?)
        }
        DeckDialect::ShareCode => opened.cards_for_share_code(app).await?,
        DeckDialect::Ydk | DeckDialect::Ydke => opened.cards_for_ids(app).await?,
        _ => Arc::clone(&opened.catalogue),
    };
    let entries = &content.deck.entries;
    let written = write_named_deck(name, &content.deck, dialect, &cards, sets.as_deref());
    let by_kind = losses_by_kind(&opened, &written.losses);
    let left_out = count_left_out(entries, &written.losses);
    let losses = written.losses.into_iter().map(|loss| DeckLossResponse {
        entry: loss.entry,
        detail: loss.kind.to_string(),
        kind: serde_json::to_value(loss.kind).unwrap_or_default(),
    });
    let losses = losses.collect();
    let written = DeckExportResponse { dialect: dialect.code(), text: written.text, losses };
    Ok(ExportedDeck { name: name.to_owned(), dialect, written, losses: by_kind, left_out })
}
