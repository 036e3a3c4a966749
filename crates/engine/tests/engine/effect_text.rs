//! The effect-text tools against a straightforward implementation, on random templates, values and rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cardscape_engine::effect_text::*;
use proptest::prelude::*;
use regex::Regex;

/// A direct implementation of the description: strings and products, without sharing or lazy evaluation.
mod reference {
    use super::{BTreeMap, BTreeSet, Regex};

    pub(crate) type Files = BTreeMap<String, String>;

    /// A `_` means nothing, except in names.
    fn values(files: &Files, name: &str) -> Vec<String> {
        let text = files.get(name).map_or("", String::as_str);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        UNDERSCORE
            .with(|rule| lines.map(|line| rule.replace_all(line, "$1").into_owned()).collect())
    }

    fn resolve(files: &Files, name: &str, offset: i64, path: &[&str]) -> Vec<String> {
        let values = values(files, name);
        if values.is_empty() || path.contains(&name) {
            return vec![format!("<{name}>")];
        }
        let path: Vec<&str> = path.iter().copied().chain([name]).collect();
        values
            .into_iter()
            .flat_map(|value| expand(files, &value, &path))
            .map(|value| match value.parse::<i64>() {
                Ok(number) => (number + offset).to_string(),
                Err(_) => value,
            })
            .collect()
    }

    pub(crate) fn expand(files: &Files, text: &str, path: &[&str]) -> Vec<String> {
        let token = TOKEN.with(Regex::clone);
        let mut tokens: Vec<&str> = Vec::new();
        for found in token.find_iter(text) {
            if !tokens.contains(&found.as_str()) {
                tokens.push(found.as_str());
            }
        }
        let mut rendered: Vec<BTreeMap<&str, String>> = vec![BTreeMap::new()];
        for written in tokens {
            let parts = token.captures(written).unwrap();
            let offset = parts.get(2).map_or(0, |offset| offset.as_str().parse().unwrap());
            let choices = resolve(files, &parts[1], offset, path);
            rendered = rendered
                .iter()
                .flat_map(|so_far| {
                    choices.iter().map(move |choice| {
                        let mut next = so_far.clone();
                        next.insert(written, choice.clone());
                        next
                    })
                })
                .collect();
        }
        let fill = |bound: &BTreeMap<&str, String>| {
            token
                .replace_all(text, |found: &regex::Captures<'_>| bound[&found[0]].clone())
                .into_owned()
        };
        rendered.iter().map(fill).collect()
    }

    pub(crate) fn finish(
        raw: &str,
        removals: &[String],
        replacements: &[(String, String)],
    ) -> Option<String> {
        let text = raw.replace("  ", " ");
        if removals.iter().any(|phrase| text.contains(phrase)) {
            return None;
        }
        let mut text = text.trim().to_owned();
        for (old, new) in replacements {
            text = text.replace(old, new);
        }
        FIXES.with(|fixes| {
            for (expression, mended) in fixes {
                text = expression.replace_all(&text, mended).into_owned();
            }
        });
        Some(text)
    }

    fn fixes() -> Vec<(Regex, String)> {
        let middles = [r"\w+", r"\w+ \d+", ".+?"];
        let pairs = middles
            .iter()
            .flat_map(|middle| ["card", "spell", "creature", "target"].map(|word| (middle, word)));
        pairs
            .map(|(middle, word)| {
                let expression = Regex::new(&format!(r"one ({middle}) {word}s\b")).unwrap();
                (expression, format!("one ${{1}} {word}"))
            })
            .collect()
    }

    thread_local! {
        static TOKEN: Regex = Regex::new(r"<(\w+?)([+-]\d+)?>").unwrap();
        static UNDERSCORE: Regex = Regex::new(r"(<[^<>]+>)|_").unwrap();
        static FIXES: Vec<(Regex, String)> = fixes();
    }

    pub(crate) fn finished(
        raw: &[String],
        removals: &[String],
        replacements: &[(String, String)],
    ) -> Vec<String> {
        let raw: BTreeSet<&String> = raw.iter().collect();
        let mut rendered: Vec<String> =
            raw.into_iter().filter_map(|raw| finish(raw, removals, replacements)).collect();
        rendered.sort();
        rendered
    }
}

pub(crate) fn sentence() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<a>", "<b>", "<c>", "<d>", "<a+1>", "<a-02>", "<c+0>", "<none>", "<>", "x", " ", "  ",
        "_", "one ", "red", " cards", "one", "cards", " spells", "1", "é", "👻",
    ]);
    prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat().trim().to_owned())
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (-20_i64..20).prop_map(|number| number.to_string()),
        1 => Just("007".to_owned()),
        3 => prop::sample::select(vec!["red", "one", "card", "cards", "é", "x x", "_", "c_ard"]).prop_map(str::to_owned),
        2 => sentence(),
    ]
}

pub(crate) fn files() -> impl Strategy<Value = BTreeMap<String, String>> {
    let name = prop::sample::select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned);
    let file = prop::collection::vec(value(), 0..4).prop_map(|values| values.join("\n"));
    prop::collection::btree_map(name, file, 0..5)
}

/// Phrases to remove and to replace, as they are read from files.
fn rules() -> impl Strategy<Value = (Vec<String>, Vec<(String, String)>)> {
    let phrase = "(red|one|cards|card|x|é|1|7|s| ){1,3}"
        .prop_map(|phrase| phrase.trim().to_owned())
        .prop_filter("a phrase", |phrase| !phrase.is_empty());
    let new = "(red|one|cards|x|1|7|s| ){0,2}".prop_map(|phrase| phrase.trim().to_owned());
    let replacements = prop::collection::vec((phrase.clone(), new), 0..5).prop_map(|mut rules| {
        let mut seen = BTreeSet::new();
        rules.retain(|(old, _)| seen.insert(old.clone()));
        rules
    });
    (prop::collection::vec(phrase, 0..2), replacements)
}

fn phrase_rules(removals: &[String], replacements: &[(String, String)]) -> PhraseRules {
    let replacements: String =
        replacements.iter().map(|(old, new)| format!("{old}: {new}\n")).collect();
    PhraseRules::parse(&removals.join("\n"), &replacements)
}

pub(crate) fn effects(templates: &[String], files: &BTreeMap<String, String>) -> Effects {
    let templates = templates.iter().map(|template| Template::parse(template).unwrap()).collect();
    Effects::new(templates, &Placeholders::new(files.clone())).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn expands_as_described(templates in prop::collection::vec(sentence(), 0..4), files in files()) {
        let effects = effects(&templates, &files);
        prop_assume!(effects.count().is_some_and(|count| count < 3_000));
        let expected: Vec<(usize, String)> = templates
            .iter()
            .enumerate()
            .flat_map(|(at, template)| {
                reference::expand(&files, template, &[]).into_iter().map(move |text| (at, text))
            })
            .collect();
        let expanded: Vec<(usize, String)> =
            effects.expand().map(|expansion| (expansion.template, expansion.text)).collect();
        prop_assert_eq!(&expanded, &expected);
        prop_assert_eq!(effects.count(), Some(expected.len() as u128));
        for (at, (template, text)) in expected.iter().enumerate() {
            let nth = effects.nth(at as u128).unwrap();
            prop_assert_eq!((&nth.template, &nth.text), (template, text));
        }
        prop_assert_eq!(effects.nth(expected.len() as u128), None);
        let half = expected.len() / 2;
        let rest: Vec<String> = effects.expand_from(half as u128).map(|expansion| expansion.text).collect();
        prop_assert!(rest.iter().eq(expected[half..].iter().map(|(_, text)| text)));
        for at in 0..templates.len() {
            let own: Vec<String> = effects.expand_of(at).map(|expansion| expansion.text).collect();
            prop_assert_eq!(effects.count_of(at), Some(own.len() as u128));
            prop_assert!(own.iter().eq(expected.iter().filter(|(owner, _)| *owner == at).map(|(_, text)| text)));
        }
    }

    #[test]
    fn finishes_as_described(
        templates in prop::collection::vec(sentence(), 0..4),
        files in files(),
        (removals, replacements) in rules(),
    ) {
        let effects = effects(&templates, &files);
        prop_assume!(effects.count().is_some_and(|count| count < 300));
        let raw: Vec<String> = effects.expand().map(|expansion| expansion.text).collect();
        let rules = phrase_rules(&removals, &replacements);
        prop_assert_eq!(rules.replacements(), &replacements[..]);
        prop_assert_eq!(finished(&effects, &rules), reference::finished(&raw, &removals, &replacements));
    }

    /// Exactly the combinations that make a sentence are found: from the index, by search, and with some templates in each.
    #[test]
    fn matches_what_makes_a_sentence(
        templates in prop::collection::vec(sentence(), 1..4),
        files in files(),
        (removals, replacements) in rules(),
        trims_ends in any::<bool>(),
    ) {
        let effects = Arc::new(effects(&templates, &files));
        prop_assume!(effects.count().is_some_and(|count| count < 200));
        let rules = phrase_rules(&removals, &replacements).with_trimmed_ends(trims_ends);
        let rules = Arc::new(rules);
        let mut ways: BTreeMap<String, Vec<(usize, u128)>> = BTreeMap::new();
        for template in 0..templates.len() {
            for (index, expansion) in (0..).zip(effects.expand_of(template)) {
                if let Some(rendered) = rules.render(&expansion.text) {
                    ways.entry(rendered).or_default().push((template, index));
                }
            }
        }
        for index_max in [1_000, 0, 5] {
            let matcher = Matcher::new(Arc::clone(&effects), Arc::clone(&rules), index_max);
            for (rendered, ways) in &ways {
                let found = matcher.find(rendered, 1_000);
                prop_assert!(found.complete, "{rendered}");
                let reported: Vec<(usize, u128)> =
                    found.matches.iter().map(|one| (one.template, one.index.unwrap())).collect();
                prop_assert_eq!(&reported, ways, "{}", rendered);
                let makers = Makers {
                    templates: ways.iter().map(|way| way.0).collect(),
                    undecided: BTreeSet::new(),
                };
                prop_assert_eq!(matcher.makers(rendered), makers, "{}", rendered);
                for one in &found.matches {
                    let index = one.index.unwrap();
                    prop_assert_eq!(Some(one.raw.clone()), effects.nth_of(one.template, index));
                    prop_assert_eq!(Some(one.bindings.clone()), effects.bindings(one.template, index));
                }
                let other = format!("{rendered}!");
                let ways = ways_of(&ways_count(&effects, &rules), &other);
                prop_assert_eq!(matcher.find(&other, 10).matches.len(), ways);
                prop_assert_eq!(matcher.makers(&other).templates.is_empty(), ways == 0);
            }
        }
    }

    #[test]
    fn tags_as_contains_does(
        categories in prop::collection::vec(prop::collection::vec("[ab]{0,3}", 0..4), 0..5),
        text in "[abc]{0,8}",
    ) {
        let tagger = Tagger::new(&categories).unwrap();
        let expected: Vec<bool> =
            categories.iter().map(|phrases| phrases.iter().any(|phrase| text.contains(phrase.as_str()))).collect();
        prop_assert_eq!(tagger.tags(&text), expected);
    }

    #[test]
    fn nothing_panics_on_what_people_write(template in "[<>a-c+0-9 #é_-]{0,30}", file in "[<>a-c+0-9 \r\n_-]{0,40}") {
        if let Ok(template) = Template::parse(&template)
            && let Ok(effects) = Effects::new(vec![template], &Placeholders::new([("a", &file), ("b", &file)]))
        {
            let first = effects.nth(0);
            prop_assert_eq!(effects.expand().next(), first);
            effects.sample(1, 3, Repeats::Allowed);
        }
    }
}

fn ways_count(effects: &Effects, rules: &PhraseRules) -> BTreeMap<String, usize> {
    let mut ways = BTreeMap::new();
    for rendered in effects.expand().filter_map(|expansion| rules.render(&expansion.text)) {
        *ways.entry(rendered).or_default() += 1;
    }
    ways
}

fn ways_of(ways: &BTreeMap<String, usize>, rendered: &str) -> usize {
    ways.get(rendered).copied().unwrap_or(0)
}

fn one(template: &str, files: &[(&str, &str)]) -> Result<Effects, EffectsError> {
    Effects::new(
        vec![Template::parse(template).unwrap()],
        &Placeholders::new(files.iter().copied()),
    )
}

fn texts(template: &str, files: &[(&str, &str)]) -> Vec<String> {
    one(template, files).unwrap().expand().map(|expansion| expansion.text).collect()
}

/// A service builds them once and uses them in all its threads.
#[test]
fn everything_can_be_shared() {
    fn shared<T: Send + Sync>() {}
    shared::<Effects>();
    shared::<Matcher>();
    shared::<PhraseRules>();
    shared::<Tagger>();
}

#[test]
fn cycles_and_missing_names_stay_as_text() {
    let files = [("a", "x <b+1>\ny\n"), ("b", "<a-3>\n4\n"), ("empty", "\n \n")];
    assert_eq!(texts("<a>", &files), ["x <a>", "x 5", "y"]);
    assert_eq!(texts("<a+7>|<b>", &[("a", "<a>")]), ["<a>|<b>"]);
    assert_eq!(texts("<empty-2> <gone+1>", &files), ["<empty> <gone>"]);
    let effects = one("<a> <gone+1>", &files).unwrap();
    let unresolved: Vec<&Unresolved> = effects.unresolved().collect();
    assert_eq!(
        unresolved,
        [&Unresolved::Missing("gone".to_owned()), &Unresolved::Cycle("a".to_owned())]
    );
}

#[test]
fn offsets_of_any_size() {
    let huge = "9".repeat(60);
    assert_eq!(
        texts(&format!("<n+{huge}>"), &[("n", "1\n-1\nx")])[0],
        format!("1{}", "0".repeat(60))
    );
    assert_eq!(texts(&format!("<n-{huge}>"), &[("n", &huge)]), ["0"]);
    assert_eq!(texts("<n+1>", &[("n", "-1\n007\n+5\n1.5\nmany")]), ["0", "8", "6", "1.5", "many"]);
    assert_eq!(texts("<n>", &[("n", "-0\n007")]), ["0", "7"]);
}

#[test]
fn an_offset_is_for_whatever_comes_out_as_an_integer() {
    let files = [("act", "<n>\n5\n-<n>\n0<n>\n<n>x"), ("n", "1\n2")];
    let expected = ["2", "3", "6", "0", "-1", "2", "3", "1x", "2x"];
    assert_eq!(texts("<act+1>", &files), expected);
    assert_eq!(texts("<act>", &files)[5..7], ["1", "2"]);
}

#[test]
fn faulty_values_matter_where_they_are_used() {
    let files = [("n", "1\n<a b>\n"), ("m", "2")];
    let error = one("<n>", &files).unwrap_err();
    assert_eq!(
        error.to_string(),
        "n.txt:2: column 1: <a b> is no placeholder: <name>, <name+N> or <name-N> is"
    );
    assert_eq!(texts("<m>", &files), ["2"]);
}

#[test]
fn files_that_would_never_end_are_refused() {
    let chain: Vec<(String, String)> =
        (0..200).map(|at| (format!("n{at}"), format!("<n{}>", at + 1))).collect();
    let of = |files: &[(String, String)], first: &str| {
        Effects::new(vec![Template::parse(first).unwrap()], &Placeholders::new(files.to_vec()))
    };
    assert_eq!(of(&chain, "<n0>").unwrap_err(), EffectsError::TooDeep { name: "n100".to_owned() });
    assert_eq!(of(&chain, "<n150>").unwrap().count(), Some(1));
    // Few combinations, but each doubles the length of the one before.
    let doubling: Vec<(String, String)> =
        (0..90).map(|at| (format!("n{at}"), format!("<n{0}><n{0}>", at + 1))).collect();
    assert!(matches!(of(&doubling, "<n0>").unwrap_err(), EffectsError::TooLong { .. }));
    // Everything leads to everything.
    let all: String = (0..30).map(|at| format!("<n{at}>\n")).collect();
    let entangled: Vec<(String, String)> =
        (0..30).map(|at| (format!("n{at}"), all.clone())).collect();
    assert_eq!(of(&entangled, "<n0>").unwrap_err(), EffectsError::TooMany);
}

/// 2 × 10³⁸ combinations can be counted, 10⁴⁰ cannot; both have numbers, and no step goes through all of them: that would never end.
#[test]
fn very_many_combinations_are_counted_and_numbered() {
    let digits = (0..10).map(|digit| format!("{digit}\n")).collect::<String>();
    let names: Vec<String> = (0..40).map(|at| format!("n{at}")).collect();
    let files = Placeholders::new(names.iter().map(|name| (name.clone(), digits.clone())));
    let template = |places: usize| {
        Template::parse(&names[..places].iter().map(|name| format!("<{name}>")).collect::<String>())
            .unwrap()
    };
    let effects = Effects::new(vec![template(38), template(38)], &files).unwrap();
    assert_eq!(effects.count(), Some(2 * 10_u128.pow(38)));
    let index = 12_345_678_901_234_567_890_u128;
    assert_eq!(effects.nth(index).unwrap().text, format!("{index:038}"));
    assert_eq!(effects.nth(10_u128.pow(38) + 7).unwrap().template, 1);
    assert_eq!(effects.sample(3, 5, Repeats::Refused).unwrap().len(), 5);
    let beyond = Arc::new(Effects::new(vec![template(40)], &files).unwrap());
    assert_eq!((beyond.count(), beyond.count_of(0), beyond.count_of(1)), (None, None, Some(0)));
    assert_eq!(beyond.nth(index).unwrap().text, format!("{index:040}"));
    assert_eq!(beyond.expand_from(99).next().unwrap().text, format!("{:040}", 99));
    assert!(beyond.sample(3, 5, Repeats::Allowed).is_none());
    let matcher = Matcher::new(beyond, Arc::new(PhraseRules::default()), 1_000);
    let found = matcher.find(&"7".repeat(40), 10);
    assert_eq!(found.matches[0].index, None);
    let found = matcher.find(&format!("{index:040}"), 10);
    assert!(found.complete);
    assert_eq!(found.matches[0].index, Some(index));
}

/// The search for a sentence that can be split into values in very many ways ends, and says so.
#[test]
fn a_search_that_becomes_too_long_says_so() {
    let names: Vec<String> = (0..30).map(|at| format!("n{at}")).collect();
    let files =
        Placeholders::new(names.iter().map(|name| (name.clone(), "a\naa\naaa\n".to_owned())));
    let places: String = names.iter().map(|name| format!("<{name}>")).collect();
    let matcher = |template: &str| {
        let effects = Effects::new(vec![Template::parse(template).unwrap()], &files).unwrap();
        Matcher::new(Arc::new(effects), Arc::new(PhraseRules::default()), 0)
    };
    let linked = matcher(&format!("{places}-<n0>"));
    let found = linked.find(&"a".repeat(60), 10);
    assert!(found.matches.is_empty() && !found.complete);
    // A state that failed is not tried again, if no place occurs twice.
    let free = matcher(&places);
    let found = free.find(&format!("{}b", "a".repeat(60)), 10);
    assert!(found.matches.is_empty() && found.complete);
    let found = free.find(&"a".repeat(60), 10);
    assert_eq!((found.matches.len(), found.complete), (10, false));
    assert!(free.find(&"a".repeat(30), 10).complete);
    // To find whether there is a combination is easier than to count them.
    assert_eq!(free.makers(&"a".repeat(60)), makers(&[0], &[]));
    assert_eq!(linked.makers(&"a".repeat(60)), makers(&[], &[0]));
}

fn makers(templates: &[usize], undecided: &[usize]) -> Makers {
    let set = |places: &[usize]| places.iter().copied().collect();
    Makers { templates: set(templates), undecided: set(undecided) }
}

/// A template that is searched without result does not shorten the search of those after it.
#[test]
fn makers_are_looked_for_one_by_one() {
    let names: Vec<String> = (0..30).map(|at| format!("n{at}")).collect();
    let files =
        Placeholders::new(names.iter().map(|name| (name.clone(), "a\naa\naaa\n".to_owned())));
    let places: String = names.iter().map(|name| format!("<{name}>")).collect();
    let templates = [format!("{places}-<n0>"), places, "a<n0>".to_owned(), "a".repeat(60)];
    let templates = templates.iter().map(|template| Template::parse(template).unwrap()).collect();
    let effects = Arc::new(Effects::new(templates, &files).unwrap());
    let sentence = "a".repeat(60);
    for index_max in [0, 10] {
        let matcher = Matcher::new(Arc::clone(&effects), Arc::default(), index_max);
        assert_eq!(matcher.makers(&sentence), makers(&[1, 3], &[0]));
        let found = matcher.find(&sentence, 10);
        let starved = found.matches.iter().all(|found| found.template != 1);
        assert!(starved && !found.complete, "all steps went to the first");
    }
}

/// Values that are only a placeholder add no text to a sentence, and there may be 2⁴⁵ paths through them.
#[test]
fn a_search_that_finds_no_words_ends_too() {
    let values = |depth: usize| match depth {
        45 => "word\n".to_owned(),
        depth => format!("<d{0}>\n<e{0}>\n", depth + 1),
    };
    let files =
        (0..=45).flat_map(|depth| ["d", "e"].map(|name| (format!("{name}{depth}"), values(depth))));
    let files = Placeholders::new(files);
    let effects = Effects::new(vec![Template::parse("<d0> x").unwrap()], &files).unwrap();
    assert_eq!(effects.count(), Some(1 << 45));
    let matcher = Matcher::new(Arc::new(effects), Arc::new(PhraseRules::default()), 1_000);
    let found = matcher.find("Rest.", 10);
    assert!(found.matches.is_empty() && !found.complete);
    let found = matcher.find("word x", 10);
    assert_eq!((found.matches.len(), found.complete), (10, false));
    // One combination is enough.
    assert_eq!(matcher.makers("word x"), makers(&[0], &[]));
}

/// Deep searches fit on the stack of a thread.
#[test]
fn a_template_with_hundreds_of_places_is_searched_or_given_up() {
    let files = Placeholders::new([("n", "a\nb\n"), ("m", "<n>\nc\n")]);
    for (places, found) in [(100, 1), (1_000, 0)] {
        let template: String = (0..places).map(|at| format!("<m+{at}>")).collect();
        let effects = Effects::new(vec![Template::parse(&template).unwrap()], &files).unwrap();
        let matcher = Matcher::new(Arc::new(effects), Arc::new(PhraseRules::default()), 0);
        let matches = matcher.find(&"ac".repeat(places / 2), 2);
        assert_eq!((matches.matches.len(), matches.complete), (found, found > 0));
    }
}

#[test]
fn thousands_of_templates_are_matched() {
    let files = Placeholders::new([("n", (1..40).map(|n| format!("{n}\n")).collect::<String>())]);
    let templates: Vec<Template> = (0..3_000)
        .map(|at| {
            Template::parse(&format!("Take way {at} to <n> or <n+1> of <n+2> cards")).unwrap()
        })
        .collect();
    let effects = Arc::new(Effects::new(templates, &files).unwrap());
    assert_eq!(effects.count(), Some(3_000 * 39 * 39 * 39));
    let rules = Arc::new(PhraseRules::parse("of 40", "of 1 cards: of a card\nway: path\n"));
    let matcher = Matcher::new(Arc::clone(&effects), Arc::clone(&rules), 100_000);
    let mut found = 0;
    for (index, expansion) in effects.sample(5, 200, Repeats::Refused).unwrap() {
        let Some(rendered) = rules.render(&expansion.text) else { continue };
        let matches = matcher.find(&rendered, 10);
        assert!(matches.complete);
        assert_eq!(matches.matches.len(), 1, "{rendered}");
        assert_eq!(matches.matches[0].index, Some(index % (39 * 39 * 39)));
        found += 1;
    }
    assert!(found > 150);
}

#[test]
fn draws_are_uniform_over_combinations_of_all_templates() {
    let files = Placeholders::new([("n", "1\n2\n3\n4"), ("act", "draw <n>\nrest")]);
    let templates = ["<act>", "<n>", "plain"].map(|text| Template::parse(text).unwrap());
    let effects = Effects::new(templates.to_vec(), &files).unwrap();
    assert_eq!(effects.count(), Some(10));
    let mut seen = [0_u32; 10];
    for (index, expansion) in effects.sample(42, 20_000, Repeats::Allowed).unwrap() {
        assert_eq!(effects.nth(index).unwrap(), expansion);
        seen[usize::try_from(index).unwrap()] += 1;
    }
    // Chi-square test with nine degrees of freedom: a value above 27.9 has the probability 1/1000.
    let chi_square: f64 =
        seen.iter().map(|&seen| (f64::from(seen) - 2_000.0).powi(2) / 2_000.0).sum();
    assert!(chi_square < 27.9, "{chi_square} {seen:?}");
    assert_eq!(effects.sample(42, 3, Repeats::Allowed), effects.sample(42, 3, Repeats::Allowed));
    assert_ne!(effects.sample(42, 3, Repeats::Allowed), effects.sample(43, 3, Repeats::Allowed));
    let all = effects.sample(1, 99, Repeats::Refused).unwrap();
    assert_eq!(all.iter().map(|(index, _)| index).collect::<BTreeSet<_>>().len(), 10);
}

#[test]
fn rule_files_as_people_write_them() {
    let rules = PhraseRules::parse(
        "\u{feff}  # comment\r\n a \r\n\r\n# b\r\n",
        "aa: bb\nno colon\n: x\nee:ff: gg\nkk:\naa: cc\n",
    );
    assert_eq!(rules.removals(), ["a"]);
    let pairs = [("aa", "cc"), ("ee", "ff: gg"), ("kk", "")];
    assert_eq!(rules.replacements(), pairs.map(|(old, new)| (old.to_owned(), new.to_owned())));
    let ignored: Vec<String> = rules.ignored().iter().map(ToString::to_string).collect();
    assert_eq!(ignored, ["line 2 has no `:`", "line 3 has nothing before the `:`"]);
    assert_eq!(rules.render("kk").as_deref(), Some(""));
}

#[test]
fn grammar_fixes_can_be_left_out() {
    let sentence = "Discard one card to draw two cards.";
    let rules = PhraseRules::parse("", "two: 2");
    assert_eq!(rules.render(sentence).as_deref(), Some("Discard one card to draw 2 card."));
    let rules = rules.with_grammar_fixes(false);
    assert_eq!(rules.render(sentence).as_deref(), Some("Discard one card to draw 2 cards."));
}

/// More phrases than the fast table supports are scanned in other ways, with the same result.
#[test]
fn many_phrases() {
    let file: String = (0..3_000).map(|at| format!("phrase{at}x: phrase{}x\n", at + 1)).collect();
    let rules = PhraseRules::parse("", &file);
    assert_eq!(rules.render("a phrase2990x b").as_deref(), Some("a phrase3000x b"));
    assert_eq!(rules.render("a phrase3000x b").as_deref(), Some("a phrase3000x b"));
}

#[test]
fn templates_are_read_with_every_fault() {
    let read = read_templates("\u{feff}a\r\n\r\n  # no comment <n> \rb").unwrap();
    let sources: Vec<&str> = read.iter().map(Template::source).collect();
    assert_eq!(sources, ["a", "# no comment <n>", "b"]);
    let faults = read_templates("<a b>\nfine\n  <+>").unwrap_err();
    let reported: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(reported.len(), 2);
    assert!(reported[1].starts_with("3: column 3: <+> is no placeholder"), "{}", reported[1]);
}
