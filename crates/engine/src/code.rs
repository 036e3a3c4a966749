//! The stable codes of violations.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

macro_rules! violation_codes {
    ($($(#[doc = $meaning:literal])+ $variant:ident = $wire:literal,)+) => {
        /// What kind of rule a violation breaks; `SCREAMING_SNAKE_CASE` on the wire and never renamed.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ViolationCode {
            $($(#[doc = $meaning])+ $variant,)+
            /// A code that a game's manifest gives to one of its rules, for example `UNIT_STAT_TOTAL`.
            Named(Arc<str>),
        }

        impl ViolationCode {
            /// Every built-in code with its meaning, in a stable order: the source of `docs/VIOLATIONS.md`.
            pub const TABLE: &'static [(&'static str, &'static str)] =
                &[$(($wire, concat!($($meaning),+)),)+];

            /// The code on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $wire,)+
                    Self::Named(code) => code,
                }
            }

            /// The code for a wire name; names that are not built in become [`ViolationCode::Named`].
            pub fn from_name(name: &str) -> Self {
                match name {
                    $($wire => Self::$variant,)+
                    other => Self::Named(other.into()),
                }
            }
        }
    };
}

violation_codes! {
    /// No card of the game is loaded, so that no card of the deck can be known, and rules about its cards are not judged.
    GameWithoutCards = "GAME_WITHOUT_CARDS",
    /// No card is loaded of a set that the deck names, or that the format's box is made of.
    SetWithoutCards = "SET_WITHOUT_CARDS",
    /// The main zone has fewer cards than the format's minimum.
    DeckSizeBelowMin = "DECK_SIZE_BELOW_MIN",
    /// The main zone has more cards than the format's maximum.
    DeckSizeAboveMax = "DECK_SIZE_ABOVE_MAX",
    /// Another zone has fewer cards than its minimum.
    ZoneSizeBelowMin = "ZONE_SIZE_BELOW_MIN",
    /// Another zone has more cards than its maximum.
    ZoneSizeAboveMax = "ZONE_SIZE_ABOVE_MAX",
    /// The game has no zone of this name.
    ZoneUnknown = "ZONE_UNKNOWN",
    /// More copies of one card than the format allows.
    CopyLimitExceeded = "COPY_LIMIT_EXCEEDED",
    /// The limit list bans the card.
    CardBanned = "CARD_BANNED",
    /// More copies of one card than the limit list allows.
    CardLimitExceeded = "CARD_LIMIT_EXCEEDED",
    /// The card may not be in this zone or format.
    CardNotAllowed = "CARD_NOT_ALLOWED",
    /// Cards of this kind may not be in this zone or format.
    KindNotAllowed = "KIND_NOT_ALLOWED",
    /// The deck lacks cards that the format demands.
    RequiredCardsMissing = "REQUIRED_CARDS_MISSING",
    /// More cards of a group than the format allows together.
    GroupLimitExceeded = "GROUP_LIMIT_EXCEEDED",
    /// The deck has none of the cards that bind the others: no hero, no commander.
    IdentityMissing = "IDENTITY_MISSING",
    /// The card has values of an attribute that the identity cards of the deck do not have.
    IdentityMismatch = "IDENTITY_MISMATCH",
    /// The sum over cards is below the format's minimum, or the one that the identity card states.
    BudgetBelowMin = "BUDGET_BELOW_MIN",
    /// The sum over cards is above the format's maximum, or the one that the identity card states.
    BudgetExceeded = "BUDGET_EXCEEDED",
    /// Cards have more different values of an attribute than the format allows.
    ValueLimitExceeded = "VALUE_LIMIT_EXCEEDED",
    /// Cards that must differ in an attribute have the same value.
    ValueRepeated = "VALUE_REPEATED",
    /// The box lacks copies of a card.
    BoxCardMissing = "BOX_CARD_MISSING",
    /// The box has copies of a card that do not belong in it.
    BoxCardExtra = "BOX_CARD_EXTRA",
    /// The box does not have its total number of cards.
    BoxTotalMismatch = "BOX_TOTAL_MISMATCH",
    /// No card of the pool has this name.
    CardUnknown = "CARD_UNKNOWN",
    /// The card exists, but not in this set, with this number or in this rarity.
    PrintingUnknown = "PRINTING_UNKNOWN",
    /// A deck entry has a quantity below the minimum.
    EntryCountInvalid = "ENTRY_COUNT_INVALID",
    /// One physical copy is in the deck more than once.
    SerialDuplicate = "SERIAL_DUPLICATE",
    /// A deck entry names more physical copies than its quantity.
    EntryCopiesExceeded = "ENTRY_COPIES_EXCEEDED",
    /// A card name is empty, too long or has control or invisible characters.
    NameInvalid = "NAME_INVALID",
    /// Two cards have the same name after normalisation.
    NameDuplicate = "NAME_DUPLICATE",
    /// A collector number is empty, too long or not letters and digits with single hyphens between them.
    NumberInvalid = "NUMBER_INVALID",
    /// Two cards of a set have the same collector number.
    NumberDuplicate = "NUMBER_DUPLICATE",
    /// The game has no card kind of this code.
    KindUnknown = "KIND_UNKNOWN",
    /// A required attribute is absent.
    AttributeMissing = "ATTRIBUTE_MISSING",
    /// Cards of this kind have no such attribute, or printings may not change it.
    AttributeUnknown = "ATTRIBUTE_UNKNOWN",
    /// An attribute has a value of the wrong JSON type.
    AttributeTypeMismatch = "ATTRIBUTE_TYPE_MISMATCH",
    /// A number, or the length of a text or list, is outside its range.
    AttributeOutOfRange = "ATTRIBUTE_OUT_OF_RANGE",
    /// A value is not among those that the game lists.
    AttributeValueUnknown = "ATTRIBUTE_VALUE_UNKNOWN",
    /// A list has one value twice.
    AttributeValueDuplicate = "ATTRIBUTE_VALUE_DUPLICATE",
    /// Attributes of a printing do not add up to the total that the rules fix.
    AttributeTotalMismatch = "ATTRIBUTE_TOTAL_MISMATCH",
    /// A printing does not exceed the base printing by exactly what the rules fix.
    PrintingGainMismatch = "PRINTING_GAIN_MISMATCH",
    /// A card has too many or too few effects.
    EffectCountInvalid = "EFFECT_COUNT_INVALID",
    /// An effect's style is absent or not one of the game's.
    EffectStyleUnknown = "EFFECT_STYLE_UNKNOWN",
    /// An effect's slot is absent or not one that this card has.
    EffectSlotUnknown = "EFFECT_SLOT_UNKNOWN",
    /// An effect or lore text is empty, too long or has control or invisible characters.
    TextInvalid = "TEXT_INVALID",
    /// The game has no rarity of this code.
    RarityUnknown = "RARITY_UNKNOWN",
    /// A rarity in which every such card must exist is absent.
    PrintingMissing = "PRINTING_MISSING",
    /// A card has two printings of one rarity.
    PrintingDuplicate = "PRINTING_DUPLICATE",
    /// The base printing differs from the card's own attributes.
    PrintingBaseMismatch = "PRINTING_BASE_MISMATCH",
    /// A set's code is empty, too long or not lower-case letters and digits with single hyphens between them.
    SetCodeInvalid = "SET_CODE_INVALID",
    /// A set's name is empty, too long or has control or invisible characters.
    SetNameInvalid = "SET_NAME_INVALID",
    /// A set has no card.
    SetEmpty = "SET_EMPTY",
    /// A release date is not an existing day.
    ReleaseDateInvalid = "RELEASE_DATE_INVALID",
    /// An unlock threshold is zero or too high.
    UnlockThresholdInvalid = "UNLOCK_THRESHOLD_INVALID",
}

impl ViolationCode {
    /// Whether it says that cards are not loaded, which is not an error of the deck.
    pub fn is_about_the_pool(&self) -> bool {
        matches!(self, Self::GameWithoutCards | Self::SetWithoutCards)
    }

    /// Whether `name` has the shape of a code: capitals, digits and single underscores, a capital first.
    pub(crate) fn is_well_formed(name: &str) -> bool {
        name.len() <= 64
            && name.starts_with(|first: char| first.is_ascii_uppercase())
            && !name.ends_with('_')
            && !name.contains("__")
            && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    }
}

impl fmt::Display for ViolationCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ViolationCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_unique_and_reads_back() {
        for (at, (wire, meaning)) in ViolationCode::TABLE.iter().enumerate() {
            assert!(ViolationCode::is_well_formed(wire), "{wire}");
            assert!(!meaning.trim().is_empty());
            assert_eq!(ViolationCode::from_name(wire).as_str(), *wire);
            assert!(!matches!(ViolationCode::from_name(wire), ViolationCode::Named(_)));
            assert!(ViolationCode::TABLE[..at].iter().all(|(earlier, _)| earlier != wire));
        }
    }
}
