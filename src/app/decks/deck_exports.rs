//! Decks in the dialects of other programs, and as share codes.

use std::sync::Arc;

use cardscape_engine::{DeckDialect, write_named_deck};
use serde::Serialize;
use utoipa::ToSchema;

use super::deck_cards::{self, Requester, StepConnection};
use super::opened_decks::open;
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
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
}

/// A part of a deck that a dialect cannot express.
#[derive(Serialize, ToSchema)]
pub struct DeckLossResponse {
    /// Position of the entry in the deck, from 0; absent: the loss concerns the whole deck.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 0)]
    pub entry: Option<usize>,
    /// What is lost, as a word for programs; docs/DECK_TEXT.md lists the words.
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
        DeckDialect::ShareCode => opened.cards_for_share_code(app).await?,
        DeckDialect::Ydk | DeckDialect::Ydke => opened.cards_for_ids(app).await?,
        _ => Arc::clone(&opened.catalogue),
    };
    let written = write_named_deck(name, &content.deck, dialect, &cards, sets.as_deref());
    let losses = written.losses.into_iter().map(|loss| DeckLossResponse {
        entry: loss.entry,
        detail: loss.kind.to_string(),
        kind: serde_json::to_value(loss.kind).unwrap_or_default(),
    });
    let losses = losses.collect();
    let written = DeckExportResponse { dialect: dialect.code(), text: written.text, losses };
    Ok(ExportedDeck { name: name.to_owned(), dialect, written })
}
