use super::*;
use crate::app::problem::ProblemCode;
use crate::app::words::must_be_one_of;
use crate::domain::collection::Condition;
use crate::domain::collection::table::Column;
use crate::domain::decks::deck::EntryFault;

/// API clients may compare the messages, so the messages must not change.
#[test]
fn messages_for_api_clients_do_not_change() {
    let length = || TextError::Length { min: 1, max: 60, actual: 0 };
    let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let owned = str::to_owned;
    let too_many = |of| FaultReason::TooMany { of, most: 20, actual: 21 };
    let entry = |field, reason| EntryFault { field, reason };
    let refused = LineRefusal::Entry(vec![
        entry("quantity", EntryReason::Quantity),
        entry("name", length().into()),
    ]);
    let share =
        UnfilledReason::NoShare { of: texts(&["attack", "defense"]), total: 500, rest: -20 };
    let before = CardFault::PrintedAs(owned("Imp"));
    let taken = CardFault::NameTaken { set: owned("hearth"), number: owned("001") };
    let name = FormatName::parse("ttcg/standrd").unwrap();
    let unknown = UnknownFormat::Code { name: name.clone(), known: texts(&["ttcg/standard"]) };
    let reasons: Vec<(FaultReason, &str)> = vec![
        (length().into(), "must be 1 to 60 characters long, not 0"),
        (
            CodeError.into(),
            "a code has only letters, digits, hyphens and underscores, at most 64, such as ttcg or 001",
        ),
        (SerialError::Length(3).into(), "a serial code has 16 symbols, this has 3"),
        (PasswordError::Common.into(), "is too easy to guess"),
        (DateError.into(), "expected an existing day in the form YYYY-MM-DD"),
        (
            ConditionError.into(),
            "a condition is mint, near_mint, lightly_played, moderately_played, heavily_played or damaged",
        ),
        (
            NumberFault.into(),
            "must be 1 to 16 letters and digits, with single hyphens between them",
        ),
        (
            FormatNameError.into(),
            "must be game/format or game/format:variant in lower case, for example ttcg/standard",
        ),
        (ArtworkIdError.into(), "must be the id of an artwork: 64 hexadecimal digits"),
        (TargetError::Scheme.into(), "must begin with https://"),
        (FaultReason::NoId, "must be a UUID"),
        (FaultReason::Nul, "must not contain the NUL character (\\u0000)"),
        (FaultReason::TooLong, "is longer than any text of a card"),
        (
            FaultReason::TooLarge { most: 10, actual: 11 },
            "must have at most 10 bytes as JSON, not 11",
        ),
        (FaultReason::range(1, 5), "must be 1 to 5"),
        (FaultReason::range_not(1_u32, 5_u32, 9_u32), "must be 1 to 5, not 9"),
        (too_many(CountedItems::Entries), "must have at most 20 entries, not 21"),
        (too_many(CountedItems::Tags), "must have at most 20 tags, not 21"),
        (
            must_be_one_of("privat", ["private", "public"]).into(),
            "must be one of private, public; did you mean private?",
        ),
        (must_be_one_of("xyz", ["private", "public"]).into(), "must be one of private, public"),
        (NoGame::new("ttgc", ["ttcg"]).into(), "There is no game ttgc; did you mean ttcg?"),
        (NoGame::new("ttcg.", ["ttcg"]).into(), "There is no game ttcg; did you mean ttcg?"),
        (NoGame::new("xyzzy", ["ttcg"]).into(), "There is no game xyzzy."),
        (
            NoFormat::new(unknown, &name).into(),
            "There is no format ttcg/standrd; there is ttcg/standard; did you mean ttcg/standard?",
        ),
        (FaultReason::NoCode { of: "set", message: owned("no set") }, "no set"),
        (
            FaultReason::no_set_of_game("ttcg", "xyzzy", ["veil"]),
            "the game ttcg has no set \"xyzzy\"",
        ),
        (
            FaultReason::no_set_of_game("ttcg", "viel", ["hearth", "veil"]),
            "the game ttcg has no set \"viel\"; did you mean veil?",
        ),
        (FaultReason::NoCard, "there is no such card, or none that you may see"),
        (FaultReason::NoPrinting, "there is no such printing, or none that you may see"),
        (FaultReason::NoRarityOfCard, "the card has no printing of that rarity that you may see"),
        (FaultReason::NoTarget, "names nothing that exists"),
        (FaultReason::NoRevision, "must be the number of a revision"),
        (
            FaultReason::NoThread { on: "deck" },
            "must be a comment on this deck that is shown, and no reply itself",
        ),
        (FaultReason::GameGone, "there is no such game any more"),
        (
            FaultReason::CardUnnamed { ids: owned("card") },
            "must have exactly card; or game, set and number; or game, name and perhaps set",
        ),
        (FaultReason::NoEvent, "must name at least one kind of event"),
        (FaultReason::Repeated, "stands on the list twice"),
        (TermsFault::TooMany(51).into(), "must name at most 50 copies, not 51"),
        (CopyFault::NotYours.into(), "is not a copy of yours"),
        (CopyFault::Frozen.into(), "is frozen by a moderator: the copy's history says why"),
        (CopyFault::Void.into(), "is void"),
        (CopyFault::NotShown.into(), "is not a copy that this player shows you"),
        (FaultReason::Oneself, "must be another player"),
        (FaultReason::Blocked, "is a player whom you have blocked: remove the block first"),
        (
            ContentReason::TooMany { most: 12, actual: 13 }.into(),
            "must have at most 12 items, not 13",
        ),
        (
            ContentReason::AttributeName(CodeError).into(),
            "has a name that is not a code: a code has only letters, digits, hyphens and underscores, at most 64, such as ttcg or 001",
        ),
        (ContentReason::Value.into(), "must be a text, a number, true, false, or a list of these"),
        (
            ContentReason::Range.into(),
            "must be a 64-bit whole number, or 0, or have an absolute value of at least 0.00001 and less than 1e16",
        ),
        (
            ContentReason::LongKey.into(),
            "must be shorter: its characters consist of too many parts",
        ),
        (ContentReason::Code(CodeError).into(), CODE),
        (
            share.into(),
            "attack + defense must be 500, which leaves -20: no value between the bounds adds up to that.",
        ),
        (UnfilledReason::AuthorsText.into(), "It is a text: only the author can write it."),
        (UnfilledReason::TooManyEffects.into(), "A design has at most 12 effects."),
        (
            FaultReason::ForeignArtwork,
            "must be an artwork that you have uploaded and not deleted since",
        ),
        (
            FaultReason::RemovedArtwork,
            "was taken down by moderators: choose another artwork, or none",
        ),
        (FaultReason::GameStays, "must stay what it is: begin another design for another game"),
        (FaultReason::GameOfDesign, "must be the game of the design"),
        (
            FaultReason::Unchanged,
            "must change something; licence and artwork are for the author to choose",
        ),
        (FaultReason::ChangedInDesign, "was changed in the design as well"),
        (
            FaultReason::TooLargeTogether,
            "would be too large with the suggested change and the later changes of the author",
        ),
        (FaultReason::DetailsMissing, "must say what is wrong, when the reason is other"),
        (
            FaultReason::NoteOnHidden,
            "must be left out: the card is hidden, and everybody may read notes",
        ),
        (taken.into(), "card 001 of the set hearth has this name already"),
        (
            before.into(),
            "the card was printed as \"Imp\": a printed card keeps its name (case and punctuation may change), and a number its card",
        ),
        (
            CardFault::NameLike { hidden: true, set: owned("veil"), number: owned("004") }.into(),
            "the hidden card 004 of the set veil has the same name, or one that looks the same",
        ),
        (
            CardFault::NameLike { hidden: false, set: owned("hearth"), number: owned("001") }
                .into(),
            "the card 001 of the set hearth has the same name, or one that looks the same",
        ),
        (
            CardFault::SetPrinted.into(),
            "the set has been printed: each card of a set has the same number of copies, so new cards need a new set",
        ),
        (CardFault::NumberTaken(owned("001")).into(), "the set has a card 001 already"),
        (
            CardFault::NumberGone { became: owned("was moved to hearth/002") }.into(),
            "the card of this number was moved to hearth/002: no other card takes its number",
        ),
        (FaultReason::AuthorBanned, ProblemCode::AuthorBanned.title()),
        (FaultReason::ReleaseUnconfirmed, ProblemCode::ReleaseNotConfirmed.title()),
        (
            FaultReason::DesignNameTaken(NameHolder::Design),
            "Another design has this name, or one that looks the same.",
        ),
        (
            FaultReason::DesignArtworkRemoved,
            "The artwork of the design was taken down: revoke the approval, so that the author can choose another artwork, or none",
        ),
        (
            FaultReason::DesignFreeText,
            "No template of the game makes this sentence: add a template that makes it, or revoke the approval, so that the author can change the sentence",
        ),
        (
            FaultReason::DesignSearchLimit,
            "No template was found within the limit of steps of the search: make the templates that are like this sentence simpler, or revoke the approval, so that the author can change the sentence",
        ),
        (EntryReason::TooManyCopies.into(), "must be at most 100, and no more than the quantity"),
        (
            EntryReason::SerialOfCopy.into(),
            "must not be serial codes: name a copy by its id, or as you like",
        ),
        (
            EntryReason::Serial.into(),
            "must not be a serial code: submit it, and name the card here",
        ),
        (
            refused.into(),
            "quantity must be 1 to 10000; name must be 1 to 60 characters long, not 0",
        ),
        (FaultReason::DeckOfGame(owned("pebbles")), "is a deck of the game pebbles"),
        (FaultReason::LinesLeft(7), "must have at most 10000 lines that are not blank, not 10007"),
        (
            FaultReason::NoCards,
            "has no card of the deck: an empty deck is sent as JSON, with \"entries\": []",
        ),
        (TableError::Empty.into(), "the file is empty"),
        ("is missing".into(), "is missing"),
    ];
    for (reason, expected) in reasons {
        assert_eq!(reason.to_string(), expected, "{reason:?}");
    }
}

const CODE: &str =
    "a code has only letters, digits, hyphens and underscores, at most 64, such as ttcg or 001";

#[test]
fn messages_about_lines_do_not_change() {
    let owned = str::to_owned;
    let near = || vec![owned("hearth")];
    for (fault, expected) in [
        (LineFault::Quantity(owned("0")), "the quantity must be 1 to 9999, not \"0\""),
        (
            LineFault::Condition(owned("new")),
            "the condition \"new\" is not known; known are mint, near mint, lightly played, moderately played, heavily played, damaged, \
             and their short forms like NM and LP",
        ),
        (LineFault::DamagedId, "the printing id is not a whole UUID"),
        (
            LineFault::Name(TextError::Length { min: 1, max: 120, actual: 121 }),
            "the name must be 1 to 120 characters long, not 121",
        ),
        (
            LineFault::Number(owned("*")),
            "the number \"*\" is not a collector number that a card can have",
        ),
        (LineFault::TooLong(Column::SetName), "the set name is longer than 120 characters"),
        (
            LineFault::NoCard,
            "names no card: it needs a name, a printing id of this service (a UUID), or set and number",
        ),
        (LineFault::TooWide, "has more than 1000 fields, or is longer than 65536 bytes"),
        (LineFault::Surplus { fields: 5, headings: 4 }, "has 5 fields, but there are 4 headings"),
        (LineFault::NotClosed(9), "spans 9 lines: is a quotation mark not closed?"),
        (LineFault::NoObject(owned("null")), "must be an object, not null"),
        (LineFault::Nested(Column::SetCode), "the member for set_code must be a text or a number"),
        (
            LineFault::TooMany,
            "with the lines before it, the file has more than 9999 of this printing",
        ),
        (LineFault::NoGame(Vec::new()), "there is no such game"),
        (LineFault::NoSet(near()), "there is no such set; did you mean hearth?"),
        (LineFault::NoPrinting, "there is no such printing"),
        (LineFault::NoName, "there is no card of that name"),
        (LineFault::NoNumber, "there is no card of that number that you may see"),
        (LineFault::OtherSet, "the card of that name is in another set"),
        (LineFault::NoRarity, "the card has no printing of that rarity"),
        (LineFault::NoPrintings, "the card has no printings"),
        (LineFault::OtherNumber, "name and number are of different cards"),
        (LineFault::SeveralOfName, "several cards have that name"),
        (LineFault::SeveralOfNumber, "several cards have that number"),
        (LineFault::Contradiction, "the printing id contradicts name, game, set, number or rarity"),
        (
            LineFault::Finish,
            "the game does not say which rarity that finish is: name the rarity in a column Rarity",
        ),
        (
            LineFault::SeveralPrintings,
            "the card has several printings: name the rarity (for a file, without_rarity=most_common means the most common)",
        ),
    ] {
        assert_eq!(FaultReason::from(fault).to_string(), expected);
    }
    assert_eq!(Condition::ALL.len(), 6, "the message lists all conditions");
}
