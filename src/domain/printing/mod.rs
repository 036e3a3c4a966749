//! Print runs: plans, packs, commitments, and the test of registered copies against the plan.

pub mod commitment;
pub mod minting;
pub mod packs;
pub mod promise;
pub mod registration_test;
