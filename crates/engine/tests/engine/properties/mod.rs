//! Properties of every input: nothing panics, reports depend only on the content of a deck, and a single wrong edit is found.

mod dialects;
mod edits;
mod generators;
mod hostile;
mod reports;
