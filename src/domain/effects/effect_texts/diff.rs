//! The effect of an edit on the finished sentences.

use std::collections::{BTreeMap, BTreeSet};

use super::EffectLibrary;

/// Most combinations of either side for which every sentence is compared.
const MAX_COMPARED: u64 = 200_000;
/// Most bytes of sentences of either side for which every sentence is compared.
const MAX_COMPARED_BYTES: u64 = 64 * 1024 * 1024;
/// Most sentences of each kind of change in a response.
const MAX_LISTED: usize = 20;
/// Most templates in a response.
const MAX_LISTED_TEMPLATES: usize = 200;

/// The changes that an edit makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputChange {
    /// Combinations before and after.
    pub combinations: (u64, u64),
    /// Templates that were added or deleted, or whose number of combinations changed.
    pub templates: Vec<TemplateChange>,
    /// The changes of sentences; `None`: there are too many sentences to compare.
    pub sentences: Option<SentenceChange>,
}

/// The changes of the distinct finished sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentenceChange {
    /// Number of distinct sentences before and after.
    pub counts: (usize, usize),
    /// Sentences that no template made before.
    pub added: Sampled<String>,
    /// Sentences that no template makes any more.
    pub removed: Sampled<String>,
    /// Sentences whose text changed, before and after. They are not listed in `added` or `removed`.
    pub changed: Sampled<(String, String)>,
}

/// The number of items, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sampled<T> {
    /// Number of all items.
    pub count: usize,
    /// The first items, in order.
    pub sample: Vec<T>,
}

/// A template before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateChange {
    pub template: String,
    /// Combinations before; 0: the template did not exist.
    pub before: u64,
    /// Combinations after; 0: the template was deleted.
    pub after: u64,
}

impl<T> Sampled<T> {
    fn of(all: impl IntoIterator<Item = T>) -> Self {
        let mut all = all.into_iter();
        let sample: Vec<T> = all.by_ref().take(MAX_LISTED).collect();
        Self { count: sample.len() + all.count(), sample }
    }
}

impl OutputChange {
    /// Compares the sentences of `before` and `after`.
    pub fn between(before: Option<&EffectLibrary>, after: &EffectLibrary) -> Self {
        let comparable = before.is_none_or(is_comparable) && is_comparable(after);
        Self {
            combinations: (before.map_or(0, EffectLibrary::count), after.count()),
            templates: templates(before, after),
            sentences: comparable.then(|| sentences(before, after)),
        }
    }
}

fn is_comparable(library: &EffectLibrary) -> bool {
    let longest = u64::try_from(library.longest()).unwrap_or(u64::MAX);
    let count = library.count();
    count <= MAX_COMPARED && count.saturating_mul(longest) <= MAX_COMPARED_BYTES
}

fn templates(before: Option<&EffectLibrary>, after: &EffectLibrary) -> Vec<TemplateChange> {
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    if let Some(before) = before {
        for (at, template) in before.texts().templates.iter().enumerate() {
            counts.entry(template).or_default().0 += before.count_of(at);
        }
    }
    for (at, template) in after.texts().templates.iter().enumerate() {
        counts.entry(template).or_default().1 += after.count_of(at);
    }
    let changed = counts.into_iter().filter(|(_, (before, after))| before != after);
    changed
        .map(|(template, (before, after))| TemplateChange {
            template: template.to_owned(),
            before,
            after,
        })
        .take(MAX_LISTED_TEMPLATES)
        .collect()
}

/// Raw sentences with the finished ones; `None`: the rules remove the sentence.
fn finished(library: &EffectLibrary) -> BTreeMap<String, Option<String>> {
    let mut renderer = library.rules().renderer();
    let expansions = library.effects().expand();
    let finish = expansions.map(|raw| {
        let text = renderer.render(&raw.text).map(str::to_owned);
        (raw.text, text)
    });
    finish.collect()
}

fn sentences(before: Option<&EffectLibrary>, after: &EffectLibrary) -> SentenceChange {
    let old = before.map(finished).unwrap_or_default();
    let new = finished(after);
    let (before, after): (BTreeSet<&String>, BTreeSet<&String>) =
        (old.values().flatten().collect(), new.values().flatten().collect());
    let mut changed: BTreeSet<(&String, &String)> = BTreeSet::new();
    for (raw, was) in &old {
        if let (Some(was), Some(Some(is))) = (was, new.get(raw))
            && !after.contains(was)
            && !before.contains(is)
        {
            changed.insert((was, is));
        }
    }
    let were: BTreeSet<&String> = changed.iter().map(|pair| pair.0).collect();
    let are: BTreeSet<&String> = changed.iter().map(|pair| pair.1).collect();
    let added = after.difference(&before).filter(|text| !are.contains(**text));
    let removed = before.difference(&after).filter(|text| !were.contains(**text));
    SentenceChange {
        counts: (before.len(), after.len()),
        added: Sampled::of(added.map(|text| (*text).clone())),
        removed: Sampled::of(removed.map(|text| (*text).clone())),
        changed: Sampled::of(changed.iter().map(|(was, is)| ((*was).clone(), (*is).clone()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::effects::effect_texts::{EffectTexts, Replacement};

    /// 30,000 sentences of about 300 bytes are compared, but not if a rule lengthens each of them to thousands of bytes.
    #[test]
    fn sentences_that_rules_make_too_long_are_not_compared() {
        let values: Vec<String> = (0..30_000 / 2).map(|value| value.to_string()).collect();
        let texts = |new: &str| EffectTexts {
            templates: vec![format!("Say <n> or <two> {}.", "x".repeat(300))],
            placeholders: [
                ("n".to_owned(), values.clone()),
                ("two".to_owned(), vec!["1".to_owned(), "2".to_owned()]),
            ]
            .into(),
            replacements: vec![Replacement { old: "x".to_owned(), new: new.to_owned() }],
            ..EffectTexts::default()
        };
        let library = |new: &str| texts(new).check().unwrap();
        assert!(is_comparable(&library("y")));
        let longer = library(&"y".repeat(10));
        assert!(longer.longest() > 3_000);
        assert!(!is_comparable(&longer));
    }
}
