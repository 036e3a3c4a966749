//! Effect texts: templates, expansion, matching, edits.

mod effect_choices;
mod effect_texts;
pub mod permissions;
