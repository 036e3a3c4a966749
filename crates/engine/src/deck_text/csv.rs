//! Tables: a header names the columns, with the words that several programs and languages use; fields are separated by commas, semicolons or tabs. A line
//! `sep=;` before the header, as spreadsheets write it, fixes the separator. Without a header, the columns are guessed.

use std::borrow::Cow;

use super::csv_guess::guessed_columns;
use super::draft::{Content, Draft, DraftEntry, Parts, Source};
use super::line::{split_parts, without_count};
use super::no_cards::is_table_rule;
use super::own::DeckTextFault;
use super::read_deck::{Guess, IgnoredReason, MalformedText};
use super::writing::{DeckWriter, Rarities, WritableParts};
use super::zones::{Place, place};
use crate::manifest::Game;
use crate::name::search_key;
use crate::schema::word_key;

/// Maximum number of fields of a record.
const FIELDS_MAX: usize = 100;
/// Maximum number of bytes in which the end of a record is looked for: without a limit, texts of a certain form would be read once for each of their lines.
const RECORD_MAX: usize = 4_000;

/// The part of an entry that a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Quantity,
    Name,
    SetCode,
    Set,
    SetName,
    SetId,
    Number,
    Rarity,
    Finish,
    Zone,
    Id,
}

/// The words for columns, in the form of [`key`]: of English programs first, then in German, French, Spanish and Italian. Other columns are ignored, also
/// those that only look similar, such as `Tradelist Count`.
const WORDS: [(Part, &[&str]); 11] = [
    (
        Part::Quantity,
        &[
            "quantity",
            "quantityx",
            "qty",
            "count",
            "copies",
            "amount",
            "anzahl",
            "menge",
            "stuck",
            "stueck",
            "stuckzahl",
            "quantite",
            "nombredecartes",
            "cantidad",
            "quantita",
        ],
    ),
    (
        Part::Name,
        &[
            "name",
            "card",
            "cardname",
            "title",
            "karte",
            "kartenname",
            "nom",
            "carte",
            "nomdelacarte",
            "carta",
            "nombredelacarta",
            "nome",
            "nomecarta",
            "nomedellacarta",
        ],
    ),
    (Part::SetCode, &["setcode", "editioncode", "setkurzel"]),
    (
        Part::Set,
        &[
            "set",
            "edition",
            "expansion",
            "erweiterung",
            "extension",
            "edicion",
            "edizione",
            "espansione",
        ],
    ),
    (Part::SetName, &["setname", "editionname"]),
    // A code in some programs, and the number of a row in others, which have another column for the set.
    (Part::SetId, &["setid"]),
    (
        Part::Number,
        &[
            "number",
            "collectornumber",
            "cardnumber",
            "no",
            "collector",
            "kartennummer",
            "sammlernummer",
            "nummer",
            "numero",
            "numerodecollection",
            "numerodecoleccionista",
            "numerodecollezione",
        ],
    ),
    (Part::Rarity, &["rarity", "seltenheit", "rarete", "rareza", "rarita"]),
    (Part::Finish, &["foil", "finish", "printing", "isfoil", "premium"]),
    (
        Part::Zone,
        &[
            "zone",
            "board",
            "section",
            "deckzone",
            "sideboarded",
            "bereich",
            "zona",
            "seccion",
            "sezione",
        ],
    ),
    (Part::Id, &["id", "cardid", "passcode", "externalid"]),
];

/// Words in the column of the finish that mean foil, as spreadsheets of several languages write them.
const YES: [&str; 10] =
    ["yes", "true", "1", "ja", "wahr", "oui", "vrai", "si", "verdadero", "vero"];
/// Words in the column of the finish that mean no particular finish.
const NO: [&str; 11] =
    ["no", "false", "0", "normal", "nonfoil", "regular", "nein", "falsch", "non", "faux", "falso"];

/// The word of a column or value for comparisons: without case, punctuation and accents.
fn key(word: &str) -> String {
    search_key(&word_key(word))
}

/// The separator, and which column holds which part of an entry.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Columns {
    separator: char,
    quantity: Option<usize>,
    name: Option<usize>,
    set_code: Option<usize>,
    set: Option<usize>,
    set_name: Option<usize>,
    set_id: Option<usize>,
    number: Option<usize>,
    rarity: Option<usize>,
    finish: Option<usize>,
    zone: Option<usize>,
    id: Option<usize>,
    /// A column that only counts the lines.
    row: Option<usize>,
    /// Number of the columns.
    count: usize,
    /// Whether no line names the columns.
    is_guessed: bool,
}

/// The separator that a line `sep=;` before the header states. The whole line may be quoted.
pub(super) fn stated_separator(line: &str) -> Option<char> {
    let line = line.trim_matches(['\r', '\n', ' ']);
    let line = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(line);
    let head = line.get(..4)?;
    match (head.eq_ignore_ascii_case("sep="), &line[4..]) {
        (true, ",") => Some(','),
        (true, ";") => Some(';'),
        // Where the line was trimmed, nothing is left of a tab.
        (true, "\t" | "\\t" | "") => Some('\t'),
        _ => None,
    }
}

impl Columns {
    /// The columns of a header below a line that may state the separator. Some programs state one and write another: then the header decides.
    pub(super) fn of_header(line: &str, stated: Option<char>) -> Option<Self> {
        let stated = stated.and_then(|separator| Self::separated(line, separator));
        stated.or_else(|| Self::of(line))
    }

    /// The columns of a header whose separator is not stated: it is the most frequent one.
    pub(super) fn of(line: &str) -> Option<Self> {
        let separator =
            [',', ';', '\t', '|'].into_iter().max_by_key(|mark| line.matches(*mark).count())?;
        Self::separated(line, separator)
    }

    /// The columns of a header; `None` if the line is not a header. A header names the card and at least one other column.
    pub(super) fn separated(line: &str, separator: char) -> Option<Self> {
        if !line.contains(separator) {
            return None;
        }
        let mut columns = Self { separator, ..Self::default() };
        let mut known = 0;
        let (mut nombre, mut printing) = (None, None);
        for (at, field) in fields(line, separator).into_iter().enumerate() {
            columns.count = at + 1;
            let key = key(&field);
            if key == "nombre" {
                nombre.get_or_insert(at);
                continue;
            }
            if key == "printing" {
                printing.get_or_insert(at);
                continue;
            }
            let Some((part, _)) = WORDS.iter().find(|(_, words)| words.contains(&&*key)) else {
                continue;
            };
            let column = columns.column(*part);
            known += usize::from(column.is_none());
            column.get_or_insert(at);
        }
        // The word for a name in Spanish is the word for a quantity in French.
        if let Some(at) = nombre {
            let part = if columns.name.is_none() { Part::Name } else { Part::Quantity };
            let column = columns.column(part);
            known += usize::from(column.is_none());
            column.get_or_insert(at);
        }
        // The word for a finish is the word for the set in tables that have a column for the finish, too.
        if let Some(at) = printing {
            let sets = [columns.set_code, columns.set, columns.set_name, columns.set_id];
            let has_set = sets.iter().any(Option::is_some);
            let is_set = columns.finish.is_some() && !has_set;
            let column = columns.column(if is_set { Part::Set } else { Part::Finish });
            known += usize::from(column.is_none());
            column.get_or_insert(at);
        }
        (known >= 2 && (columns.name.is_some() || columns.id.is_some())).then_some(columns)
    }

    /// The columns of a table without a header, if its lines show which one has the quantity. `is_rarity`: whether the game has a rarity or finish of this
    /// name.
    pub(super) fn guessed(text: &str, is_rarity: &dyn Fn(&str) -> bool) -> Option<Self> {
        let found = guessed_columns(text, is_rarity)?;
        Some(Self {
            separator: found.separator,
            quantity: Some(found.quantity),
            name: Some(found.name),
            set: found.set,
            number: found.number,
            zone: found.zone,
            rarity: found.rarity,
            row: found.row,
            count: found.count,
            is_guessed: true,
            ..Self::default()
        })
    }

    pub(super) fn has_tabs(&self) -> bool {
        self.separator == '\t'
    }

    /// Whether a line is only a quantity, a tab and a name.
    pub(super) fn are_like_lines(&self) -> bool {
        self.has_tabs() && self.quantity == Some(0) && self.count == 2
    }

    /// The verdict on the header: which columns are not read.
    pub(super) fn header_verdict(record: &str, separator: char) -> IgnoredReason {
        let is_known = |field: &Cow<'_, str>| {
            let key = key(field);
            key.is_empty()
                || key == "nombre"
                || WORDS.iter().any(|(_, words)| words.contains(&&*key))
        };
        let unknown = fields(record, separator).into_iter().filter(|field| !is_known(field));
        let columns: Vec<String> = unknown.map(|field| field.trim().to_owned()).collect();
        if columns.is_empty() {
            IgnoredReason::Heading
        } else {
            IgnoredReason::ColumnsNotRead { columns }
        }
    }

    fn column(&mut self, part: Part) -> &mut Option<usize> {
        match part {
            Part::Quantity => &mut self.quantity,
            Part::Name => &mut self.name,
            Part::SetCode => &mut self.set_code,
            Part::Set => &mut self.set,
            Part::SetName => &mut self.set_name,
            Part::SetId => &mut self.set_id,
            Part::Number => &mut self.number,
            Part::Rarity => &mut self.rarity,
            Part::Finish => &mut self.finish,
            Part::Zone => &mut self.zone,
            Part::Id => &mut self.id,
        }
    }

    pub(super) fn entry<'a>(&self, line: &'a str, game: &Game) -> Content<'a> {
        let record = fields(line, self.separator);
        if let Some(label) = self.zone_header(&record, game) {
            return Content::Section(label);
        }
        let as_written = self.entry_of(line, &record, game);
        let Some(joined) = self.with_comma_in_name(record).filter(|_| !self.is_guessed) else {
            return as_written;
        };
        match (self.entry_of(line, &joined, game), as_written) {
            // The field that is too many may also be no part of the name.
            (Content::Entry(entry), Content::Entry(other)) => {
                Content::Entry(Box::new(DraftEntry { otherwise: Some(other), ..*entry }))
            }
            (Content::Entry(entry), _) => Content::Entry(entry),
            (_, as_written) => as_written,
        }
    }

    /// The word for a zone that a record has in place of a card, as people write it above the cards of the zone. Without a column for quantities, it may be a card.
    fn zone_header<'a>(&self, record: &[Cow<'a, str>], game: &Game) -> Option<Cow<'a, str>> {
        let mut filled = record.iter().enumerate().filter(|(_, field)| !field.trim().is_empty());
        let (at, label) = filled.next().filter(|_| filled.next().is_none())?;
        let may_be = self.quantity.is_some() && self.zone != Some(at);
        let is_zone = || place(game, without_count(label)) != Place::Category;
        (may_be && is_zone()).then(|| trimmed(label.clone()))
    }

    /// A record with more fields than the header has, as it is if the name has commas and no quotation marks around it.
    fn with_comma_in_name<'a>(&self, mut record: Vec<Cow<'a, str>>) -> Option<Vec<Cow<'a, str>>> {
        while record.len() > self.count && record.last().is_some_and(|last| last.trim().is_empty())
        {
            record.pop();
        }
        let surplus = record.len().checked_sub(self.count).filter(|surplus| *surplus > 0)?;
        let name = self.name.filter(|_| self.separator == ',')?;
        let parts = name..=name + surplus;
        let joined = record.get(parts.clone())?.join(",");
        record.splice(parts, [Cow::Owned(joined)]);
        Some(record)
    }

    /// The fields in columns that are not read.
    fn remark(&self, record: &[Cow<'_, str>]) -> Option<String> {
        let read = [self.row, self.quantity, self.name, self.set, self.number, self.zone];
        let is_read = |at: usize| read.contains(&Some(at)) || self.rarity == Some(at);
        let unread = record.iter().enumerate().filter(|(at, _)| !is_read(*at));
        let unread = unread.map(|(_, field)| field.trim()).filter(|field| !field.is_empty());
        let unread = unread.collect::<Vec<_>>().join(", ");
        (!unread.is_empty()).then_some(unread)
    }

    /// The fields after those that the header names.
    fn surplus(&self, record: &[Cow<'_, str>]) -> Option<String> {
        let fields = record.get(self.count..)?.iter().map(|field| field.trim());
        let surplus = fields.filter(|field| !field.is_empty()).collect::<Vec<_>>().join(", ");
        (!surplus.is_empty()).then_some(surplus)
    }

    fn entry_of<'a>(&self, line: &'a str, record: &[Cow<'a, str>], game: &Game) -> Content<'a> {
        let field = |column: Option<usize>| -> Option<Cow<'a, str>> {
            let field = record.get(column?)?;
            (!field.trim().is_empty()).then(|| trimmed(field.clone()))
        };
        let finish = field(self.finish).filter(|finish| !NO.contains(&key(finish).as_str()));
        let finish = finish.map(|finish| {
            if YES.contains(&key(&finish).as_str()) { Cow::Borrowed("foil") } else { finish }
        });
        let name = field(self.name);
        let external_id = match (&name, field(self.id)) {
            (None, Some(id)) => id.parse().ok(),
            _ => None,
        };
        if name.is_none() && external_id.is_none() && field(self.number).is_none() {
            return DeckTextFault::NameMissing.into();
        }
        let stated = field(self.quantity);
        let read = self.quantity.map(|_| quantity(stated.as_deref().unwrap_or_default()));
        let quantity = match read.transpose() {
            Ok(quantity) => quantity,
            Err(fault) => return fault.into(),
        };
        let zone = field(self.zone).and_then(zone_of_field);
        // A game may have a rarity with such a name.
        let means_none =
            |word: &str| NO.contains(&key(word).as_str()) && game.rarity_called(word).is_none();
        let rarity = field(self.rarity).filter(|word| !means_none(word));
        // Without a header, the parts of a card may also stand in one column with its name, and the line may be no table at all.
        let has_place = field(self.set).is_some() || field(self.number).is_some();
        if self.is_guessed
            && !has_place
            && let Some(Cow::Borrowed(text)) = name
        {
            let parts = split_parts(text);
            return Content::Entry(Box::new(DraftEntry {
                quantity,
                card: Parts { rarity: rarity.or(parts.rarity), ..parts },
                remark: self.remark(record),
                readings: Some((text, line)),
                zone,
                assumed: Some(Guess::ColumnsGuessed),
                ..DraftEntry::default()
            }));
        }
        Content::Entry(Box::new(DraftEntry {
            quantity,
            card: Parts {
                name: name.unwrap_or_default(),
                set: field(self.set_code)
                    .or_else(|| field(self.set))
                    .or_else(|| field(self.set_name))
                    .or_else(|| field(self.set_id)),
                number: field(self.number),
                rarity: rarity.or(finish),
                ..Parts::default()
            },
            external_id,
            remark: if self.is_guessed { self.remark(record) } else { self.surplus(record) },
            zone,
            zone_is_code: true,
            assumed: self.is_guessed.then_some(Guess::ColumnsGuessed),
            ..DraftEntry::default()
        }))
    }
}

/// The zone in a field. Magic Online only says whether a card is in the sideboard.
fn zone_of_field(field: Cow<'_, str>) -> Option<Cow<'_, str>> {
    match field.to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(Cow::Borrowed("sideboard")),
        "no" | "false" => None,
        _ => Some(field),
    }
}

/// The quantity in a field: a whole number, also in the forms `2x` and `2.0`, which programs write.
pub(super) fn quantity(field: &str) -> Result<u32, DeckTextFault> {
    const TIMES: [char; 3] = ['x', 'X', '×'];
    let number = field.trim().trim_start_matches(TIMES).trim_end_matches(TIMES).trim();
    // Three zeros after a comma are rather thousands.
    let whole = match number.split_once(['.', ',']) {
        Some((whole, "0" | "00")) => whole,
        _ => number,
    };
    let has_sign = whole.strip_prefix(['-', '−', '+']);
    if has_sign.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit())) {
        return Err(DeckTextFault::QuantityInvalid);
    }
    if whole.is_empty() || !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(DeckTextFault::QuantityNotWhole);
    }
    whole.parse().map_err(|_| DeckTextFault::QuantityTooLarge)
}

pub(super) fn draft<'a>(source: Source<'a>, game: &Game) -> Draft<'a> {
    let mut draft = Draft::default();
    let is_rarity = |word: &str| {
        let key = key(word);
        game.rarity_called(word).is_some() || ["foil", "nonfoil", "etched"].contains(&&*key)
    };
    // Lines of a table without a header look like no header.
    let mut columns = Columns::guessed(source.raw, &is_rarity);
    let mut stated = None;
    let mut line = 1;
    let mut rest = source.raw;
    while !rest.is_empty() {
        // Lines that are left out are only counted.
        let end = if draft.is_full() { line_end(rest) } else { record_end(rest) };
        let record = rest[..end].trim_matches(['\r', '\n']);
        let content = match columns {
            _ if record.trim().is_empty() => Content::Blank,
            None if stated.is_none() && stated_separator(record).is_some() => {
                stated = stated_separator(record);
                Content::Ignored(IgnoredReason::Decoration)
            }
            None => {
                columns = Columns::of_header(record, stated);
                Content::Ignored(match columns {
                    Some(Columns { separator, .. }) => Columns::header_verdict(record, separator),
                    None => IgnoredReason::Malformed { detail: MalformedText::NoColumns },
                })
            }
            Some(Columns { is_guessed: true, .. })
                if draft.lines.is_empty() && stated_separator(record).is_some() =>
            {
                Content::Ignored(IgnoredReason::Decoration)
            }
            Some(_) if is_table_rule(record) => Content::Ignored(IgnoredReason::Decoration),
            Some(columns) => columns.entry(record, game),
        };
        draft.push(line, Cow::Borrowed(record), content);
        line += rest[..end].matches('\n').count();
        rest = &rest[end..];
    }
    draft
}

/// End of the first record, including its line feed. A line feed inside quotation marks does not end it.
fn record_end(text: &str) -> usize {
    let mut quoted = false;
    // A quotation mark in the middle of an unquoted field has no special meaning.
    let mut may_begin = true;
    for (at, byte) in text.bytes().enumerate().take(RECORD_MAX) {
        match byte {
            b'"' if quoted || may_begin => {
                quoted = !quoted;
                // A second quotation mark directly after it is an escaped one.
                may_begin = !quoted;
                continue;
            }
            b'\n' if !quoted => return at + 1,
            _ => {}
        }
        may_begin = !quoted && (b",;\t".contains(&byte) || (may_begin && byte == b' '));
    }
    // A missing closing quotation mark must not make the lines below part of the field.
    if quoted || text.len() > RECORD_MAX { line_end(text) } else { text.len() }
}

/// End of the first line, including its line feed.
fn line_end(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |at| at + 1)
}

pub(super) fn fields(record: &str, separator: char) -> Vec<Cow<'_, str>> {
    let mut fields = Vec::new();
    let mut rest = record;
    while fields.len() < FIELDS_MAX {
        let (field, after) = match rest.trim_start_matches(' ').strip_prefix('"') {
            Some(inner) => quoted(inner),
            None => unquoted(rest, separator),
        };
        fields.push(field);
        // Text between a closing quotation mark and the separator is ignored.
        match after.split_once(separator) {
            Some((_, next)) => rest = next,
            None => break,
        }
    }
    fields
}

/// A field up to the separator, and the rest of the record. In tables of Markdown, `\|` is a bar in the field.
fn unquoted(record: &str, separator: char) -> (Cow<'_, str>, &str) {
    let is_escaped = |end: usize| separator == '|' && record[..end].ends_with('\\');
    let mut ends = record.match_indices(separator).map(|(end, _)| end);
    let end = ends.find(|end| !is_escaped(*end)).unwrap_or(record.len());
    let (field, rest) = record.split_at(end);
    let has_escaped = separator == '|' && field.contains("\\|");
    let field = if has_escaped { field.replace("\\|", "|").into() } else { field.into() };
    (field, rest)
}

/// A quoted field without its quotation marks, and the rest of the record; `""` is an escaped quotation mark.
fn quoted(inner: &str) -> (Cow<'_, str>, &str) {
    let mut from = 0;
    while let Some(at) = inner[from..].find('"').map(|at| from + at) {
        if inner[at + 1..].starts_with('"') {
            from = at + 2;
            continue;
        }
        let field = &inner[..at];
        let field =
            if field.contains('"') { field.replace("\"\"", "\"").into() } else { field.into() };
        return (field, &inner[at + 1..]);
    }
    (inner.into(), "")
}

fn trimmed(field: Cow<'_, str>) -> Cow<'_, str> {
    match field {
        Cow::Borrowed(field) => Cow::Borrowed(field.trim()),
        Cow::Owned(field) => Cow::Owned(field.trim().to_owned()),
    }
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let writable =
        WritableParts { set: true, number: true, rarity: Rarities::All, place_alone: true };
    writer.text.push_str("Quantity,Name,Set,Number,Rarity,Zone\n");
    for at in 0..writer.deck.entries.len() {
        let Some(line) = writer.line(at, writable) else { continue };
        let zone = writer.deck.entries[at].zone.clone();
        let parts = [
            line.name.as_str(),
            line.set.unwrap_or_default(),
            line.number.unwrap_or_default(),
            line.rarity.unwrap_or_default(),
            &zone,
        ];
        writer.text.push_str(&line.quantity.to_string());
        for part in parts {
            writer.text.push(',');
            writer.text.push_str(&field(part));
        }
        writer.text.push('\n');
    }
}

fn field(text: &str) -> String {
    let plain = !text.contains([',', ';', '\t', '"', '\n', '\r']) && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}
