//! Conditions on cards, checked and typed: the store turns them into SQL.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate};

use super::comparison::Comparison;

/// A condition on cards. Negations stand at its leaves only, so that a leaf on content can be false for a card whose content the
/// asker may not see, negated or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// Every one holds.
    All(Vec<Self>),
    /// One holds.
    Any(Vec<Self>),
    /// On what everybody may know of every card.
    Known {
        /// Whether the test is to fail.
        negated: bool,
        /// The test.
        test: KnownTest,
    },
    /// On what a hidden card must not tell: false for a card whose content the asker may not see.
    Content {
        /// Whether the tests are to fail.
        negated: bool,
        /// One of them is to hold.
        cases: Vec<Case>,
    },
}

impl Predicate {
    /// What every card is.
    pub fn always() -> Self {
        Self::All(Vec::new())
    }

    /// How much there is to look up: its tests, and the names in them.
    pub fn size(&self) -> usize {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::size).sum(),
            Self::Known { .. } => 1,
            Self::Content { cases, .. } => cases.iter().map(|case| case.test.size()).sum(),
        }
    }

    /// Holds for every card whose content the asker may see.
    pub fn open() -> Self {
        Self::Content { negated: true, cases: Vec::new() }
    }

    /// The opposite condition. Of a card whose content the asker may not see, only tests of what everybody may know are turned round: tests of
    /// content stay false.
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

    /// A test of what everybody may know.
    pub fn known(test: KnownTest) -> Self {
        Self::Known { negated: false, test }
    }

    /// A test of content, in all games.
    pub fn content(test: Test) -> Self {
        Self::Content { negated: false, cases: vec![Case { games: None, test }] }
    }

    /// Whether no card can fit whose content the asker may not see.
    pub fn needs_content(&self) -> bool {
        match self {
            Self::All(parts) => parts.iter().any(Self::needs_content),
            Self::Any(parts) => !parts.is_empty() && parts.iter().all(Self::needs_content),
            Self::Known { .. } => false,
            Self::Content { .. } => true,
        }
    }

    /// Whether its tests read whole texts for every card that is tried: no index answers them.
    pub fn is_costly(&self) -> bool {
        self.has(&Test::is_costly)
    }

    /// Whether it asks anything that is not known of every card.
    pub fn asks_for_content(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::asks_for_content),
            Self::Known { .. } => false,
            Self::Content { .. } => true,
        }
    }

    /// The parts that must hold, as far as they are chosen: what fits the whole fits this, too.
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

    /// Whether it asks something of printings, which lists of printings ask of each for itself.
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

/// What everybody may know of a card, hidden or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownTest {
    /// Its game.
    Game(String),
    /// Its set.
    Set(String),
    /// Its number, as it is written.
    Number(String),
    /// Its number, when that is one, whatever zeros stand before it.
    NumberValue(Comparison<i64>),
    /// It is hidden from the public.
    Hidden,
    /// It started hidden and was unlocked.
    Unlocked,
    /// The day on which it was unlocked.
    UnlockedOn(Comparison<NaiveDate>),
    /// Submissions that count towards its unlocking; of cards that started hidden.
    Submissions(Comparison<i64>),
    /// What only designs have: false for every card.
    Design(DesignTest),
}

/// What is known of a design that players made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DesignTest {
    /// Name of its author, as it was typed.
    Author(String),
    /// How far it is: one of [`DESIGN_STATUSES`].
    Status(String),
    /// How well it is rated, in hundredths of a point, 100 to 500; of designs that were rated.
    Rating(Comparison<i64>),
    /// Comments about it.
    Comments(Comparison<i64>),
}

/// How far designs are that everybody may see.
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

/// Where words are looked for.
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
    /// An attribute that is a text.
    Attribute(String),
}

/// A test of a card's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// One of them holds.
    Any(Vec<Self>),
    /// These folded words stand there side by side; the last may go on.
    Words(Place, Vec<String>),
    /// A regular expression in the dialect of Postgres fits the folded text.
    Regex(Place, String),
    /// The whole name, as search key.
    Name(String),
    /// The name is one of these, as name keys: accents count.
    CardNames(Arc<BTreeSet<String>>),
    /// The beginning of the name, as search key.
    NamePrefix(String),
    /// The whole of a text attribute, folded.
    TextIs(String, String),
    /// The sum of attributes, in one printing.
    Number {
        /// What is added.
        sum: Vec<String>,
        /// Whether printings may differ in it.
        per_printing: bool,
        /// What it is to be.
        compared: Comparison<i64>,
    },
    /// An attribute has one of these values, in one printing.
    Choice {
        /// Its code.
        attribute: String,
        /// Whether printings may differ in it.
        per_printing: bool,
        /// The values.
        values: Vec<String>,
    },
    /// An attribute that is yes or no.
    Flag {
        /// Its code.
        attribute: String,
        /// Whether printings may differ in it.
        per_printing: bool,
        /// Which of the two.
        value: bool,
    },
    /// Its kind is one of these.
    Kinds(Vec<String>),
    /// It exists in one of these rarities.
    Rarities(Vec<String>),
    /// An effect has one of these styles.
    Styles(Vec<String>),
    /// An effect stands in one of these slots.
    Slots(Vec<String>),
    /// It has this attribute, and not as an empty list.
    HasAttribute(String),
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
    fn has(&self, test: &dyn Fn(&Self) -> bool) -> bool {
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
        matches!(self, Self::Regex(..) | Self::TextIs(..) | Self::Words(Place::Attribute(_), _))
    }

    fn is_about_printings(&self) -> bool {
        match self {
            Self::Number { per_printing, .. }
            | Self::Choice { per_printing, .. }
            | Self::Flag { per_printing, .. } => *per_printing,
            Self::Rarities(_) => true,
            _ => false,
        }
    }
}

/// By what cards are sorted; equals follow game, set and number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// Game, set and number.
    #[default]
    Place,
    /// The number, whatever zeros stand before it.
    Number,
    /// The name.
    Name,
    /// The kind.
    Kind,
    /// The sum of attributes of the base printing: for each kind of each game, what is added.
    Sum(Vec<SumOf>),
    /// The place of an attribute's value in this list.
    Choice {
        /// Its code.
        attribute: String,
        /// The values, from low to high.
        values: Vec<String>,
    },
    /// The lowest rarity.
    Rarity,
    /// Submissions that count towards unlocking.
    Submissions,
    /// When it was unlocked.
    Unlocked,
    /// The year in which its set came out.
    Year,
    /// The day on which its set came out, counted from the first day of the year 1, which is 1.
    Released,
}

impl SortKey {
    /// Whether a text can be one of its values, as Postgres writes them.
    pub fn admits(&self, key: &str) -> bool {
        match self {
            Self::Place => false,
            Self::Name | Self::Kind => !key.contains('\0'),
            Self::Unlocked => {
                key.starts_with("20")
                    && DateTime::parse_from_str(key, "%Y-%m-%d %H:%M:%S%.f%#z").is_ok()
            }
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

/// What is added for the cards of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumOf {
    /// Game and kind code; `None`: for all cards.
    pub of: Option<(String, String)>,
    /// Codes of the attributes.
    pub attributes: Vec<String>,
}

/// What one entry of a list stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unique {
    /// A card.
    #[default]
    Cards,
    /// A card in one rarity.
    Printings,
}

/// Which cards, in which order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardQuery {
    /// What they fulfil.
    pub predicate: Predicate,
    /// By what they are sorted.
    pub sort: SortKey,
    /// Whether the highest come first; what has no value comes last either way.
    pub descending: bool,
    /// What is listed.
    pub unique: Unique,
}
