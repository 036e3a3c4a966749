//! The one pseudo-random generator: small, fast, and the same on every machine. Not for secrets.

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). Seeds are published and their numbers
/// promised for ever: it must not change.
///
/// ```
/// use cardscape_engine::SplitMix64;
/// let mut numbers = SplitMix64::new(1_234_567);
/// assert_eq!(numbers.next_number(), 6_457_827_717_110_365_317);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// What is added to the state for each number: 2⁶⁴ divided by the golden ratio.
    pub const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

    /// The numbers that follow a state.
    pub fn new(state: u64) -> Self {
        Self { state }
    }

    /// The next of 2⁶⁴ numbers, each of which comes once before any comes again.
    pub fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(Self::STEP);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs for the seed 1234567 as others publish them, and the first for 0.
    #[test]
    fn the_numbers_are_the_published_ones() {
        let mut numbers = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..5).map(|_| numbers.next_number()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
        assert_eq!(SplitMix64::new(0).next_number(), 0xE220_A839_7B1D_CDAF);
    }
}
