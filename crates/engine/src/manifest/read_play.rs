//! Reads the part of a manifest about hands and draws.

use super::reader::Reader;
use crate::play::{Mulligan, PlayRules};

pub(super) fn play(reader: &Reader<'_>) -> Option<PlayRules> {
    let table = reader.table("play")?;
    Some(PlayRules {
        hand_size: bounded(&table, "hand_size", 1, PlayRules::HAND_SIZE_MAX),
        draws_per_turn: bounded(&table, "draws_per_turn", 1, PlayRules::DRAWS_PER_TURN_MAX),
        first_player_draws: table.optional("first_player_draws").unwrap_or(true),
        mulligan: table.table("mulligan").and_then(|table| mulligan(&table)),
    })
}

fn mulligan(reader: &Reader<'_>) -> Option<Mulligan> {
    let word: String = reader.required("type");
    match word.as_str() {
        "none" => Some(Mulligan::None),
        "redraw" => {
            let times = bounded(reader, "times", 1, PlayRules::MULLIGANS_MAX);
            if !reader.has("times") {
                reader.fault("times", "is missing: type = \"redraw\" needs it");
            }
            let cards = |key| bounded(reader, key, 0, PlayRules::HAND_SIZE_MAX).unwrap_or(0);
            let (fewer, put_back) = (cards("fewer"), cards("put_back"));
            Some(Mulligan::Redraw { times: times.unwrap_or(1), fewer, put_back })
        }
        _ => {
            if reader.has_text("type") {
                reader.fault("type", "must be \"none\" or \"redraw\"");
            }
            None
        }
    }
}

/// A whole number between two bounds, both included.
fn bounded(reader: &Reader<'_>, key: &'static str, min: u32, max: u32) -> Option<u32> {
    let number: i64 = reader.optional(key)?;
    let read = u32::try_from(number).ok().filter(|number| (min..=max).contains(number));
    if read.is_none() {
        reader.fault(key, format!("must be from {min} to {max}, not {number}"));
    }
    read
}
