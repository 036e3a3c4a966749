//! Games as data.
mod card;
mod card_check;
mod catalogue;
mod code;
mod date;
mod deck;
mod deck_text;
mod format;
mod hash;
mod manifest;
mod name;
mod report;
mod rule;
mod schema;
mod selector;
mod set_check;
mod suggest;
mod validate;
mod violation;

pub use card::{CardDefinition, Effect, PrintingDefinition, SetDefinition};
pub use card_check::{card_faults, check_card};
pub use catalogue::{Catalogue, CatalogueBuilder, PoolCard, Resolution};
pub use code::ViolationCode;
pub use date::{Date, DateError};
pub use deck::{CardReference, Deck, DeckEntry, MAIN_ZONE};
pub use deck_text::{DeckTextFault, LineFault, ParsedDeck, parse_deck_text, render_deck_text};
pub use format::{Format, Variant};
pub use manifest::{Game, ManifestError, ManifestFault};
pub use name::{name_key, search_key};
pub use report::{Report, ReportStatus};
pub use rule::{BoxLine, CopyLimit, DeckCheck, Provenance, Rule, RuleReference, SameCard};
pub use schema::{
    Attribute, AttributeValue, CardCheck, EffectSchema, EffectSlot, Kind, PrintingCheck,
    PrintingSchema, Rarity, Zone,
};
pub use selector::{Condition, Selector};
pub use set_check::{SetFault, SetParseError, check_set};
pub use validate::validate;
pub use violation::{CardMention, Fix, Severity, Violation};
