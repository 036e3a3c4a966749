//! Draws one of many items: the same seed draws the same item, as long as the items do not change.

use cardscape_engine::rng::text_number;
use uuid::Uuid;

/// A number that picks one of n items: the item at the index `number mod n`. All items have the same probability, except for a bias of n in
/// 2⁶³.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw(i64);

impl Draw {
    /// The number for a seed, the same on every instance.
    ///
    /// ```
    /// use cardscape::domain::draw::Draw;
    /// assert_eq!(Draw::of_seed("monday"), Draw::of_seed("monday"));
    /// assert_ne!(Draw::of_seed("monday"), Draw::of_seed("tuesday"));
    /// ```
    pub fn of_seed(seed: &str) -> Self {
        Self((text_number(seed) & i64::MAX.unsigned_abs()).cast_signed())
    }

    /// A random number. Not for secrets.
    pub fn random() -> Self {
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

    /// Players keep seeds in links and notes, so the number of a seed must never change.
    #[test]
    fn the_number_of_a_seed_does_not_change() {
        // printf monday | sha256sum, without the first bit
        assert_eq!(Draw::of_seed("monday").number(), 0x5618_fb15_7a4b_382e);
    }

    #[test]
    fn all_items_are_drawn_about_equally_often() {
        let mut drawn = [0_u32; 7];
        for seed in 0..7_000 {
            let at = usize::try_from(Draw::of_seed(&seed.to_string()).number() % 7).unwrap_or(0);
            drawn[at] += 1;
        }
        assert!(drawn.iter().all(|&times| (850..1150).contains(&times)), "{drawn:?}");
    }
}
