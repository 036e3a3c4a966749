//! Integers of any length, as people write them.

use std::cmp::Ordering;

/// An integer in decimal digits: no leading zeros, and zero is not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    /// ASCII digits, the most significant first.
    digits: Vec<u8>,
}

impl Default for Decimal {
    fn default() -> Self {
        Self { negative: false, digits: vec![b'0'] }
    }
}

impl Decimal {
    /// Reads an integer: digits, with an optional sign. `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(Self::new(text.starts_with('-'), digits.as_bytes()))
    }

    fn new(negative: bool, digits: &[u8]) -> Self {
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        let zeros = zeros.min(digits.len() - 1);
        let digits = digits[zeros..].to_vec();
        Self { negative: negative && digits != b"0", digits }
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        if self.negative == other.negative {
            return Self::new(self.negative, &sum(&self.digits, &other.digits));
        }
        match magnitude(&self.digits, &other.digits) {
            Ordering::Less => Self::new(other.negative, &difference(&other.digits, &self.digits)),
            _ => Self::new(self.negative, &difference(&self.digits, &other.digits)),
        }
    }

    pub(super) fn to_text(&self) -> String {
        let sign = self.negative.then_some('-');
        sign.into_iter().chain(self.digits.iter().map(|&digit| char::from(digit))).collect()
    }
}

fn magnitude(left: &[u8], right: &[u8]) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

/// The value of the digit at `place`, counted from 0 at the right end; 0 beyond the left end.
fn digit(digits: &[u8], place: usize) -> u8 {
    digits.len().checked_sub(place + 1).map_or(0, |at| digits[at] - b'0')
}

fn sum(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut carry = 0;
    let mut digits: Vec<u8> = (0..=left.len().max(right.len()))
        .map(|place| {
            let total = digit(left, place) + digit(right, place) + carry;
            carry = total / 10;
            b'0' + total % 10
        })
        .collect();
    digits.reverse();
    digits
}

/// `larger - smaller`.
fn difference(larger: &[u8], smaller: &[u8]) -> Vec<u8> {
    let mut borrow = 0;
    let mut digits: Vec<u8> = (0..larger.len())
        .map(|place| {
            let (from, taken) = (digit(larger, place), digit(smaller, place) + borrow);
            borrow = u8::from(from < taken);
            b'0' + from + 10 * borrow - taken
        })
        .collect();
    digits.reverse();
    digits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical(text: &str) -> Option<String> {
        Decimal::parse(text).map(|number| number.to_text())
    }

    #[test]
    fn only_integers_are_integers() {
        for (text, expected) in
            [("007", "7"), ("-0", "0"), ("+5", "5"), ("-012", "-12"), ("0000", "0")]
        {
            assert_eq!(canonical(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "-", "+", "1.0", "1_000", "--1", "½", "٣", "1 2", "a"] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn adds_as_integers_do(left in any::<i64>(), right in any::<i64>()) {
            let sum = Decimal::parse(&left.to_string()).unwrap().add(&Decimal::parse(&right.to_string()).unwrap());
            prop_assert_eq!(sum.to_text(), (i128::from(left) + i128::from(right)).to_string());
        }
    }
}
