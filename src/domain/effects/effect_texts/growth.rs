//! The factor by which replacements can lengthen a sentence.

use super::Replacement;

/// The largest factor by which these rules can lengthen a sentence.
///
/// Replacements run one after the other, each on the result of the one before. Two rules that each double a letter make four letters of one, and thirty
/// such rules make a thousand million, but only if each rule finds the text that the rule before it has written. So the factors of two rules are multiplied
/// only if a text can exist in which the new phrase of one and the old phrase of the other share a letter.
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

/// Whether a text can exist in which the two phrases overlap in at least one letter.
fn may_overlap(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    // The second phrase begins `shift` bytes after the first.
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
            .map(|character| Replacement {
                old: char::from(character).to_string(),
                new: char::from(character + 1).to_string().repeat(2),
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
            let rendered = parsed.render(&sentence).unwrap();
            prop_assert!(length(&rendered) <= length(&sentence) * growth(&rules(&known)) + 1e-6);
        }
    }
}
