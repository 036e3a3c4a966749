//! Use cases: one function for each thing that the service can do, with its responses and failures. This layer knows
//! neither HTTP nor SQL; the API serialises its responses, pages render them, and commands print them.

pub mod accounts;
pub mod answer_form;
pub mod catalogue;
pub mod collection;
pub mod copies;
pub mod decks;
pub mod designs;
pub mod effects;
pub mod fault_reason;
pub mod feedback;
pub mod operations;
pub mod page;
pub(crate) mod patch;
pub mod printing;
pub mod problem;
pub mod problem_cause;
pub mod problem_member;
pub mod serials;
pub mod state;
pub(crate) mod step_connection;
pub mod versions;
pub(crate) mod word_lists;
pub mod words;
