//! Effect texts: templates, expansion, matching, edits.

pub mod effect_texts;
