//! Games, sets, cards and printings, look-ups, facets, rulings, history, edits, moves, imports, bulk files, the change feed.

pub mod codes;
mod set_totals;
