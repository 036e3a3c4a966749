//! Answers of the API, read back: pages are made of what programs get, so that they can never tell more.

use cardscape_engine::Effect;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::query_words;
use crate::app::catalogue::query_warning::QueryWarning;
use crate::app::problem::Problem;
use crate::memory::rendered::Rendered;
use crate::web::words;

/// Reads an answer of a use case.
pub(super) fn read<T: DeserializeOwned>(answer: &Rendered) -> Result<T, Problem> {
    serde_json::from_slice(answer.body()).map_err(Problem::internal)
}

/// How far a card is that started hidden.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Unlock {
    pub(super) submissions: i32,
    pub(super) threshold: i32,
    /// `None`: it is hidden.
    pub(super) unlocked_at: Option<DateTime<Utc>>,
}

/// Who designed a card.
#[derive(Debug, Deserialize)]
pub(super) struct Credit {
    pub(super) author: String,
}

/// A card. What a hidden one does not tell is absent.
#[derive(Debug, Deserialize)]
pub(super) struct Card {
    pub(super) id: String,
    pub(super) game: String,
    pub(super) set: String,
    pub(super) number: String,
    pub(super) hidden: bool,
    pub(super) unlock: Option<Unlock>,
    pub(super) name: Option<String>,
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) attributes: Map<String, Value>,
    #[serde(default)]
    pub(super) effects: Vec<Effect>,
    pub(super) lore: Option<String>,
    pub(super) designed_by: Option<Credit>,
    pub(super) image_uris: Images,
    /// In lists of printings: which one.
    pub(super) printing: Option<Printing>,
}

/// A card in one rarity.
#[derive(Debug, Deserialize)]
pub(super) struct Printing {
    pub(super) rarity: String,
    /// Those that it gives itself; all others are the card's.
    #[serde(default)]
    pub(super) attributes: Map<String, Value>,
    pub(super) image_uris: Images,
}

/// Where the pictures of a card are.
#[derive(Debug, Deserialize)]
pub(super) struct Images {
    pub(super) svg: String,
    pub(super) png: String,
}

impl Card {
    /// Its page; that of the printing, in lists of printings.
    pub(super) fn path(&self) -> String {
        let card = card_path(&self.game, &self.set, &self.number);
        match &self.printing {
            Some(printing) => printing_path(&card, &printing.rarity),
            None => card,
        }
    }
}

/// The page of a card.
pub(in crate::web) fn card_path(game: &str, set: &str, number: &str) -> String {
    format!("/cards/{game}/{set}/{number}")
}

/// The page of a card, with its picture in a rarity.
pub(super) fn printing_path(card: &str, rarity: &str) -> String {
    format!("{card}?rarity={rarity}")
}

/// The page of a set.
pub(in crate::web) fn set_path(game: &str, set: &str) -> String {
    format!("/sets/{game}/{set}")
}

/// The page of a game.
pub(in crate::web) fn game_path(game: &str) -> String {
    format!("/games/{game}")
}

/// A part of a query that could not be used, in words.
#[derive(Clone, Debug)]
pub(in crate::web) struct Warning {
    /// Characters of the query before it.
    pub(in crate::web) position: usize,
    /// Its characters; 0: it is not about a part of the query.
    pub(in crate::web) length: usize,
    pub(in crate::web) text: String,
}

impl From<QueryWarning> for Warning {
    fn from(QueryWarning { position, length, term, reason, .. }: QueryWarning) -> Self {
        Self { position, length, text: words::fault(&term, &query_words::reason(&reason)) }
    }
}

/// A page of a list of cards.
#[derive(Debug, Deserialize)]
pub(super) struct Cards {
    pub(super) data: Vec<Card>,
    pub(super) next_cursor: Option<String>,
    pub(super) total: Option<i64>,
    /// `false`: there are more than `total`.
    pub(super) total_is_exact: Option<bool>,
    /// Beside the answer: programs are told in other words.
    #[serde(skip)]
    pub(super) warnings: Vec<Warning>,
}

/// What the cards of a game can be narrowed by.
#[derive(Debug, Deserialize)]
pub(super) struct Facets {
    pub(super) facets: Vec<Facet>,
}

/// What the designs of a game can be narrowed by.
#[derive(Debug, Deserialize)]
pub(super) struct DesignFacets {
    pub(super) designs: i64,
    pub(super) facets: Vec<Facet>,
}

/// Something that cards have one or several values of.
#[derive(Debug, Deserialize)]
pub(super) struct Facet {
    /// `card`, `effect` or `attribute`.
    pub(super) of: String,
    pub(super) code: String,
    pub(super) name: String,
    pub(super) values: Vec<FacetValue>,
}

/// A value of a facet.
#[derive(Debug, Deserialize)]
pub(super) struct FacetValue {
    pub(super) value: Value,
    pub(super) name: Option<String>,
    #[serde(alias = "designs")]
    pub(super) cards: i64,
}

/// What was printed of a set, and what is registered.
#[derive(Debug, Deserialize)]
pub(super) struct PrintStatistics {
    pub(super) hidden_cards: i64,
    pub(super) printed: i64,
    pub(super) rarities: Vec<PrintedRarity>,
    pub(super) test: Option<RegistrationTest>,
}

/// The copies in one rarity.
#[derive(Debug, Deserialize)]
pub(super) struct PrintedRarity {
    pub(super) rarity: String,
    pub(super) weight: i64,
    pub(super) printed: i64,
    pub(super) registered: i64,
    pub(super) expected: f64,
}

/// Whether the registered copies are what chance makes of the printed ones.
#[derive(Debug, Deserialize)]
pub(super) struct RegistrationTest {
    pub(super) p_value: f64,
}
