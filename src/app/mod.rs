//! What the service can do: one use case a function, with its answers and failures. It knows neither HTTP nor SQL; the API sends what it answers, pages
//! render it, commands print it.

pub mod accounts;
pub mod answer_form;
pub mod catalogue;
pub mod collection;
pub mod copies;
pub mod decks;
pub mod designs;
pub mod effects;
pub mod feedback;
pub mod operations;
pub mod page;
pub mod printing;
pub mod problem;
pub mod serials;
pub mod state;
pub mod versions;
pub mod words;
