//! Reports on several deck lists in one request.

use std::time::Instant;

use cardscape_engine::{Date, TextEncoding};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::deck_cards::Requester;
use super::deck_input::{DeckDialectWord, DeckEntryBody, DeckFaults, SentDeck, SentList};
use super::deck_reports::{
    DeckReportsResponse, FoundDeck, find_deck, find_formats, judge, read_formats,
};
use super::list_reading::NearNames;
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;

/// Most lists of one batch.
pub const MAX_BATCH: usize = 100;
/// Most entries of all lists of a batch, counted once for each format.
const MAX_JUDGED: usize = 10_000;

/// Several deck lists to judge by the same rules.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "format": "ttcg/standard", "decks": [{ "list": "2 Kettle Imp" }, { "entries": [{ "quantity": 1, "name": "Bellows Smith" }] }] }))]
pub struct DeckReportBatchRequest {
    /// The format: `game/format`, or `game/format:variant`. Either `format` or `formats` is required.
    #[schema(example = "ttcg/standard")]
    pub format: Option<String>,
    /// Several formats of one game, 1 to 10, each only once: a format without a variant is the same as its default variant. Either `formats` or
    /// `format` is required.
    #[schema(min_items = 1, max_items = 10)]
    pub formats: Option<Vec<String>>,
    /// The day whose rules and limit lists are applied; absent: today.
    #[schema(value_type = Option<String>, format = Date, example = "2026-11-01")]
    pub on: Option<Date>,
    /// The lists, 1 to 100. They have at most 10,000 entries together, counted once for each format.
    #[schema(min_items = 1, max_items = 100)]
    pub decks: Vec<BatchedDeck>,
}

/// A deck list of a batch.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchedDeck {
    /// The entries, at most 500. Either `entries` or `list` is required.
    #[schema(max_items = 500)]
    pub entries: Option<Vec<DeckEntryBody>>,
    /// The entries as text in any dialect. Either `list` or `entries` is required.
    #[schema(example = "2 Kettle Imp")]
    pub list: Option<String>,
    /// Dialect of `list`; absent: the dialect is recognised.
    #[schema(value_type = Option<DeckDialectWord>)]
    pub dialect: Option<String>,
}

/// The reports on several deck lists.
#[derive(Serialize, ToSchema)]
pub struct DeckReportBatchResponse {
    /// One item for each list, in the order of the request.
    pub data: Vec<DeckReportsResponse>,
}

/// Judges several deck lists that are not stored, by the same rules. If a list has a fault, none is judged, and all faults are reported.
pub async fn judge_batch(
    app: &AppState,
    requester: Requester,
    request: DeckReportBatchRequest,
) -> Result<DeckReportBatchResponse, Problem> {
    let DeckReportBatchRequest { format, formats, on, decks } = request;
    let mut faults = DeckFaults::default();
    if !(1..=MAX_BATCH).contains(&decks.len()) {
        let detail = format!("must have 1 to {MAX_BATCH} lists, not {}", decks.len());
        faults.fields.push(InputFault::at("/decks", detail));
    }
    let formats = read_formats(&mut faults, format, formats);
    let mut sent = Vec::new();
    for (at, BatchedDeck { entries, list, dialect }) in
        decks.into_iter().take(MAX_BATCH).enumerate()
    {
        let (list, dialect) = (list.as_deref(), dialect.as_deref());
        let list = list.map(|text| SentList { text, encoding: TextEncoding::Utf8, dialect });
        let deck = faults.below(&format!("/decks/{at}"), |faults| faults.deck(entries, list));
        sent.extend(deck.map(|deck| (at, deck)));
    }
    let Some(found) = find_formats(app, &mut faults, &formats, on).await? else {
        return faults.into_result(None);
    };
    let entries: usize = sent
        .iter()
        .map(|(_, deck)| match deck {
            SentDeck::Entries(deck) => deck.entries.len(),
            SentDeck::List(text) => text.entry_count(&found.0.game),
        })
        .sum();
    if entries * formats.len() > MAX_JUDGED {
        let detail = format!(
            "have {entries} entries together, for {} formats; at most {MAX_JUDGED} are judged at once, an entry once for each format",
            formats.len()
        );
        faults.fields.push(InputFault::at("/decks", detail));
        return faults.into_result(None);
    }
    // All lists together get the time for suggestions that a single list gets.
    let started = Instant::now();
    let near = |app: &AppState| {
        let in_time = started.elapsed() < app.settings.suggestion_time;
        if in_time { NearNames::LookUp } else { NearNames::LeaveOut }
    };
    let mut decks = Vec::new();
    for (at, sent) in sent {
        // After a fault, lists are only read to report their faults, too.
        let near = if faults.is_empty() { near(app) } else { NearNames::LeaveOut };
        match find_deck(app, requester, &found, sent, near).await? {
            Ok(deck) => decks.push(deck),
            Err(refusal) => {
                faults.below(&format!("/decks/{at}"), |faults| faults.refuse_list(refusal));
            }
        }
    }
    let decks = faults.into_result(Some(decks))?;
    let mut data = Vec::new();
    for deck in decks {
        let found = (found.0.clone(), found.1.clone());
        let deck = FoundDeck { near: near(app), ..deck };
        data.push(judge(app, requester, &formats, found, deck).await?);
    }
    Ok(DeckReportBatchResponse { data })
}
