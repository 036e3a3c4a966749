use cardscape_engine::Date;

use super::*;
use crate::app::catalogue::query_warning::QueryWarning;
use crate::search::{Operator, RegexFault, RegexSyntax};
use crate::web::catalogue::Warning;

fn patterns() -> Vec<RegexFault> {
    use RegexFault as R;
    use RegexSyntax as S;
    let mut all = vec![
        R::TooLong(100),
        R::TooLarge { size: 2_500, most: 1_000 },
        R::Empty,
        R::Flags,
        R::Place,
        R::UnicodeClass,
        R::Count(50),
        R::NeverFits('!'),
        R::CombinedClasses,
        R::NotInClass('é'),
        R::RangeBackwards,
        R::RangeEnds,
        R::ClassContent,
    ];
    let syntax = [
        S::ClassOpen,
        S::RangeBackwards,
        S::GroupOpen,
        S::GroupUnopened,
        S::RepetitionOfNothing,
        S::CountOpen,
        S::Count,
        S::EscapeOfNothing,
        S::LookAround,
        S::Backreference,
        S::Flags,
        S::TooDeep,
        S::Escape,
    ];
    all.extend(syntax.map(R::Syntax));
    all
}

fn faults() -> Vec<QueryFault> {
    use NotOfDesigns as N;
    use QueryFault as Q;
    use Unordered as U;
    let text = |text: &str| text.to_owned();
    let near = || vec![text("attack"), text("rank")];
    let instead = || text("rank:1..3");
    let day = Date::new(2026, 11, 21).unwrap();
    let known: &[Operator] = &[Operator::Has, Operator::Equal];
    let boxed = || Box::new(Q::NotWhole(text("1-3")));
    let mut all = vec![
        Q::TooLong,
        Q::ControlCharacter,
        Q::TooManyTerms,
        Q::TooDeep,
        Q::ClosesNothing,
        Q::ParenthesisOpen,
        Q::QuotationOpen,
        Q::RegexOpen,
        Q::EmptyParentheses,
        Q::NothingBefore(text("or")),
        Q::NothingAfter(text("-")),
        Q::NothingToFind(text("!?")),
        Q::ExclamationMark(text("fox")),
        Q::DollarSign(text("5 gold")),
        Q::FieldMissing { sign: '>', quoted: text("\">5\"") },
        Q::NoName { name: text("é"), quoted: text("\"é:x\"") },
        Q::NoField { name: text("atack"), near: near() },
        Q::NoField { name: text("xyzzy"), near: Vec::new() },
        Q::NoFieldOfDecks { name: text("t"), near: near() },
        Q::NoAttributeHere(text("stage")),
        Q::NoSuchComparison { field: text("t"), operator: Operator::Less, known },
        Q::ValueMissing { field: text("t"), operator: Operator::Has },
        Q::FieldWithField { example: text("attack>500") },
        Q::DirectiveInside("sort"),
        Q::NotSortable { name: text("lore"), near: Vec::new() },
        Q::NotSearchable(text("rank")),
        Q::NoGame { code: text("ttgc"), near: vec![text("ttcg")] },
        Q::NobodyHas { name: text("atack"), near: near() },
        Q::NotOneOf { value: text("up"), known: vec![text("asc"), text("desc")] },
        Q::NoNumber(text("x")),
        Q::NotWhole(text("many")),
        Q::WholeBeyond(text("9999999999999999999")),
        Q::NoRating(text("6")),
        Q::DayForm(text("today")),
        Q::NoDay(text("2026-02-30")),
        Q::DayYear,
        Q::YearForDay { year: text("2026"), instead: vec![text("year:2026")] },
        Q::NoTotal,
        Q::RangePoints { instead: instead() },
        Q::RangeBackwards { instead: instead() },
        Q::RangeOfTwoGames,
        Q::RangeOpen(text("..")),
        Q::PerhapsRange { fault: boxed(), instead: instead() },
        Q::PerhapsThousands { fault: boxed(), instead: text("attack:1000") },
        Q::PerhapsSeveral { fault: boxed(), instead: text("t:a|b") },
        Q::IsOfFormat { field: text("-legal") },
        Q::NoFormatOn { format: text("arena"), day, begins_on: None },
        Q::NoFormatOn { format: text("arena"), day, begins_on: Some(day) },
        Q::NoVariant { format: text("arena"), variant: text("x"), near: near() },
        Q::FormatTooLarge(text("arena")),
        Q::TooManyFormats(4),
        Q::FormatOfDay,
        Q::NoRegexFor(text("t")),
        Q::NoRegexForDecks,
        Q::RegexAfterEquals,
    ];
    let why = |why| Q::NotOfDesigns { field: text("set"), why };
    all.extend([N::Sets, N::Hidden, N::Formats, N::Sorting].map(why));
    let unordered = |values| Q::NoOrder { field: text("rank"), values };
    all.extend([U::Text, U::Flag, U::List, U::Other].map(unordered));
    let games = [None, Some(text("ttcg"))];
    for of in [
        "kind",
        "type",
        "style",
        "slot",
        "rarity",
        "set",
        "format",
        "card",
        "author of public decks",
        "keyword",
    ] {
        let no_value =
            |game| Q::NoValue { of: text(of), value: text("fier"), near: Vec::new(), game };
        all.extend(games.clone().map(no_value));
    }
    all.extend(patterns().into_iter().map(Q::Regex));
    all
}

#[test]
fn every_fault_is_a_sentence_for_people() {
    let mut reasons = vec![
        WarningReason::Cut { candidates: 1_000 },
        WarningReason::CutOfDesigns { candidates: 1_000 },
        WarningReason::Unfinished,
        WarningReason::Interrupted { partly_counted: false },
        WarningReason::Interrupted { partly_counted: true },
        WarningReason::PartlyCounted,
        WarningReason::Uncounted,
        WarningReason::TooManyValues { attribute: "hp".to_owned() },
        WarningReason::NotInGallery { status: "draft" },
    ];
    reasons.extend(faults().into_iter().map(WarningReason::Query));
    for one in reasons {
        let text = reason(&one);
        let first = text.chars().next().unwrap();
        assert!(first.is_uppercase() || first == '“', "{one:?}: {text}");
        assert!(text.ends_with(['.', '?']), "{one:?}: {text}");
        assert!(!text.contains('`'), "{one:?}: {text}");
        assert_ne!(text, one.to_string(), "the API has messages of its own");
    }
}

#[test]
fn near_names_are_suggested() {
    let text = |text: &str| text.to_owned();
    let near = |near: &[&str]| QueryFault::NoField {
        name: text("atack"),
        near: near.iter().map(|name| text(name)).collect(),
    };
    for (names, expected) in [
        (&[][..], "There is no field “atack”."),
        (&["attack"], "There is no field “atack”. Perhaps you mean attack?"),
        (&["a", "b", "c"], "There is no field “atack”. Perhaps you mean a, b or c?"),
    ] {
        assert_eq!(of_query(&near(names)), expected);
    }
    let operators: &[Operator] = &[Operator::Has, Operator::Equal, Operator::NotEqual];
    let compared = QueryFault::NoSuchComparison {
        field: text("by"),
        operator: Operator::Greater,
        known: operators,
    };
    assert_eq!(of_query(&compared), "“by” is followed by :, = or !=, not by >.");
}

#[test]
fn the_term_comes_before_its_fault() {
    let warning = QueryWarning {
        parameter: None,
        position: 7,
        length: 6,
        term: "t:fier".to_owned(),
        reason: WarningReason::Query(QueryFault::ParenthesisOpen),
    };
    let Warning { position, length, text } = warning.into();
    assert_eq!((position, length), (7, 6));
    assert_eq!(text, "t:fier: This parenthesis is never closed.");
}
