//! Deck lists as text, in the dialects that people paste.
//!
//! | Part | What it holds |
//! |---|---|
//! | `own`, `json`, `json_entries`, `json_counts`, `json_fault`, `share_code` | our own dialects, which lose nothing or little of a deck |
//! | `csv_guess`, `markdown_tables` | columns of tables without a header, and tables below other lines |
//! | `plain`, `arena`, `mtgo`, `moxfield`, `archidekt`, `ptcg_live`, `ptcg_online`, `netrunner_db`, `forge`, `csv`, `ydk`, `ydke` | dialects of other programs: reader and writer of each side by side |
//! | `text` | encodings, and normalisation of tolerated characters |
//! | `recognise`, `around_code` | which dialect a text is in, and what stands around a share code or a link |
//! | `numbering` | lists whose lines are numbered |
//! | `line`, `draft` | the line reader that the dialects share, and its result |
//! | `symbols` | emoji and rows of them |
//! | `several` | lines with several cards |
//! | `zones`, `categories` | what headers and categories mean in a game |
//! | `xml`, `binary` | deck files, and files without text, that are refused as a whole |
//! | `mentions` | which cards a list may refer to, for catalogues that do not hold all cards |
//! | `resolve`, `read_deck` | which card a line means, and the verdict on each line |
//! | `writing` | what the writers share, and what a dialect cannot hold |
//!
//! `docs/DECK_TEXT.md` in the repository has the table of what each dialect holds, and the share code byte by byte.

mod archidekt;
mod arena;
mod around_code;
mod binary;
mod categories;
mod csv;
mod csv_guess;
mod draft;
mod forge;
mod json;
mod json_counts;
mod json_entries;
mod json_fault;
mod line;
mod markdown_tables;
mod mentions;
mod moxfield;
mod mtgo;
mod netrunner_db;
mod no_cards;
mod numbering;
mod own;
mod plain;
mod ptcg_live;
mod ptcg_online;
mod read_deck;
mod recognise;
mod resolve;
mod several;
mod share_code;
mod symbols;
mod text;
mod writing;
mod xml;
mod ydk;
mod ydke;
mod zones;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::catalogue::Catalogue;
use crate::deck::{Deck, DeckEntry};
use crate::known_sets::KnownSets;
use crate::manifest::Game;
use around_code::{AroundCode, NAME_NOTE};
use draft::{Content, Draft, PartsOf, RepeatedLine, Source};
use recognise::Prepared;

pub use draft::DECK_LINES_MAX;
pub use json_fault::JsonFault;
pub use mentions::{DeckMentions, MentionDepth};
pub use own::{DeckTextFault, LineFault, ParsedDeck, parse_deck_text, render_deck_text};
pub use read_deck::{
    Guess, IgnoredReason, LineVerdict, MalformedText, ReadDeck, ReadLine, UnknownReason,
};
pub use recognise::{DialectMark, recognise_deck_text, share_code_in};
pub use resolve::{CANDIDATES_MAX, is_known_heading};
pub use share_code::{
    SHARE_CODE_MAX, ShareCodeError, SharedDeck, decode_share_code, encode_share_code,
};
pub use symbols::is_emoji;
pub use text::{TextEncoding, decode_deck_text};
pub use writing::{DeckLoss, LossKind, WRITTEN_COPIES_MAX, WrittenDeck};

/// A way to write a deck list as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeckDialect {
    /// Our own text ([`parse_deck_text`]): `2 Name (set) 017 {rarity}`. It holds everything but ids of copies.
    Own,
    /// A [`Deck`] as JSON. It holds everything.
    Json,
    /// Our own share code, by set and number: one short word, for links and messages.
    ShareCode,
    /// `2 Name`, and names of zones above.
    Plain,
    /// Lists of Arena: `Deck`, `2 Name (SET) 17`, `Sideboard`.
    Arena,
    /// Lists of Magic Online: `2 Name`, a blank line, the sideboard.
    Mtgo,
    /// Lists of Moxfield: `2 Name (SET) 17 *F* #tag`.
    Moxfield,
    /// Lists of Archidekt: `2x Name (set) 17 *F* [Category] ^tag^`.
    Archidekt,
    /// Lists of the live client: `Pokémon: 6`, `2 Name SET 17`.
    PtcgLive,
    /// Lists of the older online client: `##Pokémon - 6`, `* 2 Name SET 17`.
    PtcgOnline,
    /// Lists of NetrunnerDB: `2x Name (Set Name) ●●`.
    NetrunnerDb,
    /// Deck files of Forge: `[Main]`, `2 Name|SET`.
    Forge,
    /// A table with a header, for spreadsheets.
    Csv,
    /// Files of ids: `#main`, `#extra`, `!side`.
    Ydk,
    /// Links of ids: `ydke://…!…!…!`.
    Ydke,
}

/// There is no dialect of this name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no dialect of this name; there are {}", DeckDialect::ALL.map(DeckDialect::code).join(", "))]
pub struct DeckDialectError;

impl DeckDialect {
    pub const ALL: [Self; 15] = [
        Self::Own,
        Self::Json,
        Self::ShareCode,
        Self::Plain,
        Self::Arena,
        Self::Mtgo,
        Self::Moxfield,
        Self::Archidekt,
        Self::PtcgLive,
        Self::PtcgOnline,
        Self::NetrunnerDb,
        Self::Forge,
        Self::Csv,
        Self::Ydk,
        Self::Ydke,
    ];

    /// The word for it, as it is serialised, for example `ptcg_live`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Json => "json",
            Self::ShareCode => "share_code",
            Self::Plain => "plain",
            Self::Arena => "arena",
            Self::Mtgo => "mtgo",
            Self::Moxfield => "moxfield",
            Self::Archidekt => "archidekt",
            Self::PtcgLive => "ptcg_live",
            Self::PtcgOnline => "ptcg_online",
            Self::NetrunnerDb => "netrunner_db",
            Self::Forge => "forge",
            Self::Csv => "csv",
            Self::Ydk => "ydk",
            Self::Ydke => "ydke",
        }
    }

    /// The extension of files in this dialect, without the point: that of the program that reads them, or `txt` for texts that are pasted.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Forge => "dck",
            Self::Csv => "csv",
            Self::Ydk => "ydk",
            _ => "txt",
        }
    }

    /// Whether a blank line may begin the sideboard.
    fn has_blank_line(self) -> bool {
        matches!(self, Self::Plain | Self::Arena | Self::Mtgo | Self::Moxfield | Self::Archidekt)
    }

    fn draft<'a>(self, source: Source<'a>, game: &Game) -> Draft<'a> {
        if let Some(draft) = binary::draft(source).or_else(|| xml::draft(source)) {
            return draft;
        }
        let mut draft = self.draft_of_lines(source, game);
        if self != Self::Csv {
            markdown_tables::read_tables(&mut draft, game);
        }
        no_cards::ignore_lines_without_cards(&mut draft);
        numbering::read_numbers(&mut draft, self.parts());
        categories::read_categories(&mut draft, game);
        draft
    }

    /// How the dialect splits the text of a card, where the line has no other form.
    fn parts(self) -> PartsOf {
        match self {
            Self::Archidekt => archidekt::parts,
            Self::PtcgLive => ptcg_live::parts,
            Self::PtcgOnline => line::split_parts_without_brackets,
            _ => line::split_parts,
        }
    }

    fn draft_of_lines<'a>(self, source: Source<'a>, game: &Game) -> Draft<'a> {
        match self {
            Self::Own => own::draft(source, game),
            Self::Json => json::draft(source, game),
            Self::ShareCode => share_code::draft(source),
            Self::Plain => plain::draft(source),
            Self::Arena => arena::draft(source),
            Self::Mtgo => mtgo::draft(source),
            Self::Moxfield => moxfield::draft(source),
            Self::Archidekt => archidekt::draft(source),
            Self::PtcgLive => ptcg_live::draft(source),
            Self::PtcgOnline => ptcg_online::draft(source),
            Self::NetrunnerDb => netrunner_db::draft(source),
            Self::Forge => forge::draft(source),
            Self::Csv => csv::draft(source, game),
            Self::Ydk => ydk::draft(source),
            Self::Ydke => ydke::draft(source, game),
        }
    }
}

impl fmt::Display for DeckDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for DeckDialect {
    type Err = DeckDialectError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|dialect| dialect.code() == word).ok_or(DeckDialectError)
    }
}

/// How a list is read: with which cards, and in which dialect.
#[derive(Debug, Clone, Copy)]
pub struct DeckReading<'a> {
    catalogue: &'a Catalogue,
    sets: Option<&'a KnownSets>,
    dialect: Option<DeckDialect>,
}

impl<'a> DeckReading<'a> {
    /// `catalogue` has the cards that lines may mean. It must have only cards that the reader of the answer may know of. Its game is the game of the
    /// list.
    pub fn new(catalogue: &'a Catalogue) -> Self {
        Self { catalogue, sets: None, dialect: None }
    }

    /// Adds the sets of the game, for lists that write the name of a set.
    #[must_use]
    pub fn with_sets(self, sets: &'a KnownSets) -> Self {
        Self { sets: Some(sets), ..self }
    }

    /// Fixes the dialect; without this call it is recognised.
    #[must_use]
    pub fn in_dialect(self, dialect: DeckDialect) -> Self {
        Self { dialect: Some(dialect), ..self }
    }
}

/// Reads a list in any dialect, and gives a verdict on each line.
///
/// ```
/// # use cardscape_engine::*;
/// # let game = Game::from_toml("code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'\n[[zones]]\ncode='main'\nname='Shoal'\n[[zones]]\ncode='side'\nname='Net'").unwrap();
/// # let card = |number: &str, name: &str| PoolCard { key: number.into(), set: "shore".into(), released_on: None,
/// #     definition: serde_json::from_value(serde_json::json!({ "number": number, "name": name, "kind": "fish" })).unwrap() };
/// # let catalogue = Catalogue::builder(&game).add(card("001", "Old Pike")).add(card("002", "Carp")).build();
/// let read = read_deck("3 Old Pike\nCarp x2\n\n1 Crap\n", &DeckReading::new(&catalogue));
/// assert_eq!(read.dialect, DeckDialect::Plain);
/// let entries: Vec<_> = read.deck.entries.iter().map(|entry| (&*entry.zone, entry.quantity, &*entry.card.name)).collect();
/// assert_eq!(entries, [("main", 3, "Old Pike"), ("main", 2, "Carp"), ("side", 1, "Crap")]);
/// assert_eq!(read.lines[2].verdict, LineVerdict::Ignored(IgnoredReason::BlankLine { zone: "side".into() }));
/// assert_eq!(read.lines[3].verdict, LineVerdict::Unknown { near: vec!["Carp".into()], reason: None });
/// ```
pub fn read_deck(text: &str, reading: &DeckReading<'_>) -> ReadDeck {
    DeckText::new(text, reading.dialect).read(reading)
}

/// Like [`read_deck`], for the bytes of a file: their encoding is recognised, too.
pub fn read_deck_bytes(bytes: &[u8], reading: &DeckReading<'_>) -> ReadDeck {
    DeckText::of_bytes(bytes, reading.dialect).read(reading)
}

/// A list whose dialect is known and whose cards are not looked up yet: for callers that load the cards of a list before they read it.
///
/// ```
/// # use cardscape_engine::*;
/// # let game = Game::from_toml("code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'").unwrap();
/// let text = DeckText::new("2 Old Pike (shore) 17\n1 Carp", None);
/// assert_eq!(text.dialect(), DeckDialect::Arena);
/// let mentions = text.mentions(&game, MentionDepth::Literal);
/// assert_eq!(mentions.names.into_iter().collect::<Vec<_>>(), ["Carp", "Old Pike"]);
/// let catalogue = Catalogue::builder(&game).build();
/// assert_eq!(text.read(&DeckReading::new(&catalogue)).lines.len(), 2);
/// ```
#[derive(Debug, Clone)]
pub struct DeckText {
    /// As written, without byte order mark and carriage returns.
    raw: String,
    /// With tolerated characters normalised.
    tidy: String,
    /// What stands around a share code or a link of ids, and is not read.
    around: Option<AroundCode>,
    encoding: TextEncoding,
    dialect: DeckDialect,
    recognised_by: Option<DialectMark>,
}

impl DeckText {
    /// A text, and its dialect if the caller knows it; otherwise it is recognised.
    pub fn new(text: &str, dialect: Option<DeckDialect>) -> Self {
        let raw = text::with_line_feeds(text::without_mark(text));
        let Prepared { text: raw, is_array, around } = match dialect {
            None | Some(DeckDialect::Json) => recognise::prepared(&raw),
            Some(_) => Prepared { text: raw, is_array: false, around: None },
        };
        let raw = raw.into_owned();
        let (dialect, recognised_by) = match dialect.filter(|_| !is_array) {
            Some(dialect) => (dialect, None),
            None => {
                let (dialect, mark) = recognise::recognise(&raw);
                (dialect, Some(if is_array { DialectMark::JsonLines } else { mark }))
            }
        };
        let tidy = text::tidy(&raw).into_owned();
        Self { raw, tidy, around, encoding: TextEncoding::Utf8, dialect, recognised_by }
    }

    /// Decodes the text of a file, whose encoding is recognised.
    pub fn of_bytes(bytes: &[u8], dialect: Option<DeckDialect>) -> Self {
        let (text, encoding) = decode_deck_text(bytes);
        Self { encoding, ..Self::new(&text, dialect) }
    }

    /// Sets the encoding, for callers that have decoded the text themselves.
    #[must_use]
    pub fn in_encoding(self, encoding: TextEncoding) -> Self {
        Self { encoding, ..self }
    }

    /// The dialect that it is read in.
    pub fn dialect(&self) -> DeckDialect {
        self.dialect
    }

    /// Whether it is a text; a picture, an archive or another such file is refused as a whole.
    pub fn is_text(&self) -> bool {
        binary::is_text(&self.raw)
    }

    /// Parses the lines. Callers that need several answers, for example the mentions before they have a catalogue, parse a text only once with this
    /// method.
    pub fn lines(&self, game: &Game) -> DeckLines<'_> {
        let source = Source { raw: &self.raw, tidy: &self.tidy };
        DeckLines { text: self, draft: self.dialect.draft(source, game) }
    }

    /// How many entries the lines seem to have; headings may be among them.
    pub fn entry_count(&self, game: &Game) -> usize {
        self.lines(game).entry_count()
    }

    /// All cards that the lines may refer to.
    pub fn mentions(&self, game: &Game, depth: MentionDepth) -> DeckMentions {
        self.lines(game).mentions(depth)
    }

    /// Reads the list and gives a verdict on each line. The dialect of `reading` is ignored.
    pub fn read(&self, reading: &DeckReading<'_>) -> ReadDeck {
        self.lines(reading.catalogue.game()).read(reading)
    }
}

/// The lines of a [`DeckText`], parsed for one game.
#[derive(Debug)]
pub struct DeckLines<'a> {
    text: &'a DeckText,
    draft: Draft<'a>,
}

impl DeckLines<'_> {
    /// How many entries the lines seem to have; headings may be among them.
    pub fn entry_count(&self) -> usize {
        self.draft.entries().map(several::entry_count).sum()
    }

    /// Number of lines that are read and are not blank, also of those that only repeat the entry of an earlier line.
    pub fn line_count(&self) -> usize {
        let is_blank = |content: &Content<'_>| matches!(content, Content::Blank);
        let first = self.draft.lines.iter().filter(|line| !is_blank(&line.content)).count();
        first + self.draft.repeated.len()
    }

    /// Number of lines after the first [`DECK_LINES_MAX`], which are not read.
    pub fn left_out(&self) -> usize {
        self.draft.left_out
    }

    /// All cards that the lines may refer to.
    pub fn mentions(&self, depth: MentionDepth) -> DeckMentions {
        mentions::of_draft(&self.draft, depth)
    }

    /// The names of [`Self::mentions`] to the depth [`MentionDepth::Literal`], sorted and each once, without copies of them; `None`: not all lines are only
    /// quantities and names.
    pub fn literal_names(&self) -> Option<Vec<&str>> {
        mentions::names_of_draft(&self.draft)
    }

    /// Gives a verdict on each line. The catalogue of `reading` must be of the same game.
    pub fn read(mut self, reading: &DeckReading<'_>) -> ReadDeck {
        let repeated = std::mem::take(&mut self.draft.repeated);
        let DeckText { raw, around, encoding, dialect, recognised_by, .. } = self.text;
        let game = match dialect {
            DeckDialect::ShareCode => decode_share_code(raw.trim()).ok().map(|shared| shared.game),
            _ => None,
        };
        let is_recognised = recognised_by.is_some();
        let mut read = resolve::resolve(self.draft, *dialect, is_recognised, reading);
        if !repeated.is_empty() {
            read.lines = with_repeated(read.lines, &repeated);
        }
        let is_code = matches!(dialect, DeckDialect::ShareCode | DeckDialect::Ydke);
        if let Some(around) = around.as_ref().filter(|_| is_code) {
            let game = reading.catalogue.game();
            for (_, key, value) in around.facts() {
                read.notes.entry(key).or_insert(value);
            }
            if let Some((_, title)) = around.title(game) {
                read.notes.entry(NAME_NOTE.to_owned()).or_insert_with(|| title.to_owned());
            }
            read.lines = around.with_lines(read.lines, game);
        }
        ReadDeck { recognised_by: *recognised_by, encoding: *encoding, game, ..read }
    }
}

/// Adds the lines that repeat the entry of an earlier line: each has its own text, the verdict on that line, and the same entry. `repeated` is in the order of the lines.
/// There are at most [`DECK_LINES_MAX`] verdicts: further copies are only counted in their entry.
fn with_repeated(lines: Vec<ReadLine>, repeated: &[RepeatedLine<'_>]) -> Vec<ReadLine> {
    let room = DECK_LINES_MAX.saturating_sub(lines.len());
    let mut all = Vec::with_capacity(lines.len() + room.min(repeated.len()));
    let mut repeated = repeated.iter().take(room).peekable();
    for first in lines {
        let mut copies = Vec::new();
        while let Some(RepeatedLine { line, text, .. }) =
            repeated.next_if(|repeated| repeated.of == first.line)
        {
            copies.push(ReadLine { line: *line, text: (*text).to_owned(), ..first.clone() });
        }
        all.push(first);
        all.append(&mut copies);
    }
    all
}

/// Number of entries of a list, without looking up their cards: for benchmarks of the readers alone.
#[doc(hidden)]
pub fn count_entries(text: &str, dialect: DeckDialect, catalogue: &Catalogue) -> usize {
    let tidy = text::tidy(text);
    dialect.draft(Source { raw: text, tidy: &tidy }, catalogue.game()).entries().count()
}

/// Writes a deck in a dialect, and reports what the dialect cannot hold.
///
/// `sets` are for dialects that write the names of sets; without them, codes stand for names. Reading the text gives the same deck, except for the reported losses.
///
/// ```
/// # use cardscape_engine::*;
/// # let game = Game::from_toml("code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'").unwrap();
/// # let catalogue = Catalogue::builder(&game).build();
/// let deck = parse_deck_text("3 Old Pike (shore) 1").deck;
/// let written = write_deck(&deck, DeckDialect::Forge, &catalogue, None);
/// assert_eq!(written.text, "[metadata]\nName=Deck\n[Main]\n3 Old Pike|SHORE\n");
/// assert_eq!(written.losses, [DeckLoss { entry: Some(0), kind: LossKind::Number }]);
/// ```
pub fn write_deck(
    deck: &Deck,
    dialect: DeckDialect,
    catalogue: &Catalogue,
    sets: Option<&KnownSets>,
) -> WrittenDeck {
    write_named_deck("Deck", deck, dialect, catalogue, sets)
}

/// Like [`write_deck`], with a name for the deck, which the dialects of Forge and NetrunnerDB can hold.
///
/// ```
/// # use cardscape_engine::*;
/// # let game = Game::from_toml("code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'").unwrap();
/// # let catalogue = Catalogue::builder(&game).build();
/// let deck = parse_deck_text("3 Old Pike").deck;
/// let written = write_named_deck("Big fish", &deck, DeckDialect::Forge, &catalogue, None);
/// assert_eq!(written.text, "[metadata]\nName=Big fish\n[Main]\n3 Old Pike\n");
/// ```
pub fn write_named_deck(
    name: &str,
    deck: &Deck,
    dialect: DeckDialect,
    catalogue: &Catalogue,
    sets: Option<&KnownSets>,
) -> WrittenDeck {
    let mut writer = writing::DeckWriter::new(name, deck, dialect, catalogue, sets);
    write_entries(&mut writer, dialect);
    writer.finish()
}

fn write_entries(writer: &mut writing::DeckWriter<'_>, dialect: DeckDialect) {
    match dialect {
        DeckDialect::Own => own::write(writer),
        DeckDialect::Json => json::write(writer),
        DeckDialect::ShareCode => share_code::write(writer),
        DeckDialect::Plain => plain::write(writer),
        DeckDialect::Arena => arena::write(writer),
        DeckDialect::Mtgo => mtgo::write(writer),
        DeckDialect::Moxfield => moxfield::write(writer),
        DeckDialect::Archidekt => archidekt::write(writer),
        DeckDialect::PtcgLive => ptcg_live::write(writer),
        DeckDialect::PtcgOnline => ptcg_online::write(writer),
        DeckDialect::NetrunnerDb => netrunner_db::write(writer),
        DeckDialect::Forge => forge::write(writer),
        DeckDialect::Csv => csv::write(writer),
        DeckDialect::Ydk => ydk::write(writer),
        DeckDialect::Ydke => ydke::write(writer),
    }
}

/// Whether a dialect can write none of the entries of a deck, each written alone. Most decks have an entry that every dialect can write, so only the first ones are tried.
///
/// ```
/// # use cardscape_engine::*;
/// # let game = Game::from_toml("code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'").unwrap();
/// # let catalogue = Catalogue::builder(&game).build();
/// let deck = parse_deck_text("3 Old Pike").deck;
/// assert!(leaves_out_all(&deck, DeckDialect::Ydk, &catalogue));
/// assert!(!leaves_out_all(&deck, DeckDialect::Forge, &catalogue));
/// ```
pub fn leaves_out_all(deck: &Deck, dialect: DeckDialect, catalogue: &Catalogue) -> bool {
    let is_left_out = |entry: &DeckEntry| {
        let alone = Deck { entries: vec![entry.clone()] };
        let mut writer = writing::DeckWriter::new("", &alone, dialect, catalogue, None);
        write_entries(&mut writer, dialect);
        writer.leaves_out_any()
    };
    !deck.entries.is_empty() && deck.entries.iter().all(is_left_out)
}
