use super::*;
use crate::regex::RegexSyntax;

/// Clients may compare the messages of the API, so they must not change.
#[test]
fn messages_of_the_api_do_not_change() {
    use QueryFault as Q;
    let text = |text: &str| text.to_owned();
    let near = || vec!["attack".to_owned(), "atk".to_owned()];
    let day = |month| Date::new(2026, month, 1).unwrap();
    let fault = || Box::new(Q::NotWhole(text("1-3")));
    let unordered = |values| Q::NoOrder { field: text("rank"), values };
    let of_designs = |why| Q::NotOfDesigns { field: text("set"), why };
    let no_value =
        |game| Q::NoValue { of: text("type"), value: text("fier"), near: Vec::new(), game };
    let no_format = |begins_on| Q::NoFormatOn { format: text("arena"), day: day(1), begins_on };
    for (reason, message) in [
        (Q::TooLong, "a query has at most 1000 characters"),
        (Q::ControlCharacter, "a query has no control characters"),
        (Q::TooManyTerms, "a query has at most 50 terms"),
        (Q::TooDeep, "at most 32 levels"),
        (Q::ClosesNothing, "this closes nothing"),
        (Q::ParenthesisOpen, "this is never closed"),
        (Q::QuotationOpen, "this quotation mark is never closed"),
        (Q::RegexOpen, "this regular expression is never closed"),
        (Q::EmptyParentheses, "there is nothing between these parentheses"),
        (Q::NothingBefore(text("or")), "a term is missing before `or`"),
        (Q::NothingAfter(text("-")), "a term is missing after `-`"),
        (
            Q::NothingToFind(text("!?\u{200d}")),
            "there is no letter, digit or sign in \"!?\u{200d}\"",
        ),
        (Q::ExclamationMark(text("fox")), "`!` does not negate: write -fox or not fox"),
        (
            Q::DollarSign(text("5 gold")),
            "`$` means nothing here, and signs do not count in texts: write 5 gold",
        ),
        (
            Q::FieldMissing { sign: '>', quoted: text("\">5\"") },
            "a field stands before `>`, without a space between them: attack>500; as text it needs quotation marks: \">5\"",
        ),
        (
            Q::NoName { name: text("é"), quoted: text("\"é:x\"") },
            "there is no field \"é\"; as text it needs quotation marks: \"é:x\"",
        ),
        (
            Q::NoField { name: text("atack"), near: near() },
            "there is no field \"atack\"; did you mean attack, atk?",
        ),
        (Q::NoField { name: text("xyzzy"), near: Vec::new() }, "there is no field \"xyzzy\""),
        (
            Q::NoFieldOfDecks { name: text("t"), near: Vec::new() },
            "there is no field \"t\" of decks; contains:\"…\" finds decks with a card",
        ),
        (Q::NoAttributeHere(text("stage")), "no card here has stage"),
        (of_designs(NotOfDesigns::Sets), "set is not for designs: designs are in no set"),
        (
            of_designs(NotOfDesigns::Hidden),
            "set is not for designs: only cards are hidden and unlocked",
        ),
        (of_designs(NotOfDesigns::Formats), "set is not for designs: formats are about cards"),
        (
            of_designs(NotOfDesigns::Sorting),
            "set is not for designs: the parameter `sort` says how designs are listed",
        ),
        (
            Q::NoSuchComparison {
                field: text("by"),
                operator: Operator::Greater,
                known: &[Operator::Has, Operator::Equal, Operator::NotEqual],
            },
            "by is not compared with >, only with : = !=",
        ),
        (Q::ValueMissing { field: text("t"), operator: Operator::Has }, "t: lacks a value"),
        (
            Q::FieldWithField { example: text("attack>500") },
            "a field is compared with a value, not with another field: write attack>500, for example",
        ),
        (
            Q::DirectiveInside("sort"),
            "sort applies to the complete list: it cannot be inside `or` or a negation",
        ),
        (
            Q::NotSortable { name: text("lore"), near: Vec::new() },
            "lists cannot be sorted by \"lore\"",
        ),
        (unordered(Unordered::Text), "rank is a text: it has no order"),
        (unordered(Unordered::Flag), "rank is yes or no: it has no order"),
        (unordered(Unordered::List), "rank is a list: it has no order"),
        (unordered(Unordered::Other), "the values of rank have no order"),
        (Q::NotSearchable(text("rank")), "rank cannot be searched"),
        (no_value(None), "there is no type \"fier\""),
        (no_value(Some(text("ttcg"))), "the game \"ttcg\" has no type \"fier\""),
        (
            Q::NoGame { code: text("ttgc"), near: vec![text("ttcg")] },
            "there is no game \"ttgc\"; did you mean ttcg?",
        ),
        (
            Q::NobodyHas { name: text("atack"), near: near() },
            "no card has \"atack\"; did you mean attack, atk?",
        ),
        (
            Q::NotOneOf { value: text("up"), known: vec![text("asc"), text("desc")] },
            "\"up\" is not one of asc, desc",
        ),
        (Q::NoNumber(text("x")), "\"x\" is no number"),
        (Q::NotWhole(text("many")), "\"many\" is no whole number"),
        (
            Q::WholeBeyond(text("9999999999999999999")),
            "numbers are from -9223372036854775808 to 9223372036854775807, and 9999999999999999999 is not",
        ),
        (Q::NoRating(text("6")), "\"6\" is no rating: 1 to 5 with at most two decimals"),
        (Q::DayForm(text("today")), "\"today\" is not a day of the form 2026-11-21"),
        (Q::NoDay(text("2026-02-30")), "there is no day 2026-02-30"),
        (Q::DayYear, "days are of the years 1970 to 9998"),
        (
            Q::YearForDay {
                year: text("2026"),
                instead: vec![text("year>2026"), text("date>2026-12-31")],
            },
            "\"2026\" is a year, not a day: write year>2026 or date>2026-12-31",
        ),
        (Q::NoTotal, "the game adds nothing up"),
        (Q::RangePoints { instead: text("rank:1..3") }, "a range has two points: rank:1..3"),
        (
            Q::RangeBackwards { instead: text("rank:1..3") },
            "no value lies in this range: write rank:1..3, the lower end first",
        ),
        (Q::RangeOfTwoGames, "no game has both ends of this range"),
        (Q::RangeOpen(text("..")), "\"..\" has neither end of a range"),
        (
            Q::PerhapsRange { fault: fault(), instead: text("rank:1..3") },
            "\"1-3\" is no whole number; a range is written rank:1..3",
        ),
        (
            Q::PerhapsThousands { fault: fault(), instead: text("attack:1000") },
            "\"1-3\" is no whole number; a number is written without separators: attack:1000",
        ),
        (
            Q::PerhapsSeveral { fault: fault(), instead: text("t:a|b") },
            "\"1-3\" is no whole number; one value or another is written t:a|b",
        ),
        (
            Q::IsOfFormat { field: text("-legal") },
            "a format says so: write -legal:FORMAT, -legal:standard for example",
        ),
        (no_format(None), "there is no format \"arena\" on 2026-01-01"),
        (
            no_format(Some(day(3))),
            "there is no format \"arena\" on 2026-01-01: it begins on 2026-03-01",
        ),
        (
            Q::NoVariant { format: text("arena"), variant: text("x"), near: near() },
            "the format \"arena\" has no variant \"x\"; did you mean attack, atk?",
        ),
        (Q::FormatTooLarge(text("arena")), "the rules of \"arena\" are too many for a search"),
        (Q::TooManyFormats(4), "at most 4 terms ask what formats say of cards"),
        (Q::FormatOfDay, "decks are judged by the rules of today: leave out @ and the day"),
        (
            Q::Regex(RegexFault::Syntax(RegexSyntax::Backreference)),
            "the regular expression cannot be read: `\\1` repeats what was found, which is not possible here",
        ),
        (
            Q::Regex(RegexFault::TooLarge { size: 2_500, most: 1_000 }),
            "the regular expression is too large: 2500 of 1000 characters when its repetitions are written out",
        ),
        (Q::Regex(RegexFault::TooLong(100)), "a regular expression has at most 100 characters"),
        (Q::Regex(RegexFault::Count(50)), "a repetition counts to 50 at most"),
        (
            Q::Regex(RegexFault::TooManyOptional(100)),
            "a regular expression has at most 100 parts side by side that may be empty, such as `a?`, when its repetitions are written out; `^`, `$` and `\\b` count as ten",
        ),
        (
            Q::Regex(RegexFault::NeverFits('!')),
            "'!' never fits: texts are searched without punctuation",
        ),
        (Q::NoRegexFor(text("t")), "t is not searched with regular expressions"),
        (Q::NoRegexForDecks, "decks are not searched with regular expressions"),
        (Q::RegexAfterEquals, "a regular expression follows `:`"),
    ] {
        assert_eq!(reason.to_string(), message, "{reason:?}");
    }
}
