//! Messages about the reading of a card list: its dialect, and each line.

use cardscape_engine::{
    DeckTextFault, DialectMark, Game, Guess, IgnoredReason, LineVerdict, MalformedText,
    ShareCodeError, UnknownReason,
};

use super::names::{Names, listed};
use crate::domain::decks::deck::{EntryFault, EntryReason, MAX_COPIES, MAX_QUANTITY};
use crate::domain::decks::list::LineRefusal;
use crate::domain::text::TextError;
use crate::web::words::{grouped, quoted, titled};

/// The mark by which a dialect was recognised.
pub(in crate::web) fn mark(mark: DialectMark) -> &'static str {
    match mark {
        DialectMark::Link => "it is a link that begins with ydke://",
        DialectMark::Json => "it is JSON with entries",
        DialectMark::JsonArray => "it is a JSON array of entries",
        DialectMark::JsonLines => "it is a JSON array of lines",
        DialectMark::JsonObject => "it is a JSON object",
        DialectMark::CodeDigits => "it is one word, as share codes are",
        DialectMark::Columns => "its first line names columns",
        DialectMark::QuantityColumn => {
            "it has the same columns in every line, and one of them is a quantity"
        }
        DialectMark::IdSections => "it has a line #main, #extra or !side",
        DialectMark::SetsAfterBars => "it has a line [metadata], or sets after bars",
        DialectMark::FramedHeadings => "it has lines with ## or framed by asterisks",
        DialectMark::CountedHeadings => "it counts Pokémon, trainers and energy",
        DialectMark::Influence => "it has a line about influence, or about that site",
        DialectMark::OwnMarks => "it has rarities in braces, names in quotes, or says its format",
        DialectMark::Categories => "it has categories in brackets, or tags between ^",
        DialectMark::Finishes => "it has finishes between asterisks, or tags after #",
        DialectMark::SetsAndNumbers => "it has a line About, or sets and numbers after names",
        DialectMark::SideboardPrefix => "it has lines that begin with SB:",
        DialectMark::TwoBlocks => "it has two blocks of cards with a blank line between them",
        DialectMark::Nothing => "it looks like no other dialect",
        _ => "it looks like it",
    }
}

/// The verdict on a line.
pub(in crate::web) fn verdict(verdict: &LineVerdict, game: Option<&Game>) -> String {
    let names = Names::of(game);
    match verdict {
        LineVerdict::Accepted => "It was read as written.".to_owned(),
        LineVerdict::Guessed { how } => {
            how.iter().map(|one| guess(one, names)).collect::<Vec<_>>().join(" ")
        }
        LineVerdict::Ambiguous { .. } => {
            "Write set and number of the one that you mean:".to_owned()
        }
        LineVerdict::Unknown { reason: Some(reason), .. } => match reason {
            UnknownReason::ExternalIdsNotDeclared => {
                "It is an id of another program, and this game has no such ids.".to_owned()
            }
            UnknownReason::ExternalIdUnknown => {
                "No card has this id of another program.".to_owned()
            }
            UnknownReason::SetAndNumberUnknown => {
                "No known card has this set and number.".to_owned()
            }
            _ => "No known card is meant.".to_owned(),
        },
        LineVerdict::Unknown { near, .. } if near.is_empty() => "No card has this name.".to_owned(),
        LineVerdict::Unknown { near, .. } => {
            format!("No card has this name. Perhaps: {}.", listed(near.clone()))
        }
        LineVerdict::Ignored(reason) => ignored(reason, names),
        _ => "It is no entry.".to_owned(),
    }
}

fn guess(guess: &Guess, names: Names<'_>) -> String {
    match guess {
        Guess::OneCopy => "One copy, since it has no number.".to_owned(),
        Guess::LineIsNumbered => "The number before it counts the lines.".to_owned(),
        Guess::QuantityBeforePoint => "The number before the point is the quantity.".to_owned(),
        Guess::QuantityAfterName => "The number after the name is the quantity.".to_owned(),
        Guess::QuantityIsPartOfName => "The number belongs to the name.".to_owned(),
        Guess::MarksArePartOfName => "All that stands there belongs to the name.".to_owned(),
        Guess::MarksDropped => "The marks around it are left out.".to_owned(),
        Guess::TagsDropped => "Its tags are left out: a deck has none.".to_owned(),
        Guess::ColumnsGuessed => {
            "No line names the columns, so their meaning was guessed.".to_owned()
        }
        Guess::RemarkDropped { remark } => format!("{} is a remark.", quoted(remark)),
        Guess::NameSpelled { name } => format!("It means {}.", quoted(name)),
        Guess::BySetAndNumber { name } => format!("Set and number are those of {}.", quoted(name)),
        Guess::BySymbol { name } => format!("It is the symbol of {}.", quoted(name)),
        Guess::SymbolsCounted => "The symbols of the row are counted.".to_owned(),
        Guess::SeveralCards => "The line has several cards.".to_owned(),
        Guess::SetDropped { set } => format!("The card is not in the set {}.", quoted(set)),
        Guess::NumberDropped { number } => {
            format!("The card does not have the number {}.", quoted(number))
        }
        Guess::RarityDropped { rarity } => {
            format!("The card does not exist in the rarity {}.", quoted(rarity))
        }
        Guess::ZoneNotInGame { zone } => {
            format!("The game has no zone {}.", quoted(&names.zone(zone)))
        }
        _ => "It was read in another way than it is written.".to_owned(),
    }
}

/// Why a line is not an entry.
fn ignored(reason: &IgnoredReason, names: Names<'_>) -> String {
    match reason {
        IgnoredReason::Comment => "A comment.".to_owned(),
        IgnoredReason::Note { key } => format!("It says of the deck: {}.", titled(key)),
        IgnoredReason::ZoneHeader { zone } => format!("{} begins here.", names.zone(zone)),
        IgnoredReason::BlankLine { zone } => {
            format!("{} begins after this blank line.", names.zone(zone))
        }
        IgnoredReason::Heading => "A heading.".to_owned(),
        IgnoredReason::ColumnsNotRead { columns } => {
            let columns = columns.iter().map(|column| quoted(column)).collect();
            format!("The names of the columns. Not read: {}.", listed(columns))
        }
        IgnoredReason::OutsideTheDeck => {
            "It is in a part that does not belong to the deck.".to_owned()
        }
        IgnoredReason::Decoration => "A frame, a total or a mark of another program.".to_owned(),
        IgnoredReason::Unreadable { fault } => line_fault(*fault).to_owned(),
        IgnoredReason::TooLong => "It is longer than the line of any card.".to_owned(),
        IgnoredReason::Malformed { detail } => malformed(detail),
        _ => "It is no entry.".to_owned(),
    }
}

fn line_fault(fault: DeckTextFault) -> &'static str {
    match fault {
        DeckTextFault::QuantityMissing => "It must begin with a number, as in “2 Kettle Imp”.",
        DeckTextFault::QuantityInvalid => "Its number must have no sign, as in “2 Kettle Imp”.",
        DeckTextFault::QuantityNotWhole => "Its quantity must be a whole number, as in “2”.",
        DeckTextFault::QuantityTooLarge => "Its number is far too large.",
        DeckTextFault::IdTooLarge => "Its id is too large: no card can have it.",
        DeckTextFault::NameMissing => {
            "It has no name after the number. A name in brackets needs quotes."
        }
        DeckTextFault::TooManyCards => {
            "It has more than 100 cards. Write each card on a line of its own."
        }
        _ => "It cannot be read.",
    }
}

fn malformed(text: &MalformedText) -> String {
    let fixed = match text {
        MalformedText::Json { fault, line, column } => {
            return format!(
                "It is JSON, but no deck in it can be read: {fault} (line {line}, column {column})."
            );
        }
        MalformedText::NoColumns => "Its first line names no columns.",
        MalformedText::TooManyParts => "The link has more than three parts.",
        MalformedText::PartWithoutIds | MalformedText::PartNotBase64 => {
            "A part of the link is damaged: it holds no cards."
        }
        MalformedText::ShareCode(ShareCodeError::Version) => {
            "The share code is of a version that is not known here."
        }
        MalformedText::ShareCode(ShareCodeError::CheckDigits) => {
            "The share code is mistyped, or a part of it is missing."
        }
        MalformedText::ShareCode(ShareCodeError::Malformed) => "The share code contains no deck.",
        MalformedText::ShareCode(ShareCodeError::TooLarge) => {
            "The deck is too large for a share code."
        }
        MalformedText::CodeAmongLines => {
            "It is a share code, which is not read among other lines: send the code alone."
        }
        MalformedText::MagicOnlineFile => {
            "It is a deck file of Magic Online (.dek), which is not read: save the deck as text (.txt) there."
        }
        MalformedText::CockatriceFile => {
            "It is a deck file of Cockatrice (.cod), which is not read: save the deck as plain text (.txt) there."
        }
        MalformedText::Xml => "It is XML, which is not read: save the deck as text.",
        MalformedText::NotText => {
            "This is no text, but a file of another kind, such as a picture: save the deck as text."
        }
        _ => "It cannot be read.",
    };
    fixed.to_owned()
}

/// Why a line is refused.
pub(in crate::web) fn refusal(refusal: &LineRefusal) -> String {
    match refusal {
        LineRefusal::Entry(faults) => faults.iter().map(entry_fault).collect::<Vec<_>>().join(" "),
        LineRefusal::Unreadable(reason) => ignored(reason, Names::of(None)),
    }
}

fn entry_fault(EntryFault { field, reason }: &EntryFault) -> String {
    let field = match *field {
        "name" => "The name",
        "zone" => "The zone",
        "set" => "The set",
        "number" => "The number of the card",
        "rarity" => "The rarity",
        "copies" => "The id of a copy",
        _ => "The quantity",
    };
    entry(field, reason)
}

/// Why an entry of a deck is refused; `field`: the part of the entry, at the beginning of the sentence.
pub(in crate::web) fn entry(field: &str, reason: &EntryReason) -> String {
    match reason {
        EntryReason::Text(TextError::Length { min, max, .. }) => {
            format!("{field} must have {min} to {max} characters.")
        }
        EntryReason::Text(_) => format!("{field} has characters that are not shown."),
        EntryReason::TooManyCopies => {
            format!("It names more copies than it has, or more than {MAX_COPIES}.")
        }
        EntryReason::SerialOfCopy => {
            "A deck must not contain the code of a card: name the copy by its id.".to_owned()
        }
        EntryReason::Serial => {
            "A list must not contain the code of a card: register the card, and write its name here."
                .to_owned()
        }
        EntryReason::Quantity => {
            format!("There must be 1 to {} copies.", grouped(MAX_QUANTITY.into()))
        }
    }
}

/// Why a line could not be read when its deck was saved. Decks store the English message of that time; this function recognises the messages that the service
/// still writes.
pub(in crate::web) fn unread(detail: &str) -> String {
    let faults = [
        DeckTextFault::QuantityMissing,
        DeckTextFault::QuantityInvalid,
        DeckTextFault::QuantityNotWhole,
        DeckTextFault::QuantityTooLarge,
        DeckTextFault::IdTooLarge,
        DeckTextFault::NameMissing,
        DeckTextFault::TooManyCards,
    ];
    let malformed = [
        MalformedText::NoColumns,
        MalformedText::TooManyParts,
        MalformedText::PartWithoutIds,
        MalformedText::PartNotBase64,
        MalformedText::CodeAmongLines,
        MalformedText::MagicOnlineFile,
        MalformedText::CockatriceFile,
        MalformedText::Xml,
        MalformedText::NotText,
    ];
    let entry = |reason: &EntryReason| {
        let fields = ["name", "zone", "set", "number", "rarity", "copies", "quantity"];
        fields.map(|field| LineRefusal::Entry(vec![EntryFault { field, reason: reason.clone() }]))
    };
    let reasons =
        [EntryReason::Quantity, EntryReason::Serial, EntryReason::Text(TextError::Control)];
    let mut known = (faults.map(|fault| IgnoredReason::Unreadable { fault }).into_iter())
        .chain(malformed.map(|detail| IgnoredReason::Malformed { detail }))
        .chain([IgnoredReason::TooLong])
        .map(LineRefusal::Unreadable)
        .chain(reasons.iter().flat_map(entry));
    let found = known.find(|one| one.to_string() == detail);
    found.map_or_else(|| "It cannot be in a deck as it is written.".to_owned(), |one| refusal(&one))
}

#[cfg(test)]
mod tests {
    use cardscape_engine::{Catalogue, DeckReading, read_deck};

    use super::*;

    const POND: &str = "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'\n[[zones]]\ncode='main'\nname='Shoal'\n[[zones]]\ncode='side'\nname='Net'";

    #[test]
    fn lines_of_lists_have_messages() {
        let game = Game::from_toml(POND).unwrap();
        let catalogue = Catalogue::builder(&game).build();
        let reading = DeckReading::new(&catalogue);
        let read = read_deck("// a comment\n-1 Silk\nSideboard\n1 Rope", &reading);
        let all: Vec<String> =
            read.lines.iter().map(|line| verdict(&line.verdict, Some(&game))).collect();
        assert_eq!(
            all,
            [
                "A comment.",
                "Its number must have no sign, as in “2 Kettle Imp”.",
                "Net begins here.",
                "No card has this name.",
            ]
        );
        let near = LineVerdict::Unknown { near: vec!["Rope".to_owned()], reason: None };
        assert_eq!(verdict(&near, None), "No card has this name. Perhaps: Rope.");
        let marks: Vec<&str> = DialectMark::ALL.iter().map(|one| mark(*one)).collect();
        for (at, mark) in marks.iter().enumerate() {
            assert!(mark.starts_with("it") && !marks[..at].contains(mark), "{mark}");
        }
    }

    #[test]
    fn tables_and_json_have_messages() {
        let game = Game::from_toml(POND).unwrap();
        let catalogue = Catalogue::builder(&game).build();
        let words_of = |text: &str, at: usize| {
            let read = read_deck(text, &DeckReading::new(&catalogue));
            verdict(&read.lines[at].verdict, Some(&game))
        };
        let table = "Qty,Name,Condition\ntwo,Rope,NM";
        assert_eq!(words_of(table, 0), "The names of the columns. Not read: “Condition”.");
        assert_eq!(words_of(table, 1), "Its quantity must be a whole number, as in “2”.");
        assert_eq!(
            words_of("{\"cards\": [", 0),
            "It is JSON, but no deck in it can be read: it ends before it is complete (line 1, column 11)."
        );
    }

    /// The stored message of a line leads to the same text as the line itself.
    #[test]
    fn stored_messages_of_lines_are_recognised() {
        for (content, expected) in [
            ("quantity must be 1 to 10000", "There must be 1 to 10,000 copies."),
            ("the quantity is far too large", "Its number is far too large."),
            (
                "the id is too large: ids of cards are at most 18446744073709551615",
                "Its id is too large: no card can have it.",
            ),
            (
                "the quantity must be a whole number of copies, as in \"2\"",
                "Its quantity must be a whole number, as in “2”.",
            ),
            ("the link has more than three parts", "The link has more than three parts."),
            (
                "name must not be a serial code: submit it, and name the card here",
                "A list must not contain the code of a card: register the card, and write its name here.",
            ),
            ("something else", "It cannot be in a deck as it is written."),
        ] {
            assert_eq!(unread(content), expected);
        }
    }
}
