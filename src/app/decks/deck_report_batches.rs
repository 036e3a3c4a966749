//! Reports on several deck lists in one request.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Instant;

use cardscape_engine::{
    Catalogue, DECK_LINES_MAX, Date, DeckReading, DeckText, Game, TextEncoding,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::deck_cards::Requester;
use super::deck_input::{DeckDialectWord, DeckEntryBody, DeckFaults, SentDeck, SentList};
use super::deck_reports::{
    DeckReportsResponse, FoundDeck, find_deck, find_formats, judge, read_formats,
};
use super::list_reading::NearNames;
use crate::app::problem::{InputFault, MAX_LISTED_FAULTS, Problem};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::domain::decks::deck::shown_line;

/// Most lists of one batch.
pub const MAX_BATCH: usize = 100;
/// Most entries of all lists of a batch, counted once for each format.
const MAX_JUDGED: usize = 10_000;
/// Most lists with faults that the detail of a problem names.
const MAX_NAMED: usize = 10;
/// Most characters of a name in such a detail.
const MAX_STATED: usize = 100;

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
    /// The lists, 1 to 100. They have at most 10,000 entries together, counted once for each format, and at most 10,000 lines that are not blank.
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

/// The text of each list of a batch, with the word for its dialect; `None`: the list was sent as entries.
type SentTexts = Vec<Option<(String, Option<String>)>>;

/// Judges several deck lists that are not stored, by the same rules. If a list has a fault, none is judged, and all faults are reported; the detail says in
/// which lists they are.
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
    let (mut sent, mut texts) = (Vec::new(), SentTexts::new());
    for (at, BatchedDeck { entries, list, dialect }) in
        decks.into_iter().take(MAX_BATCH).enumerate()
    {
        let text = list.as_deref().map(|text| SentList {
            text,
            encoding: TextEncoding::Utf8,
            dialect: dialect.as_deref(),
        });
        let deck = faults.with_prefix(&format!("/decks/{at}"), |faults| faults.deck(entries, text));
        sent.extend(deck.map(|deck| (at, deck)));
        texts.push(list.map(|list| (list, dialect)));
    }
    let Some(found) = find_formats(app, &mut faults, &formats, on).await? else {
        return faults.into_result(None).map_err(|problem| with_lists(problem, &texts, None));
    };
    let (mut entries, mut lines) = (0, 0);
    for (_, deck) in &sent {
        match deck {
            SentDeck::Entries(deck) => entries += deck.entries.len(),
            SentDeck::List(text) => {
                let read = text.lines(&found.0.game);
                entries += read.entry_count();
                lines += read.line_count();
            }
        }
    }
    let excess = if entries * formats.len() > MAX_JUDGED {
        Some(format!(
            "have {entries} entries together, for {} formats; at most {MAX_JUDGED} are judged at once, an entry once for each format",
            formats.len()
        ))
    } else if lines > DECK_LINES_MAX {
        // The answer has each line, also comments and repeated lines, which are no entries.
        Some(format!(
            "have more than {DECK_LINES_MAX} lines together that are not blank; at most {DECK_LINES_MAX} are read at once"
        ))
    } else {
        None
    };
    if let Some(detail) = excess {
        faults.fields.push(InputFault::at("/decks", detail));
        let game = Some(&found.0.game);
        return faults.into_result(None).map_err(|problem| with_lists(problem, &texts, game));
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
        let mut conn = StepConnection::new(&app.store);
        match find_deck(app, &mut conn, requester, &found, sent, near).await? {
            Ok(deck) => decks.push(deck),
            Err(refusal) => {
                faults.with_prefix(&format!("/decks/{at}"), |faults| faults.refuse_list(refusal));
            }
        }
    }
    let decks = faults.into_result(Some(decks));
    let decks = decks.map_err(|problem| with_lists(problem, &texts, Some(&found.0.game)))?;
    let mut data = Vec::new();
    for deck in decks {
        let found = (found.0.clone(), found.1.clone());
        let deck = FoundDeck { near: near(app), ..deck };
        data.push(judge(app, requester, &formats, found, deck).await?);
    }
    Ok(DeckReportBatchResponse { data })
}

/// Adds to the problem of a body that the contract refuses in which lists the faults are: their positions. Nothing was read of it, so the lists have no names.
pub fn with_positions(mut problem: Problem) -> Problem {
    // That not all faults are listed. Each list with faults has at least one that is.
    let detail = problem.detail.take();
    let problem = with_lists(problem, &SentTexts::new(), None);
    let detail = detail.into_iter().chain(problem.detail.clone());
    let detail: Vec<String> = detail.map(Cow::into_owned).collect();
    if detail.is_empty() { problem } else { problem.detail(detail.join(" ")) }
}

/// Adds to the detail of a problem in which lists the faults are: their positions, from 0 as in the pointers, and the names that the lists state. `game`: the
/// game of the formats, if it is known.
fn with_lists(problem: Problem, texts: &SentTexts, game: Option<&Game>) -> Problem {
    let places: BTreeSet<usize> =
        problem.faults().iter().filter_map(|fault| list_of(&fault.pointer)).collect();
    if places.is_empty() {
        return problem;
    }
    let problem = with_each_list_first(problem);
    let shown = places.iter().take(MAX_NAMED).map(|at| {
        let text = texts.get(*at).and_then(Option::as_ref);
        let name = text
            .zip(game)
            .and_then(|((list, dialect), game)| stated_name(game, list, dialect.as_deref()));
        name.map_or_else(|| at.to_string(), |name| format!("{at} (“{name}”)"))
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    let others = if places.len() > MAX_NAMED { " and others" } else { "" };
    let detail = match (places.len(), &problem.detail) {
        (1, Some(detail)) => format!("In the list at index {shown}: {detail}"),
        (1, None) => format!("The faults are in the list at index {shown}."),
        // The detail is about one of the lists.
        _ => format!("The faults are in the lists at index {shown}{others}."),
    };
    problem.detail(detail)
}

/// If a response cannot list all faults: the first fault of each list comes first, so that no list is left out.
fn with_each_list_first(problem: Problem) -> Problem {
    if problem.faults().len() <= MAX_LISTED_FAULTS {
        return problem;
    }
    let mut lists = BTreeSet::new();
    let (first, others): (Vec<InputFault>, Vec<InputFault>) = problem
        .faults()
        .iter()
        .cloned()
        .partition(|fault| list_of(&fault.pointer).is_none_or(|list| lists.insert(list)));
    problem.errors([first, others].concat())
}

/// The position of the list that a pointer leads into.
fn list_of(pointer: &str) -> Option<usize> {
    let place = pointer.strip_prefix("/decks/")?;
    place.split('/').next()?.parse().ok()
}

/// The name of the deck that a list states. Cards do not matter for it.
fn stated_name(game: &Game, list: &str, dialect: Option<&str>) -> Option<String> {
    let text = DeckText::new(list, dialect.and_then(|word| word.parse().ok()));
    let catalogue = Catalogue::builder(game).build();
    let read = text.read(&DeckReading::new(&catalogue));
    let name: String = shown_line(read.notes.get("name")?).chars().take(MAX_STATED).collect();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_the_lists_with_faults() {
        let manifest =
            "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'";
        let game = Game::from_toml(manifest).unwrap();
        let named = Some(("// name: Friday\n0 Carp".to_owned(), None));
        let texts = vec![None, named, None];
        let detail_of = |pointers: &[&str]| {
            let faults = pointers.iter().map(|pointer| InputFault::at(*pointer, "is wrong"));
            let problem = with_lists(Problem::invalid(faults.collect()), &texts, Some(&game));
            problem.detail.map(Cow::into_owned)
        };
        assert_eq!(detail_of(&["/format", "/decks"]), None);
        assert_eq!(
            detail_of(&["/decks/1/list", "/decks/1/dialect"]).as_deref(),
            Some("The faults are in the list at index 1 (“Friday”).")
        );
        assert_eq!(
            detail_of(&["/decks/2/entries/0/name", "/decks/1/list"]).as_deref(),
            Some("The faults are in the lists at index 1 (“Friday”), 2.")
        );
    }
}
