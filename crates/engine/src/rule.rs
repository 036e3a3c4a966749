//! The construction vocabulary: the complete list of rules that a format can have.

mod identity;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::code::ViolationCode;
use crate::date::Date;
use crate::selector::Selector;
use crate::violation::Severity;
pub use identity::{Agreement, BudgetPoints, Identity, StatedBounds};

/// How far a rule or fact can be trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// The game's rulebook says so.
    #[default]
    Source,
    /// The rulebook is silent or unclear; this is the recommended reading.
    Assumed,
    /// Made up as an example.
    Sample,
}

/// Where a rule comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RuleReference {
    /// Number of the rule, for example `T-2.2.1a`.
    #[cfg_attr(feature = "openapi", schema(example = "T-2.2.6a"))]
    pub rule: String,
    /// Section of the rulebook.
    #[cfg_attr(feature = "openapi", schema(example = "2.2.6"))]
    pub section: String,
    /// How far it can be trusted.
    pub provenance: Provenance,
    /// The rule in one English sentence.
    #[cfg_attr(feature = "openapi", schema(example = "A unit is played on one a rank lower."))]
    pub text: String,
}

/// One construction rule of a format.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rule {
    /// Number, section and wording.
    #[serde(flatten)]
    pub reference: RuleReference,
    /// First day on which it holds; `None`: there is no first day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_from: Option<Date>,
    /// First day on which it no longer holds; `None`: it has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_until: Option<Date>,
    /// Code that replaces the check's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ViolationCode>,
    /// Severity that replaces the check's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    #[serde(flatten)]
    pub check: DeckCheck,
}

impl Rule {
    /// Whether the rule holds on `day`.
    pub fn holds_on(&self, day: Date) -> bool {
        self.effective_from.is_none_or(|from| from <= day)
            && self.effective_until.is_none_or(|until| day < until)
    }

    pub(crate) fn code_or(&self, code: ViolationCode) -> ViolationCode {
        self.code.clone().unwrap_or(code)
    }

    pub(crate) fn severity_or(&self, severity: Severity) -> Severity {
        self.severity.unwrap_or(severity)
    }
}

/// What makes two entries of a deck "the same card".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SameCard {
    /// Equal names; set, number and rarity do not matter.
    #[default]
    Name,
    /// The same card definition (set and number); the rarity does not matter.
    Card,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "check", rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeckCheck {
    /// Every entry names a card of the pool, in a printing that exists, in a zone of the game. Always checked; a format
    /// lists it to give it a rule number.
    KnownCards,
    /// Every entry has at least this quantity. Always checked (with 1); a format lists it to give it a rule number.
    EntryQuantity {
        /// Smallest quantity.
        min: u32,
    },
    /// No physical copy is in the deck twice, over all entries and zones, and no entry names more copies than its
    /// quantity. Entries that name no copies ([`DeckEntry::copies`](crate::DeckEntry::copies)) always pass.
    UniqueCopies,
    /// A zone's number of cards.
    ZoneSize {
        zone: String,
        /// Fewest cards.
        min: Option<u32>,
        /// Most cards.
        max: Option<u32>,
        /// Bounds that the identity cards state, in addition to the others. A number below 0 counts as 0.
        #[serde(flatten)]
        stated: StatedBounds,
    },
    /// A maximum number of copies of the same card.
    CopyLimit {
        /// What counts as the same card.
        same: SameCard,
        /// Zones that count together; empty: all.
        zones: Vec<String>,
        /// Limits for some cards; the first that selects the card applies.
        limits: Vec<CopyLimit>,
        /// Limit for all others; `None`: no limit.
        max: Option<u32>,
        /// Cards without a limit.
        exempt: Option<Arc<Selector>>,
        /// An integer attribute in which a card states its own limit; where a card has it, it replaces the others.
        #[serde(skip_serializing_if = "Option::is_none")]
        own_limit: Option<String>,
    },
    /// Only these cards may be in the zones.
    Allowed {
        /// Zones concerned; empty: all.
        zones: Vec<String>,
        /// The allowed cards.
        select: Arc<Selector>,
    },
    /// These cards may not be in the zones.
    Forbidden {
        /// Zones concerned; empty: all.
        zones: Vec<String>,
        /// The forbidden cards.
        select: Arc<Selector>,
    },
    /// A minimum number of these cards.
    Requires {
        /// Zones concerned; empty: all.
        zones: Vec<String>,
        /// The cards that count.
        select: Arc<Selector>,
        /// Fewest cards.
        min: u32,
    },
    /// A maximum number of these cards together, regardless of their names.
    AtMost {
        /// Zones concerned; empty: all.
        zones: Vec<String>,
        /// The cards that count.
        select: Arc<Selector>,
        /// Most cards.
        max: u32,
    },
    /// Single cards with their own limits, by name over all zones. A list may be empty.
    LimitList {
        /// Maximum number of copies by name; 0 bans the card.
        cards: BTreeMap<String, u32>,
        /// The same by name key.
        #[serde(skip)]
        by_key: BTreeMap<String, u32>,
    },
    /// The values that cards have for an attribute are among those of the identity cards. If a deck has no identity card, only that is reported.
    MatchesIdentity {
        /// The identity cards; several count together.
        identity: Identity,
        /// Zones concerned; empty: all.
        zones: Vec<String>,
        /// The cards that must agree; `None`: all.
        #[serde(skip_serializing_if = "Option::is_none")]
        select: Option<Arc<Selector>>,
        /// The attribute. A card without a value agrees with every identity.
        attribute: String,
        /// Whether all values of a card must be among them, or only one.
        agreement: Agreement,
    },
    /// Each copy of a card counts a number, and the sum must be within bounds. Unknown cards count 0.
    Budget {
        /// Zones concerned; empty: all.
        zones: Vec<String>,
        /// The cards that count; `None`: all.
        #[serde(skip_serializing_if = "Option::is_none")]
        select: Option<Arc<Selector>>,
        /// What a copy counts.
        #[serde(rename = "worth")]
        points: BudgetPoints,
        /// Smallest sum.
        min: Option<i64>,
        /// Largest sum.
        max: Option<i64>,
        /// Bounds that the identity cards state, in addition to the others.
        #[serde(flatten)]
        stated: StatedBounds,
        /// If present, only cards count that do not agree with the identity cards in this attribute, in the sense of [`DeckCheck::MatchesIdentity`].
        #[serde(skip_serializing_if = "Option::is_none")]
        unlike: Option<String>,
    },
    /// How many different values of an attribute cards have. Each value of a list counts; a card without a value has none.
    AttributeValues {
        /// Zones concerned; empty: all.
        zones: Vec<String>,
        /// The cards concerned; `None`: all.
        #[serde(skip_serializing_if = "Option::is_none")]
        select: Option<Arc<Selector>>,
        attribute: String,
        /// Maximum number of different values, at least 1; `None`: no two copies may have the same value.
        max: Option<u32>,
    },
    /// The exact content of a box.
    FixedBox {
        /// What belongs in it. For each card the first line that selects it applies.
        contents: Vec<BoxLine>,
        /// Number of all cards together.
        total: u32,
    },
    /// A warning when fewer than a minimum number of these cards are in the deck.
    AdviseAtLeast {
        /// The cards that count.
        select: Arc<Selector>,
        /// Fewest cards.
        min: u32,
    },
    /// A warning about cards that can only be played on a card one step lower, when no such card is in the deck.
    AdviseLadder {
        /// The cards concerned.
        select: Arc<Selector>,
        /// The attribute that counts the steps: an integer, or a choice whose values are listed from low to high.
        attribute: String,
        /// The steps from low to high when the attribute is a choice; empty for integers.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        steps: Vec<String>,
        /// The lowest step, whose cards need no card below them (for choices: 0).
        lowest: i64,
        /// Attributes that both cards must share.
        same: Vec<String>,
        /// Position in the game's list of ladders.
        #[serde(skip)]
        index: usize,
    },
}

/// A copy limit for some cards.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CopyLimit {
    /// The cards.
    pub select: Arc<Selector>,
    /// Maximum number of copies.
    pub max: u32,
    /// Its own rule number, section and wording, if the rulebook has them.
    #[serde(flatten)]
    pub reference: RuleReference,
}

/// One line of a box's contents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoxLine {
    /// The cards of the pool that the line means.
    pub select: Arc<Selector>,
    /// Copies of each of them.
    pub copies: u32,
    /// How far the number can be trusted.
    pub provenance: Provenance,
}
