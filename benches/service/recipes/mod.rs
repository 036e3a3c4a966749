//! How requests of every operation are made, and what they are compared with: one row of `docs/PERFORMANCE.md` each.
//!
//! `tests/house/bench_recipes.rs` holds this against the contract, without a database. Rows are drawn from tables in the schema `bench`, which
//! `fill.sql` makes.

mod accounts;
mod catalogue;
mod collection;
mod copies;
mod decks;
mod designs;
mod effects;
mod operations;
mod printing;
mod recipe;
mod serials;
mod sessions;

pub(crate) use self::recipe::{Caller, Goal, Measure, Recipe, Row, Special, Yardstick};

/// All recipes, in the order of the capabilities.
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

/// Open cards, spread over the whole catalogue.
const CARDS: &str = "SELECT card, game, set_code, number, name, name_key, printing, rarity FROM bench.cards LIMIT :many";
/// Cards that are hidden.
const HIDDEN: &str = "SELECT card, game, set_code, number, name FROM bench.hidden LIMIT :many";
/// Sets of synthetic cards, the open ones.
const SETS: &str = "SELECT code AS set_code, id AS set_id FROM sets WHERE code LIKE 'synthetic-%' AND NOT hidden ORDER BY md5(code) LIMIT :many";
/// Accounts, spread over all.
const PLAYERS: &str = "SELECT account AS caller, name FROM bench.players LIMIT :many";
/// Accounts with a deck of each and a card.
const PLAYERS_AND_CARDS: &str = "SELECT p.account AS caller, p.name AS player, c.card, c.game, c.set_code, c.number, c.name, c.printing, c.rarity \
     FROM bench.players p JOIN bench.cards c ON c.n = p.n LIMIT :many";
/// Registered copies that nothing is happening to, of as many owners.
const FREE_COPIES: &str = "SELECT copy, owner AS caller, code_prefix, encode(code_mac, 'hex') AS code_mac, card, player FROM bench.free_copies(:many)";
/// Why rows of passwords are behind hashing alone.
const HASHES: &str = "the yardstick hashes on all cores and does nothing else; here transactions, Postgres and the load generator run on the same cores";
/// Why rows that show cards are slower in a large catalogue.
const MEMORY: &str = "of a million cards the service keeps few in memory (`--card-cache`), and a row of a second meets most for the first time: the others are read from the database";
/// Why small changes are slower in a large database.
const PAGES: &str = "in a large database each change meets pages that nobody has touched since the last checkpoint, which Postgres reads, and writes into its log as a whole";
