//! Parses responses of the API. Pages are built from the same responses that programs get, so a page never shows more than the API.

use cardscape_engine::Effect;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::query_words;
use crate::app::catalogue::query_warning::QueryWarning;
use crate::app::problem::Problem;
use crate::domain::serials::serial_text::mask_serials;
use crate::memory::rendered::Rendered;
use crate::web::words;

/// Parses the response of a use case.
pub(super) fn read<T: DeserializeOwned>(answer: &Rendered) -> Result<T, Problem> {
    serde_json::from_slice(answer.body()).map_err(Problem::internal)
}

/// The unlock state of a card that started hidden.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Unlock {
    pub(super) submissions: i32,
    pub(super) threshold: i32,
    /// `None`: the card is hidden.
    pub(super) unlocked_at: Option<DateTime<Utc>>,
}

/// The designer of a card.
#[derive(Debug, Deserialize)]
pub(super) struct Credit {
    /// Identifier of the design.
    pub(super) design: String,
    pub(super) author: String,
}

/// A card. Members that are hidden for the reader are absent.
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
    /// In lists of printings: the printing of this row.
    pub(super) printing: Option<Printing>,
}

/// A printing of a card.
#[derive(Debug, Deserialize)]
pub(super) struct Printing {
    pub(super) rarity: String,
    /// Attributes that the printing overrides; all others are those of the card.
    #[serde(default)]
    pub(super) attributes: Map<String, Value>,
    pub(super) image_uris: Images,
}

/// The links to the pictures of a card.
#[derive(Debug, Deserialize)]
pub(super) struct Images {
    pub(super) svg: String,
    pub(super) png: String,
}

impl Card {
    /// The path of its page; in lists of printings, of the page with that printing.
    pub(super) fn path(&self) -> String {
        let card = card_path(&self.game, &self.set, &self.number);
        match &self.printing {
            Some(printing) => printing_path(&card, &printing.rarity),
            None => card,
        }
    }
}

/// The path of the page of a card.
pub(in crate::web) fn card_path(game: &str, set: &str, number: &str) -> String {
    format!("/cards/{game}/{set}/{number}")
}

/// The path of the page of a card, with its picture in a rarity.
pub(super) fn printing_path(card: &str, rarity: &str) -> String {
    format!("{card}?rarity={rarity}")
}

/// The path of the page of a set.
pub(in crate::web) fn set_path(game: &str, set: &str) -> String {
    format!("/sets/{game}/{set}")
}

/// The path of the page of a game.
pub(in crate::web) fn game_path(game: &str) -> String {
    format!("/games/{game}")
}

/// A part of a query that was ignored, with the reason.
#[derive(Clone, Debug)]
pub(in crate::web) struct Warning {
    /// Position in the query, in characters.
    pub(in crate::web) position: usize,
    /// Length in characters; 0: the warning is not about a part of the query.
    pub(in crate::web) length: usize,
    pub(in crate::web) text: String,
}

impl From<QueryWarning> for Warning {
    fn from(QueryWarning { position, length, term, reason, .. }: QueryWarning) -> Self {
        let text = words::fault(&term, &query_words::reason(&reason));
        Self { position, length, text: mask_serials(&text).into_owned() }
    }
}

/// A page of a list of cards.
#[derive(Debug, Deserialize)]
pub(super) struct Cards {
    pub(super) data: Vec<Card>,
    pub(super) next_cursor: Option<String>,
    pub(super) total: Option<i64>,
    /// `false`: there are more cards than `total`.
    pub(super) total_is_exact: Option<bool>,
    /// Warnings in the words of the pages; the API response has its own words for programs.
    #[serde(skip)]
    pub(super) warnings: Vec<Warning>,
}

/// The facets of the cards of a game.
#[derive(Debug, Deserialize)]
pub(super) struct Facets {
    pub(super) facets: Vec<Facet>,
}

/// The facets of the designs of a game.
#[derive(Debug, Deserialize)]
pub(super) struct DesignFacets {
    pub(super) designs: i64,
    pub(super) facets: Vec<Facet>,
}

/// A property by which the result of a search can be narrowed.
#[derive(Debug, Deserialize)]
pub(super) struct Facet {
    /// `card`, `effect` or `attribute`.
    pub(super) of: String,
    pub(super) code: String,
    pub(super) name: String,
    pub(super) values: Vec<FacetValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct FacetValue {
    pub(super) value: Value,
    pub(super) name: Option<String>,
    #[serde(alias = "designs")]
    pub(super) cards: i64,
}

/// How many copies of a set were printed, and how many are registered.
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

/// Whether the distribution of the registered copies matches that of the printed ones.
#[derive(Debug, Deserialize)]
pub(super) struct RegistrationTest {
    pub(super) p_value: f64,
}
