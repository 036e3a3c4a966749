//! The formats in which a deck is legal.

use std::sync::Arc;

use cardscape_engine::{Catalogue, Date, Deck, Format, Game};
use serde::Serialize;
use utoipa::ToSchema;

use super::deck_cards::Requester;
use super::deck_input::SentDeck;
use super::deck_reports::{FoundDeck, find_deck, verdicts};
use super::list_reading::NearNames;
use super::opened_decks::{OpenedDeck, open};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::ids::{CardId, DeckId};
use crate::store::catalogue::games::LoadedGame;

/// The status of a deck in one format.
#[derive(Serialize, ToSchema)]
pub struct DeckLegalityResponse {
    /// The format: `game/format`, or `game/format:variant`.
    #[schema(example = "ttcg/standard")]
    pub format: String,
    /// Status of the deck: `legal`, `incomplete` (only cards are missing) or `illegal`.
    #[schema(example = "legal")]
    pub status: &'static str,
}

/// The formats in which a deck is legal.
#[derive(Serialize, ToSchema)]
pub struct DeckLegalitiesResponse {
    /// The day whose rules and limit lists were applied.
    #[schema(value_type = String, format = Date, example = "2026-11-01")]
    pub on: Date,
    /// The formats in which the deck is legal.
    #[schema(example = json!(["ttcg/standard"]))]
    pub legal_in: Vec<String>,
    /// All formats that the game has on that day; a format with variants has an item for each variant.
    pub formats: Vec<DeckLegalityResponse>,
}

/// Judges a stored deck that the reader may see in each format of its game on a day (`None`: today).
pub async fn judge_everywhere(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    requester: Requester,
    id: DeckId,
    day: Option<Date>,
) -> Result<DeckLegalitiesResponse, Problem> {
    let opened = open(app, reader, requester, id).await?;
    judge_opened_everywhere(app, &opened, day).await
}

/// Like [`judge_everywhere`], for an opened deck.
pub(super) async fn judge_opened_everywhere(
    app: &AppState,
    opened: &OpenedDeck,
    day: Option<Date>,
) -> Result<DeckLegalitiesResponse, Problem> {
    let day = day.map_or_else(|| app.today(), Ok)?;
    let formats = formats_on(opened.game(), day);
    let mut conn = StepConnection::new(&app.store);
    let deck = FoundDeck::of_opened(&mut conn, opened, &formats).await?;
    Ok(judge_found(app, &mut conn, formats, deck, day).await?.1)
}

/// Judges a deck in each format that its game has on a day; also returns the catalogue by which it was judged. `bound`: the cards that its entries are bound to, in
/// their order.
pub(super) async fn judge_on(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    loaded: Arc<LoadedGame>,
    (deck, bound): (Deck, &[Option<CardId>]),
    day: Date,
) -> Result<(Arc<Catalogue>, DeckLegalitiesResponse), Problem> {
    let formats = formats_on(&loaded.game, day);
    let found = (loaded, formats);
    let sent = SentDeck::Entries(deck);
    let deck = find_deck(app, conn, requester, &found, sent, NearNames::LookUp).await?;
    let deck = deck.map_err(|_| Problem::internal("entries are no list"))?;
    let deck = deck.with_renamed(conn, requester.0, bound).await?;
    judge_found(app, conn, found.1, deck, day).await
}

async fn judge_found(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    formats: Vec<Arc<Format>>,
    FoundDeck { deck, mut cards, catalogue, .. }: FoundDeck,
    day: Date,
) -> Result<(Arc<Catalogue>, DeckLegalitiesResponse), Problem> {
    let (catalogue, judged) = verdicts(app, conn, &deck, &formats, &mut cards, catalogue).await?;
    let named = formats.iter().zip(&judged.reports).map(|(format, report)| {
        let variant = format.variant.as_ref().map(|variant| format!(":{variant}"));
        let variant = variant.unwrap_or_default();
        let format = format!("{}/{}{variant}", catalogue.game().code(), format.code);
        DeckLegalityResponse { format, status: report.status.as_str() }
    });
    let formats: Vec<DeckLegalityResponse> = named.collect();
    let legal = formats.iter().filter(|one| one.status == "legal");
    let legal_in = legal.map(|one| one.format.clone()).collect();
    Ok((catalogue, DeckLegalitiesResponse { on: day, legal_in, formats }))
}

/// Every format of a game on a day; a format with variants once for each variant.
fn formats_on(game: &Game, day: Date) -> Vec<Arc<Format>> {
    let formats = game.formats().iter().filter_map(|format| game.format_on(&format.code, day));
    let variants = formats.flat_map(|format| {
        let codes: Vec<_> = format.variants.iter().map(|variant| variant.code.clone()).collect();
        if codes.is_empty() {
            return vec![format];
        }
        codes.iter().filter_map(|code| format.with_variant(code)).map(Arc::new).collect()
    });
    variants.collect()
}
