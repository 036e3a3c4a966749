//! What is wrong with a deck: the engine's report, made with the eyes of whoever asks.

use std::collections::BTreeSet;

use cardscape_engine::{
    CardReference, Date, Deck, DeckMentions, Report, Resolution, TextEncoding, ViolationCode,
    legalities,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_cards::{self, Asker, Names, StepConnection};
use super::deck_input::{
    DeckDialectWord, DeckEntryBody, DeckFaults, FoundFormats, SentDeck, SentList, utf8,
};
use super::deck_lists::find_seen;
use super::list_reading::{ListReadingResponse, ListRefusal, ReadList, read_list};
use super::report_responses::{ReportContext, ReportResponse, report_response};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::decks::deck::{CardLines, FormatName, same_format};
use crate::domain::ids::DeckId;
use crate::store::decks::deck_pool::DeckPool;

/// Most formats of one request.
const MAX_FORMATS: usize = 10;

/// An entry, and which card it means.
#[derive(Serialize, ToSchema)]
pub struct ResolvedEntryResponse {
    /// Part of the deck.
    #[schema(example = "main")]
    pub zone: String,
    /// Copies.
    #[schema(example = 2)]
    pub quantity: u32,
    /// Name of the card, as it was written.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// Code of a set, if it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// Number in the set, if it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// Code of a rarity, if it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rarity: Option<String>,
    /// The very copies, if any were named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
    /// Line of the list on which it stands, from 1, if there was a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1, minimum = 1)]
    pub line: Option<usize>,
    /// Id of the card; absent when there is none of that name that you may know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<Uuid>,
}

/// The report on a stored deck.
#[derive(Serialize, ToSchema)]
pub struct DeckReportResponse {
    /// The report.
    #[serde(flatten)]
    pub report: ReportResponse,
    /// The entries with the ids of their cards.
    pub entries: Vec<ResolvedEntryResponse>,
}

/// The reports on a deck list.
#[derive(Serialize, ToSchema)]
pub struct DeckReportsResponse {
    /// All verdicts in a line, for people; formats are called as in the request.
    #[schema(example = "Legal in ttcg/standard.")]
    pub summary: String,
    /// Whether the deck is legal in every format asked for.
    pub legal_in_all: bool,
    /// One for each format, in the order of the request.
    pub reports: Vec<ReportResponse>,
    /// The entries with the ids of their cards.
    pub entries: Vec<ResolvedEntryResponse>,
    /// What became of each line of `list`; absent when the request has `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<ListReadingResponse>,
}

/// A deck list to judge, and by which rules.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "format": "ttcg/standard", "list": "2 Kettle Imp\n1 Belows Smith" }))]
pub struct DeckReportRequest {
    /// The format: `game/format`, or `game/format:variant`. Either this or `formats`.
    #[schema(example = "ttcg/standard")]
    pub format: Option<String>,
    /// Several formats of one game, 1 to 10, each once: a default variant is the same as its format without one. Either this
    /// or `format`.
    #[schema(example = json!(["emojo-dojo/box", "emojo-dojo/box:half"]), min_items = 1, max_items = 10)]
    pub formats: Option<Vec<String>>,
    /// By the rules and limit lists of this day; absent: of today.
    #[schema(value_type = Option<String>, format = Date, example = "2026-11-01")]
    pub on: Option<Date>,
    /// The entries, at most 500. Either this or `list`.
    #[schema(max_items = 500)]
    pub entries: Option<Vec<DeckEntryBody>>,
    /// The entries as text in any dialect: our own, `2 Kettle Imp (hearth) 001 {rare}`, those of other programs, or a share code. What became of each line
    /// is told in `reading`. Either this or `entries`.
    #[schema(example = "2 Kettle Imp\n1 Belows Smith")]
    pub list: Option<String>,
    /// The dialect of `list`, for example `mtgo`; absent: it is recognised.
    #[schema(value_type = Option<DeckDialectWord>, example = json!(null))]
    pub dialect: Option<String>,
    #[serde(skip, default = "utf8")]
    #[schema(ignore)]
    pub encoding: TextEncoding,
}

/// Judges a stored deck that the reader may see, by the rules of its format as they are on a day, or today. The cards are those that `viewer` may see.
pub async fn judge_stored(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    asker: Asker,
    id: DeckId,
    day: Option<Date>,
) -> Result<DeckReportResponse, Problem> {
    let seen = find_seen(app, (asker.0, reader), id).await?;
    let format = [(String::new(), seen.content.format.clone())];
    let mut faults = DeckFaults::default();
    let found = faults.formats(app, &format, day).await?;
    let found = faults.into_result(found)?;
    let deck = find_deck(app, asker, &found, SentDeck::Entries(seen.content.deck)).await?;
    let deck = deck.map_err(|_| Problem::internal("entries are no list"))?;
    let judged = judge(app, asker, &format, found, deck).await?;
    let DeckReportsResponse { reports, entries, .. } = judged;
    let report =
        reports.into_iter().next().ok_or_else(|| Problem::internal("no report for a format"))?;
    Ok(DeckReportResponse { report, entries })
}

/// Judges a deck list that is not stored. The cards are those that `viewer` may see.
pub async fn judge_list(
    app: &AppState,
    asker: Asker,
    request: DeckReportRequest,
) -> Result<DeckReportsResponse, Problem> {
    let (formats, found, deck) = parse(app, request).await?;
    let deck = match find_deck(app, asker, &found, deck).await? {
        Ok(deck) => deck,
        Err(refusal) => {
            let mut faults = DeckFaults::default();
            faults.refuse_list(refusal);
            return faults.into_result(None);
        }
    };
    judge(app, asker, &formats, found, deck).await
}

/// A deck with the cards that it is judged by.
struct FoundDeck {
    deck: Deck,
    lines: Vec<usize>,
    /// What is told of a list; its unknown names were compared with others when it was read.
    reading: Option<ListReadingResponse>,
    cards: DeckPool,
    names: Option<Names>,
}

async fn find_deck(
    app: &AppState,
    asker: Asker,
    (loaded, formats): &FoundFormats,
    sent: SentDeck,
) -> Result<Result<FoundDeck, ListRefusal>, Problem> {
    let game = &loaded.game;
    match sent {
        SentDeck::Entries(deck) => {
            let mut conn = StepConnection::new(&app.store);
            let mentions = DeckMentions::of_deck(&deck);
            let (cards, names) =
                deck_cards::find(app, &mut conn, asker, game, formats, &mentions).await?;
            Ok(Ok(FoundDeck { deck, lines: Vec::new(), reading: None, cards, names }))
        }
        SentDeck::List(text) => {
            let read = read_list(app, asker, game, formats, &text).await?;
            Ok(read.map(|(ReadList { deck, lines, told, .. }, cards)| FoundDeck {
                deck,
                lines,
                reading: Some(told),
                cards,
                names: None,
            }))
        }
    }
}

/// The formats by their pointers, what they are, and the deck; or every fault of the request.
async fn parse(
    app: &AppState,
    request: DeckReportRequest,
) -> Result<(Vec<(String, FormatName)>, FoundFormats, SentDeck), Problem> {
    let mut faults = DeckFaults::default();
    let names: Vec<(String, String)> = match (request.format, request.formats) {
        (Some(format), None) => vec![("/format".to_owned(), format)],
        (None, Some(formats)) => {
            if !(1..=MAX_FORMATS).contains(&formats.len()) {
                let detail = format!("must name 1 to {MAX_FORMATS} formats");
                faults.fields.push(InputFault::at("/formats", detail));
            }
            let named = formats.into_iter().take(MAX_FORMATS).enumerate();
            named.map(|(index, format)| (format!("/formats/{index}"), format)).collect()
        }
        _ => {
            faults.fields.push(InputFault::at("", "must have exactly one of format and formats"));
            Vec::new()
        }
    };
    let mut formats: Vec<(String, FormatName)> = Vec::new();
    for (pointer, name) in names {
        let Some(format) = faults.check(&pointer, FormatName::parse(&name)) else { continue };
        if formats.first().is_some_and(|(_, first)| first.game() != format.game()) {
            faults
                .fields
                .push(InputFault::at(pointer, "must be a format of the same game as the first"));
        } else {
            formats.push((pointer, format));
        }
    }
    let list = request.list.as_deref().map(|text| SentList {
        text,
        encoding: request.encoding,
        dialect: request.dialect.as_deref(),
    });
    let deck = faults.deck(request.entries, list);
    let found = faults.formats(app, &formats, request.on).await?;
    if let Some((first, second)) = found.as_ref().and_then(|(_, found)| same_format(found)) {
        let detail = format!("is the same format as {}, number {}", formats[first].1, first + 1);
        faults.fields.push(InputFault::at(&formats[second].0, detail));
    }
    let (found, deck) = faults.into_result(found.zip(deck))?;
    Ok((formats, found, deck))
}

/// Judges a deck for several formats of one game, seeing what `viewer` may see and no more.
async fn judge(
    app: &AppState,
    asker: Asker,
    names: &[(String, FormatName)],
    (loaded, formats): FoundFormats,
    FoundDeck { deck, lines, reading, mut cards, names: known }: FoundDeck,
) -> Result<DeckReportsResponse, Problem> {
    let game = &loaded.game;
    let names = names.iter().map(|(_, name)| name);
    let mut catalogue = cards.catalogue();
    let mut judged = legalities(&deck, &catalogue, &formats);
    if judged.miss_cards() {
        let mut conn = StepConnection::new(&app.store);
        deck_cards::add_sets(&mut conn, game, &mut cards).await?;
        catalogue = cards.catalogue();
        judged = legalities(&deck, &catalogue, &formats);
    }
    let unknown = unknown_names(&judged.reports);
    let mut suggestions_left_out = 0;
    if !unknown.is_empty() {
        let left_out = match &reading {
            Some(reading) => reading.suggestions_left_out,
            None => deck_cards::add_near(app, asker, known, game, &unknown, &mut cards).await,
        };
        suggestions_left_out = left_out.max(judged.suggest(&cards.catalogue()));
    }
    let card_id = |card: &CardReference| match catalogue.find(card) {
        Resolution::Card(card) | Resolution::OtherPrinting(card) => card.key.parse().ok(),
        _ => None,
    };
    let (summary, legal_in_all) = (judged.summary_as(names.clone()), judged.is_legal_in_all());
    let places = CardLines::new(&deck, &lines);
    let context = ReportContext { card_id: &card_id, places: &places, suggestions_left_out };
    let reports = names.zip(judged.reports).map(|(name, report)| {
        let status = report.status.as_str();
        metrics::counter!("deck_reports_total", "format" => name.to_string(), "status" => status)
            .increment(1);
        report_response(name, report, &context)
    });
    let reports = reports.collect();
    let lines = lines.into_iter().map(Some).chain(std::iter::repeat(None));
    let entries = deck.entries.into_iter().zip(lines).map(|(entry, line)| ResolvedEntryResponse {
        line,
        copies: entry.copies,
        card_id: card_id(&entry.card),
        zone: entry.zone,
        quantity: entry.quantity,
        name: entry.card.name,
        set: entry.card.set,
        number: entry.card.number,
        rarity: entry.card.rarity,
    });
    let entries = entries.collect();
    Ok(DeckReportsResponse { summary, legal_in_all, reports, entries, reading })
}

fn unknown_names(reports: &[Report]) -> BTreeSet<String> {
    let violations = reports.iter().flat_map(|report| &report.violations);
    let unknown = violations.filter(|violation| violation.code == ViolationCode::CardUnknown);
    unknown.flat_map(|violation| &violation.cards).map(|card| card.name.clone()).collect()
}
