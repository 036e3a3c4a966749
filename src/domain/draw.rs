//! Drawing one of many: the same seed draws the same one, as long as they are the same.

use cardscape_engine::rng::text_number;
use uuid::Uuid;

/// A number that picks one of any number of things: the one at its remainder. Each is as likely as the others, but for a part in
/// 2⁶³ of their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw(i64);

impl Draw {
    /// Always the same for a seed, on every instance.
    ///
    /// ```
    /// use cardscape::domain::draw::Draw;
    /// assert_eq!(Draw::of_seed("monday"), Draw::of_seed("monday"));
    /// assert_ne!(Draw::of_seed("monday"), Draw::of_seed("tuesday"));
    /// ```
    pub fn of_seed(seed: &str) -> Self {
        Self((text_number(seed) & i64::MAX.unsigned_abs()).cast_signed())
    }

    /// Another one each time. Not for secrets.
    pub fn fresh() -> Self {
        Self::of_seed(&Uuid::new_v4().to_string())
    }

    /// The number, 0 or more.
    pub fn number(self) -> i64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeds are in links and notes of players: they mean the same for ever.
    #[test]
    fn the_number_of_a_seed_does_not_change() {
        // printf monday | sha256sum, without the first bit
        assert_eq!(Draw::of_seed("monday").number(), 0x5618_fb15_7a4b_382e);
    }

    #[test]
    fn every_one_of_a_few_is_drawn_about_equally_often() {
        let mut drawn = [0_u32; 7];
        for seed in 0..7_000 {
            let at = usize::try_from(Draw::of_seed(&seed.to_string()).number() % 7).unwrap_or(0);
            drawn[at] += 1;
        }
        assert!(drawn.iter().all(|&times| (850..1150).contains(&times)), "{drawn:?}");
    }
}
