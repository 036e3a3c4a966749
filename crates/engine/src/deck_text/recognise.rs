//! Recognises the dialect of a text.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

use super::DeckDialect;
use super::archidekt;
use super::around_code::{AroundCode, is_fence, is_sentence, is_title};
use super::csv;
use super::forge;
use super::line::{last_tag, without_cards};
use super::share_code::decode_share_code;
use super::zones::Role;

macro_rules! dialect_marks {
    ($($(#[doc = $meaning:literal])+ $mark:ident = $words:literal,)+) => {
        /// What a dialect is recognised by; serialised in words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum DialectMark {
            $($(#[doc = $meaning])+ $mark,)+
        }

        impl DialectMark {
            /// All marks.
            pub const ALL: &'static [Self] = &[$(Self::$mark),+];

            /// The mark in words.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$mark => $words,)+ }
            }
        }
    };
}

dialect_marks! {
    /// The scheme of a link, of YDKE.
    Link = "it begins with \"ydke://\"",
    /// Entries in JSON.
    Json = "it is JSON with \"entries\"",
    /// A JSON array of entries.
    JsonArray = "it is a JSON array of objects",
    /// A JSON array of texts, whose elements are read as lines.
    JsonLines = "it is a JSON array of lines",
    /// A JSON object with other members than `entries`.
    JsonObject = "it is a JSON object",
    /// One word, a share code.
    CodeDigits = "it is one word of the digits of a share code",
    /// A header of a table.
    Columns = "the first line names columns",
    /// A table without a header.
    QuantityColumn = "all lines have the same columns, and one column is a quantity",
    /// The sections of YDK.
    IdSections = "a line is \"#main\", \"#extra\" or \"!side\"",
    /// The metadata or the sets of Forge.
    SetsAfterBars = "a line is \"[metadata]\", or has a set after \"|\"",
    /// The headings of PTCG Online.
    FramedHeadings = "a line begins with \"##\" or is framed by asterisks",
    /// The headings of PTCG Live.
    CountedHeadings = "a line is \"Pokémon: N\", \"Trainer: N\" or \"Energy: N\"",
    /// What NetrunnerDB writes below a list.
    Influence = "a line states influence or the number of cards, or names the site",
    /// What only our own text has.
    OwnMarks = "a rarity in braces, a name in quotes, or a comment \"format:\" or \"game:\"",
    /// The categories and tags of Archidekt.
    Categories = "a category in brackets or a tag between \"^\"",
    /// The finishes and tags of Moxfield.
    Finishes = "a finish between asterisks or a tag after \"#\"",
    /// The sets and numbers of Arena.
    SetsAndNumbers = "a line is \"About\", or a card has its set and number after it",
    /// The sideboard of Magic Online.
    SideboardPrefix = "a line begins with \"SB:\"",
    /// A blank line before the sideboard of Magic Online.
    TwoBlocks = "a blank line stands between two blocks of cards",
    /// None: a plain list.
    Nothing = "it has no marks of another dialect",
}

impl fmt::Display for DialectMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for DialectMark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A dialect that is recognised by single lines.
struct LineMark {
    dialect: DeckDialect,
    mark: DialectMark,
    /// A line that shows the mark has one of these bytes.
    bytes: &'static [u8],
    is_shown: fn(&str) -> bool,
}

/// The dialects that are recognised by single lines: the first one of which a line shows the mark.
const MARKS: [LineMark; 10] = [
    LineMark {
        dialect: DeckDialect::Ydk,
        mark: DialectMark::IdSections,
        bytes: b"#!",
        is_shown: |line| {
            ["#main", "#extra", "!side"].iter().any(|mark| line.eq_ignore_ascii_case(mark))
        },
    },
    LineMark {
        dialect: DeckDialect::Forge,
        mark: DialectMark::SetsAfterBars,
        bytes: b"[|",
        is_shown: |line| {
            line.eq_ignore_ascii_case("[metadata]")
                || (begins_with_number(line)
                    && line.contains('|')
                    && !has_own_marks(line)
                    && !forge::has_second_card(line))
        },
    },
    LineMark {
        // Its lists in Markdown have headings after `##`, too.
        dialect: DeckDialect::NetrunnerDb,
        mark: DialectMark::Influence,
        bytes: b".(",
        is_shown: |line| {
            let is_total =
                || line.split_once(" cards (min ").is_some_and(|(count, _)| is_count(count));
            // A name in quotes may have such words.
            (line.contains(INFLUENCE) || line.contains(SITE) || is_total()) && !has_own_marks(line)
        },
    },
    LineMark {
        dialect: DeckDialect::PtcgOnline,
        mark: DialectMark::FramedHeadings,
        bytes: b"#*",
        is_shown: |line| line.starts_with("##") || line.starts_with("******"),
    },
    LineMark {
        dialect: DeckDialect::PtcgLive,
        mark: DialectMark::CountedHeadings,
        bytes: b":",
        is_shown: |line| {
            let (head, count) = line.split_once(':').unwrap_or_default();
            is_count(count)
                && ["pokemon", "pokémon", "trainer", "energy"]
                    .contains(&head.trim().to_lowercase().as_str())
        },
    },
    LineMark {
        dialect: DeckDialect::Own,
        mark: DialectMark::OwnMarks,
        bytes: b"\"}#/",
        is_shown: is_own,
    },
    LineMark {
        dialect: DeckDialect::Archidekt,
        mark: DialectMark::Categories,
        bytes: b"^]",
        is_shown: |line| {
            begins_with_number(line) && (last_tag(line).is_some() || is_category(line))
        },
    },
    LineMark {
        dialect: DeckDialect::Moxfield,
        mark: DialectMark::Finishes,
        bytes: b"*#",
        is_shown: |line| {
            begins_with_number(line) && (is_tagged(line, '*', '*') || has_hash_tag(line))
        },
    },
    LineMark {
        dialect: DeckDialect::Arena,
        mark: DialectMark::SetsAndNumbers,
        bytes: b")",
        is_shown: |line| {
            line.eq_ignore_ascii_case(ABOUT)
                || (begins_with_number(line) && has_set_and_number(line))
        },
    },
    LineMark {
        dialect: DeckDialect::Mtgo,
        mark: DialectMark::SideboardPrefix,
        bytes: b":",
        is_shown: |line| line.get(..3).is_some_and(|head| head.eq_ignore_ascii_case("sb:")),
    },
];

/// The positions in [`MARKS`] of the marks that a line with this byte may show, as bits.
static MARKS_OF_BYTE: [u16; 256] = {
    let mut marks = [0_u16; 256];
    let mut at = 0;
    while at < MARKS.len() {
        let bytes = MARKS[at].bytes;
        let mut byte = 0;
        while byte < bytes.len() {
            marks[bytes[byte] as usize] |= 1_u16 << at;
            byte += 1;
        }
        at += 1;
    }
    marks
};

/// The words of marks that have no byte of [`LineMark::bytes`].
const ABOUT: &str = "about";
const INFLUENCE: &str = " influence spent";
/// The address of NetrunnerDB.
const SITE: &str = "netrunnerdb.com";

/// The first of the [`MARKS`] that a line shows. Each line is scanned once for the bytes that marks have, and most lines have none of them.
fn first_mark(text: &str, lines: &[&str]) -> Option<(DeckDialect, DialectMark)> {
    let has_influence = text.contains(INFLUENCE);
    let mut first = MARKS.len();
    for line in lines {
        let bits = line.bytes().fold(0_u16, |bits, byte| bits | MARKS_OF_BYTE[usize::from(byte)]);
        let may_have_word = has_influence || line.len() == ABOUT.len();
        if bits == 0 && !may_have_word {
            continue;
        }
        let may_show = |at: &usize| may_have_word || bits & (1_u16 << *at) != 0;
        let shown = (0..first).filter(may_show).find(|at| (MARKS[*at].is_shown)(line));
        first = shown.unwrap_or(first);
    }
    MARKS.get(first).map(|mark| (mark.dialect, mark.mark))
}

/// Maximum number of lines that are examined.
const EXAMINED_LINES_MAX: usize = 500;

/// The dialect that a text is most likely in. A text without marks of another dialect is a plain list.
///
/// ```
/// use cardscape_engine::{DeckDialect, recognise_deck_text};
/// assert_eq!(recognise_deck_text("#main\n7001\n!side\n"), DeckDialect::Ydk);
/// assert_eq!(recognise_deck_text("2 Old Pike\n1 Carp"), DeckDialect::Plain);
/// assert_eq!(recognise_deck_text("// format: pond/open\n\n2 Pike | Carp"), DeckDialect::Own);
/// assert_eq!(recognise_deck_text("2 \"Pike | Carp\""), DeckDialect::Own);
/// ```
pub fn recognise_deck_text(text: &str) -> DeckDialect {
    recognise(&prepared(text).text).0
}

/// The dialect, and what it was recognised by.
pub(super) fn recognise(text: &str) -> (DeckDialect, DialectMark) {
    let trimmed = text.trim();
    if is_link(trimmed) {
        return (DeckDialect::Ydke, DialectMark::Link);
    }
    if trimmed.starts_with('{') && trimmed.contains("\"entries\"") {
        return (DeckDialect::Json, DialectMark::Json);
    }
    if trimmed.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{')) {
        return (DeckDialect::Json, DialectMark::JsonArray);
    }
    if begins_like_object(trimmed) {
        return (DeckDialect::Json, DialectMark::JsonObject);
    }
    if is_share_code(trimmed) {
        return (DeckDialect::ShareCode, DialectMark::CodeDigits);
    }
    let lines: Vec<&str> = text
        .split('\n')
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(EXAMINED_LINES_MAX)
        .collect();
    let is_header = |first: &&str| match csv::stated_separator(first) {
        Some(separator) => lines
            .get(1)
            .is_some_and(|line| csv::Columns::of_header(line, Some(separator)).is_some()),
        None => csv::Columns::of(first).is_some(),
    };
    if lines.first().is_some_and(is_header) {
        return (DeckDialect::Csv, DialectMark::Columns);
    }
    let guessed = csv::Columns::guessed(text, &|_| false);
    if guessed.is_some_and(|columns| !columns.has_tabs()) {
        return (DeckDialect::Csv, DialectMark::QuantityColumn);
    }
    // The names of cards in our own text may be like marks of other dialects.
    let found = if lines.first().is_some_and(|line| begins_as_own(line)) {
        Some((DeckDialect::Own, DialectMark::OwnMarks))
    } else {
        first_mark(text, &lines)
    };
    match found {
        Some((dialect, mark)) => (dialect, mark),
        // A quantity, a tab and a name are read as any other line of a list.
        None if guessed.is_some_and(|columns| !columns.are_like_lines()) => {
            (DeckDialect::Csv, DialectMark::QuantityColumn)
        }
        None if is_in_two_blocks(text) => (DeckDialect::Mtgo, DialectMark::TwoBlocks),
        None => (DeckDialect::Plain, DialectMark::Nothing),
    }
}

/// Whether the name of a card has words by which a list may be recognised as one of another dialect, although it may have no other marks: those of NetrunnerDB, or the
/// names of columns.
pub(super) fn shows_dialect(name: &str) -> bool {
    name.contains(INFLUENCE)
        || name.starts_with(INFLUENCE.trim_start())
        || name.contains(SITE)
        || (name.contains([',', ';']) && csv::Columns::of(name).is_some())
}

/// Whether a text begins as a link of ids does.
fn is_link(text: &str) -> bool {
    text.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("ydke://"))
}

/// Whether a text begins like a JSON object, perhaps one with a wrong kind of quotes.
fn begins_like_object(text: &str) -> bool {
    let first = text.strip_prefix('{').and_then(|rest| rest.trim_start().chars().next());
    first.is_some_and(|first| ['"', '\'', '“', '}'].contains(&first))
}

/// The text of a list that stands in another text.
pub(super) struct Prepared<'a> {
    /// The elements of a JSON array of texts as lines, or a share code or a link of ids without what is around it.
    pub(super) text: Cow<'a, str>,
    /// Whether it was such an array.
    pub(super) is_array: bool,
    /// What stands around a share code or a link of ids.
    pub(super) around: Option<AroundCode>,
}

/// Finds the list in a text.
pub(super) fn prepared(text: &str) -> Prepared<'_> {
    let trimmed = text.trim();
    let begins_with_text =
        trimmed.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('"'));
    // The name of a zone in our own text, `["Zone"]`, is a line above others.
    if begins_with_text && let Ok(lines) = serde_json::from_str::<Vec<String>>(trimmed) {
        let lines: Vec<String> =
            lines.into_iter().map(|line| line.replace(['\n', '\r'], " ")).collect();
        return Prepared { text: Cow::Owned(lines.join("\n")), is_array: true, around: None };
    }
    match found_link(text).or_else(|| found_share_code(text)) {
        Some((code, line)) => {
            let around = around_code(text, line);
            Prepared { text: Cow::Borrowed(code), is_array: false, around }
        }
        None => Prepared { text: Cow::Borrowed(text), is_array: false, around: None },
    }
}

/// The link of ids that a text consists of, without the code fence, quotes and brackets that chats need around it, and the number of its line. Words that end with a
/// colon may stand before it.
fn found_link(text: &str) -> Option<(&str, usize)> {
    let mut lines = numbered_lines(text).filter_map(|(number, line)| {
        let bare = without_marks_of_chats(line);
        let link = introduced_link(line).map_or(bare, |(_, link)| link);
        (is_link(link) || !is_fence(line)).then_some((link, number))
    });
    let found = lines.next().filter(|_| lines.next().is_none())?;
    is_link(found.0).then_some(found)
}

/// The words that end with a colon, and the link of ids after them. After a quantity, both are the name of a card.
fn introduced_link(line: &str) -> Option<(&str, &str)> {
    let (before, word) = line.rsplit_once(char::is_whitespace)?;
    let (before, link) = (before.trim_end(), without_marks_of_chats(word));
    let is_introduced = before.ends_with(':') && !begins_with_number(before);
    (is_introduced && is_link(link)).then_some((before, link))
}

fn without_marks_of_chats(text: &str) -> &str {
    text.trim_matches(['`', '<', '>', '"', ' '])
}

/// The share code that a text consists of. Left out are a code fence, quotes and other marks around it, the rest of a link that contains it, words before it that
/// end with a colon, and words after it without a digit. So are other lines, if exactly one line is a code and none of the others can be a card: comments, and
/// sentences without a number, which end with a mark such as `:` or `!`. The first line may also be a title without such a mark.
///
/// ```
/// use cardscape_engine::share_code_in;
/// assert_eq!(share_code_in("2 Old Pike"), None);
/// ```
pub fn share_code_in(text: &str) -> Option<&str> {
    found_share_code(text).map(|(code, _)| code)
}

/// The share code of a text, and the number of its line.
fn found_share_code(text: &str) -> Option<(&str, usize)> {
    let lines = || numbered_lines(text).filter(|(_, line)| !is_fence(line));
    let (number, line) = lines().next()?;
    // A member of JSON may be a link with a code.
    if begins_like_object(line) || begins_like_object(line.trim_start_matches(['[', ' '])) {
        return None;
    }
    if lines().nth(1).is_some() {
        let found = share_code_among_words(lines())?;
        // In our own text, a quantity and words before a code are an entry, and the code is a part of its name.
        let is_entry = |line: &str| begins_with_number(line) && !line.starts_with(found.0);
        let is_in_name =
            begins_as_own(line) && lines().any(|(at, line)| at == found.1 && is_entry(line));
        return (!is_in_name).then_some(found);
    }
    let whole = [line, line.trim_matches(|character| !is_code_digit(character))];
    let code = whole.into_iter().find(|code| is_share_code(code));
    Some((code.or_else(|| introduced_share_code(line, true))?, number))
}

/// The lines that are not blank, trimmed, with their numbers from 1.
fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().map(str::trim).enumerate();
    lines.map(|(at, line)| (at + 1, line)).filter(|(_, line)| !line.is_empty())
}

/// The share code in one of several lines, and the number of its line.
fn share_code_among_words<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
) -> Option<(&'a str, usize)> {
    /// A text of more lines is no message with a code.
    const LINES_MAX: usize = 50;
    let mut found = None;
    for (at, (number, line)) in lines.enumerate() {
        match introduced_share_code(line, at == 0) {
            _ if at >= LINES_MAX => return None,
            Some(code) => {
                if found.replace((code, number)).is_some() {
                    return None;
                }
            }
            None if is_sentence(line) || (at == 0 && is_title(line)) => {}
            None => return None,
        }
    }
    found
}

/// The lines and words around a share code, or the lines around a link of ids; `None`: there are none.
fn around_code(text: &str, line: usize) -> Option<AroundCode> {
    /// Fences may be many.
    const OTHERS_MAX: usize = 100;
    let own_line = numbered_lines(text).find(|(number, _)| *number == line);
    let found = own_line.and_then(|(_, text)| code_in_line(text));
    let before = found.as_ref().map(|found| found.before).filter(|words| !is_quotation(words));
    let before_link = || own_line.and_then(|(_, text)| Some(introduced_link(text)?.0));
    let before = before.or_else(before_link);
    let after = found.map(|found| found.after).filter(|words| !words.is_empty());
    let others = numbered_lines(text).filter_map(|(number, other)| {
        let words = if number == line { before? } else { other };
        Some((number, words.to_owned()))
    });
    let others: Vec<(usize, String)> = others.take(OTHERS_MAX).collect();
    let after = after.map(str::to_owned);
    (line > 1 || !others.is_empty() || after.is_some()).then_some(AroundCode {
        line,
        others,
        after,
    })
}

/// The valid share code in a line: alone, after words that end with a colon, or before words without a number. `is_first`: it may also stand after a title.
fn introduced_share_code(line: &str, is_first: bool) -> Option<&str> {
    let CodeInLine { before, code, is_bare, after } = code_in_line(line)?;
    // A quantity before a name in quotes or with a link, which contains the code.
    if !is_bare && begins_with_number(before) {
        return None;
    }
    let is_introduced =
        is_quotation(before) || before.ends_with(':') || (is_first && is_title(before));
    let inner = after.trim_matches(['(', ')']);
    let count = without_cards(inner);
    let is_count = count.len() < inner.len() && is_number(count);
    let ends = is_count || !after.contains(|character: char| character.is_ascii_digit());
    (is_introduced && ends).then_some(code)
}

/// A line with exactly one valid share code, and the words before and after the word that contains it.
struct CodeInLine<'a> {
    before: &'a str,
    code: &'a str,
    /// Whether the word is the code, perhaps between backticks.
    is_bare: bool,
    after: &'a str,
}

fn code_in_line(line: &str) -> Option<CodeInLine<'_>> {
    let mut words = line.split_whitespace().filter_map(|word| Some((word, code_of_word(word)?)));
    let (word, code) = words.next().filter(|_| words.next().is_none())?;
    let at = word.as_ptr().addr() - line.as_ptr().addr();
    // The text of a link may have several words.
    let is_end_of_link = word.split_once("](").is_some_and(|(text, _)| !text.contains('['));
    let start = line[..at].rfind('[').filter(|_| is_end_of_link).unwrap_or(at);
    let (before, after) = (line[..start].trim_end(), line[at + word.len()..].trim_start());
    let is_bare = word.trim_matches('`') == code;
    Some(CodeInLine { before, code, is_bare, after })
}

/// The valid share code in a word: with marks around it, which may be invisible, or in a link.
fn code_of_word(word: &str) -> Option<&str> {
    let is_code = |code: &&str| code.starts_with('1') && decode_share_code(code).is_ok();
    let bare = word.trim_matches(|character| !is_code_digit(character));
    let stated = bare.rsplit_once('=').map_or(bare, |(_, value)| value);
    let link = word.split_once("://").filter(|(scheme, _)| scheme.ends_with(['p', 's']));
    let parts = link.into_iter().flat_map(|(_, link)| link.split(|part| !is_code_digit(part)));
    [bare, bare.trim_matches('_'), stated].into_iter().chain(parts).find(is_code)
}

fn is_code_digit(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '-' || character == '_'
}

/// Whether there is nothing before a code but the mark of a quotation or of a list.
fn is_quotation(before: &str) -> bool {
    before.trim_matches(['>', '-', '*', '•', '|', ' ']).is_empty()
}

/// Whether the text is a share code. A long one may be damaged: then decoding reports its wrong check digits.
fn is_share_code(text: &str) -> bool {
    let may_be = text.starts_with('1') && text.chars().all(is_code_digit);
    may_be && (text.len() >= 16 || decode_share_code(text).is_ok())
}

/// Whether all lines begin with a quantity, and blank lines separate them into exactly two blocks.
fn is_in_two_blocks(text: &str) -> bool {
    let (mut gaps, mut after_blank) = (0, false);
    for line in text.trim().lines().map(str::trim) {
        if line.is_empty() {
            after_blank = true;
        } else if begins_with_number(line) {
            gaps += usize::from(std::mem::take(&mut after_blank));
        } else {
            return false;
        }
    }
    gaps == 1
}

fn is_count(text: &str) -> bool {
    text.trim().parse::<u32>().is_ok()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn begins_with_number(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_digit())
}

/// Whether a comment names the format or the game of the list, as our own text does.
pub(super) fn is_own_comment(comment: &str) -> bool {
    let key = comment.split_once(':').map(|(key, _)| key.trim().to_lowercase());
    key.is_some_and(|key| ["format", "game"].contains(&key.as_str()))
}

/// Whether the first line of a list is a comment with which our own text begins.
fn begins_as_own(line: &str) -> bool {
    line.strip_prefix("//").is_some_and(is_own_comment)
}

fn is_own(line: &str) -> bool {
    match line.strip_prefix("//").or_else(|| line.strip_prefix('#')) {
        Some(comment) => is_own_comment(comment),
        None => has_own_marks(line),
    }
}

/// Whether a line that is not a comment has what only our own text has: a rarity in braces, or a text in quotes.
pub(super) fn has_own_marks(line: &str) -> bool {
    let quoted = line.split_once(' ').is_some_and(|(_, rest)| is_quoted(rest.trim_start()));
    let quoted_zone = line.starts_with("[\"") && line.ends_with("\"]");
    (begins_with_number(line) && (quoted || is_tagged(line, '{', '}'))) || quoted_zone
}

/// Whether a text begins with a quotation mark, without a category, tag or finish of another program behind the closing one: names have quotation marks there, too.
fn is_quoted(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('"') else { return false };
    let after = inner.rsplit_once('"').map_or("", |(_, after)| after);
    !after.ends_with([']', '*', '^']) && !after.contains(" #")
}

/// Whether a line ends with something between two marks, after a blank.
fn is_tagged(line: &str, open: char, close: char) -> bool {
    let Some(inner) = line.strip_suffix(close) else { return false };
    inner
        .rsplit_once(open)
        .is_some_and(|(before, value)| !value.is_empty() && before.ends_with(' '))
}

/// Whether a line has a tag after `#`. The keycap of the number sign is an emoji.
fn has_hash_tag(line: &str) -> bool {
    line.split(" #").skip(1).any(|tag| !tag.starts_with(['\u{fe0f}', '\u{20e3}']))
}

/// Whether a line ends with a category in square brackets that cannot be a set. A text with spaces may be the name of a set.
fn is_category(line: &str) -> bool {
    let Some((before, category)) = line.strip_suffix(']').and_then(|inner| inner.rsplit_once('['))
    else {
        return false;
    };
    let is_zone = archidekt::zone_of(category).is_some_and(|label| Role::of_word(label).is_some());
    is_zone || category.contains(['{', ',']) || before.contains('(')
}

/// Whether a line ends with `(SET) 12`.
fn has_set_and_number(line: &str) -> bool {
    line.rsplit_once(") ").is_some_and(|(before, number)| {
        let set = before.rsplit_once('(').map(|(_, set)| set);
        set.is_some_and(|set| !set.is_empty() && !set.contains(' '))
            && !number.contains(' ')
            && number.contains(|character: char| character.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lines that show marks, and lines that nearly do.
    const LINES: &str = "2 [A-Z][a-z]{2,6}( [*\\[({#^|/\"]{0,2}[A-Za-z0-9]{0,4}[*\\])}^\"]{0,2}){0,3}|[#!]{0,2}(main|extra|side)|\
        \\[metadata\\]|about|About|sb: 1 Salt|(Pok[eé]mon|Energy) ?: ?[0-9]?|[0-9]{1,2} influence spent|[0-9]{2} cards \\(min [0-9]|\
        [*]{5,7} Deck|// ?(format|game|other): [a-z]{1,3}|netrunnerdb[.]com|2 Salt \\([A-Z]{3}\\) [0-9]{1,2}|[ -~é🔥]{0,12}";

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn the_scan_for_bytes_leaves_out_no_mark(lines in proptest::collection::vec(LINES, 0..6)) {
            let text = lines.join("\n");
            let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
            let found = MARKS.iter().find(|mark| lines.iter().any(|line| (mark.is_shown)(line)));
            let found = found.map(|mark| (mark.dialect, mark.mark));
            prop_assert_eq!(first_mark(&text, &lines), found, "{}", text);
        }
    }
}
