//! What can be done with effect texts: templates, placeholders and phrase rules are read and edited, sentences listed, drawn and traced back.

pub mod effect_changes;
pub mod effect_choices;
pub mod effect_edits;
pub mod effect_texts;
pub mod match_bodies;
pub mod matches;
pub mod sentences;
