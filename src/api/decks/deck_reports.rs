//! What is wrong with a deck: the engine's report, made with the eyes of whoever asks.

use std::collections::BTreeSet;

use actix_web::{HttpRequest, HttpResponse, web};
use cardscape_engine::{
    CardMention, CardReference, Date, Report, Resolution, Severity, Violation, ViolationCode,
    legalities,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::deck_cards;
use super::deck_input::{DeckEntryBody, DeckFaults, FoundFormats, GivenDeck};
use super::deck_lists::readable;
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::decks::deck::{CardLines, FormatName, same_format};
use crate::domain::ids::DeckId;
use crate::domain::network::Network;
use crate::http::extract::{Body, Caller, ClientNetwork, Params, cacheable};
use crate::memory::rendered::Freshness;

/// Most formats of one request.
const MAX_FORMATS: usize = 10;

/// What a deck is, by the rules of one format.
#[derive(Serialize, ToSchema)]
pub struct ReportResponse {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// The format: `game/format`, or `game/format:variant`.
    #[schema(example = "ttcg/standard")]
    pub format: String,
    /// Version of the format's rules.
    #[schema(example = "1")]
    pub format_version: String,
    /// `legal`, `incomplete` (only cards are missing) or `illegal`.
    #[schema(example = "incomplete")]
    pub status: &'static str,
    /// Cards in each zone, in the order of the game's zones.
    pub counts: Vec<ZoneCountResponse>,
    /// Everything that is wrong at once. First, if it is so, that no cards of the game (`GAME_WITHOUT_CARDS`) or of a set
    /// (`SET_WITHOUT_CARDS`) are loaded. Then errors, then what is missing, then warnings, which make no deck illegal; each group by
    /// the number of the rule, `H-3` before `H-10`.
    pub violations: Vec<ViolationResponse>,
    /// Unknown names for which no suggestions were looked up, because there are more than 60, it took too long,
    /// or too many others search just now.
    #[schema(example = 0)]
    pub suggestions_left_out: usize,
}

/// Cards in a zone.
#[derive(Serialize, ToSchema)]
pub struct ZoneCountResponse {
    /// Code of the zone.
    #[schema(example = "main")]
    pub zone: String,
    /// Cards in it.
    #[schema(example = 48)]
    pub cards: u64,
}

/// A broken rule.
#[derive(Serialize, ToSchema)]
pub struct ViolationResponse {
    /// Stable, for programs.
    #[schema(example = "COPY_LIMIT_EXCEEDED")]
    pub code: String,
    /// `error`, `incomplete` or `warning`.
    #[schema(example = "error")]
    pub severity: &'static str,
    /// For people.
    #[schema(example = "3 copies of “Kettle Imp”; at most 2 allowed.")]
    pub message: String,
    /// Number of the rule.
    #[schema(example = "T-2.2.1b")]
    pub rule: String,
    /// Section of the game's rulebook.
    #[schema(example = "2.2.1")]
    pub section: String,
    /// The rule in a sentence.
    #[schema(example = "A deck has at most two copies of a card.")]
    pub rule_text: String,
    /// The number that the rule allows or demands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 2)]
    pub limit: Option<i64>,
    /// The number that the deck has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 3)]
    pub actual: Option<i64>,
    /// The zone concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "main")]
    pub zone: Option<String>,
    /// Code of the set concerned, as the deck or the rule names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "hearth")]
    pub set: Option<String>,
    /// The cards concerned.
    pub cards: Vec<MentionedCardResponse>,
    /// The lines of the list, from 1, that name these cards; absent when the deck was no list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!([1, 4]))]
    pub lines: Vec<usize>,
    /// What was perhaps meant.
    #[schema(example = json!(["Bellows Smith"]))]
    pub suggestions: Vec<String>,
    /// An edit that mends it, for programs: `action` names it, and the other fields are what it needs. The actions:
    /// `add_cards`, `add_matching_cards` and `remove_cards` (`zone`, `quantity`); `add_copies` and `remove_copies` (`name`,
    /// `quantity`); `remove_among` (`names`, `quantity`); `move_copies` (`name`, `quantity`, and the zones `from` and `to`);
    /// `move_to_zone` (the zones `from` and `to`); `rename` (the names `from` and `to`); `any_printing` and `remove_entry` (`name`);
    /// `name_copy_once` (`copy`); `name_fewer_copies` (`name`, `quantity`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, example = json!({ "action": "remove_copies", "name": "Kettle Imp", "quantity": 1 }))]
    pub fix: Option<serde_json::Value>,
}

/// A card that a violation is about.
#[derive(Serialize, ToSchema)]
pub struct MentionedCardResponse {
    /// Name of the card, or what the deck says when there is none.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// Id of the card, when it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<Uuid>,
    /// Code of the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "hearth")]
    pub set: Option<String>,
    /// Number in the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "001")]
    pub number: Option<String>,
    /// Code of the rarity, where the violation is about one printing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rare")]
    pub rarity: Option<String>,
    /// Copies in the deck, where that matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 3)]
    pub quantity: Option<u64>,
    /// The physical copy, where the violation is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
}

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
    /// The entries as text, one a line: `2 Kettle Imp (hearth) 001 {rare}`. Either this or `entries`.
    #[schema(example = "2 Kettle Imp\n1 Belows Smith")]
    pub list: Option<String>,
}

/// By which rules.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReportQuery {
    /// By the rules and limit lists of this day, `YYYY-MM-DD`; absent: of today.
    #[param(value_type = Option<String>, format = Date, example = "2026-11-01")]
    on: Option<Date>,
}

/// Judges a stored deck: a public one, or one of yours.
///
/// The report lists every violation, each with the rule that is broken, the limit and the actual number. Cards that are hidden from you
/// are unknown cards in it.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/report", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), ReportQuery),
    responses(
        (status = 200, body = DeckReportResponse),
        (status = 304, description = "The report is still what `If-None-Match` names."),
        (status = 422, description = "`unknown_format`: the deck's format is not there any more."),
    )
)]
pub async fn find_deck_report(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    query: Params<ReportQuery>,
) -> Result<HttpResponse, Problem> {
    let stored = readable(&state, &caller, DeckId(*deck)).await?;
    let format = stored.row.format().map_err(Problem::internal)?;
    let deck = GivenDeck { deck: stored.deck, lines: Vec::new() };
    let format = [(String::new(), format)];
    let mut faults = DeckFaults::default();
    let found = faults.formats(&state, &format, query.on).await?;
    let found = faults.settle(found)?;
    let judge_for = (caller.viewer(), network.0);
    let judged = judge(&state, judge_for, &format, found, deck).await?;
    let DeckReportsResponse { reports, entries, .. } = judged;
    let report =
        reports.into_iter().next().ok_or_else(|| Problem::internal("no report for a format"))?;
    // Private even for strangers: a public deck may turn private at any moment.
    cacheable(&req, Freshness::Private, None, &DeckReportResponse { report, entries })
}

/// Judges a deck list without storing it.
#[utoipa::path(
    post, path = "/v1/deck-reports", tag = "decks", security((), ("bearer" = [])), request_body = DeckReportRequest,
    responses(
        (status = 200, body = DeckReportsResponse),
        (status = 422, description = "`invalid_body`, `unreadable_deck_list`, `unknown_format`"),
    )
)]
pub async fn create_deck_report(
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    body: Body<DeckReportRequest>,
) -> Result<HttpResponse, Problem> {
    let (formats, found, deck) = parse(&state, body.value).await?;
    let judge_for = (caller.viewer(), network.0);
    let judged = judge(&state, judge_for, &formats, found, deck).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(judged))
}

/// The formats by their pointers, what they are, and the deck; or every fault of the request.
async fn parse(
    state: &AppState,
    request: DeckReportRequest,
) -> Result<(Vec<(String, FormatName)>, FoundFormats, GivenDeck), Problem> {
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
        let Some(format) = faults.keep(&pointer, FormatName::parse(&name)) else { continue };
        if formats.first().is_some_and(|(_, first)| first.game() != format.game()) {
            faults
                .fields
                .push(InputFault::at(pointer, "must be a format of the same game as the first"));
        } else {
            formats.push((pointer, format));
        }
    }
    let deck = faults.deck(request.entries, request.list.as_deref());
    let found = faults.formats(state, &formats, request.on).await?;
    if let Some((first, second)) = found.as_ref().and_then(|(_, found)| same_format(found)) {
        let detail = format!("is the same format as {}, number {}", formats[first].1, first + 1);
        faults.fields.push(InputFault::at(&formats[second].0, detail));
    }
    let found = faults.settle(found)?;
    Ok((formats, found, deck))
}

/// Judges a deck for several formats of one game, seeing what `viewer` may see and no more.
async fn judge(
    state: &AppState,
    (viewer, network): (Viewer, Network),
    names: &[(String, FormatName)],
    (loaded, formats): FoundFormats,
    GivenDeck { deck, lines }: GivenDeck,
) -> Result<DeckReportsResponse, Problem> {
    let game = &loaded.game;
    let names = names.iter().map(|(_, name)| name);
    let (mut cards, known) = deck_cards::find(state, viewer, game, &formats, &deck).await?;
    let mut catalogue = cards.catalogue();
    let mut judged = legalities(&deck, &catalogue, &formats);
    if judged.miss_cards() {
        deck_cards::add_sets(state, game, &mut cards).await?;
        catalogue = cards.catalogue();
        judged = legalities(&deck, &catalogue, &formats);
    }
    let unknown = unknown_names(&judged.reports);
    let mut suggestions_left_out = 0;
    if !unknown.is_empty() {
        let asker = (viewer, network);
        let left_out = deck_cards::add_near(state, asker, known, game, &unknown, &mut cards).await;
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
    Ok(DeckReportsResponse { summary, legal_in_all, reports, entries: entries.collect() })
}

fn unknown_names(reports: &[Report]) -> BTreeSet<String> {
    let violations = reports.iter().flat_map(|report| &report.violations);
    let unknown = violations.filter(|violation| violation.code == ViolationCode::CardUnknown);
    unknown.flat_map(|violation| &violation.cards).map(|card| card.name.clone()).collect()
}

/// What a report on the wire says beyond the engine's.
pub(crate) struct ReportContext<'a> {
    /// Knows the ids of cards.
    pub card_id: &'a dyn Fn(&CardReference) -> Option<Uuid>,
    /// Knows the lines of the list.
    pub places: &'a CardLines,
    /// Unknown names that were not looked up.
    pub suggestions_left_out: usize,
}

/// An engine's report as it is on the wire.
pub(crate) fn report_response(
    name: &FormatName,
    report: Report,
    context: &ReportContext<'_>,
) -> ReportResponse {
    ReportResponse {
        game: name.game().to_owned(),
        format: name.to_string(),
        format_version: report.format_version.to_string(),
        status: report.status.as_str(),
        counts: report
            .counts
            .into_iter()
            .map(|count| ZoneCountResponse { zone: count.zone.to_string(), cards: count.cards })
            .collect(),
        violations: report
            .violations
            .into_iter()
            .map(|violation| violation_response(violation, context))
            .collect(),
        suggestions_left_out: context.suggestions_left_out,
    }
}

fn violation_response(violation: Violation, context: &ReportContext<'_>) -> ViolationResponse {
    ViolationResponse {
        lines: context.places.of(&violation),
        message: violation.message(),
        severity: match violation.severity {
            Severity::Error => "error",
            Severity::Incomplete => "incomplete",
            Severity::Warning => "warning",
        },
        code: violation.code.as_str().to_owned(),
        rule: violation.rule,
        section: violation.section,
        rule_text: violation.rule_text,
        limit: violation.limit,
        actual: violation.actual,
        zone: violation.zone,
        set: violation.set,
        cards: violation.cards.into_iter().map(|card| mentioned(card, context.card_id)).collect(),
        suggestions: violation.suggestions,
        fix: violation.fix.and_then(|fix| serde_json::to_value(fix).ok()),
    }
}

fn mentioned(
    card: CardMention,
    card_id: &dyn Fn(&CardReference) -> Option<Uuid>,
) -> MentionedCardResponse {
    let CardMention { name, set, number, rarity, quantity, copy, .. } = card;
    let meant = CardReference { name, set, number, rarity: None };
    let card_id = card_id(&meant);
    let CardReference { name, set, number, .. } = meant;
    MentionedCardResponse { name, card_id, set, number, rarity, quantity, copy }
}
