//! The axis of copies.

/// An axis from 0 with at most six marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Axis {
    step: u128,
    /// The last mark: not less than the largest number, and at least 1.
    top: u128,
}

impl Axis {
    /// The axis for numbers up to `most`. Its step is one, two or five times a power of ten: the smallest that gives
    /// few enough marks.
    pub(super) fn of(most: u64) -> Self {
        let most = u128::from(most.max(1));
        let mut power = 1;
        loop {
            if let Some(step) =
                [1, 2, 5].map(|times| times * power).into_iter().find(|step| step * 5 >= most)
            {
                return Self { step, top: most.div_ceil(step) * step };
            }
            // At most 10¹⁹, since `most` has 64 bits.
            power *= 10;
        }
    }

    /// Its marks, from 0 upwards.
    pub(super) fn marks(self) -> impl Iterator<Item = u128> {
        (0..=self.top / self.step).map(move |place| place * self.step)
    }

    /// The position of a number on the axis, from 0 to 1.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "pixels need seven digits at most"
    )]
    pub(super) fn share(self, number: u128) -> f32 {
        (number as f64 / self.top as f64).clamp(0.0, 1.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_few_and_round() {
        let cases: [(u64, &[u128]); 6] = [
            (0, &[0, 1]),
            (1, &[0, 1]),
            (5, &[0, 1, 2, 3, 4, 5]),
            (7, &[0, 2, 4, 6, 8]),
            (24, &[0, 5, 10, 15, 20, 25]),
            (5_000_000, &[0, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000]),
        ];
        for (most, expected) in cases {
            assert_eq!(Axis::of(most).marks().collect::<Vec<_>>(), expected, "{most}");
        }
        let longest = Axis::of(u64::MAX);
        assert_eq!(longest.marks().last(), Some(20_000_000_000_000_000_000));
        assert!((longest.share(u64::MAX.into()) - 0.922).abs() < 0.001);
        assert!(longest.share(0) <= 0.0 && longest.share(u128::MAX) >= 1.0);
    }
}
