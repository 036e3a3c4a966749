//! Deck lists in requests: entries, or the text that deck builders exchange.

use std::sync::Arc;

use cardscape_engine::{
    CardReference, Date, Deck, DeckDialect, DeckEntry, DeckText, Format, TextEncoding,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::list_reading::ListRefusal;
use crate::app::fault_reason::{CountedItems, FaultReason, NoFormat};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::words::{NotOneOf, must_be_one_of, word_schema};
use crate::domain::decks::content::MAX_UNREAD_LINES;
use crate::domain::decks::deck::{FormatName, MAX_ENTRIES, check_entry};
use crate::store::catalogue::games::LoadedGame;

/// An entry of a deck list, as its owner wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeckEntryBody {
    /// Zone of the deck, by its code, its name or an alias; it is stored as the code. Absent, or `main` in a game without such a zone: the first zone of the
    /// game. A word that means no zone of the game stays as it is written.
    #[serde(default = "main_zone")]
    #[schema(default = "main", example = "main", min_length = 1, max_length = 64)]
    pub zone: String,
    /// Number of copies: 1 to 10000.
    #[schema(example = 2, minimum = 1, maximum = 10000)]
    pub quantity: u32,
    /// Name of the card; case, spaces and punctuation do not matter. Empty in a request: `set` and `number` identify the card, and answers have the name that it has now.
    #[serde(default)]
    #[schema(example = "Kettle Imp", max_length = 200)]
    pub name: String,
    /// Code of the set, if a particular printing is meant. In an entry without a name, requests may also contain its name; it is stored as the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "hearth", min_length = 1, max_length = 64)]
    pub set: Option<String>,
    /// Number in the set, if a particular printing is meant. A number that the card had before it was moved or merged also means the card; answers about stored decks have
    /// its present set and number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "001", min_length = 1, max_length = 64)]
    pub number: Option<String>,
    /// Code of the rarity, if a particular printing is meant. Requests may also contain its name or an alias; it is stored as the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "rare", min_length = 1, max_length = 64)]
    pub rarity: Option<String>,
    /// The physical copies that are meant, each by its id or by any other text, but not by its serial code; at most `quantity`. A format may forbid
    /// naming a copy twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 100, example = json!(["01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11"]))]
    pub copies: Vec<String>,
    /// Whether the card is hidden from you; its name is then empty. Only in answers; ignored in requests, so that entries can be sent back as they
    /// were read.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false, example = false)]
    pub hidden: bool,
    /// Id of the card, if it is hidden from you. Only in answers; ignored in requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card_id: Option<Uuid>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
pub(super) fn is_false(value: &bool) -> bool {
    !*value
}

fn main_zone() -> String {
    "main".to_owned()
}

impl From<DeckEntry> for DeckEntryBody {
    fn from(entry: DeckEntry) -> Self {
        let CardReference { name, set, number, rarity } = entry.card;
        let DeckEntry { zone, quantity, copies, .. } = entry;
        Self { zone, quantity, name, set, number, rarity, copies, hidden: false, card_id: None }
    }
}

impl From<DeckEntryBody> for DeckEntry {
    fn from(body: DeckEntryBody) -> Self {
        let DeckEntryBody { zone, quantity, name, set, number, rarity, copies, .. } = body;
        let card = CardReference { name, set, number, rarity };
        Self { zone, quantity, card, copies }
    }
}

/// The deck of a request.
pub(super) enum SentDeck {
    /// Checked entries.
    Entries(Deck),
    /// A list that is not read yet.
    List(DeckText),
}

/// All faults of a request that contains a deck list.
#[derive(Default)]
pub(super) struct DeckFaults {
    /// Faults of fields.
    pub fields: Vec<InputFault>,
    /// Formats that do not exist.
    formats: Vec<InputFault>,
    /// Lines of `list` that cannot be read.
    lines: Vec<InputFault>,
    /// How many lines cannot be read, if they are more than a deck keeps.
    unread: Option<usize>,
}

/// The words for dialects, for the OpenAPI document.
pub struct DeckDialectWord;

impl utoipa::PartialSchema for DeckDialectWord {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        let description = "A dialect of deck lists; `/docs/deck-text` describes all of them.";
        word_schema(description, DeckDialect::ALL.map(DeckDialect::code))
    }
}

impl ToSchema for DeckDialectWord {
    fn name() -> std::borrow::Cow<'static, str> {
        "DeckDialect".into()
    }
}

/// The encoding of texts in JSON.
pub(super) fn utf8() -> TextEncoding {
    TextEncoding::Utf8
}

/// The list of a request.
#[derive(Clone, Copy)]
pub(super) struct SentList<'a> {
    pub text: &'a str,
    /// The encoding from which the text was decoded.
    pub encoding: TextEncoding,
    /// The word for the dialect; `None`: the dialect is recognised from the text.
    pub dialect: Option<&'a str>,
}

fn dialect_fault(word: &str) -> NotOneOf {
    must_be_one_of(word, DeckDialect::ALL.map(DeckDialect::code))
}

/// The formats that a request names, and their game.
pub(super) type FoundFormats = (Arc<LoadedGame>, Vec<Arc<Format>>);

impl DeckFaults {
    /// Returns the value, or adds its fault to the faults of fields.
    pub(super) fn check<T, E: Into<FaultReason>>(
        &mut self,
        pointer: &str,
        value: Result<T, E>,
    ) -> Option<T> {
        value.map_err(|error| self.fields.push(InputFault::at(pointer, error))).ok()
    }

    /// Reads a part of the request. The faults of the part are added, with `pointer` as a prefix of their pointers.
    pub(super) fn with_prefix<T>(&mut self, pointer: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let mut faults = Self::default();
        let value = read(&mut faults);
        let place = |fault: InputFault| InputFault {
            pointer: format!("{pointer}{}", fault.pointer),
            ..fault
        };
        self.fields.extend(faults.fields.into_iter().map(place));
        self.formats.extend(faults.formats.into_iter().map(place));
        self.lines.extend(faults.lines.into_iter().map(place));
        self.unread = self.unread.or(faults.unread);
        value
    }

    /// Reads the deck from `entries` or `list`, exactly one of which must be present; adds the faults.
    pub(super) fn deck(
        &mut self,
        entries: Option<Vec<DeckEntryBody>>,
        list: Option<SentList<'_>>,
    ) -> Option<SentDeck> {
        match (entries, list) {
            (Some(entries), None) => Some(SentDeck::Entries(self.deck_of_entries(entries))),
            // A file that is no text is refused as such when it is read.
            (None, Some(list))
                if list.text.contains('\0') && DeckText::new(list.text, None).is_text() =>
            {
                self.fields.push(InputFault::at("/list", FaultReason::Nul));
                None
            }
            (None, Some(list)) => {
                let dialect =
                    list.dialect.map(|word| word.parse().map_err(|_| dialect_fault(word)));
                let dialect = match dialect {
                    Some(dialect) => Some(self.check("/dialect", dialect)?),
                    None => None,
                };
                Some(SentDeck::List(DeckText::new(list.text, dialect).in_encoding(list.encoding)))
            }
            _ => {
                self.fields.push(InputFault::at("", "must have exactly one of entries and list"));
                None
            }
        }
    }

    fn deck_of_entries(&mut self, bodies: Vec<DeckEntryBody>) -> Deck {
        self.check_count("/entries", bodies.len());
        let mut deck = Deck::default();
        for (index, body) in bodies.into_iter().enumerate().take(MAX_ENTRIES) {
            match check_entry(body.into()) {
                Ok(entry) => deck.entries.push(entry),
                Err(faults) => self.fields.extend(faults.into_iter().map(|fault| {
                    InputFault::at(format!("/entries/{index}/{}", fault.field), fault.reason)
                })),
            }
        }
        deck
    }

    /// Whether no fault was found yet.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.formats.is_empty() && self.lines.is_empty()
    }

    /// Adds the faults of a list that cannot be read.
    pub(super) fn refuse_list(&mut self, refusal: ListRefusal) {
        match refusal {
            ListRefusal::TooLong(entries) => self.check_count("/list", entries),
            ListRefusal::LinesLeft(lines) => {
                self.fields.push(InputFault::at("/list", FaultReason::LinesLeft(lines)));
            }
            ListRefusal::OtherGame(game) => {
                self.fields.push(InputFault::at("/list", FaultReason::DeckOfGame(game)));
            }
            ListRefusal::Unreadable(lines) => {
                self.unread = Some(lines.len()).filter(|unread| *unread > MAX_UNREAD_LINES);
                let lines = lines.into_iter().take(MAX_ENTRIES);
                self.lines.extend(
                    lines.map(|(line, refusal)| InputFault::at("/list", refusal).on_line(line)),
                );
            }
        }
    }

    fn check_count(&mut self, pointer: &str, entries: usize) {
        if entries > MAX_ENTRIES {
            let reason = FaultReason::TooMany {
                of: CountedItems::Entries,
                most: MAX_ENTRIES,
                actual: entries,
            };
            self.fields.push(InputFault::at(pointer, reason));
        }
    }

    /// Finds the formats that a request names at these pointers, with the rules of a day (`None`: today), and their game; all must be formats of one game.
    /// Formats that do not exist are added to the faults.
    pub(super) async fn formats(
        &mut self,
        state: &AppState,
        conn: &mut StepConnection<'_>,
        names: &[(String, FormatName)],
        day: Option<Date>,
    ) -> Result<Option<FoundFormats>, Problem> {
        let Some((_, first)) = names.first() else { return Ok(None) };
        let loaded = match state.named_game_on(conn, first.game()).await? {
            Ok(loaded) => loaded,
            Err(fault) => {
                let missing = |at: &str| InputFault::at(at, fault.clone());
                self.formats.extend(names.iter().map(|(at, _)| missing(at)));
                return Ok(None);
            }
        };
        let day = day.map_or_else(|| state.today(), Ok)?;
        let mut formats = Vec::new();
        for (at, name) in names {
            match name.find_in(&loaded.game, day) {
                Ok(format) => formats.push(format),
                Err(unknown) => {
                    self.formats.push(InputFault::at(at, NoFormat::new(unknown, name)));
                }
            }
        }
        Ok((formats.len() == names.len()).then_some((loaded, formats)))
    }

    /// Returns the value if there are no faults. Otherwise the problem: `unknown_format` or `unreadable_deck_list` if all faults are of that kind, else
    /// `invalid_body`.
    pub(super) fn into_result<T>(self, value: Option<T>) -> Result<T, Problem> {
        let Self { fields, formats, lines, unread } = self;
        match (value, fields.is_empty(), formats.is_empty(), lines.is_empty()) {
            (Some(value), true, true, true) => Ok(value),
            (_, true, false, true) => {
                let detail: Vec<&str> = formats.iter().map(|fault| fault.detail.as_str()).collect();
                let detail = detail.join(" ");
                Err(Problem::new(ProblemCode::UnknownFormat).detail(detail).errors(formats))
            }
            (_, true, true, false) => {
                let problem = Problem::new(ProblemCode::UnreadableDeckList).errors(lines);
                Err(match unread {
                    Some(unread) => problem.detail(format!(
                        "{unread} lines of the list cannot be read; a deck keeps at most {MAX_UNREAD_LINES} such lines."
                    )),
                    None => problem,
                })
            }
            _ => Err(Problem::invalid([fields, formats, lines].concat())),
        }
    }
}
