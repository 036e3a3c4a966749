//! Games as data: card schemas, construction rules, and reports on decks.
//!
//! The engine is pure. It reads no files, has no clock and no randomness, and equal inputs give equal answers on every machine. A game is defined by
//! its manifest: another game needs another text, not a change of code.
//!
//! # A tour
//!
//! A game comes from a manifest (`seed-data/games/*/game.toml` has the shipped ones). All faults of a manifest are reported at once, with their
//! places.
//!
//! ```
//! use cardscape_engine::*;
//!
//! let game = Game::from_toml(r#"
//!     code = "pond"
//!     name = "Pond"
//!     rules_version = "pond/1"
//!
//!     [[kinds]]
//!     code = "fish"
//!     name = "Fish"
//!     [kinds.attributes]
//!     size = { type = "integer", min = 1, max = 9, rule = "P-1.1", text = "A fish has a size from 1 to 9." }
//!
//!     [[formats]]
//!     code = "open"
//!     name = "Open water"
//!     version = "1"
//!     [[formats.rules]]
//!     rule = "P-2.1"
//!     text = "A shoal has at least three fish."
//!     zone_size = { zone = "main", min = 3 }
//!     [[formats.rules]]
//!     rule = "P-2.2"
//!     text = "A shoal has at most two of the same fish."
//!     copy_limit = { max = 2 }
//! "#)?;
//! # let error = Game::from_toml("code = 'pond'\nnam = 'Pond'\n[[kinds]]\ncode = 'fish'").unwrap_err();
//! # assert!(error.faults.len() > 3, "{error}");
//!
//! // Card definitions are checked against the game's schema: every fault at once.
//! let pike: CardDefinition = serde_json::from_str(
//!     r#"{ "number": "001", "name": "Old Pike", "kind": "fish", "attributes": { "size": 12, "teeth": true } }"#,
//! )?;
//! let violations = check_card(&game, &pike);
//! let codes: Vec<&str> = violations.iter().map(|violation| violation.code.as_str()).collect();
//! assert_eq!(codes, ["ATTRIBUTE_OUT_OF_RANGE", "ATTRIBUTE_UNKNOWN"]);
//! assert_eq!(violations[0].rule, "P-1.1");
//! assert_eq!(violations[0].message(), "\"size\" of “Old Pike” is 12; the limit is 9.");
//!
//! // The cards that a deck may use form a catalogue.
//! let card = |number: &str, name: &str| PoolCard {
//!     key: number.to_owned(),
//!     set: "shore".to_owned(),
//!     released_on: None,
//!     definition: CardDefinition { number: number.to_owned(), name: name.to_owned(), ..pike.clone() },
//! };
//! let catalogue = Catalogue::builder(&game).add(card("001", "Old Pike")).add(card("002", "Carp")).build();
//!
//! // A deck list is text; a line that cannot be read is reported, never dropped.
//! let parsed = parse_deck_text("// my shoal\n3 old pike\n1x Crap (shore)\nmany Carp\n");
//! assert_eq!(parsed.faults.len(), 1);
//! assert_eq!(parsed.faults[0].line, 4);
//!
//! // And a report says everything that is wrong with it.
//! let format = game.format("open").unwrap();
//! let mut report = validate(&parsed.deck, &catalogue, format);
//! report.suggest(&catalogue);
//! assert_eq!(report.status, ReportStatus::Illegal);
//! let codes: Vec<&str> = report.violations.iter().map(|violation| violation.code.as_str()).collect();
//! assert_eq!(codes, ["COPY_LIMIT_EXCEEDED", "CARD_UNKNOWN"]);
//! assert_eq!((report.violations[0].limit, report.violations[0].actual), (Some(2), Some(3)));
//! assert_eq!(report.violations[1].suggestions, ["Carp"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//!
//! | Noun | What it is |
//! |---|---|
//! | [`Game`] | a manifest: [`Kind`]s, [`Rarity`]s, [`Zone`]s and [`Format`]s |
//! | [`CardDefinition`], [`SetDefinition`] | cards in the form of set files; [`check_card`] and [`check_set`] check them |
//! | [`Game::number_budgets`], [`Game::derive_printings`] | the numbers of a card's printings, for designers |
//! | [`Rule`], [`DeckCheck`], [`Selector`] | the closed vocabulary that formats are made of |
//! | [`Decision`] | what a rulebook leaves open, and how the manifest answers it |
//! | [`DesignGuide`], [`split_total`] | what cards are usually like, for designers |
//! | [`PlayRules`], [`Mulligan`] | opening hands and draws, as far as statistics need them |
//! | [`Catalogue`] | the pool of cards; [`Catalogue::with_extra`] adds a viewer's own cards as a layer |
//! | [`Deck`], [`parse_deck_text`], [`render_deck_text`] | deck lists, as data and as our own text |
//! | [`read_deck`], [`write_deck`], [`write_named_deck`], [`DeckDialect`] | deck lists as other programs write them |
//! | [`encode_share_code`], [`decode_share_code`] | a deck as one short word |
//! | [`validate`], [`Report`] | the judgement of a deck |
//! | [`legalities`], [`Legalities`] | the judgement of a deck by several formats |
//! | [`deck_statistics`], [`DeckStatistics`] | counts, shares and curves of a deck |
//! | [`unreachable_cards`] | cards that can never be played, because the chain below them has a gap |
//! | [`draw_odds`], [`Hypergeometric`] | odds of opening hands, draws and mulligans, and the expected turn |
//! | [`sample_hand`] | an opening hand by a seed |
//! | [`Format::card_rules`], [`CardLegality`] | what a format says about a single card |
//! | [`Violation`], [`ViolationCode`], [`Fix`] | what is wrong, by which rule, and how to fix it |
//! | [`effect_text`] | sentence templates for effects: expand, count, sample, match, tag |
//! | [`MANIFEST_SCHEMA`], [`set_file_schema`], [`Game::set_schema`] | JSON Schemas, for editors and other programs |
//!
//! `docs/GAMES.md` in the repository explains manifests to those who write them, with an example of every key;
//! `docs/VIOLATIONS.md` has the table of violation codes.
mod alike;
mod apportion;
mod attributes;
mod card;
mod card_check;
mod card_legality;
mod catalogue;
mod characters;
mod code;
mod date;
mod decision;
mod deck;
mod deck_text;
mod design;
pub mod effect_text;
mod format;
mod hash;
mod images;
mod json_schema;
mod known_sets;
mod legality;
mod manifest;
mod name;
mod near;
mod play;
mod printing_numbers;
mod report;
pub mod rng;
mod rule;
mod schema;
mod selector;
mod set_check;
mod statistics;
mod suggest;
mod validate;
mod violation;
mod zone_words;

pub use apportion::split_total;
pub use attributes::{AttributeIter, Attributes};
pub use card::{CardDefinition, Effect, PrintingDefinition, SetDefinition};
pub use card_check::{card_faults, check_card, is_collector_number, is_set_code};
pub use card_legality::{Admission, CardLegality, CardRules, CardStatus};
pub use catalogue::{Catalogue, CatalogueBuilder, PoolCard, PreparedCard, Resolution};
pub use characters::{is_drawn_as_nothing, is_no_text, is_seen, stray_tag};
pub use code::ViolationCode;
pub use date::{Date, DateError};
pub use decision::{Decision, DecisionOption};
pub use deck::{CardReference, Deck, DeckEntry, MAIN_ZONE};
pub use deck_text::{
    CANDIDATES_MAX, DECK_LINES_MAX, DeckDialect, DeckDialectError, DeckLines, DeckLoss,
    DeckMentions, DeckReading, DeckText, DeckTextFault, DialectMark, Guess, IgnoredReason,
    JsonFault, LineFault, LineVerdict, LossKind, MalformedText, MentionDepth, ParsedDeck, ReadDeck,
    ReadLine, SHARE_CODE_MAX, ShareCodeError, SharedDeck, TextEncoding, UnknownReason,
    WRITTEN_COPIES_MAX, WrittenDeck, count_entries, decode_deck_text, decode_share_code,
    encode_share_code, is_emoji, is_known_heading, leaves_out_all, parse_deck_text, read_deck,
    read_deck_bytes, recognise_deck_text, render_deck_text, share_code_in, write_deck,
    write_named_deck,
};
pub use design::{DesignGuide, EffectSuit, StyleHint, Tendency};
pub use format::{Format, Variant};
pub use images::{Images, ScanTemplate, ScanTemplateError, ScannedPrinting};
pub use json_schema::{MANIFEST_SCHEMA, set_file_schema};
pub use known_sets::{KnownSet, KnownSets};
pub use legality::{Legalities, legalities};
pub use manifest::{Game, ManifestError, ManifestFault, Position};
pub use name::{has_name_key, has_search_key, name_key, search_key};
pub use near::{did_you_mean, near};
pub use play::{Mulligan, PlayRules};
pub use printing_numbers::NumberBudget;
pub use report::{Report, ReportStatus, ZoneCount};
pub use rule::{
    Agreement, BoxLine, BudgetPoints, CopyLimit, DeckCheck, Identity, Provenance, Rule,
    RuleReference, SameCard, StatedBounds,
};
pub use schema::{
    Attribute, AttributeValue, CardCheck, EffectSchema, EffectSlot, Kind, PrintingCheck,
    PrintingSchema, Rarity, Zone, word_key,
};
pub use selector::{Condition, Released, Selector, is_something};
pub use set_check::{SET_FAULTS_MAX, SetFault, SetParseError, UNLOCK_THRESHOLD_MAX, check_set};
pub use statistics::{
    CountChance, CurveBar, DeckStatistics, Distribution, DrawOdds, DrawPopulation, DrawQuestion,
    DrawTarget, Fraction, HandOdds, Hypergeometric, MatchCount, MulliganHand, NumberSummary,
    OddsError, OtherValues, Probability, SampleCard, SampleHand, Share, TurnChance, TurnOdds,
    UnreachableCards, UnreachableReason, ValueShare, ZoneStatistics, deck_statistics, draw_odds,
    sample_hand, unreachable_cards,
};
pub use suggest::{SUGGESTED_NAMES_MAX, WantedName, name_similarity};
pub use validate::validate;
pub use violation::{CardMention, Fix, Severity, Violation};
