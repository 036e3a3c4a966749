//! Player-made card designs: what one is, what its author and others may do with it, and what is told about it.

pub mod artwork;
pub mod budgets;
pub mod content;
pub mod diff;
pub mod identifier;
pub mod likeness;
pub mod limits;
pub mod markup;
pub mod release;
pub mod review;
pub mod status;
pub mod suggestion;
