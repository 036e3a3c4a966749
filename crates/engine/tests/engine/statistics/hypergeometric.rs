//! Draws without replacement: compared with fractions of any size, and by properties of the distribution.

use cardscape_engine::{Fraction, Hypergeometric, MatchCount, OddsError};
use num_bigint::BigUint;
use proptest::prelude::*;

fn drawn(population: u64, successes: u64, draws: u64) -> Hypergeometric {
    Hypergeometric::new(population, successes, draws).unwrap()
}

fn exactly(of: &Hypergeometric, count: u64) -> f64 {
    of.probability(MatchCount::exactly(count)).value
}

/// C(things, taken), by its definition as a product.
fn binomial(population: u64, taken: u64) -> BigUint {
    if taken > population {
        return BigUint::ZERO;
    }
    (0..taken).fold(BigUint::from(1_u32), |ways, step| ways * (population - step) / (step + 1))
}

/// The quotient of two large numbers, within 2⁻⁶⁰ of itself.
fn quotient(numerator: &BigUint, denominator: &BigUint) -> f64 {
    let shift = (denominator.bits() + 64).saturating_sub(numerator.bits());
    let whole = (numerator << shift) / denominator;
    let digits = whole.bits().saturating_sub(64);
    let leading = u64::try_from(whole >> digits).unwrap();
    #[expect(clippy::cast_precision_loss, reason = "one rounding")]
    let leading = leading as f64;
    leading * 2_f64.powi(i32::try_from(digits).unwrap() - i32::try_from(shift).unwrap())
}

/// The bound that the documentation promises.
fn bound(draws: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let roundings = (6 * draws + 2) as f64;
    roundings * 2_f64.powi(-53)
}

fn assert_close(actual: f64, expected: f64, draws: u64, what: &str) {
    // Below that, weights may have vanished.
    if expected < 1e-280 {
        assert!((0.0..1e-279).contains(&actual), "{what}: {actual} instead of {expected}");
        return;
    }
    let error = ((actual - expected) / expected).abs();
    // The quotient of the test has two roundings of its own.
    assert!(error <= bound(draws) + 2_f64.powi(-52), "{what}: {actual} instead of {expected}");
}

/// A hand of 5 from 52 cards with 4 aces: the example of many text books.
#[test]
fn aces_in_a_hand_of_poker() {
    let hand = drawn(52, 4, 5);
    let ways = [1_712_304_u128, 778_320, 103_776, 4_512, 48];
    for (count, ways) in (0..).zip(ways) {
        let reported = hand.probability(MatchCount::exactly(count));
        assert_eq!(reported.fraction, Fraction::new(ways, 2_598_960), "{count}");
    }
    assert_eq!(hand.counts(), 0..=4);
    assert_eq!(hand.probability(MatchCount::at_least(5)).fraction, Fraction::new(0, 1));
    assert_eq!(hand.probability(MatchCount::at_most(4)).fraction, Fraction::new(1, 1));
    assert!((hand.mean() - 20.0 / 52.0).abs() < 1e-15);
}

#[test]
fn the_edges() {
    for (population, successes, draws, counts) in [
        (0, 0, 0, 0..=0),
        (5, 0, 5, 0..=0),
        (5, 5, 3, 3..=3),
        (5, 3, 5, 3..=3),
        (5, 3, 4, 2..=3),
        (7, 2, 0, 0..=0),
    ] {
        let of = drawn(population, successes, draws);
        assert_eq!(of.counts(), counts);
        assert_eq!(of.probability(MatchCount::at_least(0)).fraction, Fraction::new(1, 1));
    }
    let backwards = MatchCount { min: 2, max: Some(1) };
    assert_eq!(drawn(9, 5, 4).probability(backwards).fraction, Fraction::new(0, 1));
    let too_many = OddsError::TooManyDraws { draws: 6, population: 5 };
    assert_eq!(Hypergeometric::new(5, 1, 6), Err(too_many));
    let too_many = OddsError::TooManySuccesses { successes: 6, population: 5 };
    assert_eq!(Hypergeometric::new(5, 6, 1), Err(too_many));
    for (population, draws, what) in [(u64::MAX, 1, "population"), (20_000, 10_001, "draws")] {
        let error = Hypergeometric::new(population, 1, draws).unwrap_err();
        assert!(error.to_string().starts_with(what), "{error}");
    }
}

/// 131 cards are the largest deck of which every draw has an exact fraction.
#[test]
fn ordinary_decks_have_fractions() {
    for population in 0..=131 {
        for draws in 0..=population {
            let of = drawn(population, population / 3, draws);
            assert!(of.probability(MatchCount::at_least(1)).fraction.is_some());
        }
    }
    assert_eq!(drawn(132, 44, 66).probability(MatchCount::at_least(1)).fraction, None);
}

/// The largest possible decks, and the largest that are computed, compared with fractions of any size.
#[test]
fn large_decks_are_within_the_bound() {
    for (population, successes, draws) in [
        (5_000_000, 10_000, 7),
        (5_000_000, 2_500_000, 100),
        (5_000_000, 4_999_990, 300),
        (5_000_000, 3, 1_000),
        (300, 150, 150),
        (2_000, 900, 1_000),
        (100_000_000_000, 40_000_000_000, 200),
    ] {
        let of = drawn(population, successes, draws);
        let total = binomial(population, draws);
        let mut at_least = BigUint::ZERO;
        for count in of.counts().rev() {
            let ways = binomial(successes, count) * binomial(population - successes, draws - count);
            let what = format!("{count} of {population}, {successes}, {draws}");
            assert_close(exactly(&of, count), quotient(&ways, &total), draws, &what);
            at_least += ways;
            let reported = of.probability(MatchCount::at_least(count)).value;
            assert_close(reported, quotient(&at_least, &total), draws, &what);
        }
        assert_eq!(at_least, total);
    }
}

#[test]
fn the_most_draws_from_the_largest_deck_take_no_time() {
    for successes in [0, 1, 17, 10_000, 2_500_000, 4_999_999, 5_000_000] {
        let of = drawn(5_000_000, successes, Hypergeometric::DRAWS_MAX);
        let sum: f64 = of.counts().map(|count| exactly(&of, count)).sum();
        assert!((sum - 1.0).abs() < 1e-11, "{successes}: {sum}");
    }
}

/// A pile whose numbers of draws fit into 128 bits, or do not.
fn piles() -> impl Strategy<Value = (u64, u64, u64)> {
    prop_oneof![0_u64..=60, 132_u64..=5_000_000]
        .prop_flat_map(|population| (Just(population), 0..=population, 0..=population.min(120)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Counted card by card: the numbers of ways by Pascal's rule, without code of the library.
    #[test]
    fn small_piles_are_exact((population, successes, draws) in (0_u64..=30).prop_flat_map(|all| (Just(all), 0..=all, 0..=all))) {
        let mut triangle = vec![vec![1_u128]];
        for row in 1..=30_usize {
            let above = &triangle[row - 1];
            let inner = above.windows(2).map(|two| two[0] + two[1]);
            let row: Vec<u128> = std::iter::once(1).chain(inner).chain([1]).collect();
            triangle.push(row);
        }
        let ways = |population: u64, taken: u64| -> u128 {
            triangle[usize::try_from(population).unwrap()].get(usize::try_from(taken).unwrap()).copied().unwrap_or(0)
        };
        let of = drawn(population, successes, draws);
        for count in 0..=draws {
            let favourable = ways(successes, count) * ways(population - successes, draws - count);
            let reported = of.probability(MatchCount::exactly(count));
            prop_assert_eq!(reported.fraction, Fraction::new(favourable, ways(population, draws)));
            prop_assert!((reported.value - reported.fraction.unwrap().value()).abs() < 1e-15);
        }
    }

    /// Properties of every hypergeometric distribution.
    #[test]
    fn identities((population, successes, draws) in piles(), at in 0_u64..=120) {
        let of = drawn(population, successes, draws);
        let limit = 4.0 * bound(draws);
        let sum: f64 = of.counts().map(|count| exactly(&of, count)).sum();
        prop_assert!((sum - 1.0).abs() <= limit, "sum {}", sum);

        #[expect(clippy::cast_precision_loss, reason = "small")]
        let mean: f64 = of.counts().map(|count| count as f64 * exactly(&of, count)).sum();
        prop_assert!((mean - of.mean()).abs() <= limit * mean.max(1.0), "mean {} {}", mean, of.mean());

        // Drawn and matching cards can be exchanged.
        if successes <= Hypergeometric::DRAWS_MAX {
            let other = drawn(population, draws, successes);
            let (here, there) = (exactly(&of, at), exactly(&other, at));
            let limit = limit + 4.0 * bound(successes);
            prop_assert!((here - there).abs() <= limit * here.max(1e-280), "{} {}", here, there);
        }
        // The rest of the draws does not match.
        let others = drawn(population, population - successes, draws);
        if let Some(rest) = draws.checked_sub(at) {
            let (here, there) = (exactly(&of, at), exactly(&others, rest));
            prop_assert!((here - there).abs() <= limit * here.max(1e-280), "{} {}", here, there);
        }
        // At least so many, and fewer.
        let more = of.probability(MatchCount::at_least(at + 1)).value;
        let fewer = of.probability(MatchCount::at_most(at)).value;
        prop_assert!((more + fewer - 1.0).abs() <= limit, "{} {}", more, fewer);
        // One more draw never lowers the probability.
        if draws < population {
            let next = drawn(population, successes, draws + 1);
            prop_assert!(next.probability(MatchCount::at_least(at)).value >= of.probability(MatchCount::at_least(at)).value - limit);
        }
    }

    /// Too many ways for 128 bits, with any number of matching cards.
    #[test]
    fn any_hand_of_200_cards(successes in 0_u64..=200, draws in 60_u64..=140) {
        let of = drawn(200, successes, draws);
        for count in of.counts() {
            let ways = binomial(successes, count) * binomial(200 - successes, draws - count);
            let reported = of.probability(MatchCount::exactly(count));
            prop_assert!(reported.fraction.is_none() || of.counts().count() == 1);
            assert_close(reported.value, quotient(&ways, &binomial(200, draws)), draws, "200");
        }
    }
}
