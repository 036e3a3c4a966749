//! Deck reports: the violations that the engine finds, with the cards that the caller may see.

use std::collections::BTreeSet;
use std::sync::Arc;

use cardscape_engine::{
    CardReference, Catalogue, Date, Deck, DeckEntry, DeckStatistics, Format, Game, Legalities,
    Report, Resolution, Severity, TextEncoding, ViolationCode, deck_statistics, legalities,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::deck_cards::{self, Requester};
use super::deck_input::{
    DeckDialectWord, DeckEntryBody, DeckFaults, FoundFormats, SentDeck, SentList, utf8,
};
use super::deck_requests::{bind_places, bound_cards, write_sets_by_code};
use super::deck_sheets::DeckSheet;
use super::list_availability::ReadEntries;
use super::list_reading::{ListReadingResponse, ListRefusal, NearNames, ReadList, read_list};
use super::masks::{EntryCardResponse, Masks, mask_unsaved};
use super::opened_decks::{OpenedDeck, open};
use super::report_responses::{ReportContext, ReportResponse, report_response};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::{Granted, ReadOwnDecks, Viewer};
use crate::domain::decks::deck::{CardLines, FormatName, same_format};
use crate::domain::decks::rarities::with_codes;
use crate::domain::decks::zones::with_zone_codes;
use crate::domain::ids::{CardId, DeckId};
use crate::store::decks::deck_pool::DeckPool;

/// Most formats of one request.
const MAX_FORMATS: usize = 10;

/// An entry, and the card that it matches.
#[derive(Serialize, ToSchema)]
pub struct ResolvedEntryResponse {
    /// Code of the zone of the entry; a word that means no zone of the game, as it was written.
    #[schema(example = "main")]
    pub zone: String,
    /// Number of copies.
    #[schema(example = 2)]
    pub quantity: u32,
    /// Name of the card, as it was written.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// The card; `card_id` is absent if the entry matches no card that you can see, or several.
    #[serde(flatten)]
    pub card: EntryCardResponse,
    /// Code of the rarity, if the entry names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rarity: Option<String>,
    /// The physical copies that the entry names, if any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
    /// Line of the list that has the entry, from 1; absent: there was no list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1, minimum = 1)]
    pub line: Option<usize>,
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
    /// All verdicts in one line, for people; formats are named as in the request.
    #[schema(example = "Legal in ttcg/standard.")]
    pub summary: String,
    /// Whether the deck is legal in every requested format.
    pub legal_in_all: bool,
    /// The reports, one for each format, in the order of the request.
    pub reports: Vec<ReportResponse>,
    /// The entries with the ids of their cards.
    pub entries: Vec<ResolvedEntryResponse>,
    /// How each line of `list` was read; absent if the request has `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<ListReadingResponse>,
}

/// A deck list to judge, and the formats by which it is judged.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "format": "ttcg/standard", "list": "2 Kettle Imp\n1 Belows Smith" }))]
pub struct DeckReportRequest {
    /// The format: `game/format`, or `game/format:variant`. Either `format` or `formats` is required.
    #[schema(example = "ttcg/standard")]
    pub format: Option<String>,
    /// Several formats of one game, 1 to 10, each only once: a format without a variant is the same as its default variant. Either `formats` or
    /// `format` is required.
    #[schema(example = json!(["emojo-dojo/box", "emojo-dojo/box:half"]), min_items = 1, max_items = 10)]
    pub formats: Option<Vec<String>>,
    /// The day whose rules and limit lists are applied; absent: today.
    #[schema(value_type = Option<String>, format = Date, example = "2026-11-01")]
    pub on: Option<Date>,
    /// The entries, at most 500. Either `entries` or `list` is required.
    #[schema(max_items = 500)]
    pub entries: Option<Vec<DeckEntryBody>>,
    /// The entries as text in any dialect: that of this service (`2 Kettle Imp (hearth) 001 {rare}`), one of another program, or a share code.
    /// `reading` in the answer reports how each line was read. Either `list` or `entries` is required.
    #[schema(example = "2 Kettle Imp\n1 Belows Smith")]
    pub list: Option<String>,
    /// Dialect of `list`, for example `mtgo`; absent: the dialect is recognised.
    #[schema(value_type = Option<DeckDialectWord>)]
    pub dialect: Option<String>,
    #[serde(skip, default = "utf8")]
    #[schema(ignore)]
    pub encoding: TextEncoding,
}

impl DeckReportRequest {
    /// The faults of the names of the formats. Whether the formats exist is not checked.
    pub fn format_faults(&self) -> Vec<InputFault> {
        let mut faults = DeckFaults::default();
        read_formats(&mut faults, self.format.clone(), self.formats.clone());
        faults.fields
    }
}

/// Judges a stored deck that the reader may see, by the rules of its format on a day (`None`: today). Only cards that the viewer may see are known.
pub async fn judge_stored(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    requester: Requester,
    id: DeckId,
    day: Option<Date>,
) -> Result<DeckReportResponse, Problem> {
    let opened = open(app, reader, requester, id).await?;
    judge_opened(app, &opened, day).await
}

/// Judges an opened deck in its own format.
pub(super) async fn judge_opened(
    app: &AppState,
    opened: &OpenedDeck,
    day: Option<Date>,
) -> Result<DeckReportResponse, Problem> {
    let format = [(String::new(), opened.seen.content.format.clone())];
    let mut faults = DeckFaults::default();
    let mut conn = StepConnection::new(&app.store);
    let found = faults.formats(app, &mut conn, &format, day).await?;
    let found = faults.into_result(found)?;
    let deck = FoundDeck::of_opened(&mut conn, opened, &found.1).await?;
    drop(conn);
    let judged = judge(app, opened.requester, &format, found, deck).await?;
    let DeckReportsResponse { reports, entries, .. } = judged;
    let report =
        reports.into_iter().next().ok_or_else(|| Problem::internal("no report for a format"))?;
    Ok(DeckReportResponse { report, entries })
}

/// Judges a deck list that is not stored. Only cards that the viewer may see are known.
pub async fn judge_list(
    app: &AppState,
    requester: Requester,
    request: DeckReportRequest,
) -> Result<DeckReportsResponse, Problem> {
    let (reports, ()) = judge_sent(app, requester, request, |_, _, _| ()).await?;
    Ok(reports)
}

/// The data that a page shows about a list that is not stored.
pub struct ListSheet {
    /// The deck by zone and kind.
    pub sheet: DeckSheet,
    /// The counts and curves of the deck.
    pub statistics: DeckStatistics,
    /// The entries, with the cards that they name.
    pub entries: ReadEntries,
}

/// Like [`judge_list`], and also returns the data that a page shows about the list.
pub async fn judge_list_with_sheet(
    app: &AppState,
    requester: Requester,
    request: DeckReportRequest,
) -> Result<(DeckReportsResponse, ListSheet), Problem> {
    let look = |deck: &Deck, catalogue: &Catalogue, masks: &Masks| ListSheet {
        sheet: DeckSheet::new(catalogue.game(), deck, masks, catalogue),
        statistics: deck_statistics(deck, catalogue),
        entries: ReadEntries::new(deck, catalogue),
    };
    judge_sent(app, requester, request, look).await
}

async fn judge_sent<T>(
    app: &AppState,
    requester: Requester,
    request: DeckReportRequest,
    look: impl FnOnce(&Deck, &Catalogue, &Masks) -> T,
) -> Result<(DeckReportsResponse, T), Problem> {
    let (formats, found, deck) = parse(app, request).await?;
    let mut conn = StepConnection::new(&app.store);
    let deck = find_deck(app, &mut conn, requester, &found, deck, NearNames::LookUp).await?;
    drop(conn);
    let deck = match deck {
        Ok(deck) => deck,
        Err(refusal) => {
            let mut faults = DeckFaults::default();
            faults.refuse_list(refusal);
            return faults.into_result(None);
        }
    };
    judge_and(app, requester, &formats, found, deck, look).await
}

/// A deck with the cards that it is judged by.
pub(super) struct FoundDeck {
    pub deck: Deck,
    pub lines: Vec<usize>,
    /// The response about the lines of a list. Names that are similar to its unknown names were searched when the list was read.
    pub reading: Option<ListReadingResponse>,
    pub cards: DeckPool,
    /// The same cards as a catalogue for the engine.
    pub catalogue: Arc<Catalogue>,
    pub near: NearNames,
    /// Which entries are masked, because their cards are hidden from the reader.
    pub masks: Masks,
}

impl FoundDeck {
    /// An opened deck, with the cards that the boxes of these formats need.
    pub(super) async fn of_opened(
        conn: &mut StepConnection<'_>,
        opened: &OpenedDeck,
        formats: &[Arc<Format>],
    ) -> Result<Self, Problem> {
        let OpenedDeck { seen, cards, catalogue, requester, .. } = opened;
        let (mut cards, mut catalogue) = (cards.clone(), Arc::clone(catalogue));
        if deck_cards::add_boxes(conn, requester.0, formats, &mut cards).await? {
            catalogue = cards.catalogue().into();
        }
        let (deck, near) = (seen.content.deck.clone(), NearNames::LookUp);
        let masks = seen.masks.clone();
        Ok(Self { deck, lines: Vec::new(), reading: None, cards, catalogue, near, masks })
    }

    /// The same deck with the cards that its entries are bound to (`bound`, in their order) and that have other names now.
    pub(super) async fn with_renamed(
        mut self,
        conn: &mut StepConnection<'_>,
        viewer: Viewer,
        bound: &[Option<CardId>],
    ) -> Result<Self, Problem> {
        let entries = self.deck.entries.iter().zip(bound.iter().copied());
        let (catalogue, cards) = (&self.catalogue, &mut self.cards);
        if deck_cards::add_renamed(conn, viewer, entries, catalogue, cards).await? {
            self.catalogue = self.cards.catalogue().into();
        }
        Ok(self)
    }
}

/// Finds the cards of a deck that is not stored.
pub(super) async fn find_deck(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    (loaded, formats): &FoundFormats,
    sent: SentDeck,
    near: NearNames,
) -> Result<Result<FoundDeck, ListRefusal>, Problem> {
    let game = &loaded.game;
    match sent {
        SentDeck::Entries(mut deck) => {
            with_zone_codes(game, &mut deck.entries);
            with_codes(game, &mut deck.entries);
            write_sets_by_code(app, conn, game, &mut deck).await?;
            let found = deck_cards::find_of_deck(app, conn, requester, game, formats, &deck);
            let (cards, catalogue) = found.await?;
            let masks =
                masks_of_places(app, conn, requester.0, game, &mut deck, &catalogue).await?;
            let (lines, catalogue) = (Vec::new(), catalogue.into());
            Ok(Ok(FoundDeck { deck, lines, reading: None, cards, catalogue, near, masks }))
        }
        SentDeck::List(text) => {
            let read = read_list(app, conn, requester, game, formats, &text, near).await?;
            let (list, cards, catalogue) = match read {
                Ok(read) => read,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let ReadList { mut deck, lines, reading, .. } = list;
            with_zone_codes(game, &mut deck.entries);
            with_codes(game, &mut deck.entries);
            let masks =
                masks_of_places(app, conn, requester.0, game, &mut deck, &catalogue).await?;
            let (reading, catalogue) = (Some(reading), catalogue.into());
            Ok(Ok(FoundDeck { deck, lines, reading, cards, catalogue, near, masks }))
        }
    }
}

/// Masks the entries of a deck that is not stored: those with a place and no name, whose cards are hidden from the viewer.
async fn masks_of_places(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    viewer: Viewer,
    game: &Game,
    deck: &mut Deck,
    catalogue: &Catalogue,
) -> Result<Masks, Problem> {
    if deck.entries.iter().all(|entry| !entry.card.name.is_empty()) {
        return Ok(Masks::default());
    }
    let seen = bound_cards(deck, catalogue);
    let mut bound = seen.clone();
    bind_places(app, conn, game, deck, &mut bound).await?;
    let unseen = bound.into_iter().zip(seen).enumerate();
    let unseen =
        unseen.filter_map(|(at, (card, seen))| Some((at, card.filter(|_| seen.is_none())?)));
    mask_unsaved(conn, viewer, deck, unseen.collect()).await
}

/// Parses a request: the names of the formats with their pointers, the formats, and the deck; or every fault of the request.
async fn parse(
    app: &AppState,
    request: DeckReportRequest,
) -> Result<(Vec<(String, FormatName)>, FoundFormats, SentDeck), Problem> {
    let mut faults = DeckFaults::default();
    let formats = read_formats(&mut faults, request.format, request.formats);
    let list = request.list.as_deref().map(|text| SentList {
        text,
        encoding: request.encoding,
        dialect: request.dialect.as_deref(),
    });
    let deck = faults.deck(request.entries, list);
    let found = find_formats(app, &mut faults, &formats, request.on).await?;
    let (found, deck) = faults.into_result(found.zip(deck))?;
    Ok((formats, found, deck))
}

/// Reads the names of the formats of a request, with their pointers; adds the faults.
pub(super) fn read_formats(
    faults: &mut DeckFaults,
    format: Option<String>,
    formats: Option<Vec<String>>,
) -> Vec<(String, FormatName)> {
    let names: Vec<(String, String)> = match (format, formats) {
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
    formats
}

/// Finds these formats with the rules of a day (`None`: today). Formats that do not exist, and a format that is named twice, are added to the faults.
pub(super) async fn find_formats(
    app: &AppState,
    faults: &mut DeckFaults,
    formats: &[(String, FormatName)],
    day: Option<Date>,
) -> Result<Option<FoundFormats>, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let found = faults.formats(app, &mut conn, formats, day).await?;
    if let Some((first, second)) = found.as_ref().and_then(|(_, found)| same_format(found)) {
        let detail = format!("is the same format as {}, number {}", formats[first].1, first + 1);
        faults.fields.push(InputFault::at(&formats[second].0, detail));
    }
    Ok(found)
}

/// Judges a deck in these formats. Returns the verdicts and the catalogue by which they were made: if cards are missing, the deck is judged again with a
/// catalogue that knows the sets of the game.
pub(super) async fn verdicts(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    deck: &Deck,
    formats: &[Arc<Format>],
    cards: &mut DeckPool,
    mut catalogue: Arc<Catalogue>,
) -> Result<(Arc<Catalogue>, Legalities), Problem> {
    let formats = || formats.iter().map(Arc::as_ref);
    let mut judged = legalities(deck, &catalogue, formats());
    if judged.miss_cards() && !cards.has_sets() {
        cards.part_of(deck_cards::known_sets(app, conn, catalogue.game()).await?);
        catalogue = cards.catalogue().into();
        judged = legalities(deck, &catalogue, formats());
    }
    Ok((catalogue, judged))
}

/// The verdict on a deck in one format on a day.
pub(super) struct Verdict {
    /// The status (`legal`, `incomplete` or `illegal`) and the codes of the violations that are not warnings; `None`: the format does not exist on that day.
    pub judged: Option<(&'static str, BTreeSet<String>)>,
    /// The different cards that the entries match; empty without a format.
    pub cards: BTreeSet<CardId>,
    /// The revision of the game's manifest.
    pub game_revision: i64,
}

/// Judges a deck in one format on a day. `bound`: the cards that its entries are bound to, in their order. `known`: all cards that the deck names and the
/// requester may see; `None`: they are looked up.
pub(super) async fn verdict_in(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    format: &FormatName,
    (deck, bound): (Deck, &[Option<CardId>]),
    known: Option<DeckPool>,
    day: Date,
) -> Result<Verdict, Problem> {
    let loaded = app.named_game_on(conn, format.game()).await?.map_err(Problem::internal)?;
    let game_revision = loaded.revision;
    let Ok(format) = format.find_in(&loaded.game, day) else {
        return Ok(Verdict { judged: None, cards: BTreeSet::new(), game_revision });
    };
    let formats = [format];
    let mut cards = match known {
        Some(mut cards) => {
            deck_cards::add_boxes(conn, requester.0, &formats, &mut cards).await?;
            cards
        }
        None => {
            let game = &loaded.game;
            deck_cards::find_of_deck(app, conn, requester, game, &formats, &deck).await?.0
        }
    };
    let mut catalogue = cards.catalogue();
    let entries = deck.entries.iter().zip(bound.iter().copied());
    let viewer = requester.0;
    if deck_cards::add_renamed(conn, viewer, entries, &catalogue, &mut cards).await? {
        catalogue = cards.catalogue();
    }
    let catalogue = catalogue.into();
    let (catalogue, judged) = verdicts(app, conn, &deck, &formats, &mut cards, catalogue).await?;
    let judged = judged.reports.into_iter().next().map(|report| {
        let wrong = report.violations.iter().filter(|found| found.severity != Severity::Warning);
        let codes = wrong.map(|found| found.code.as_str().to_owned()).collect();
        (report.status.as_str(), codes)
    });
    let cards = bound_cards(&deck, &catalogue).into_iter().flatten().collect();
    Ok(Verdict { judged, cards, game_revision })
}

/// Judges a deck in several formats of one game. Only cards that the requester may see are known.
pub(super) async fn judge(
    app: &AppState,
    requester: Requester,
    names: &[(String, FormatName)],
    found: FoundFormats,
    deck: FoundDeck,
) -> Result<DeckReportsResponse, Problem> {
    let (reports, ()) = judge_and(app, requester, names, found, deck, |_, _, _| ()).await?;
    Ok(reports)
}

/// Like [`judge`], and also returns the result of `look` for the deck and the cards by which it was judged.
async fn judge_and<T>(
    app: &AppState,
    requester: Requester,
    names: &[(String, FormatName)],
    (loaded, formats): FoundFormats,
    FoundDeck { deck, lines, reading, mut cards, catalogue, near, masks }: FoundDeck,
    look: impl FnOnce(&Deck, &Catalogue, &Masks) -> T,
) -> Result<(DeckReportsResponse, T), Problem> {
    let game = &loaded.game;
    let names = names.iter().map(|(_, name)| name);
    let mut conn = StepConnection::new(&app.store);
    let (catalogue, mut judged) =
        verdicts(app, &mut conn, &deck, &formats, &mut cards, catalogue).await?;
    drop(conn);
    let unknown = unknown_names(&judged.reports);
    let mut suggestions_left_out = 0;
    if !unknown.is_empty() {
        let left_out = match &reading {
            Some(reading) => reading.suggestions_left_out,
            None if near == NearNames::LeaveOut => unknown.len(),
            None => deck_cards::add_near(app, requester, game, &unknown, &mut cards).await,
        };
        suggestions_left_out = left_out.max(judged.suggest(&cards.catalogue()));
    }
    let card_id = |card: &CardReference| match catalogue.find(card) {
        Resolution::Card(card) | Resolution::OtherPrinting(card) => card.key.parse().ok(),
        _ => None,
    };
    let (summary, legal_in_all) = (judged.summary_as(names.clone()), judged.is_legal_in_all());
    let mut violations = judged.reports.iter().flat_map(|report| &report.violations);
    let places = if violations.any(|violation| !violation.cards.is_empty()) {
        CardLines::new(&deck, &lines)
    } else {
        CardLines::default()
    };
    // Violations mention cards, not entries.
    let hidden_places = masks.hidden_places(&deck);
    let context = ReportContext { card_id: &card_id, places: &places, suggestions_left_out };
    let reports = names.zip(judged.reports).map(|(name, report)| {
        let status = report.status.as_str();
        metrics::counter!("deck_reports_total", "format" => name.to_string(), "status" => status)
            .increment(1);
        let mut report = report_response(name, report, &context);
        report.mark_hidden(&hidden_places);
        report
    });
    let reports = reports.collect();
    let looked = look(&deck, &catalogue, &masks);
    let lines = lines.into_iter().map(Some).chain(std::iter::repeat(None));
    let entries = deck.entries.into_iter().zip(lines).enumerate();
    let entries = entries.map(|(at, (entry, line))| {
        let DeckEntry { zone, quantity, card, copies } = entry;
        let place = (card.set.clone(), card.number.clone());
        let seen = masks.card_at(at, place).or_id(|| card_id(&card));
        let CardReference { name, rarity, .. } = card;
        ResolvedEntryResponse { zone, quantity, name, card: seen, rarity, copies, line }
    });
    let entries = entries.collect();
    Ok((DeckReportsResponse { summary, legal_in_all, reports, entries, reading }, looked))
}

fn unknown_names(reports: &[Report]) -> BTreeSet<String> {
    let violations = reports.iter().flat_map(|report| &report.violations);
    let unknown = violations.filter(|violation| violation.code == ViolationCode::CardUnknown);
    let names = unknown.flat_map(|violation| &violation.cards).map(|card| &card.name);
    // A card that is written as set and number has no name to which others are similar.
    names.filter(|name| !name.is_empty()).cloned().collect()
}
