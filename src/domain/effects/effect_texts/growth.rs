//! How much longer replacements can make a sentence.

use super::Replacement;

/// No sentence becomes longer than this many times its length.
///
/// Replacements run one after the other, each on the result of the one before. A rule that makes two letters of one, followed by another
/// that does, makes four, and thirty such rules a thousand million: but only where each finds what the one before has written. So rules are
/// chained only where a text can exist in which the new words of one and the old words of the other share a letter.
pub(super) fn growth(rules: &[Replacement]) -> f64 {
    let mut longest = 1.0_f64;
    let mut chains: Vec<f64> = Vec::with_capacity(rules.len());
    for (at, rule) in rules.iter().enumerate() {
        let feeds = |before: &(&Replacement, &f64)| may_overlap(&before.0.new, &rule.old);
        let before = rules[..at].iter().zip(&chains).filter(feeds);
        let fed = before.map(|(_, chain)| *chain).fold(1.0_f64, f64::max);
        let chain = fed * (length(&rule.new) / length(&rule.old).max(1.0)).max(1.0);
        longest = longest.max(chain);
        chains.push(chain);
    }
    longest
}

fn length(text: &str) -> f64 {
    u32::try_from(text.len()).map_or(f64::INFINITY, f64::from)
}

/// Whether two phrases can stand in one text so that they share a letter.
fn may_overlap(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    // `other` begins so many places after `one`, or `one` after `other`.
    let agree = |first: &[u8], second: &[u8], shift: usize| {
        let shared = (first.len() - shift).min(second.len());
        first[shift..shift + shared] == second[..shared]
    };
    !one.is_empty()
        && !other.is_empty()
        && ((0..one.len()).any(|shift| agree(one, other, shift))
            || (0..other.len()).any(|shift| agree(other, one, shift)))
}

#[cfg(test)]
mod tests {
    use cardscape_engine::effect_text::PhraseRules;
    use proptest::prelude::*;

    use super::*;

    fn rules(pairs: &[(&str, &str)]) -> Vec<Replacement> {
        let rule =
            |(old, new): &(&str, &str)| Replacement { old: (*old).into(), new: (*new).into() };
        pairs.iter().map(rule).collect()
    }

    #[test]
    fn rules_multiply_only_where_they_meet() {
        let articles = rules(&[("a Air", "an Air"), ("a Earth", "an Earth"), ("a Ivy", "an Ivy")]);
        assert!(growth(&articles) < 1.3, "{}", growth(&articles));
        let doubling: Vec<Replacement> = (b'a'..=b'y')
            .map(|letter| Replacement {
                old: char::from(letter).to_string(),
                new: char::from(letter + 1).to_string().repeat(2),
            })
            .collect();
        assert!(growth(&doubling) >= f64::from(1 << 25));
        assert!((growth(&[]) - 1.0).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn no_sentence_grows_beyond_it(
            pairs in prop::collection::vec(("[abc ]{1,3}", "[abc ]{0,4}"), 0..7),
            sentence in "[abc]([abc ]{0,20}[abc])?",
        ) {
            let pairs: Vec<(&str, &str)> =
                pairs.iter().map(|(old, new)| (old.trim(), new.trim())).filter(|(old, _)| !old.is_empty()).collect();
            let file: String = pairs.iter().map(|(old, new)| format!("{old}: {new}\n")).collect();
            let parsed = PhraseRules::parse("", &file);
            let known: Vec<(&str, &str)> =
                parsed.replacements().iter().map(|(old, new)| (old.as_str(), new.as_str())).collect();
            let made = parsed.render(&sentence).unwrap();
            prop_assert!(length(&made) <= length(&sentence) * growth(&rules(&known)) + 1e-6);
        }
    }
}
