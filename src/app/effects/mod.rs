//! Effect texts: reading and editing templates, placeholders and phrase rules; listing, drawing and matching sentences.

pub mod effect_changes;
pub mod effect_choices;
pub mod effect_edits;
pub mod effect_texts;
pub mod match_bodies;
pub mod matches;
pub mod sentences;
