//! The construction rules of a format on the page of its game, and links to them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use cardscape_engine::{Date, DeckCheck, Format, Game, Rule, RuleReference, Variant};

use super::answers::game_path;

/// Rules of a format: its own with those of its default variant, or the rules that another variant adds.
pub(super) struct RuleList {
    /// The name of the variant, unless it is the default.
    pub(super) variant: Option<String>,
    pub(super) rules: Vec<RuleEntry>,
}

/// A rule in the list of a format.
pub(super) struct RuleEntry {
    /// The anchor of the rule.
    pub(super) anchor: String,
    pub(super) number: String,
    pub(super) text: String,
}

impl RuleList {
    /// All rules of a format.
    pub(super) fn all_of(format: &Format) -> Vec<Self> {
        let own = Self::new(&format.code, None, &format.rules);
        let others = format.variants.iter().filter(|variant| is_other(format, variant));
        let others = others.map(|variant| Self::new(&format.code, Some(variant), &variant.rules));
        std::iter::once(own).chain(others).filter(|list| !list.rules.is_empty()).collect()
    }

    fn new(format: &str, variant: Option<&Variant>, rules: &[Rule]) -> Self {
        let code = variant.map(|variant| &*variant.code);
        // How many rules of each number there were.
        let mut listed: BTreeMap<&str, usize> = BTreeMap::new();
        let rules = worded(rules).map(|rule| {
            let nth = listed.entry(&rule.rule).or_default();
            let anchor = anchor(format, code, &rule.rule, *nth);
            *nth += 1;
            RuleEntry { anchor, number: rule.rule.clone(), text: rule.text.clone() }
        });
        let rules = rules.collect();
        Self { variant: variant.map(|variant| variant.name.clone()), rules }
    }
}

/// Links to the rules of a format on the page of its game, which shows the rules of today.
pub(in crate::web) struct RuleLinks<'a> {
    /// The page of the game.
    page: String,
    code: &'a str,
    variant: Option<&'a str>,
    format: Option<Arc<Format>>,
}

impl<'a> RuleLinks<'a> {
    /// `format`: `game/format` or `game/format:variant`.
    pub(in crate::web) fn new(game: &Game, today: Date, format: &'a str) -> Self {
        let local = format.split_once('/').map_or(format, |(_, local)| local);
        let (code, variant) =
            local.split_once(':').map_or((local, None), |(code, variant)| (code, Some(variant)));
        let format = game.format_shown_on(code, today);
        Self { page: game_path(game.code()), code, variant, format }
    }

    /// The link to a rule, by the number and the text that the deck was judged by. `None`: the page does not list the rule, for example because it has ended or
    /// belongs to no format.
    pub(in crate::web) fn path(&self, number: &str, text: &str) -> Option<String> {
        let (code, format) = (self.code, self.format.as_deref()?);
        let variant = self
            .variant
            .and_then(|code| format.variants.iter().find(|variant| *variant.code == *code))
            .filter(|variant| is_other(format, variant));
        let of_variant = |place: fn(&[Rule], &str, &str) -> Option<usize>| {
            let variant = variant?;
            let at = place(&variant.rules, number, text)?;
            Some(anchor(code, Some(&variant.code), number, at))
        };
        let of_format = |place: fn(&[Rule], &str, &str) -> Option<usize>| {
            Some(anchor(code, None, number, place(&format.rules, number, text)?))
        };
        // Prefer the rule with the same wording, in the variant or the format; otherwise use one with the same number.
        let anchor = of_variant(place_of)
            .or_else(|| of_format(place_of))
            .or_else(|| of_variant(place_of_number))
            .or_else(|| of_format(place_of_number))?;
        Some(format!("{}#{anchor}", self.page))
    }
}

/// Whether a variant is not the default variant of the format.
fn is_other(format: &Format, variant: &Variant) -> bool {
    format.variant.as_ref() != Some(&variant.code)
}

/// All rules, each followed by its limits of copies for some cards that have a wording of their own.
fn worded(rules: &[Rule]) -> impl Iterator<Item = &RuleReference> {
    rules.iter().flat_map(|rule| {
        let limits = match &rule.check {
            DeckCheck::CopyLimit { limits, .. } => limits.as_slice(),
            _ => &[],
        };
        let limits = limits.iter().map(|limit| &limit.reference);
        std::iter::once(&rule.reference).chain(limits.filter(|limit| !limit.text.is_empty()))
    })
}

/// The place of the rule with this number and this wording.
fn place_of(rules: &[Rule], number: &str, text: &str) -> Option<usize> {
    let of_number = || worded(rules).filter(|rule| rule.rule == number);
    of_number().position(|rule| rule.text == text)
}

/// The place of the first rule with this number, with any wording.
fn place_of_number(rules: &[Rule], number: &str, _text: &str) -> Option<usize> {
    worded(rules).any(|rule| rule.rule == number).then_some(0)
}

/// The `id` of a rule, which needs no escape in an address although numbers of rules may contain any character. `nth`: how many rules before it have the same
/// number.
fn anchor(format: &str, variant: Option<&str>, number: &str, nth: usize) -> String {
    let mut anchor = format!("rule:{format}");
    if let Some(variant) = variant {
        anchor.push(':');
        anchor.push_str(variant);
    }
    anchor.push(':');
    for byte in number.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') {
            anchor.push(char::from(byte));
        } else {
            // Writing to a string never fails.
            let _ = write!(anchor, "_{byte:02x}");
        }
    }
    if nth > 0 {
        // No number can end like this: a `*` in a number is written as `_2a`.
        let _ = write!(anchor, "*{}", nth + 1);
    }
    anchor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_need_no_escape_and_are_never_alike() {
        assert_eq!(anchor("standard", None, "T-2.2.1b", 0), "rule:standard:T-2.2.1b");
        assert_eq!(anchor("standard", None, "T-2.2.1b", 1), "rule:standard:T-2.2.1b*2");
        assert_eq!(anchor("box", Some("half"), "D-2.5", 0), "rule:box:half:D-2.5");
        assert_eq!(anchor("open", None, "magic/x y", 0), "rule:open:magic_2fx_20y");
        assert_ne!(anchor("open", None, "a_2f", 0), anchor("open", None, "a/", 0));
        assert_ne!(anchor("open", None, "a*2", 0), anchor("open", None, "a", 1));
        assert_ne!(anchor("box", None, "half:1", 0), anchor("box", Some("half"), "1", 0));
    }

    #[test]
    fn each_rule_of_a_number_has_its_own_anchor_and_link() {
        let game = Game::from_toml(
            r#"
            code = "pond"
            name = "Pond"
            rules_version = "1"
            [[kinds]]
            code = "fish"
            name = "Fish"
            [[formats]]
            code = "open"
            name = "Open"
            version = "1"
            effective_from = "2025-01-01"
            [[formats.rules]]
            rule = "P-1"
            text = "Two of each card."
            [formats.rules.copy_limit]
            max = 2
            [[formats.rules.copy_limit.limits]]
            text = "One carp."
            select = { names = ["Carp"] }
            max = 1
            [[formats.rules]]
            rule = "P-2"
            text = "At least one card."
            zone_size = { zone = "main", min = 1 }
            [[formats.rules]]
            rule = "P-1"
            text = "At most nine cards."
            zone_size = { zone = "main", max = 9 }
            "#,
        )
        .unwrap();
        let lists: Vec<RuleList> = game.formats().iter().flat_map(RuleList::all_of).collect();
        let rules: Vec<&RuleEntry> = lists.iter().flat_map(|list| &list.rules).collect();
        let anchors: Vec<&str> = rules.iter().map(|rule| rule.anchor.as_str()).collect();
        let expected = ["rule:open:P-1", "rule:open:P-1*2", "rule:open:P-2", "rule:open:P-1*3"];
        assert_eq!(anchors, expected);
        let links = RuleLinks::new(&game, "2026-11-20".parse().unwrap(), "pond/open");
        for rule in rules {
            let path = links.path(&rule.number, &rule.text).unwrap();
            assert!(path.ends_with(&format!("#{}", rule.anchor)), "{path}");
        }
    }
}
