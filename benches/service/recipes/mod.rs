//! Recipes: for every operation, how its requests are created and what they are compared with. Each is one row of
//! `docs/PERFORMANCE.md`.
//!
//! `tests/house/bench_recipes.rs` compares them with the OpenAPI contract, without a database. Rows are drawn from tables in
//! the schema `bench`, which `fill.sql` creates.

mod accounts;
mod catalogue;
mod collection;
mod copies;
mod decks;
mod designs;
mod effects;
mod operations;
mod page_recipe;
mod pages;
mod printing;
mod recipe;
mod serials;
mod sessions;

pub(crate) use self::page_recipe::PageRecipe;
pub(crate) use self::recipe::{Caller, Goal, Measure, Recipe, Row, Special, Yardstick};

/// All recipes, grouped by subject.
pub(crate) fn all() -> impl Iterator<Item = &'static Recipe> {
    [
        catalogue::RECIPES,
        accounts::RECIPES,
        sessions::RECIPES,
        serials::RECIPES,
        copies::RECIPES,
        collection::RECIPES,
        decks::RECIPES,
        designs::RECIPES,
        effects::RECIPES,
        printing::RECIPES,
        operations::RECIPES,
    ]
    .into_iter()
    .flatten()
}

pub(crate) fn pages() -> impl Iterator<Item = &'static PageRecipe> {
    pages::RECIPES.iter()
}

/// Open cards, distributed over the whole catalogue.
const CARDS: &str = "SELECT card, game, set_code, number, name, name_key, printing, rarity FROM bench.cards LIMIT :many";
const HIDDEN: &str = "SELECT card, game, set_code, number, name FROM bench.hidden LIMIT :many";
/// Open sets of synthetic cards.
const SETS: &str = "SELECT code AS set_code, id AS set_id FROM sets WHERE code LIKE 'synthetic-%' AND NOT hidden ORDER BY md5(code) LIMIT :many";
/// Sets with hidden synthetic cards.
const HIDDEN_SETS: &str = "SELECT set_code FROM bench.hidden GROUP BY set_code LIMIT :many";
/// Accounts, distributed over all.
const PLAYERS: &str = "SELECT account AS caller, name FROM bench.players LIMIT :many";
/// Pairs of an account and a card.
const PLAYERS_AND_CARDS: &str = "SELECT p.account AS caller, p.name AS player, c.card, c.game, c.set_code, c.number, c.name, c.printing, c.rarity \
     FROM bench.players p JOIN bench.cards c ON c.n = p.n LIMIT :many";
/// Registered copies without open trades or disputes, each of another owner.
const FREE_COPIES: &str = "SELECT copy, owner AS caller, code_prefix, encode(code_mac, 'hex') AS code_mac, card, player FROM bench.free_copies(:many)";
/// Streams that are opened for a row. The place of a stream is taken for some seconds after its client has closed it, and an instance has 2,000.
const STREAMS: u32 = 1_000;
/// A note for rows with passwords, why they are slower than hashing alone.
const HASHES: &str = "the yardstick hashes on all cores and does nothing else; here transactions, Postgres and the load generator run on the same cores";
/// A note for rows that show cards, why they are slower in a large catalogue.
const MEMORY: &str = "of a million cards the service keeps few in memory (`--card-cache`), and a row of a second meets most for the first time: the others are read from the database";
/// A note for pictures from the cache, why they are slower than the static route.
const FRAME: &str = "compared with the static route without content, an empty answer of the service reaches 0.57: it has request ids, security headers and metrics";
/// A note for rows with small changes, why they are slower in a large database.
const PAGES: &str = "in a large database each change meets pages that nobody has touched since the last checkpoint, which Postgres reads, and writes into its log as a whole";
