//! What holds for every input: nothing panics, reports depend on the content of a deck alone, and a single wrong edit is
//! found out.

mod dialects;
mod edits;
mod generators;
mod hostile;
mod reports;
