//! The factor by which replacements can lengthen a sentence.

use super::Replacement;

/// The largest factor by which these rules can lengthen a sentence.
///
/// Replacements run one after the other, each on the result of the one before. Two rules that each double a letter make four letters of one, and thirty
/// such rules make a thousand million, but only if each rule finds the text that the rule before it has written. So the factors of two rules are multiplied
/// only if a text can exist in which the new phrase of one and the old phrase of the other share a letter. A rule that deletes its phrase counts as if it
/// had written what any later rule finds: it can join two letters that an earlier rule has written apart.
pub(super) fn growth(rules: &[Replacement]) -> f64 {
    let mut longest = 1.0_f64;
    let mut chains: Vec<f64> = Vec::with_capacity(rules.len());
    for (at, rule) in rules.iter().enumerate() {
        let feeds = |before: &(&Replacement, &f64)| {
            before.0.new.is_empty() || may_overlap(&before.0.new, &rule.old)
        };
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
    (0..one.len()).any(|shift| agree(one, other, shift))
        || (0..other.len()).any(|shift| agree(other, one, shift))
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

    /// The first rule writes pieces of a phrase, the second one joins them, and the third one finds the phrase.
    #[test]
    fn a_deletion_that_joins_letters_multiplies() {
        let pieces = "dbdcd".repeat(40);
        let more_pieces = "hfhgh".repeat(40);
        let joining = rules(&[
            ("a", &pieces),
            ("d", ""),
            ("bc", "e"),
            ("e", &more_pieces),
            ("h", ""),
            ("fg", "i"),
        ]);
        assert!(growth(&joining) >= f64::from(40 * 40), "{}", growth(&joining));
        // A deletion before all other rules joins nothing that they have written.
        let harmless = rules(&[("x", ""), ("a Air", "an Air"), ("a Ivy", "an Ivy")]);
        assert!(growth(&harmless) < 1.3, "{}", growth(&harmless));
    }

    /// The length of a sentence after the replacements, and the most that it can be.
    fn lengths(pairs: &[(String, String)], sentence: &str) -> (f64, f64) {
        let file: String = pairs.iter().map(|(old, new)| format!("{old}: {new}\n")).collect();
        let parsed = PhraseRules::parse("", &file);
        let known: Vec<(&str, &str)> =
            parsed.replacements().iter().map(|(old, new)| (old.as_str(), new.as_str())).collect();
        let rendered = parsed.render(sentence).unwrap();
        (length(&rendered), length(sentence) * growth(&rules(&known)) + 1e-6)
    }

    /// Some copies of one of these texts.
    fn copies(of: Vec<&'static str>) -> impl Strategy<Value = String> {
        (prop::sample::select(of), 1..10_usize).prop_map(|(piece, count)| piece.repeat(count))
    }

    /// Three rules: one that writes phrases, one that deletes a letter, and one that finds a phrase.
    fn joining_rules() -> impl Strategy<Value = Vec<(String, String)>> {
        let letter = || prop::sample::select(vec!["a", "d"]);
        let phrase = || prop::sample::select(vec!["bc", "bdc"]);
        let written = (copies(vec!["bc", "bdc"]), copies(vec!["a", "d", "bc", "bdc"]));
        (letter(), letter(), phrase(), written).prop_map(|(old, deleted, found, written)| {
            vec![
                (old.to_owned(), written.0),
                (deleted.to_owned(), String::new()),
                (found.to_owned(), written.1),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_sentence_grows_beyond_it(
            pairs in prop::collection::vec(("[abc ]{1,3}", "[abc ]{0,4}"), 0..7),
            sentence in "[abc]([abc ]{0,20}[abc])?",
        ) {
            let trimmed = |(old, new): &(String, String)| (old.trim().to_owned(), new.trim().to_owned());
            let pairs: Vec<_> = pairs.iter().map(trimmed).filter(|(old, _)| !old.is_empty()).collect();
            let (rendered, most) = lengths(&pairs, &sentence);
            prop_assert!(rendered <= most, "{rendered} > {most}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]
        #[test]
        fn no_sentence_grows_beyond_it_by_deletions(
            pairs in prop::collection::vec(joining_rules(), 1..3),
            sentence in "[ad]{1,2}|(bc|bdc){1,2}",
        ) {
            let (rendered, most) = lengths(&pairs.concat(), &sentence);
            prop_assert!(rendered <= most, "{rendered} > {most}");
        }
    }
}
