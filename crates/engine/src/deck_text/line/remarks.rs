//! Remarks after a card.

/// The mark of a remark, which names may have, too.
pub(in crate::deck_text) const REMARK: &str = " //";

/// The ways to take a remark off the end of a text, `Name // remark`: the text before it, and the remark. Names may have such a mark, too, so that the shortest
/// remark comes first.
pub(in crate::deck_text) fn remarks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let last = text.rsplit_once(REMARK);
    let first = text.split_once(REMARK).filter(|first| last.as_ref() != Some(first));
    let found = last.into_iter().chain(first);
    found.map(|(before, remark)| (before.trim_end(), remark.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_the_mark_of_a_remark() {
        let found = |text| remarks(text).collect::<Vec<_>>();
        assert_eq!(found("Salt // mine"), [("Salt", "mine")]);
        let both = [("Salt // Silk", "mine"), ("Salt", "Silk //mine")];
        assert_eq!(found("Salt // Silk //mine"), both);
        assert_eq!(found("Salt//mine"), []);
    }
}
