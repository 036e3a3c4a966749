//! Statistics of decks.

mod chains;
mod counts;
mod draws;
mod hypergeometric;
mod mulligans;
mod page;
mod play_rules;
mod sample_hands;
mod turns;

use std::sync::Arc;

use cardscape_engine::{Catalogue, Game};

use crate::support::{card, pool_card};
use serde_json::json;

/// A game of one kind, with some text added to its manifest.
fn pond(more: &str) -> Game {
    Game::from_toml(&format!(
        "code = \"pond\"\nname = \"Pond\"\nrules_version = \"pond/1\"\n[cards]\nunique_names = false\n{more}\n\
         [[kinds]]\ncode = \"fish\"\nname = \"Fish\"\n\
         attributes.size = {{ type = \"integer\", optional = true }}\n\
         attributes.note = {{ type = \"text\", optional = true }}\n\
         attributes.colours = {{ type = \"choices\", values = [\"red\", \"blue\", \"green\"], optional = true }}\n"
    ))
    .unwrap()
}

/// Fish of these sizes, each named after its size.
fn fish(game: &Game, sizes: impl IntoIterator<Item = i64>) -> Arc<Catalogue> {
    let cards = sizes.into_iter().enumerate().map(|(at, size)| {
        let definition = card(json!({
            "number": format!("{at}"), "name": fish_name(size), "kind": "fish", "attributes": { "size": size },
        }));
        pool_card("shore", definition)
    });
    Arc::new(Catalogue::builder(game).extend(cards).build())
}

/// Names differ in letters and digits, not in other characters.
fn fish_name(size: i64) -> String {
    let sign = if size < 0 { "minus " } else { "" };
    format!("Fish {sign}{}", size.unsigned_abs())
}

/// Whether the relative difference of two numbers is below a bound.
fn close(left: f64, right: f64, part: f64) -> bool {
    (left - right).abs() <= part * left.abs().max(right.abs())
}
