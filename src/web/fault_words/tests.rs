use cardscape_engine::{
    CardDefinition, Date, DateError, DeckTextFault, Game, IgnoredReason, JsonFault, MalformedText,
    Position, card_faults,
};

use super::*;
use crate::app::fault_reason::{NoFormat, NoGame};
use crate::app::problem_cause::{ArtworkError, NameHolder, ProblemCause, RevocationRefusal};
use crate::app::words::must_be_one_of;
use crate::domain::accounts::password::PasswordError;
use crate::domain::catalogue::import::NumberFault;
use crate::domain::catalogue::migration::MergeRefusal;
use crate::domain::code::CodeError;
use crate::domain::collection::ConditionError;
use crate::domain::collection::table::{Column, LineFault, TableError};
use crate::domain::copies::trade::{CopyFault, TermsFault};
use crate::domain::decks::deck::{EntryFault, EntryReason, FormatName, FormatNameError};
use crate::domain::decks::list::LineRefusal;
use crate::domain::designs::artwork::ArtworkIdError;
use crate::domain::designs::content::ContentReason;
use crate::domain::designs::status::DesignStatus;
use crate::domain::designs::suggestion::UnfilledReason;
use crate::domain::operations::webhook_target::TargetError;
use crate::domain::printing::minting::PlanError;
use crate::domain::printing::packs::{PackError, ParameterFault};
use crate::domain::serials::serial::SerialError;
use crate::web::collection::words as collection_words;

fn texts() -> Vec<TextError> {
    let length = |actual| TextError::Length { min: 3, max: 32, actual };
    let mut all: Vec<TextError> = [0, 2, 1_033].into_iter().map(length).collect();
    all.extend([
        TextError::Control,
        TextError::Bidi,
        TextError::Separator,
        TextError::Undrawn,
        TextError::Marks,
        TextError::Blank,
        TextError::Serial,
    ]);
    all
}

fn entries() -> Vec<EntryReason> {
    use EntryReason as E;
    vec![E::Text(TextError::Control), E::TooManyCopies, E::SerialOfCopy, E::Serial, E::Quantity]
}

fn deck_lines() -> Vec<LineRefusal> {
    use DeckTextFault as D;
    let faults = entries().into_iter().map(|reason| EntryFault { field: "copies", reason });
    let unreadable = |fault| IgnoredReason::Unreadable { fault };
    let faulty = [
        D::QuantityMissing,
        D::QuantityInvalid,
        D::QuantityNotWhole,
        D::TooManyCards,
        D::QuantityTooLarge,
        D::IdTooLarge,
        D::NameMissing,
    ]
    .map(unreadable);
    let others = [
        IgnoredReason::TooLong,
        IgnoredReason::Malformed {
            detail: MalformedText::Json { fault: JsonFault::QuantityMissing, line: 1, column: 2 },
        },
        IgnoredReason::Comment,
    ];
    let mut all = vec![LineRefusal::Entry(faults.collect())];
    all.extend(faulty.into_iter().chain(others).map(LineRefusal::Unreadable));
    all
}

fn lines() -> Vec<LineFault> {
    use LineFault as L;
    let typed = || "x1".to_owned();
    vec![
        L::Quantity(typed()),
        L::Condition(typed()),
        L::DamagedId,
        L::Name(TextError::Blank),
        L::Number(typed()),
        L::TooLong(Column::SetName),
        L::NoCard,
        L::TooWide,
        L::Surplus { fields: 5, headings: 4 },
        L::NotClosed(1_200),
        L::NoObject("null".to_owned()),
        L::Nested(Column::SetCode),
        L::TooMany,
        L::OtherGame("ttcg".to_owned()),
        L::NoGame(Vec::new()),
        L::NoGame(vec!["ttcg".to_owned()]),
        L::NoSet(vec!["hearth".to_owned(), "veil".to_owned()]),
        L::NoPrinting,
        L::NoName,
        L::NoNumber,
        L::OtherSet,
        L::NoRarity,
        L::NoPrintings,
        L::OtherNumber,
        L::SeveralOfName,
        L::SeveralOfNumber,
        L::Contradiction,
        L::Finish,
        L::SeveralPrintings,
    ]
}

fn tables() -> Vec<TableError> {
    use TableError as T;
    let mixed = T::MixedEncodings { line: 3, byte: 0xe4 };
    let unknown = T::UnknownEncoding { line: 3, byte: 0x81 };
    let position = Position { line: 1, column: 2 };
    let malformed = T::MalformedJson { reason: "a value is expected here".to_owned(), position };
    vec![
        T::NoCards("Price, Foil".to_owned()),
        T::Empty,
        T::NotAList,
        T::TooManyLines,
        T::TooWide,
        T::NotUtf8(7),
        mixed,
        T::Utf32,
        unknown,
        T::BrokenUtf16,
        malformed,
        T::Nul,
    ]
}

/// At least one reason of each variant, except rules of games, which have tests of their own.
fn reasons() -> Vec<FaultReason> {
    use CopyFault as C;
    use FaultReason as R;
    use TargetError as T;
    use UnfilledReason as U;
    let text = |text: &str| text.to_owned();
    let name = FormatName::parse("ttcg/standrd").unwrap();
    let none = UnknownFormat::Code { name: name.clone(), known: Vec::new() };
    let day = |day| Date::new(2026, 11, day).unwrap();
    let later = UnknownFormat::NotYet { name: name.clone(), day: day(1), begins_on: day(2) };
    let mut all: Vec<FaultReason> = vec![
        R::Code(CodeError),
        R::Day(DateError),
        R::Condition(ConditionError),
        R::CardNumber(NumberFault),
        R::Format(FormatNameError),
        R::Artwork(ArtworkIdError),
        R::NoId,
        R::Nul,
        R::TooLong,
        R::TooLarge { most: 65_536, actual: 65_537 },
        R::Range { least: 1, most: 9_999, actual: None },
        R::Range { least: 1, most: 9_999, actual: Some(10_000) },
        R::TooMany { of: CountedItems::Entries, most: 500, actual: 501 },
        R::TooMany { of: CountedItems::Tags, most: 20, actual: 21 },
        R::OneOf(must_be_one_of("x", ["near_mint"])),
        R::Game(NoGame::new("ttgc", ["ttcg"])),
        R::FormatOfGame(NoFormat::new(none, &name)),
        R::FormatOfGame(NoFormat::new(later, &name)),
        R::NoSetOfGame { game: text("ttcg"), set: text("v_1"), near: vec![text("veil")] },
        R::NoCard,
        R::NoPrinting,
        R::NoRarityOfCard,
        R::NoTarget,
        R::NoRevision,
        R::NoThread { on: "design" },
        R::GameGone,
        R::CardUnnamed { ids: text("card_id") },
        R::NoEvent,
        R::Repeated,
        R::Oneself,
        R::Blocked,
        R::Unfilled(UnfilledReason::NoShare {
            of: vec![text("boost_attack"), text("boost_defense")],
            total: 5_000,
            rest: -20,
        }),
        R::ForeignArtwork,
        R::RemovedArtwork,
        R::GameStays,
        R::GameOfDesign,
        R::Unchanged,
        R::ChangedInDesign,
        R::TooLargeTogether,
        R::DetailsMissing,
        R::NoteOnHidden,
        R::Card(CardFault::NameTaken { set: text("hearth"), number: text("001") }),
        R::Card(CardFault::PrintedAs(text("Imp"))),
        R::Card(CardFault::NameLike { hidden: true, set: text("veil"), number: text("004") }),
        R::Card(CardFault::NameLike { hidden: false, set: text("hearth"), number: text("001") }),
        R::Card(CardFault::SetPrinted),
        R::Card(CardFault::NumberTaken(text("001"))),
        R::Card(CardFault::NumberGone { became: text("was moved to hearth/002") }),
        R::AuthorBanned,
        R::ReleaseUnconfirmed,
        R::DesignNameTaken(NameHolder::Design),
        R::DesignArtworkRemoved,
        R::DesignFreeText,
        R::DesignSearchLimit,
        R::DeckOfGame(text("emo_jo")),
        R::LinesLeft(1_200),
        R::NoCards,
        R::Other("must have `a_b` at /cards/0".into()),
    ];
    all.extend(texts().into_iter().map(R::Text));
    all.extend(
        [SerialError::Length(0), SerialError::Length(1), SerialError::Length(7)].map(R::Serial),
    );
    all.extend([SerialError::Symbol(3), SerialError::Check].map(R::Serial));
    let passwords =
        [PasswordError::Length, PasswordError::Common, PasswordError::Name, PasswordError::Current];
    all.extend(passwords.map(R::Password));
    let targets = [T::NoUrl, T::Scheme, T::Plain, T::Credentials, T::Fragment, T::Port, T::Address];
    all.extend(targets.map(R::Target));
    let code = |of| R::NoCode { of, message: text("there is no `a_b`") };
    all.extend(["game", "set", "rarity", "kind"].map(code));
    all.extend([TermsFault::Empty, TermsFault::TooMany(51), TermsFault::Twice].map(R::Terms));
    all.extend([C::NotYours, C::Frozen, C::Void, C::NotShown].map(R::Copy));
    all.extend(
        [
            ContentReason::Text(TextError::Control),
            ContentReason::Code(CodeError),
            ContentReason::TooMany { most: 12, actual: 13 },
            ContentReason::AttributeName(CodeError),
            ContentReason::Value,
            ContentReason::Range,
            ContentReason::LongKey,
        ]
        .map(R::Content),
    );
    let unfilled = [U::AuthorsText, U::NoValue, U::TooManyEffects, U::NoEffectTexts, U::NoSentence];
    all.extend(unfilled.map(R::Unfilled));
    all.extend(entries().into_iter().map(R::Entry));
    all.extend(deck_lines().into_iter().map(R::DeckLine));
    all.extend(tables().into_iter().map(R::Table));
    all.extend(lines().into_iter().map(R::Line));
    all
}

fn causes() -> Vec<ProblemCause> {
    use ArtworkError as A;
    use MergeRefusal as M;
    use ProblemCause as P;
    let text = |text: &str| text.to_owned();
    let mut all = vec![
        P::OtherSubmission { read: 1, submitted: 2 },
        P::OtherApproval { read: 1, approved: 2 },
        P::ReportedAgain,
        P::DecidedMeanwhile,
        P::OtherOwner,
        P::OtherStatements { read: 1, stated: 3 },
        P::NameTaken(NameHolder::Card { set: text("hearth"), number: text("001") }),
        P::NameTaken(NameHolder::Design),
        P::NameTaken(NameHolder::NewerDesign),
        P::ManyFaults { all: 1_200, listed: 200 },
    ];
    all.extend([M::Itself, M::OtherGame, M::Hidden, M::TooManyRulings, M::Used].map(P::Merge));
    let revocations = [
        RevocationRefusal::OtherRevision { read: 1, approved: 2 },
        RevocationRefusal::Card { set: text("hearth"), number: text("001") },
    ];
    all.extend(revocations.map(P::Revocation));
    let of_status = DesignStatus::ALL.map(RevocationRefusal::of_status);
    all.extend(of_status.map(P::Revocation));
    let plans = [
        PlanError::NoCards,
        PlanError::NoCopies,
        PlanError::NoPrinting(text("001")),
        PlanError::TooMany(20_000_000),
        PlanError::Unequal { expected: 1_000, cards: text("013 (0), 014 (0)") },
    ];
    all.extend(plans.map(P::Plan));
    let weight = ParameterFault { name: "card_mg", least: 1, most: 100_000, value: 0 };
    let packs = [
        PackError::Parameter(weight),
        PackError::UnknownRarity(text("ultra_rare")),
        PackError::UnknownLoreCard(text("155")),
        PackError::TooManyLoreCards { copies: 200, packs: 100 },
        PackError::NoPack { copies: 3, cards_per_pack: 10 },
        PackError::Remainder { copies: 1_203, packs: 120, cards_per_pack: 10, left: 3 },
        PackError::InsertTooHeavy { lightest: 200, heaviest: 2_000, limit: 900 },
    ];
    all.extend(packs.map(P::Packs));
    let (width, height) = (4_800, 3_583);
    let artworks = [
        A::Empty,
        A::TooManyBytes { bytes: 10_485_761, max: 10_485_760 },
        A::UnknownFormat { looks_like: Some("an SVG") },
        A::UnknownFormat { looks_like: None },
        A::TooManyPixels { width, height, max: 16_000_000 },
        A::TooSmall { width, height, min: 200 },
        A::TooNarrow { width, height, max: 4 },
        A::Animated,
        A::Cmyk,
        A::Truncated,
        A::Broken { reason: text("bad `IDAT` in a_b") },
    ];
    all.extend(artworks.map(P::Artwork));
    all
}

/// Whether a word looks like code instead of prose.
fn is_of_programs(word: &str) -> bool {
    let word =
        word.trim_matches(|character: char| !character.is_alphanumeric() && character != '/');
    let is_snake = word.contains('_');
    // A path that is part of an address is preceded by a scheme.
    let is_pointer = word.starts_with('/');
    is_snake || is_pointer || word.contains('`')
}

#[test]
fn every_reason_is_a_sentence_for_people() {
    let reasons = reasons();
    let texts = reasons.iter().map(|one| (format!("{one:?}"), reason(one)));
    let causes = causes();
    let texts = texts.chain(causes.iter().map(|one| (format!("{one:?}"), cause(one))));
    for (of, text) in texts {
        let first = text.chars().next().unwrap();
        assert!(first.is_uppercase(), "{of}: {text}");
        assert!(text.ends_with('.'), "{of}: {text}");
        assert!(!text.contains('`') && !text.contains(".."), "{of}: {text}");
        let words = text.split_whitespace().find(|word| is_of_programs(word));
        assert_eq!(words, None, "{of}: {text}");
    }
}

#[test]
fn rules_of_games_have_messages() {
    let game = Game::from_toml(
        "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'",
    );
    let bird = CardDefinition {
        number: "1".to_owned(),
        name: "Carp".to_owned(),
        kind: "bird".to_owned(),
        attributes: cardscape_engine::Attributes::new(),
        effects: Vec::new(),
        lore: None,
        printings: Vec::new(),
    };
    let mut found = card_faults(&game.unwrap(), &bird);
    let violation = found.remove(0).violation;
    let texts = reason(&FaultReason::from(violation.clone()));
    assert!(texts.ends_with('.'), "{texts}");
    assert_eq!(card(&CardFault::Rule(Box::new(violation))), texts);
}

#[test]
fn messages_of_the_check_are_quoted() {
    let expected = "must be text, not a number";
    let (text, quote) = of_file(&InputFault::at("/cards/0/name", expected));
    assert_eq!((&*text, quote.as_deref()), (CHECK_SAYS, Some(expected)));
    let (text, quote) = of_file(&InputFault::at("/cards/0/name", FaultReason::Nul));
    assert_eq!((&*text, quote), ("There is a character in it that cannot be stored.", None));
}

/// The message must not suggest a parameter of the API, which a form does not have.
#[test]
fn a_line_of_several_printings_leads_to_the_choice_of_the_form() {
    let text = reason(&FaultReason::Line(LineFault::SeveralPrintings));
    let [_, (_, choice)] = collection_words::RARITIES;
    assert!(text.contains(choice), "{text}");
    assert!(text.contains(&collection_words::WITHOUT_RARITY.to_lowercase()), "{text}");
}
