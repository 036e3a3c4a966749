//! Seeded random numbers: the same from the same seed on every machine and in every version. Not for secrets.
//!
//! Two streams of 64-bit numbers, [`SplitMix64`] for everything that needs speed and [`HashCounter`] for draws that anybody must be able to
//! check in any language; and [`text_number`], one number from a text. Everything else is made from the numbers of a stream, by
//! [`RandomNumbers`].
//!
//! Seeds are published, and the numbers that follow from them are promised permanently, so nothing here may change: tests have published numbers and our
//! own. That is why there are three ways to draw a number below a bound: each is promised somewhere. Use [`RandomNumbers::below`] for anything new.

mod hash_counter;
mod split_mix;

use std::collections::BTreeSet;

pub use hash_counter::{HashCounter, text_number};
pub use split_mix::SplitMix64;

/// A stream of random numbers, and what is drawn from it.
pub trait RandomNumbers {
    /// The next number; all 2⁶⁴ are equally likely.
    fn next_number(&mut self) -> u64;

    /// A number from 0 up to but not including `end`; 0 when `end` is 0. All are equally likely.
    ///
    /// It has as many bits as `end` − 1; they are the low bits of a first number of the stream (bits 0 to 63) and, when there are more than 64, of a
    /// second one (bits 64 to 127). Numbers that are not below `end` are rejected. Promised for sentences of effects.
    ///
    /// ```
    /// use cardscape_engine::rng::{RandomNumbers, SplitMix64};
    ///
    /// let mut numbers = SplitMix64::new(7);
    /// assert_eq!([0; 6].map(|_| numbers.below(6) + 1), [5, 3, 4, 3, 2, 2]);
    /// ```
    fn below(&mut self, end: u128) -> u128 {
        let Some(last) = end.checked_sub(1) else { return 0 };
        let bits = u128::BITS - last.leading_zeros();
        let mask = 1_u128.checked_shl(bits).map_or(u128::MAX, |power| power - 1);
        loop {
            let mut number = u128::from(self.next_number());
            if bits > 64 {
                number |= u128::from(self.next_number()) << 64;
            }
            if number & mask < end {
                return number & mask;
            }
        }
    }

    /// A number from 0 up to but not including `end`; 0 when `end` is 0. All are equally likely.
    ///
    /// Numbers at or above the largest multiple of `end` that is at most 2⁶⁴ − 1 are rejected; the result is the remainder of the first other one.
    /// Packs depend on it, so it must never change.
    fn below_by_remainder(&mut self, end: u64) -> u64 {
        let Some(rest) = u64::MAX.checked_rem(end) else { return 0 };
        loop {
            let number = self.next_number();
            if number < u64::MAX - rest {
                return number % end;
            }
        }
    }

    /// A number from 0 up to but not including `end`; 0 when `end` is 0. Some are more likely than others, by one part in 2⁶⁴ / `end`.
    ///
    /// It is the high half of the product of a number and `end` (the method of Lemire, "Fast random integer generation in an interval", 2019,
    /// without its rejection), so each takes exactly one number of the stream. Promised for synthetic cards.
    fn below_by_product(&mut self, end: u64) -> u64 {
        let scaled = (u128::from(self.next_number()) * u128::from(end)) >> 64;
        u64::try_from(scaled).unwrap_or_default()
    }

    /// Puts the items into a random order, each being equally likely.
    ///
    /// The shuffle of Fisher and Yates as Durstenfeld has it (Algorithm 235, 1964): for *i* from the last place down to the second, place *i* is
    /// exchanged with a place drawn from those up to and including *i*, by [`Self::below_by_remainder`]. Promised for packs.
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below_by_remainder(last as u64 + 1);
            items.swap(last, usize::try_from(other).unwrap_or_default());
        }
    }

    /// As many different numbers below `end` as `draws` says; each set of them is equally likely. All of them if there are not more.
    ///
    /// Floyd's method (Bentley and Floyd, "A sample of brilliance", 1987): for *j* from `end` − `draws` to `end` − 1, a number below *j* + 1 is
    /// drawn by [`Self::below`], and *j* is taken instead of a number that was taken before. They come in the order in which they were taken.
    /// Promised for sentences of effects.
    fn distinct_below(&mut self, end: u128, draws: usize) -> Vec<u128> {
        let mut taken = BTreeSet::new();
        let first = end.saturating_sub(draws as u128);
        let take = |upto: u128| {
            let drawn = self.below(upto.saturating_add(1));
            let number = if taken.contains(&drawn) { upto } else { drawn };
            taken.insert(number);
            number
        };
        (first..end).map(take).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the same numbers again and again.
    struct GivenNumbers(Vec<u64>);

    impl RandomNumbers for GivenNumbers {
        fn next_number(&mut self) -> u64 {
            self.0.rotate_left(1);
            self.0[self.0.len() - 1]
        }
    }

    /// The algorithms as documented, with numbers at their boundaries.
    #[test]
    fn numbers_below_a_bound_are_made_as_described() {
        // 5 has three bits: 7 and 6 are rejected, and higher bits do not count.
        assert_eq!(GivenNumbers(vec![7, 6, 0xF0 | 4]).below(5), 4);
        // The only number below 1 has no bits, but still takes a number of the stream.
        assert_eq!(GivenNumbers(vec![7]).below(1), 0);
        // More than 64 bits: the second number is the higher one.
        assert_eq!(GivenNumbers(vec![3, 1]).below((1 << 65) - 1), 3 | 1 << 64);
        assert_eq!(GivenNumbers(vec![u64::MAX]).below(1 << 64), u128::from(u64::MAX));

        // The largest multiple of 10 that is at most 2⁶⁴ − 1 ends in 0, five below it.
        assert_eq!(
            GivenNumbers(vec![u64::MAX - 5, u64::MAX, u64::MAX - 6]).below_by_remainder(10),
            9
        );
        // 2⁶⁴ − 1 is divisible by 5, and the largest multiple of it.
        assert_eq!(GivenNumbers(vec![u64::MAX, 8]).below_by_remainder(5), 3);

        assert_eq!(GivenNumbers(vec![u64::MAX]).below_by_product(10), 9);
        assert_eq!(GivenNumbers(vec![u64::MAX / 2 + 1]).below_by_product(10), 5);
        assert_eq!(GivenNumbers(vec![u64::MAX / 2]).below_by_product(10), 4);

        let mut numbers = SplitMix64::new(1);
        let none = (numbers.below(0), numbers.below_by_remainder(0), numbers.below_by_product(0));
        assert_eq!(none, (0, 0, 0));
    }

    /// Our own numbers, computed by a program in Python from the descriptions above.
    #[test]
    fn the_numbers_of_a_seed_do_not_change() {
        let mut numbers = SplitMix64::new(42);
        assert_eq!([0; 8].map(|_| numbers.below(1_000)), [661, 259, 850, 916, 774, 349, 932, 469]);
        assert_eq!(
            [0; 3].map(|_| numbers.below(1 << 100)),
            [
                829_220_475_154_867_540_580_492_081_070,
                752_433_347_094_004_952_248_597_500_094,
                951_636_856_699_062_536_557_762_014_647,
            ]
        );
        assert_eq!(
            [0; 8].map(|_| numbers.below_by_remainder(1_000)),
            [130, 989, 861, 47, 8, 872, 641, 925]
        );
        assert_eq!(
            [0; 8].map(|_| numbers.below_by_product(1_000)),
            [619, 74, 277, 741, 785, 941, 694, 789]
        );
        assert_eq!(numbers.distinct_below(20, 8), [5, 3, 1, 15, 0, 4, 2, 12]);
        let mut items = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        numbers.shuffle(&mut items);
        assert_eq!(items, [5, 7, 0, 4, 6, 1, 3, 8, 2, 9]);
    }

    #[test]
    fn numbers_stay_below() {
        let mut numbers = SplitMix64::new(1);
        for end in [1, 2, 3, 1 << 64, (1 << 64) + 1, u128::MAX] {
            assert!((0..100).all(|_| numbers.below(end) < end), "{end}");
        }
        for end in [1, 2, 3, 10, u64::from(u32::MAX), u64::MAX / 2 + 2, u64::MAX] {
            assert!((0..100).all(|_| numbers.below_by_remainder(end) < end), "{end}");
            assert!((0..100).all(|_| numbers.below_by_product(end) < end), "{end}");
        }
        assert_eq!(numbers.distinct_below(0, 5), [] as [u128; 0]);
        let all = numbers.distinct_below(5, 50);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 5);
        assert_eq!(all.len(), 5);
    }

    /// Chi-square test over 30 numbers: a value above 58.3 has the probability 1/1000. The seed is fixed.
    #[test]
    fn every_number_is_equally_likely() {
        let mut numbers = SplitMix64::new(20_261_121);
        let one_by_one = |numbers: &mut SplitMix64, draw: fn(&mut SplitMix64) -> u128| {
            (0..60_000).map(|_| draw(numbers)).collect()
        };
        let drawn: [Vec<u128>; 4] = [
            one_by_one(&mut numbers, |numbers| numbers.below(30)),
            one_by_one(&mut numbers, |numbers| numbers.below_by_remainder(30).into()),
            one_by_one(&mut numbers, |numbers| numbers.below_by_product(30).into()),
            (0..6_000).flat_map(|_| numbers.distinct_below(30, 10)).collect(),
        ];
        for drawn in drawn {
            let mut seen = [0_u32; 30];
            for number in drawn {
                seen[usize::try_from(number).unwrap()] += 1;
            }
            let expected = 2_000.0;
            let squares = seen.iter().map(|&seen| (f64::from(seen) - expected).powi(2) / expected);
            let chi_square: f64 = squares.sum();
            assert!(chi_square < 58.3, "{chi_square}");
        }
    }

    /// Chi-square test over all 24 orders of four items: a value above 49.7 has the probability 1/1000.
    #[test]
    fn every_order_is_equally_likely() {
        let mut numbers = SplitMix64::new(20_261_121);
        let mut seen = std::collections::BTreeMap::<[u8; 4], u32>::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            numbers.shuffle(&mut items);
            *seen.entry(items).or_default() += 1;
        }
        assert_eq!(seen.len(), 24);
        let squares = seen.values().map(|&seen| (f64::from(seen) - 1_000.0).powi(2) / 1_000.0);
        let chi_square: f64 = squares.sum();
        assert!(chi_square < 49.7, "{chi_square}");
    }
}
