//! Conditions on cards, checked and typed: the store turns them into SQL.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{NaiveDate, NaiveDateTime};

use super::comparison::Comparison;

/// A condition on cards. Only the leaves can be negated, so that a test of content can be false for a card whose content
/// the requester may not see, whether the test is negated or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// Every part holds; if empty: always.
    All(Vec<Self>),
    /// At least one part holds; if empty: never.
    Any(Vec<Self>),
    /// A test of public values, which everybody may know of every card.
    Known {
        /// Whether the test must fail.
        negated: bool,
        /// The test.
        test: KnownTest,
    },
    /// A test of content, which is secret while a card is hidden: false for a card whose content the requester may not see.
    Content {
        /// Whether all cases must fail.
        negated: bool,
        /// At least one of them must hold, unless `negated` is set.
        cases: Vec<Case>,
    },
}

impl Predicate {
    /// Holds for every card.
    pub fn always() -> Self {
        Self::All(Vec::new())
    }

    /// Number of tests, where each card name in a test counts as one.
    pub fn size(&self) -> usize {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::size).sum(),
            Self::Known { .. } => 1,
            Self::Content { cases, .. } => cases.iter().map(|case| case.test.size()).sum(),
        }
    }

    /// Holds for every card whose content the requester may see.
    pub fn open() -> Self {
        Self::Content { negated: true, cases: Vec::new() }
    }

    /// The opposite condition. For a card whose content the requester may not see, only the tests of public values change their
    /// result: tests of content stay false.
    #[must_use]
    pub fn negated(self) -> Self {
        let each = |parts: Vec<Self>| parts.into_iter().map(Self::negated).collect();
        match self {
            Self::All(parts) => Self::Any(each(parts)),
            Self::Any(parts) => Self::All(each(parts)),
            Self::Known { negated, test } => Self::Known { negated: !negated, test },
            Self::Content { negated, cases } => Self::Content { negated: !negated, cases },
        }
    }

    /// A test of a public value.
    pub fn known(test: KnownTest) -> Self {
        Self::Known { negated: false, test }
    }

    /// A test of content, in all games.
    pub fn content(test: Test) -> Self {
        Self::Content { negated: false, cases: vec![Case { games: None, test }] }
    }

    /// Whether the condition is false for every card whose content the requester may not see.
    pub fn needs_content(&self) -> bool {
        match self {
            Self::All(parts) => parts.iter().any(Self::needs_content),
            Self::Any(parts) => !parts.is_empty() && parts.iter().all(Self::needs_content),
            Self::Known { .. } => false,
            Self::Content { .. } => true,
        }
    }

    /// Whether no card of the game with this code can match, whatever its other values are.
    pub fn excludes_game(&self, game: &str) -> bool {
        match self {
            Self::All(parts) => parts.iter().any(|part| part.excludes_game(game)),
            Self::Any(parts) => parts.iter().all(|part| part.excludes_game(game)),
            Self::Known { negated, test: KnownTest::Game(code) } => (code == game) == *negated,
            Self::Known { .. } | Self::Content { negated: true, .. } => false,
            Self::Content { negated: false, cases } => cases.iter().all(|case| {
                let games = case.games.as_ref();
                games.is_some_and(|games| !games.iter().any(|code| code == game))
            }),
        }
    }

    /// Whether a test must read whole texts of each candidate card, because no index answers it.
    pub fn is_costly(&self) -> bool {
        self.has(&Test::is_costly)
    }

    /// Whether any part of it is a test of content.
    pub fn asks_for_content(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::asks_for_content),
            Self::Known { .. } => false,
            Self::Content { .. } => true,
        }
    }

    /// The condition without those of its mandatory parts (those not inside `Any`) for which `is_chosen` is false. It is
    /// weaker: every card that matches the whole condition matches the result, too.
    #[must_use]
    pub fn conjuncts_that(&self, is_chosen: &dyn Fn(&Self) -> bool) -> Self {
        match self {
            Self::All(parts) => {
                Self::All(parts.iter().map(|part| part.conjuncts_that(is_chosen)).collect())
            }
            other if is_chosen(other) => other.clone(),
            _ => Self::always(),
        }
    }

    /// Whether a test is about printings: lists of printings run it on each printing separately.
    pub fn is_about_printings(&self) -> bool {
        self.has(&Test::is_about_printings)
    }

    pub(crate) fn has(&self, test: &dyn Fn(&Test) -> bool) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.has(test)),
            Self::Known { .. } => false,
            Self::Content { cases, .. } => cases.iter().any(|case| case.test.has(test)),
        }
    }
}

/// A test of a value that is public for every card, hidden or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownTest {
    /// Its game.
    Game(String),
    /// Its set.
    Set(String),
    /// Its collector number, as [`folded_number`] writes it, if it is not only digits: a number of digits is compared by
    /// its value.
    Number(String),
    /// The numeric value of its collector number, if it consists of digits; leading zeros do not count.
    NumberValue(Comparison<i64>),
    /// It is hidden from the public.
    Hidden,
    /// It started hidden and was unlocked.
    Unlocked,
    /// The day on which it was unlocked.
    UnlockedOn(Comparison<NaiveDate>),
    /// Number of submissions that count towards its unlock; only for cards that started hidden.
    Submissions(Comparison<i64>),
    /// A property that only designs have: false for every card.
    Design(DesignTest),
}

impl KnownTest {
    /// A test of the collector number. Leading zeros and case do not count.
    pub fn number(text: &str) -> Self {
        match text.parse() {
            Ok(value) => Self::NumberValue(Comparison::Is(crate::Operator::Equal, value)),
            Err(_) => Self::Number(folded_number(text)),
        }
    }
}

/// A collector number without leading zeros and in lower case.
pub fn folded_number(number: &str) -> String {
    number.trim_start_matches('0').to_ascii_lowercase()
}

/// A test of a design that a player made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DesignTest {
    /// Name of its author, as the requester typed it.
    Author(String),
    /// Its status: one of [`DESIGN_STATUSES`].
    Status(String),
    /// Its rating in hundredths of a point, 100 to 500; only for designs that somebody has rated.
    Rating(Comparison<i64>),
    /// Number of comments.
    Comments(Comparison<i64>),
}

/// The statuses that a public design may have.
pub const DESIGN_STATUSES: [&str; 6] =
    ["shared", "submitted", "in_review", "approved", "declined", "official"];

/// A test that holds in some games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Codes of the games; `None`: all.
    pub games: Option<Vec<String>>,
    /// The test.
    pub test: Test,
}

/// The texts in which words are searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Name, effects, lore and the emoji of the attributes.
    Everywhere,
    /// The name.
    Name,
    /// Effects and lore.
    Text,
    /// The effects.
    Effects,
    /// The lore.
    Lore,
    /// An attribute that is a text, in at least one printing.
    Attribute {
        /// Its code.
        attribute: String,
        /// Whether printings may differ in it.
        per_printing: bool,
    },
}

/// A test of a card's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// At least one of them holds.
    Any(Vec<Self>),
    /// The text contains these folded words next to each other; the last may be the beginning of a longer word.
    Words(Place, Vec<String>),
    /// A regular expression in the dialect of Postgres matches somewhere in the folded text without the spaces around its parts.
    Regex(Place, String),
    /// The search key of the name equals this key.
    Name(String),
    /// The name key of the name is one of these. Unlike in search keys, accents count.
    CardNames(Arc<BTreeSet<String>>),
    /// The search key of the name begins with this text.
    NamePrefix(String),
    /// The whole folded text of an attribute equals this text in at least one printing.
    TextIs {
        /// Its code.
        attribute: String,
        /// Whether printings may differ in it.
        per_printing: bool,
        /// The folded text.
        folded: String,
    },
    /// The sum of attributes in at least one printing satisfies a comparison.
    Number {
        /// Codes of the attributes.
        sum: Vec<String>,
        /// Whether printings may differ in it.
        per_printing: bool,
        /// The comparison.
        compared: Comparison<i64>,
    },
    /// An attribute has one of these values in at least one printing.
    Choice {
        /// Its code.
        attribute: String,
        /// Whether printings may differ in it.
        per_printing: bool,
        /// The values.
        values: Vec<String>,
    },
    /// A yes-or-no attribute has this value in at least one printing.
    Flag {
        /// Its code.
        attribute: String,
        /// Whether printings may differ in it.
        per_printing: bool,
        /// The value.
        value: bool,
    },
    /// Its kind is one of these.
    Kinds(Vec<String>),
    /// It exists in one of these rarities.
    Rarities(Vec<String>),
    /// An effect has one of these styles.
    Styles(Vec<String>),
    /// An effect is in one of these slots.
    Slots(Vec<String>),
    /// It has this attribute in at least one printing, and its value is not an empty list or text.
    HasAttribute {
        /// Its code.
        attribute: String,
        /// Whether printings may differ in it.
        per_printing: bool,
    },
    /// It has an effect.
    HasEffect,
    /// It has lore.
    HasLore,
    /// The year in which its set came out.
    Year(Comparison<i64>),
    /// The day on which its set came out.
    Released(Comparison<NaiveDate>),
}

impl Test {
    pub(crate) fn has(&self, test: &dyn Fn(&Self) -> bool) -> bool {
        match self {
            Self::Any(tests) => tests.iter().any(|part| part.has(test)),
            other => test(other),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Any(tests) => tests.iter().map(Self::size).sum(),
            Self::CardNames(names) => names.len(),
            _ => 1,
        }
    }

    fn is_costly(&self) -> bool {
        matches!(
            self,
            Self::Regex(..) | Self::TextIs { .. } | Self::Words(Place::Attribute { .. }, _)
        )
    }

    fn is_about_printings(&self) -> bool {
        match self {
            Self::Number { per_printing, .. }
            | Self::Choice { per_printing, .. }
            | Self::Flag { per_printing, .. }
            | Self::TextIs { per_printing, .. }
            | Self::HasAttribute { per_printing, .. }
            | Self::Words(Place::Attribute { per_printing, .. }, _)
            | Self::Regex(Place::Attribute { per_printing, .. }, _) => *per_printing,
            Self::Rarities(_) => true,
            _ => false,
        }
    }
}

/// What cards are sorted by; cards with equal keys are sorted by game, set and number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// Game, set and number.
    #[default]
    Place,
    /// The numeric value of the collector number; leading zeros do not count.
    Number,
    /// The name.
    Name,
    /// The kind.
    Kind,
    /// The sum of attributes of the base printing. Each kind of each game may have its own sum; the first that applies
    /// counts.
    Sum(Vec<SumOf>),
    /// The position of an attribute's value in this list.
    Choice {
        /// Its code.
        attribute: String,
        /// The values, from low to high.
        values: Vec<String>,
    },
    /// The lowest rarity.
    Rarity,
    /// Number of submissions that count towards the unlock.
    Submissions,
    /// Time of the unlock.
    Unlocked,
    /// The year in which its set came out.
    Year,
    /// The day on which its set came out, as a number of days: 1 January of the year 1 is day 1.
    Released,
}

impl SortKey {
    /// Whether a text can be a value of this key in the notation of Postgres.
    pub fn admits(&self, key: &str) -> bool {
        match self {
            Self::Place => false,
            Self::Name | Self::Kind => !key.contains('\0'),
            Self::Unlocked => is_written_time(key),
            Self::Number
            | Self::Sum(_)
            | Self::Choice { .. }
            | Self::Rarity
            | Self::Submissions
            | Self::Year
            | Self::Released => {
                let written = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-');
                key.len() <= 40 && key.bytes().all(written) && key.parse::<f64>().is_ok()
            }
        }
    }
}

/// Whether a text is a time as Postgres and the index write it: `2026-11-25 09:30:00.25+00`. Postgres refuses other forms
/// that are read here, such as an offset of 20 hours.
fn is_written_time(text: &str) -> bool {
    const SECONDS: &str = "%Y-%m-%d %H:%M:%S";
    let time = text.strip_suffix("+00").and_then(|time| time.split_at_checked(19));
    let Some((seconds, fraction)) = time else { return false };
    let is_fraction = match fraction.strip_prefix('.') {
        Some(digits) => {
            (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        }
        None => fraction.is_empty(),
    };
    let is_written = |time: NaiveDateTime| time.format(SECONDS).to_string() == seconds;
    is_fraction
        && seconds.starts_with("20")
        && NaiveDateTime::parse_from_str(seconds, SECONDS).is_ok_and(is_written)
}

/// The attributes that are added up for the cards of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumOf {
    /// Game and kind code; `None`: for all cards.
    pub of: Option<(String, String)>,
    /// Codes of the attributes.
    pub attributes: Vec<String>,
}

/// What one entry of a list represents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unique {
    /// A card.
    #[default]
    Cards,
    /// A card in one rarity.
    Printings,
}

/// A query for cards: a condition and an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardQuery {
    /// The condition.
    pub predicate: Predicate,
    /// The sort key.
    pub sort: SortKey,
    /// Whether the highest values come first. Entries without a value come last in both orders.
    pub descending: bool,
    /// Whether cards or printings are listed.
    pub unique: Unique,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_the_database_would_refuse_are_not_admitted() {
        for (sort, written, others) in [
            (
                SortKey::Unlocked,
                &[
                    "2026-11-25 09:30:00+00",
                    "2026-11-25 09:30:00.5+00",
                    "2099-12-31 23:59:59.123456+00",
                ][..],
                &[
                    "",
                    "2026-11-25",
                    "2026-11-25 09:30:00",
                    "2026-11-25 09:30:00+20:00",
                    "2026-11-25 09:30:00-00",
                    "2026-11-25 09:30:00+0000",
                    "2026-11-25 09:30:00Z",
                    "2026-11-2509:30:00+00",
                    "2026-11-25  09:30:00+00",
                    "2026-11-25T09:30:00+00",
                    "2026- 1- 1 10: 1: 1+00",
                    "2026-02-30 09:30:00+00",
                    "1999-11-25 09:30:00+00",
                    "20261-11-25 09:30:00+00",
                    "2026-11-25 09:30:00.+00",
                    "2026-11-25 09:30:00.1234567+00",
                    "2026-11-25 09:30:00.é+00",
                    "2026-11-25 09:30:0é+00",
                ][..],
            ),
            (
                SortKey::Number,
                &["0", "-12", "7.5"],
                &["", "-", ".", "1e9", "+1", " 1", "NaN", "inf", "1.2.3"],
            ),
            (SortKey::Name, &["fox"], &["a\0"]),
            (SortKey::Place, &[], &["", "1"]),
        ] {
            for key in written {
                assert!(sort.admits(key), "{sort:?} {key:?}");
            }
            for key in others {
                assert!(!sort.admits(key), "{sort:?} {key:?}");
            }
        }
    }

    #[test]
    fn a_condition_excludes_the_games_in_which_it_never_holds() {
        let of = |game: &str| Predicate::known(KnownTest::Game(game.to_owned()));
        let word = |games: Option<&str>| Predicate::Content {
            negated: false,
            cases: vec![Case {
                games: games.map(|game| vec![game.to_owned()]),
                test: Test::Words(Place::Name, vec!["fox".to_owned()]),
            }],
        };
        for (condition, here, there) in [
            (Predicate::always(), false, false),
            (Predicate::open(), false, false),
            (of("here"), false, true),
            (of("here").negated(), true, false),
            (Predicate::known(KnownTest::Hidden), false, false),
            (word(None), false, false),
            (word(Some("here")), false, true),
            (word(Some("here")).negated(), false, false),
            (Predicate::All(vec![word(None), of("here")]), false, true),
            (Predicate::Any(vec![word(None), of("here")]), false, false),
            (Predicate::Any(vec![of("here"), of("there")]), false, false),
            (Predicate::Any(vec![of("here"), of("there")]).negated(), true, true),
            (Predicate::Any(Vec::new()), true, true),
        ] {
            let excluded = (condition.excludes_game("here"), condition.excludes_game("there"));
            assert_eq!(excluded, (here, there), "{condition:?}");
        }
    }
}
