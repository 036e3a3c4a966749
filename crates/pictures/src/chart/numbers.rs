//! Formatting of numbers in charts.

/// Whole numbers in groups of three digits: `5,000,000`.
pub(super) fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut written = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

/// A number in a short form: from 1,000,000,000 on with three digits, like [`short`]; `~` marks a rounded one.
pub(super) fn brief(number: u128) -> String {
    if number < 1_000_000_000 {
        return grouped(number);
    }
    let mut unit = 1;
    while number / unit >= 1_000 {
        unit *= 10;
    }
    let rounded = (number / unit + u128::from(number % unit * 2 >= unit)) * unit;
    let about = if rounded == number { "" } else { "~" };
    format!("{about}{}", short(rounded))
}

/// Labels of axis marks, from 10,000 on with SI suffixes: `25k`, `1.5M`. Marks are multiples of one, two or five times
/// a power of ten, so they have only a few digits.
pub(super) fn short(number: u128) -> String {
    const UNITS: [(u128, char); 6] = [
        (1_000_000_000_000_000_000, 'E'),
        (1_000_000_000_000_000, 'P'),
        (1_000_000_000_000, 'T'),
        (1_000_000_000, 'G'),
        (1_000_000, 'M'),
        (1_000, 'k'),
    ];
    match UNITS.iter().find(|(unit, _)| number >= 10_000 && number >= *unit) {
        None => grouped(number),
        Some((unit, suffix)) => {
            let (whole, rest) = (number / unit, number % unit);
            // The unit has one digit more than there are decimal places.
            let places = unit.to_string().len() - 1;
            let rest = format!("{rest:0places$}");
            let rest = rest.trim_end_matches('0');
            let point = if rest.is_empty() { "" } else { "." };
            format!("{whole}{point}{rest}{suffix}")
        }
    }
}

/// A share in percent with at most one decimal place, rounded; `None` if the total is 0. Only zero copies give 0%, and
/// only all copies give 100%.
pub(super) fn percent(copies: u128, total: u64) -> Option<String> {
    let total = u128::from(total);
    if total == 0 {
        return None;
    }
    // Copies are sums of 64-bit numbers, so this does not overflow.
    let tenths = (copies.saturating_mul(2_000).saturating_add(total)) / (2 * total);
    Some(match tenths {
        0 if copies > 0 => "<0.1%".to_owned(),
        _ if copies > total => ">100%".to_owned(),
        1_000 if copies < total => ">99.9%".to_owned(),
        _ if tenths % 10 == 0 => format!("{}%", tenths / 10),
        _ => format!("{}.{}%", tenths / 10, tenths % 10),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_can_be_read() {
        let cases = [(0, "0"), (999, "999"), (1_000, "1,000"), (5_000_000, "5,000,000")];
        for (number, expected) in cases {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!(grouped(u64::MAX.into()), "18,446,744,073,709,551,615");
        let cases = [
            (0, "0"),
            (9_999, "9,999"),
            (15_000, "15k"),
            (1_500_000, "1.5M"),
            (2_000_000, "2M"),
            (20_000_000_000_000_000_000, "20E"),
        ];
        for (number, expected) in cases {
            assert_eq!(short(number), expected);
        }
        let cases = [
            (999_999_999, "999,999,999"),
            (1_000_000_000, "1G"),
            (1_000_000_001, "~1G"),
            (9_999_999_999, "~10G"),
            (u64::MAX.into(), "~18.4E"),
            (13 * u128::from(u64::MAX), "~240E"),
        ];
        for (number, expected) in cases {
            assert_eq!(brief(number), expected);
        }
    }

    #[test]
    fn percents_are_rounded_but_never_to_nothing_or_all() {
        let cases = [
            (0, 3, "0%"),
            (1, 3, "33.3%"),
            (2, 3, "66.7%"),
            (1, 4, "25%"),
            (3, 3, "100%"),
            (1, 5_000_000, "<0.1%"),
            (4_999_999, 5_000_000, ">99.9%"),
            (1, 1_000, "0.1%"),
            (1, 2_000, "0.1%"),
            (1, 2_001, "<0.1%"),
            (9, 3, ">100%"),
        ];
        for (copies, total, expected) in cases {
            assert_eq!(percent(copies, total).as_deref(), Some(expected), "{copies} of {total}");
        }
        assert_eq!(percent(3, 0), None);
        assert_eq!(percent(u128::MAX, 1).as_deref(), Some(">100%"));
    }
}
