//! The fast stream.

use super::RandomNumbers;

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014), with the constants of Vigna's `splitmix64.c`.
/// The state begins as the seed; each of the 2⁶⁴ numbers comes once before any comes again.
///
/// ```
/// use cardscape_engine::rng::{RandomNumbers, SplitMix64};
///
/// let mut numbers = SplitMix64::new(1_234_567);
/// assert_eq!(numbers.next_number(), 6_457_827_717_110_365_317);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }
}

impl RandomNumbers for SplitMix64 {
    fn next_number(&mut self) -> u64 {
        // 2⁶⁴ divided by the golden ratio.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand_xoshiro::rand_core::{RngCore as _, SeedableRng as _};

    use super::*;

    /// First outputs as others publish them: of the seed 1234567 (Rosetta Code), of 1477776061723855037 (made with `splitmix64.c`, in the tests
    /// of `rand_xoshiro`), and of 0.
    #[test]
    fn the_numbers_are_the_published_ones() {
        let mut numbers = SplitMix64::new(1_234_567);
        assert_eq!(
            [0; 5].map(|_| numbers.next_number()),
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
        let mut numbers = SplitMix64::new(1_477_776_061_723_855_037);
        assert_eq!(
            [0; 5].map(|_| numbers.next_number()),
            [
                1_985_237_415_132_408_290,
                2_979_275_885_539_914_483,
                13_511_426_838_097_143_398,
                8_488_337_342_461_049_707,
                15_141_737_807_933_549_159,
            ]
        );
        assert_eq!(SplitMix64::new(0).next_number(), 0xE220_A839_7B1D_CDAF);
    }

    proptest! {
        #[test]
        fn the_numbers_are_those_of_another_implementation(seed in any::<u64>()) {
            let (mut ours, mut theirs) = (SplitMix64::new(seed), rand_xoshiro::SplitMix64::seed_from_u64(seed));
            for _ in 0..100 {
                prop_assert_eq!(ours.next_number(), theirs.next_u64());
            }
        }
    }
}
