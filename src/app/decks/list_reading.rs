//! Reads deck lists from text in any dialect, with the cards that the reader may see, and reports the result of each line.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cardscape_engine::{
    CardReference, Catalogue, Deck, DeckReading, DeckText, DialectMark, Format, Game,
    IgnoredReason, LineVerdict, MentionDepth, ReadDeck, ReadLine, TextEncoding,
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::deck_cards::{self, Requester};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::domain::decks::content::{MAX_UNREAD_LINES, UnreadLine};
use crate::domain::decks::deck::{MAX_ENTRIES, into_shown_line, shown_line};
use crate::domain::decks::list::{LineOutcome, LineRefusal, check_list};
use crate::domain::serials::serial_text::contains_serial;
use crate::store::decks::deck_pool::DeckPool;

/// Most notes of a list in a response.
const MAX_NOTES: usize = 50;

/// How a list that was sent as text was read.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ListReadingResponse {
    /// The dialect in which the list was read; `/docs/deck-text` describes all of them.
    #[schema(example = "plain")]
    pub dialect: &'static str,
    /// The mark by which the dialect was recognised; absent if the request names the dialect.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "it has no marks of another dialect")]
    pub recognised_by: Option<&'static str>,
    /// The same for pages, which say it in their own words.
    #[serde(skip)]
    pub mark: Option<DialectMark>,
    /// The encoding from which an uploaded text was decoded: `utf-8`, `utf-16` or `windows-1252`. Texts in JSON are `utf-8`.
    #[schema(example = "utf-8")]
    pub encoding: &'static str,
    /// The results of all lines that are not blank, in order.
    pub lines: Vec<ReadLineResponse>,
    /// Number of unknown names for which no similar names were searched.
    #[schema(example = 0)]
    pub suggestions_left_out: usize,
    /// Facts about the deck that the list states, for example `name` and `format`.
    #[schema(example = json!({ "name": "Embers and Bones" }))]
    pub notes: BTreeMap<String, String>,
}

/// How a line of a list was read.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReadLineResponse {
    /// Number of the line, from 1. The entries of a share code are in the line of the code; everything in a link or JSON is in line 1.
    #[schema(example = 2, minimum = 1)]
    pub line: usize,
    /// The line, cut after 200 characters; of a row of emoji or a line with several cards, the part of the entry.
    #[schema(example = "1 Belows Smith")]
    pub text: String,
    /// Position of its entry in the deck, from 0; absent: it has no entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1)]
    pub entry: Option<usize>,
    /// `accepted`, `guessed` (`how` lists the guesses), `ambiguous` (see `candidates`), `unknown` (`near` has similar names), `ignored` (it is no
    /// entry: see `reason`) or `refused` (it cannot be read, or has an entry that no deck may have).
    #[schema(example = "unknown")]
    pub status: &'static str,
    /// The status in words, for people.
    #[schema(value_type = String, example = "unknown: no card of this name is known; did you mean Bellows Smith?")]
    pub detail: Cow<'static, str>,
    /// The guesses: `guess` names the kind of guess, the other members are its details.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>, example = json!([{ "guess": "one_copy" }]))]
    pub how: Vec<Value>,
    /// Some of the cards that the line may mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<CandidateResponse>,
    /// Similar names of cards, the most similar first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["Bellows Smith"]))]
    pub near: Vec<String>,
    /// Why the line is no entry; or why its card is unknown, if the name is not the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "comment")]
    pub reason: Option<Value>,
    /// Labels that a deck cannot store: tags, categories, colours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["Ramp"]))]
    pub tags: Vec<String>,
    /// What the engine says of the line. Pages say it in their own words.
    #[serde(skip)]
    pub verdict: LineVerdict,
    /// Why the line is refused; `None`: it is not.
    #[serde(skip)]
    pub refusal: Option<LineRefusal>,
}

/// A card that a line may mean.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CandidateResponse {
    /// Name of the card.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// Code of the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "hearth")]
    pub set: Option<String>,
    /// Number in the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "001")]
    pub number: Option<String>,
}

/// A list after reading, without the lines that no deck may contain.
pub(super) struct ReadList {
    /// The deck of all lines that are entries.
    pub deck: Deck,
    /// The line of each entry, from 1.
    pub lines: Vec<usize>,
    /// The positions of entries whose lines do not have the names of their cards.
    pub unnamed: BTreeSet<usize>,
    /// Lines that could not be read as entries.
    pub unread: Vec<UnreadLine>,
    /// The lines that begin a zone, each with the code of the zone; `None`: a part that does not belong to the deck.
    pub headers: Vec<(usize, Option<String>)>,
    /// The response about each line.
    pub reading: ListReadingResponse,
}

/// Why a list cannot be read at all.
#[derive(Debug)]
pub(super) enum ListRefusal {
    /// The list has more entries than a deck may have; the number of entries.
    TooLong(usize),
    /// The list has more lines than are read; the number of lines beyond the limit.
    LinesLeft(usize),
    /// No entry can be read, or too many lines cannot: each refused line with its number and the reason.
    Unreadable(Vec<(usize, LineRefusal)>),
    /// The list is the share code of a deck of another game.
    OtherGame(String),
}

/// Whether to search for names that are similar to unknown names. The search may take a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NearNames {
    LookUp,
    /// Similar names are not searched, and the response counts them as left out.
    LeaveOut,
}

/// A list, the cards that it was read with, and the same cards as a catalogue.
pub(super) type ListWithCards = (ReadList, DeckPool, Catalogue);

/// Reads a list with the cards that the requester may see. Also returns these cards and the cards that the boxes of `formats` need.
pub(super) async fn read_list(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    game: &Game,
    formats: &[Arc<Format>],
    text: &DeckText,
    near: NearNames,
) -> Result<Result<ListWithCards, ListRefusal>, Problem> {
    let lines = text.lines(game);
    if lines.left_out() > 0 {
        return Ok(Err(ListRefusal::LinesLeft(lines.left_out())));
    }
    // Twice the limit, because headings may look like entries.
    let entries = lines.entry_count();
    if entries > 2 * MAX_ENTRIES {
        return Ok(Err(ListRefusal::TooLong(entries)));
    }
    let found = match lines.literal_names() {
        Some(names) => deck_cards::find_named(app, conn, requester, game, formats, &names).await,
        None => {
            let literal = lines.mentions(MentionDepth::Literal);
            deck_cards::find(app, conn, requester, game, formats, &literal).await
        }
    };
    let (mut cards, names) = found?;
    let mut catalogue = cards.catalogue();
    let sets = deck_cards::cached_sets(app, game);
    let reading = DeckReading::new(&catalogue);
    let reading = sets.as_deref().map_or(reading, |sets| reading.with_sets(sets));
    let mut read = lines.read(&reading);
    // Without the sets, a text in square brackets that names one is read as a label.
    let is_settled =
        read.is_settled() && (sets.is_some() || read.lines.iter().all(|line| line.tags.is_empty()));
    let mut left_out = 0;
    if !is_settled {
        let sets = deck_cards::known_sets(app, conn, game).await?;
        cards.part_of(Arc::clone(&sets));
        conn.give_back();
        let lines = text.lines(game);
        let literal = lines.mentions(MentionDepth::Literal);
        let mut every = lines.mentions(MentionDepth::Every);
        // The literal names were looked up above.
        every.names.retain(|name| !literal.names.contains(name));
        let mentioned = (&every, &*sets);
        let names = names.as_ref();
        deck_cards::add_mentioned(app, conn, requester, game, mentioned, names, &mut cards).await?;
        conn.give_back();
        catalogue = cards.catalogue();
        read = lines.read(&DeckReading::new(&catalogue).with_sets(&sets));
        let unknown = unknown_names(&read);
        if near == NearNames::LeaveOut {
            left_out = unknown.len();
        } else if !unknown.is_empty() {
            left_out = deck_cards::add_near(app, requester, game, &unknown, &mut cards).await;
            catalogue = cards.catalogue();
            read = text.read(&DeckReading::new(&catalogue).with_sets(&sets));
        }
    }
    read.suggestions_left_out = read.suggestions_left_out.max(left_out);
    Ok(check(read, game).map(|read| (read, cards, catalogue)))
}

/// The word for an encoding, the same as for collection files.
fn encoding_word(encoding: TextEncoding) -> &'static str {
    match encoding {
        TextEncoding::Utf16 => "utf-16",
        TextEncoding::Windows1252 => "windows-1252",
        _ => "utf-8",
    }
}

fn unknown_names(read: &ReadDeck) -> BTreeSet<String> {
    let unknown = read
        .lines
        .iter()
        .filter(|line| matches!(&line.verdict, LineVerdict::Unknown { reason: None, .. }));
    let names = unknown.filter_map(|line| Some(&read.deck.entries[line.entry?].card.name));
    // A serial code is not a name. It must not reach the search or the response.
    names.filter(|name| !name.is_empty() && !contains_serial(name)).cloned().collect()
}

/// Checks the limits of a list, or returns why the list is refused.
fn check(read: ReadDeck, game: &Game) -> Result<ReadList, ListRefusal> {
    if let Some(other) = read.game.as_ref().filter(|other| *other != game.code()) {
        return Err(ListRefusal::OtherGame(other.clone()));
    }
    if read.lines_left_out > 0 {
        return Err(ListRefusal::LinesLeft(read.lines_left_out));
    }
    let mut list = ReadList {
        deck: Deck::default(),
        lines: Vec::new(),
        unnamed: BTreeSet::new(),
        unread: Vec::new(),
        headers: headers_of(&read),
        reading: ListReadingResponse {
            dialect: read.dialect.code(),
            recognised_by: read.recognised_by.map(DialectMark::as_str),
            mark: read.recognised_by,
            encoding: encoding_word(read.encoding),
            lines: Vec::new(),
            suggestions_left_out: read.suggestions_left_out,
            notes: read
                .notes
                .iter()
                .take(MAX_NOTES)
                .map(|(key, value)| (shown_line(key), shown_line(value)))
                .collect(),
        },
    };
    let checked = check_list(read);
    list.reading.lines.reserve(checked.lines.len());
    list.deck = checked.deck;
    list.lines = checked.entry_lines;
    list.unnamed = checked.unnamed;
    for (line, outcome) in checked.lines {
        let response = match outcome {
            LineOutcome::Entry(at) => ReadLineResponse { entry: Some(at), ..line_response(line) },
            LineOutcome::NoEntry => line_response(line),
            LineOutcome::Refused(refusal) => {
                let (text, detail) = (shown_line(&line.text), refusal.to_string());
                list.unread.push(UnreadLine { line: line.line, text, detail });
                refused(line, refusal)
            }
        };
        list.reading.lines.push(response);
    }
    if list.deck.entries.len() > MAX_ENTRIES {
        return Err(ListRefusal::TooLong(list.deck.entries.len()));
    }
    if list.unread.len() > MAX_UNREAD_LINES
        || (list.deck.entries.is_empty() && !list.unread.is_empty())
    {
        let refused = |response: ReadLineResponse| Some((response.line, response.refusal?));
        return Err(ListRefusal::Unreadable(
            list.reading.lines.into_iter().filter_map(refused).collect(),
        ));
    }
    Ok(list)
}

/// The lines that begin a zone or a part that does not belong to the deck.
fn headers_of(read: &ReadDeck) -> Vec<(usize, Option<String>)> {
    let header = |line: &ReadLine| match &line.verdict {
        LineVerdict::Ignored(
            IgnoredReason::ZoneHeader { zone } | IgnoredReason::BlankLine { zone },
        ) => Some((line.line, Some(zone.clone()))),
        _ => None,
    };
    let outside = read.outside.iter().map(|line| (*line, None));
    read.lines.iter().filter_map(header).chain(outside).collect()
}

/// The response about a line that is refused: no deck may contain it, or it cannot be read.
fn refused(line: ReadLine, refusal: LineRefusal) -> ReadLineResponse {
    ReadLineResponse {
        line: line.line,
        text: shown_line(&line.text),
        entry: None,
        status: "refused",
        detail: refusal.to_string().into(),
        how: Vec::new(),
        candidates: Vec::new(),
        near: Vec::new(),
        reason: None,
        tags: line.tags,
        verdict: line.verdict,
        refusal: Some(refusal),
    }
}

fn line_response(line: ReadLine) -> ReadLineResponse {
    let detail = match &line.verdict {
        // Most lines.
        LineVerdict::Accepted => Cow::Borrowed("accepted"),
        verdict => verdict.to_string().into(),
    };
    let mut response = ReadLineResponse {
        line: line.line,
        text: into_shown_line(line.text),
        entry: line.entry,
        status: "accepted",
        detail,
        how: Vec::new(),
        candidates: Vec::new(),
        near: Vec::new(),
        reason: None,
        tags: line.tags,
        verdict: line.verdict,
        refusal: None,
    };
    match &response.verdict {
        LineVerdict::Accepted => {}
        LineVerdict::Guessed { how } => {
            response.status = "guessed";
            response.how =
                how.iter().filter_map(|guess| serde_json::to_value(guess).ok()).collect();
        }
        LineVerdict::Ambiguous { candidates } => {
            response.status = "ambiguous";
            response.candidates = candidates.iter().cloned().map(CandidateResponse::from).collect();
        }
        LineVerdict::Unknown { near, reason } => {
            response.status = "unknown";
            response.near.clone_from(near);
            response.reason = reason.and_then(|reason| serde_json::to_value(reason).ok());
        }
        LineVerdict::Ignored(reason) => {
            response.status = "ignored";
            response.reason = serde_json::to_value(reason)
                .ok()
                .and_then(|mut reason| reason.get_mut("reason").map(Value::take));
        }
        // A later version of the engine may return other verdicts.
        _ => response.status = "ignored",
    }
    response
}

impl From<CardReference> for CandidateResponse {
    fn from(CardReference { name, set, number, .. }: CardReference) -> Self {
        Self { name, set, number }
    }
}
