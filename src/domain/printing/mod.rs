//! What a print run holds: minting plans, packs, commitments, and the test of what was registered against it.

pub mod commitment;
pub mod minting;
pub mod packs;
pub mod promise;
pub mod registration_test;
