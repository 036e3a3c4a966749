//! Cardscape.
fn main() {}
