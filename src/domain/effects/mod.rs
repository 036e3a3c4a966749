//! Documents of effect texts.

pub mod effect_texts;
