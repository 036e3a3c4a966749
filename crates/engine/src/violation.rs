//! What is wrong with a card, a set or a deck, as data.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::characters::{in_words, is_seen, refused_in_name};
use crate::code::ViolationCode;
use crate::rule::RuleReference;
use crate::set_check::UNLOCK_THRESHOLD_MAX;

/// How much a violation matters; the order is the order of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Cards must be changed or removed.
    Error,
    /// Cards are only missing.
    Incomplete,
    /// Advice: legal, but perhaps not intended.
    Warning,
}

impl Severity {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Incomplete => "incomplete",
            Self::Warning => "warning",
        }
    }
}

/// How messages call a card that has neither a name nor a place.
const THIS_DESIGN: &str = "this design";

/// A card that a violation concerns.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CardMention {
    /// The pool's spelling, or the deck's when the card is unknown.
    #[cfg_attr(feature = "openapi", schema(example = "Kettle Imp"))]
    pub name: String,
    /// Set code.
    #[cfg_attr(feature = "openapi", schema(example = "hearth"))]
    pub set: Option<String>,
    /// Collector number.
    #[cfg_attr(feature = "openapi", schema(example = "016"))]
    pub number: Option<String>,
    /// Rarity code, where the violation is about one printing.
    #[cfg_attr(feature = "openapi", schema(example = "rare"))]
    pub rarity: Option<String>,
    /// Copies, where they matter: in the zones that the rule is about, or in the whole deck if it names none.
    pub quantity: Option<u64>,
    /// Id of a physical copy, where the violation is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
}

impl CardMention {
    /// A mention by name alone.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Set and number, as far as they are known: `“veil 003”`. Only a design that has no name yet has neither.
    fn place(&self) -> String {
        if self.set.is_none() && self.number.is_none() {
            return THIS_DESIGN.to_owned();
        }
        let parts: Vec<&str> =
            [&self.set, &self.number].into_iter().flatten().map(|part| &**part).collect();
        format!("“{}”", parts.join(" "))
    }

    /// Whether messages call both cards the same.
    fn is_called_like(&self, other: &Self) -> bool {
        match (self.name.is_empty(), other.name.is_empty()) {
            (false, false) => self.name == other.name,
            (true, true) => self.place() == other.place(),
            // A name may look like a place.
            (true, false) => self.place() == format!("“{}”", other.name),
            (false, true) => format!("“{}”", self.name) == other.place(),
        }
    }

    /// Writes the name, or the place of a card without a name.
    fn write_name(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() {
            f.write_str(&self.place())
        } else {
            write!(f, "“{}”", self.name)
        }
    }

    /// Writes name, set, number and rarity.
    fn write_printing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_name(f)?;
        if let Some(set) = self.set.as_ref().filter(|_| !self.name.is_empty()) {
            write!(f, " ({set})")?;
        }
        if let Some(number) = self.number.as_ref().filter(|_| !self.name.is_empty()) {
            write!(f, " {number}")?;
        }
        if let Some(rarity) = &self.rarity {
            write!(f, " {{{rarity}}}")?;
        }
        Ok(())
    }
}

/// An edit that fixes one violation. Several edits together need care: removing cards can empty a zone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fix {
    /// Put any `quantity` further cards into the zone.
    AddCards { zone: String, quantity: u64 },
    /// Put `quantity` further cards into the zone, of the sort that the rule asks for.
    AddMatchingCards { zone: String, quantity: u64 },
    /// Take any `quantity` cards out of the zone.
    RemoveCards { zone: String, quantity: u64 },
    /// Add copies of one card.
    AddCopies {
        /// The card's name.
        name: String,
        quantity: u64,
    },
    /// Remove copies of one card.
    RemoveCopies {
        /// The card's name.
        name: String,
        quantity: u64,
    },
    /// Remove any `quantity` copies of these cards.
    RemoveAmong {
        /// Names of the cards, sorted.
        names: Vec<String>,
        quantity: u64,
    },
    /// Write another name.
    Rename {
        /// The name in the deck.
        from: String,
        /// The name of a card that exists.
        to: String,
    },
    /// Leave out the set, number and rarity of these entries.
    AnyPrinting {
        /// The card's name.
        name: String,
    },
    /// Delete entries with no card.
    RemoveEntry {
        /// The card's name.
        name: String,
    },
    /// Name this physical copy in one entry only, and once.
    NameCopyOnce {
        /// Id of the copy.
        copy: String,
    },
    /// Name fewer physical copies in an entry of the card, or raise its quantity.
    NameFewerCopies {
        /// The card's name.
        name: String,
        /// How many fewer.
        quantity: u64,
    },
    /// Move copies of one card to another zone.
    MoveCopies {
        /// The card's name.
        name: String,
        quantity: u64,
        /// Code of their present zone.
        from: String,
        /// Code of a zone that may have them.
        to: String,
    },
    /// Move all entries of a zone to another one.
    MoveToZone {
        /// The zone in the deck.
        from: String,
        /// A zone that exists.
        to: String,
    },
}

/// The sort of value that an attribute has, as messages name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ValueSort {
    Text,
    WholeNumber,
    Truth,
    /// A text that is one of the values of the attribute.
    Choice,
    List,
}

impl ValueSort {
    fn as_words(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::WholeNumber => "a whole number",
            Self::Truth => "true or false",
            Self::Choice => "one value, as a text",
            Self::List => "a list of values",
        }
    }
}

/// One broken rule: a stable code, the rule's reference, the numbers and the cards.
///
/// Serialised with its English [`message`](Violation::message), which is derived from the other fields. The order is that of
/// reports: first that cards are not loaded, because everything else may follow from it; then by severity, then by the rule's
/// number, in which digits count as numbers (`H-3` before `H-10`), then by the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// How much it matters.
    pub severity: Severity,
    /// Number of the rule, for example `T-2.2.1b`.
    pub rule: String,
    /// Section of the game's rulebook, for example `2.2.1`; empty for the service's own rules.
    pub section: String,
    /// What is wrong.
    pub code: ViolationCode,
    /// Zone concerned.
    pub zone: Option<String>,
    /// Code of the set concerned.
    pub set: Option<String>,
    /// Card attribute (or other field) concerned.
    pub attribute: Option<String>,
    /// Cards concerned, sorted; of those that name one copy, the first 20. For a sum, or values of an attribute, the 20 that matter most, the worst first.
    pub cards: Vec<CardMention>,
    /// What the rule asks for: a minimum, maximum or exact number, by code.
    pub limit: Option<i64>,
    /// The number that was found.
    pub actual: Option<i64>,
    /// Copies of unknown cards that `actual` does not count, so that it is a lower bound; `None`: it is exact, or no bound.
    pub unknown_cards: Option<u64>,
    /// Values or names that would be right.
    pub suggestions: Vec<String>,
    /// An edit that fixes it.
    pub fix: Option<Fix>,
    /// The rule in the manifest's own words.
    pub rule_text: String,
    /// The sort of value that the attribute has, where the message names it.
    pub(crate) sort: Option<ValueSort>,
    /// The character that a name or text may not have.
    pub(crate) refused: Option<char>,
}

impl Violation {
    pub(crate) fn new(code: ViolationCode, severity: Severity, rule: &RuleReference) -> Self {
        Self {
            severity,
            rule: rule.rule.clone(),
            section: rule.section.clone(),
            code,
            zone: None,
            set: None,
            attribute: None,
            cards: Vec::new(),
            limit: None,
            actual: None,
            unknown_cards: None,
            suggestions: Vec::new(),
            fix: None,
            rule_text: rule.text.clone(),
            sort: None,
            refused: None,
        }
    }

    pub(crate) fn error(code: ViolationCode, rule: &RuleReference) -> Self {
        Self::new(code, Severity::Error, rule)
    }

    pub(crate) fn limit(mut self, limit: impl TryInto<i64>) -> Self {
        self.limit = Some(limit.try_into().unwrap_or(i64::MAX));
        self
    }

    pub(crate) fn actual(mut self, actual: impl TryInto<i64>) -> Self {
        self.actual = Some(actual.try_into().unwrap_or(i64::MAX));
        self
    }

    /// Records that this number of copies of unknown cards was not counted.
    pub(crate) fn unknown(mut self, copies: u64) -> Self {
        self.unknown_cards = (copies > 0).then_some(copies);
        self
    }

    pub(crate) fn zone(mut self, zone: impl Into<String>) -> Self {
        self.zone = Some(zone.into());
        self
    }

    pub(crate) fn set(mut self, set: impl Into<String>) -> Self {
        self.set = Some(set.into());
        self
    }

    pub(crate) fn attribute(mut self, attribute: impl Into<String>) -> Self {
        self.attribute = Some(attribute.into());
        self
    }

    pub(crate) fn sort(mut self, sort: ValueSort) -> Self {
        self.sort = Some(sort);
        self
    }

    pub(crate) fn refused(mut self, character: Option<char>) -> Self {
        self.refused = character;
        self
    }

    /// The character that makes a name or text invalid, if one does.
    pub fn refused_character(&self) -> Option<char> {
        self.refused
    }

    pub(crate) fn card(mut self, card: CardMention) -> Self {
        self.cards.push(card);
        self
    }

    pub(crate) fn suggest(mut self, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.suggestions.extend(values.into_iter().map(Into::into));
        self
    }

    pub(crate) fn fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// One English sentence or two, made from the other fields.
    pub fn message(&self) -> String {
        use ViolationCode as C;
        // Written only by the messages that have it.
        let cards = CardList(&self.cards);
        let limit = self.limit.unwrap_or_default();
        let actual = self.actual.unwrap_or_default();
        let zone = self.zone.as_deref().unwrap_or("main");
        let attribute = self.attribute.as_deref().unwrap_or("value");
        let mut text = match &self.code {
            C::GameWithoutCards => {
                "No cards of this game are loaded, so no card of the deck can be known, and rules about its cards are not judged.".to_owned()
            }
            C::SetWithoutCards => {
                let set = self.set.as_deref().unwrap_or_default();
                format!("No cards of the set “{set}” are loaded.")
            }
            C::DeckSizeBelowMin | C::ZoneSizeBelowMin => {
                let missing = limit.saturating_sub(actual);
                format!(
                    "The {zone} zone has {}; at least {limit} {} required ({missing} missing).",
                    count(actual, "card"),
                    are(limit)
                )
            }
            C::DeckSizeAboveMax | C::ZoneSizeAboveMax => {
                let extra = actual.saturating_sub(limit);
                format!(
                    "The {zone} zone has {}; at most {limit} {} allowed ({extra} too many).",
                    count(actual, "card"),
                    are(limit)
                )
            }
            C::ZoneUnknown => format!("This game has no zone {zone:?}: {cards}."),
            C::CopyLimitExceeded => {
                format!("{} of {cards}; at most {limit} allowed.", copies(actual))
            }
            C::CardBanned => format!("{cards} is banned; the deck has {actual}."),
            C::CardLimitExceeded => {
                format!("{} of {cards}; the limit list allows {limit}.", copies(actual))
            }
            C::CardNotAllowed => format!("Not allowed{}: {cards}.", self.in_zone()),
            C::KindNotAllowed => {
                format!("Cards of this kind are not allowed{}: {cards}.", self.in_zone())
            }
            C::RequiredCardsMissing => self.required_message(),
            C::GroupLimitExceeded => {
                format!("{} of {cards}; at most {limit} allowed together.", count(actual, "card"))
            }
            C::IdentityMissing => {
                format!("The deck has no card that binds the others{}.", self.in_zone())
            }
            C::IdentityMismatch => {
                format!("{cards} does not agree with the deck's identity in {attribute:?}.")
            }
            C::BudgetBelowMin => {
                format!("{} to {actual}; at least {limit} {} required.", self.sum(), are(limit))
            }
            C::BudgetExceeded => {
                let over = actual.saturating_sub(limit);
                let most = if self.cards.is_empty() { "" } else { " Most of it: " };
                let end = if self.cards.is_empty() { "" } else { "." };
                format!(
                    "{} to {actual}; at most {limit} {} allowed ({over} too many).{most}{cards}{end}",
                    self.sum(),
                    are(limit)
                )
            }
            C::ValueLimitExceeded => format!(
                "The cards{} have {} of {attribute:?}; at most {limit} {} allowed. Too many with {cards}.",
                self.in_zone(),
                count(actual, "different value"),
                are(limit)
            ),
            C::ValueRepeated => {
                format!(
                    "{actual} cards{} have one value of {attribute:?}: {cards}.",
                    self.in_zone()
                )
            }
            C::BoxCardMissing => format!("The box has {actual} of {limit} {cards}."),
            C::BoxCardExtra => match limit {
                0 => format!("{cards} does not belong in the box; it has {actual}."),
                1 => format!("The box has {actual} {cards}; only 1 belongs in it."),
                _ => format!("The box has {actual} {cards}; only {limit} belong in it."),
            },
            C::BoxTotalMismatch => {
                format!("The box has {}; it should have {limit}.", count(actual, "card"))
            }
            C::CardUnknown if self.cards.iter().all(|card| card.name.is_empty()) => {
                format!("No known card has the set and number {cards}.")
            }
            C::CardUnknown => format!("No known card is named {cards}."),
            C::PrintingUnknown => format!("No such printing: {}.", PrintingList(&self.cards)),
            C::EntryCountInvalid => {
                format!("The quantity of {cards} is {actual}; it must be at least {limit}.")
            }
            C::SerialDuplicate => {
                let copy = self.cards.first().and_then(|card| card.copy.as_deref());
                let copy = copy.unwrap_or_default();
                format!("The copy {copy:?} stands {actual} times in the deck: {cards}.")
            }
            C::EntryCopiesExceeded => {
                format!("An entry of {limit} × {cards} names {actual} copies.")
            }
            C::NameInvalid => self.name_message(limit),
            C::NameDuplicate => format!("Another card of the set has the same name: {cards}."),
            C::NumberInvalid => {
                format!(
                    "The number of {cards} must be 1 to {limit} letters and digits, with single hyphens between them."
                )
            }
            C::NumberDuplicate => format!("Another card of the set has the same number: {cards}."),
            C::KindUnknown => format!("{cards} has a kind that this game does not know."),
            C::AttributeMissing => format!("{cards} lacks {attribute:?}."),
            C::AttributeUnknown => format!("{cards} may not have {attribute:?} here."),
            C::AttributeTypeMismatch => match self.sort {
                Some(sort) => format!("{attribute:?} of {cards} must be {}.", sort.as_words()),
                None => format!("{attribute:?} of {cards} has the wrong type."),
            },
            C::AttributeOutOfRange => self.range_message(&format!("{attribute:?} of {cards}")),
            C::AttributeValueUnknown => format!("{attribute:?} of {cards} has an unknown value."),
            C::AttributeValueDuplicate => format!("{attribute:?} of {cards} has one value twice."),
            // The sum is right, but one of its parts is too low.
            C::PrintingGainMismatch if actual == limit => {
                format!("A number of {attribute} of {cards} gains less than the rules allow.")
            }
            C::AttributeTotalMismatch | C::PrintingGainMismatch => {
                let come = if attribute.contains(" + ") { "come" } else { "comes" };
                format!("{attribute} of {cards} {come} to {actual}, not {limit}.")
            }
            C::EffectCountInvalid => {
                let place = match &self.attribute {
                    Some(slot) => format!("in the slot {slot:?}"),
                    None => "of this sort".to_owned(),
                };
                format!("{cards} has {} {place}, not {limit}.", count(actual, "effect"))
            }
            C::EffectStyleUnknown => format!("An effect of {cards} has no known style."),
            C::EffectSlotUnknown => {
                format!("An effect of {cards} is in a slot that the card does not have.")
            }
            C::TextInvalid => match self.refused {
                Some(refused) => format!("A text of {cards} has {}.", in_words(refused)),
                None => format!(
                    "A text of {cards} is empty, longer than {limit} characters or has control characters."
                ),
            },
            C::RarityUnknown => {
                format!("{} has a rarity that this game does not know.", PrintingList(&self.cards))
            }
            C::PrintingMissing => format!("Printings missing: {}.", PrintingList(&self.cards)),
            C::PrintingDuplicate => {
                format!("Two printings of one rarity: {}.", PrintingList(&self.cards))
            }
            C::PrintingBaseMismatch => {
                format!("{attribute:?} of {} differs from the card's own.", PrintingList(&self.cards))
            }
            C::SetCodeInvalid => {
                format!(
                    "The code must be 1 to {limit} lower-case letters and digits, with single hyphens between them."
                )
            }
            C::SetNameInvalid => match self.refused {
                Some(refused) => format!("The name has {}.", in_words(refused)),
                None => format!(
                    "The name is empty, longer than {limit} characters or has control characters."
                ),
            },
            C::SetEmpty => "The set has no card.".to_owned(),
            C::ReleaseDateInvalid => {
                "The release date must be an existing day, YYYY-MM-DD.".to_owned()
            }
            C::UnlockThresholdInvalid => {
                format!("The unlock threshold must be 1 to {UNLOCK_THRESHOLD_MAX}, not {actual}.")
            }
            C::Named(_) => self.named_message(),
        };
        if text.starts_with(THIS_DESIGN) {
            text.replace_range(..1, "T");
        }
        if !self.suggestions.is_empty() {
            let known = self.suggestions.join(", ");
            let _ = match self.code {
                C::CardUnknown | C::ZoneUnknown | C::SetWithoutCards => {
                    write!(text, " Did you mean {known}?")
                }
                C::ValueLimitExceeded => write!(text, " Most cards have: {known}."),
                C::CardNotAllowed | C::KindNotAllowed => write!(text, " Allowed in: {known}."),
                _ => write!(text, " Possible: {known}."),
            };
        }
        if let Some(unknown) = self.unknown_cards {
            let cards = if unknown == 1 { "card is" } else { "cards are" };
            let _ = write!(
                text,
                " {unknown} unknown {cards} not counted, so {}.",
                match self.code {
                    // The sentence has no number.
                    C::IdentityMissing => "the deck may have one",
                    _ => "the number is a lower bound",
                }
            );
        }
        text
    }

    /// Why a name cannot be that of a card.
    fn name_message(&self, limit: i64) -> String {
        // A mention has the name as it is, unless it is too long.
        let name = self.cards.first().map_or("", |card| card.name.as_str());
        if name.trim().is_empty() {
            "The name is empty.".to_owned()
        } else if let Some(refused) = self.refused.or_else(|| refused_in_name(name)) {
            format!("The name has {}.", in_words(refused))
        } else if !name.chars().any(is_seen) {
            "The name has only characters that nobody sees.".to_owned()
        } else {
            format!("The name is longer than {limit} characters.")
        }
    }

    /// What is wrong with a number, or with the length of a text or list. `subject`: the attribute and the card.
    fn range_message(&self, subject: &str) -> String {
        let (limit, actual) = (self.limit.unwrap_or_default(), self.actual.unwrap_or_default());
        match self.sort {
            Some(ValueSort::List) if actual < limit => {
                format!("{subject} needs at least {}; it has {actual}.", count(limit, "value"))
            }
            Some(ValueSort::List) => {
                format!("{subject} may have at most {}; it has {actual}.", count(limit, "value"))
            }
            Some(ValueSort::Text) if actual > limit => {
                format!("{subject} has {actual} characters; at most {limit} are allowed.")
            }
            Some(ValueSort::Text) => match self.refused {
                Some(refused) => format!("{subject} has {}.", in_words(refused)),
                None => format!("{subject} is blank or has control characters."),
            },
            _ => format!("{subject} is {actual}; the limit is {limit}."),
        }
    }

    /// What is added up, as the subject of a sentence.
    fn sum(&self) -> String {
        match &self.attribute {
            Some(attribute) => format!("{attribute:?} of the cards{} comes", self.in_zone()),
            None => format!("The points of the cards{} come", self.in_zone()),
        }
    }

    fn in_zone(&self) -> String {
        self.zone.as_ref().map_or_else(String::new, |zone| format!(" in the {zone} zone"))
    }

    /// What is required, in the rule's words, and how much of it there is.
    fn required_message(&self) -> String {
        let (Some(limit), Some(actual)) = (self.limit, self.actual) else {
            return self.named_message();
        };
        let holder =
            self.zone.as_ref().map_or_else(|| "deck".to_owned(), |zone| format!("{zone} zone"));
        let of_rule = format!("Rule {} asks for certain cards.", self.rule);
        let rule = if self.rule_text.is_empty() { &of_rule } else { &self.rule_text };
        let such = count(actual, "such card");
        format!("{rule} The {holder} has {such}; at least {limit} {} required.", are(limit))
    }

    fn named_message(&self) -> String {
        let mut text = self.rule_text.clone();
        // Equal numbers are not what is wrong: then a part of a sum is too low.
        if let (Some(limit), Some(actual)) = (self.limit, self.actual)
            && limit != actual
        {
            let _ = write!(text, " Expected {limit}, found {actual}.");
        }
        if !self.cards.is_empty() {
            let _ = write!(text, " Concerned: {}.", PrintingList(&self.cards));
        }
        text
    }
}

/// The names of cards; reprints share one. Cards without a name are named by their places.
struct CardList<'a>(&'a [CardMention]);

impl fmt::Display for CardList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let different = self.0.chunk_by(CardMention::is_called_like);
        write_list(f, different.filter_map(<[CardMention]>::first), CardMention::write_name)
    }
}

/// The printings of cards: also their sets, numbers and rarities.
struct PrintingList<'a>(&'a [CardMention]);

impl fmt::Display for PrintingList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(f, self.0.iter(), CardMention::write_printing)
    }
}

/// Writes up to six cards; a message stays readable when a whole box is missing.
fn write_list<'c>(
    f: &mut fmt::Formatter<'_>,
    cards: impl Iterator<Item = &'c CardMention>,
    write_card: fn(&CardMention, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    const SHOWN: usize = 6;
    let mut total = 0;
    for card in cards {
        total += 1;
        if total > SHOWN {
            continue;
        }
        if total > 1 {
            f.write_str(", ")?;
        }
        write_card(card, f)?;
    }
    if total > SHOWN {
        write!(f, " and {} more", total - SHOWN)?;
    }
    Ok(())
}

fn count(number: i64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn copies(number: i64) -> String {
    if number == 1 { "1 copy".to_owned() } else { format!("{number} copies") }
}

fn are(number: i64) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

impl Ord for Violation {
    fn cmp(&self, other: &Self) -> Ordering {
        let Self { severity, rule, section, code, zone, set, attribute, .. } = self;
        let Self { cards, limit, actual, unknown_cards, suggestions, fix, .. } = self;
        let Self { rule_text, sort, refused, .. } = self;
        (code.is_about_the_pool().cmp(&other.code.is_about_the_pool()).reverse())
            .then_with(|| severity.cmp(&other.severity))
            .then_with(|| by_number(rule, &other.rule))
            .then_with(|| section.cmp(&other.section))
            .then_with(|| code.cmp(&other.code))
            .then_with(|| zone.cmp(&other.zone))
            .then_with(|| set.cmp(&other.set))
            .then_with(|| attribute.cmp(&other.attribute))
            .then_with(|| cards.cmp(&other.cards))
            .then_with(|| limit.cmp(&other.limit))
            .then_with(|| actual.cmp(&other.actual))
            .then_with(|| unknown_cards.cmp(&other.unknown_cards))
            .then_with(|| suggestions.cmp(&other.suggestions))
            .then_with(|| fix.cmp(&other.fix))
            .then_with(|| rule_text.cmp(&other.rule_text))
            .then_with(|| sort.cmp(&other.sort))
            .then_with(|| refused.cmp(&other.refused))
    }
}

impl PartialOrd for Violation {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares numbers of rules as people do: runs of digits by their value, everything else letter by letter.
fn by_number(left: &str, right: &str) -> Ordering {
    let (mut one, mut two) = (left.as_bytes(), right.as_bytes());
    while let (Some(first), Some(second)) = (one.first(), two.first()) {
        let order = if first.is_ascii_digit() && second.is_ascii_digit() {
            let (number, other) = (digits(&mut one), digits(&mut two));
            number.len().cmp(&other.len()).then_with(|| number.cmp(other))
        } else {
            (one, two) = (&one[1..], &two[1..]);
            first.cmp(second)
        };
        if order.is_ne() {
            return order;
        }
    }
    // `1` and `01` are one number, but not one text.
    one.len().cmp(&two.len()).then_with(|| left.cmp(right))
}

/// Splits off the digits at the beginning, and returns them without leading zeros.
fn digits<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    *text = rest;
    let zeros = number.iter().position(|digit| *digit != b'0').unwrap_or(number.len());
    &number[zeros..]
}

impl Serialize for Violation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let unknown = usize::from(self.unknown_cards.is_some());
        let mut fields = serializer.serialize_struct("Violation", 14 + unknown)?;
        fields.serialize_field("code", &self.code)?;
        fields.serialize_field("severity", &self.severity)?;
        fields.serialize_field("message", &self.message())?;
        fields.serialize_field("rule", &self.rule)?;
        fields.serialize_field("section", &self.section)?;
        fields.serialize_field("rule_text", &self.rule_text)?;
        fields.serialize_field("limit", &self.limit)?;
        fields.serialize_field("actual", &self.actual)?;
        if let Some(unknown) = &self.unknown_cards {
            fields.serialize_field("unknown_cards", unknown)?;
        }
        fields.serialize_field("zone", &self.zone)?;
        fields.serialize_field("set", &self.set)?;
        fields.serialize_field("attribute", &self.attribute)?;
        fields.serialize_field("cards", &self.cards)?;
        fields.serialize_field("suggestions", &self.suggestions)?;
        fields.serialize_field("fix", &self.fix)?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(rule: &str) -> Violation {
        let rule = RuleReference { rule: rule.to_owned(), ..RuleReference::default() };
        Violation::error(ViolationCode::CardUnknown, &rule)
    }

    #[test]
    fn numbers_of_rules_are_in_natural_order() {
        let ordered = [
            "", "E-9.1", "H-3", "H-3a", "H-10", "H-10.2", "H-10.10", "T-2.2.1a", "T-2.2.1b",
            "T-2.2.10", "T-A6", "h-1", "h-01",
        ];
        let mut violations: Vec<Violation> =
            ordered.iter().rev().map(|rule| broken(rule)).collect();
        violations.sort();
        let found: Vec<&str> = violations.iter().map(|one| one.rule.as_str()).collect();
        // Different texts of the same number are next to each other.
        let expected = [&ordered[..11], &["h-01", "h-1"]].concat();
        assert_eq!(found, expected);
    }

    #[test]
    fn cards_without_a_name_are_named_by_their_places() {
        let at = |set: &str, number: &str| CardMention {
            set: Some(set.to_owned()),
            number: Some(number.to_owned()),
            ..CardMention::default()
        };
        let unknown = broken("r").card(at("ttcg-1", "003"));
        assert_eq!(unknown.message(), "No known card has the set and number “ttcg-1 003”.");
        let printing = Violation { code: ViolationCode::PrintingUnknown, ..broken("r") };
        let printing =
            printing.card(CardMention { rarity: Some("rare".to_owned()), ..at("x", "1") });
        assert_eq!(printing.message(), "No such printing: “x 1” {rare}.");
    }

    #[test]
    fn a_message_shows_six_names_and_reprints_once() {
        let banned = |names: &[&str]| {
            let cards = names.iter().enumerate().map(|(at, name)| CardMention {
                number: Some(at.to_string()),
                ..CardMention::named(*name)
            });
            Violation { cards: cards.collect(), code: ViolationCode::CardBanned, ..broken("r") }
        };
        let six = ["a", "b", "b", "c", "d", "e", "f"];
        let message = banned(&six).actual(9).message();
        assert_eq!(message, "“a”, “b”, “c”, “d”, “e”, “f” is banned; the deck has 9.");
        let message = banned(&[&six[..], &["g", "h"]].concat()).actual(9).message();
        assert!(message.starts_with("“a”, “b”, “c”, “d”, “e”, “f” and 2 more is"), "{message}");
        let printings = Violation {
            code: ViolationCode::PrintingUnknown,
            ..banned(&[&six[..], &["g"]].concat())
        };
        assert_eq!(
            printings.message(),
            "No such printing: “a” 0, “b” 1, “b” 2, “c” 3, “d” 4, “e” 5 and 2 more."
        );
    }

    #[test]
    fn an_invalid_name_has_one_reason() {
        let message = |name: &str| {
            let found = broken("r").limit(9).card(CardMention::named(name));
            Violation { code: ViolationCode::NameInvalid, ..found }.message()
        };
        assert_eq!(message(""), "The name is empty.");
        assert_eq!(message("Silken Sa"), "The name is longer than 9 characters.");
        assert_eq!(message("Silk\t"), "The name has a control character, U+0009.");
        assert_eq!(message("\u{200B}"), "The name has only characters that nobody sees.");
    }

    #[test]
    fn ranges_are_of_numbers_texts_and_lists() {
        let message = |sort: ValueSort, actual: i64| {
            let found = broken("r").limit(1).actual(actual).attribute("fins").sort(sort);
            let found = found.card(CardMention::named("Pike"));
            Violation { code: ViolationCode::AttributeOutOfRange, ..found }.message()
        };
        for (sort, actual, expected) in [
            (ValueSort::WholeNumber, 0, "\"fins\" of “Pike” is 0; the limit is 1."),
            (ValueSort::List, 0, "\"fins\" of “Pike” needs at least 1 value; it has 0."),
            (ValueSort::List, 2, "\"fins\" of “Pike” may have at most 1 value; it has 2."),
            (ValueSort::Text, 2, "\"fins\" of “Pike” has 2 characters; at most 1 are allowed."),
            (ValueSort::Text, 0, "\"fins\" of “Pike” is blank or has control characters."),
        ] {
            assert_eq!(message(sort, actual), expected);
        }
    }

    /// The sum is right, but one of its parts is too low.
    #[test]
    fn messages_do_not_set_equal_numbers_against_each_other() {
        let message = |code: &str| {
            let found = broken("r").limit(5).actual(5).attribute("boost");
            let found = found.card(CardMention::named("Pike"));
            let rule_text = "Nothing is lowered.".to_owned();
            Violation { code: ViolationCode::from_name(code), rule_text, ..found }.message()
        };
        assert_eq!(
            message("PRINTING_GAIN_MISMATCH"),
            "A number of boost of “Pike” gains less than the rules allow."
        );
        assert_eq!(message("BOOSTS"), "Nothing is lowered. Concerned: “Pike”.");
    }

    #[test]
    fn one_is_singular() {
        let message = |code: ViolationCode, limit: i64, actual: i64| {
            Violation { code, ..broken("r") }.limit(limit).actual(actual).message()
        };
        assert_eq!(
            message(ViolationCode::ZoneSizeBelowMin, 1, 0),
            "The main zone has 0 cards; at least 1 is required (1 missing)."
        );
        assert_eq!(
            message(ViolationCode::RequiredCardsMissing, 2, 1),
            "Rule r asks for certain cards. The deck has 1 such card; at least 2 are required."
        );
        let sum = |of: &str| {
            let of = broken("r").attribute(of).limit(2).actual(1).card(CardMention::named("Gang"));
            Violation { code: ViolationCode::AttributeTotalMismatch, ..of }.message()
        };
        assert_eq!(sum("size"), "size of “Gang” comes to 1, not 2.");
        assert_eq!(sum("crew + guns"), "crew + guns of “Gang” come to 1, not 2.");
    }
}
