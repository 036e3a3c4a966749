//! Tests of the engine's public interface: one program, so that the libraries are linked only once.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests")]

mod support;

mod card_legality;
mod cards;
mod copies;
mod decisions;
mod deck_dialects;
mod deck_headings;
mod deck_lines;
mod deck_names;
mod deck_places;
mod deck_quantities;
mod deck_share_codes;
mod deck_text;
mod deck_text_page;
mod deck_writers;
mod deck_zones;
mod design;
mod effect_grammar;
mod effect_steps;
mod effect_text;
mod games_page;
mod identity_rules;
mod images;
mod invented_game;
mod json_schema;
mod legality;
mod new_manifests;
mod printing_numbers;
mod properties;
mod rotation;
mod rules;
mod rules_only;
mod seed_data;
mod seed_effects;
mod statistics;
mod violations_page;
