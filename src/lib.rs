//! Cardscape.
