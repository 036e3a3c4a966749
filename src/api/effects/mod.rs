//! Effect texts: templates, expansion, matching, edits.

pub mod effect_edits;
pub mod effect_texts;
pub mod sentences;
