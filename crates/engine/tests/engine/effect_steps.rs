//! Filling templates choice by choice.

use std::collections::BTreeMap;

use cardscape_engine::effect_text::*;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::effect_text::{effects, files, sentence};

fn one(template: &str, files: &[(&str, &str)]) -> Effects {
    let templates = vec![Template::parse(template).unwrap()];
    Effects::new(templates, &Placeholders::new(files.iter().copied())).unwrap()
}

fn shown(effects: &Effects, picks: &[usize]) -> (String, Option<u128>, String) {
    let step = effects.step(0, picks).unwrap();
    let next = step.next.map_or_else(String::new, |next| next.placeholder);
    (step.text, step.combinations, next)
}

fn choices(effects: &Effects, picks: &[usize]) -> Vec<String> {
    let choices = effects.step_choices(0, picks, 0, 100).unwrap();
    choices.into_iter().map(|choice| choice.text).collect()
}

#[test]
fn places_are_asked_for_depth_first_and_each_writing_once() {
    let files = [("act", "draw <n> of <n>\nrest"), ("n", "1\n<m>\n"), ("m", "5\n6\n")];
    let effects = one("<act> or <n+10>, then <act>.", &files);
    let step = |text: &str, left: u128, next: &str| (text.to_owned(), Some(left), next.to_owned());
    assert_eq!(shown(&effects, &[]), step("<act> or <n+10>, then <act>.", 12, "<act>"));
    let text = "draw <n> of <n> or <n+10>, then draw <n> of <n>.";
    assert_eq!(shown(&effects, &[0]), step(text, 9, "<n>"));
    let text = "draw <m> of <m> or <n+10>, then draw <m> of <m>.";
    assert_eq!(shown(&effects, &[0, 1]), step(text, 6, "<m>"));
    let text = "draw 6 of 6 or <n+10>, then draw 6 of 6.";
    assert_eq!(shown(&effects, &[0, 1, 1]), step(text, 3, "<n+10>"));
    assert_eq!(choices(&effects, &[0, 1, 1]), ["11", "<m>"]);
    let text = "draw 6 of 6 or <m>, then draw 6 of 6.";
    assert_eq!(shown(&effects, &[0, 1, 1, 1]), step(text, 2, "<m>"));
    assert_eq!(choices(&effects, &[0, 1, 1, 1]), ["5", "6"]);
    let text = "draw 6 of 6 or 15, then draw 6 of 6.";
    assert_eq!(
        shown(&effects, &[0, 1, 1, 1, 0]),
        step(text, 1, ""),
        "the offset is added at the end"
    );
    assert_eq!(choices(&effects, &[0, 1, 1, 1, 0]), Vec::<String>::new());
}

#[test]
fn choices_come_in_pages() {
    let numbers: String = (0..1_000).map(|number| format!("{number}\n")).collect();
    let effects = one("Pay <n>", &[("n", &numbers)]);
    let page = |from, most| -> Vec<String> {
        let page = effects.step_choices(0, &[], from, most).unwrap();
        page.into_iter().map(|choice| choice.text).collect()
    };
    assert_eq!(page(998, 5), ["998", "999"]);
    assert_eq!(page(3, 2), ["3", "4"]);
    assert_eq!((page(0, 0).len(), page(usize::MAX, 3).len()), (0, 0));
    assert_eq!(page(0, usize::MAX).len(), 1_000);
    assert_eq!(effects.step(0, &[]).unwrap().next.unwrap().choices, 1_000);
}

#[test]
fn picks_that_are_none_are_reported() {
    let effects = one("<n> <n+1> <gone>", &[("n", "1\n2\n")]);
    let reported = |template, picks: &[usize]| {
        let error = effects.step(template, picks).unwrap_err();
        assert_eq!(effects.step_choices(template, picks, 0, 1).unwrap_err(), error);
        assert_eq!(effects.index_of_picks(template, picks).unwrap_err(), error);
        error
    };
    assert_eq!(reported(1, &[]), PickError::NoTemplate);
    assert_eq!(reported(0, &[0, 2]), PickError::OutOfRange { at: 1, choices: 2 });
    assert_eq!(reported(0, &[0, 1, 0, 7]), PickError::TooMany { at: 2 });
    assert_eq!(reported(0, &vec![0; 1_000_000]), PickError::TooMany { at: 2 });
    assert_eq!(reported(0, &[usize::MAX]).to_string(), "pick 0 must be below 2");
    assert_eq!(shown(&effects, &[0, 1]).0, "1 3 <gone>");
    assert_eq!(effects.index_of_picks(0, &[0]), Ok(None), "a place is open");
    assert_eq!((effects.picks_of(0, 4), effects.picks_of(1, 0)), (None, None));
    // There is no place to fill.
    let plain = one("Rest.", &[]);
    assert_eq!(
        plain.step(0, &[]).unwrap(),
        Step { text: "Rest.".to_owned(), combinations: Some(1), next: None }
    );
    assert_eq!((plain.picks_of(0, 0), plain.index_of_picks(0, &[])), (Some(vec![]), Ok(Some(0))));
}

/// The length of a sentence does not limit empty values, and names of places may be longer than their values.
#[test]
fn sentences_of_very_many_places_are_refused() {
    let long = "n".repeat(20);
    let doubling = |second: &str, leaves: usize| {
        let mut files = BTreeMap::from([("leaf".to_owned(), "_\n".to_owned())]);
        for at in 0..=16 {
            let value = match at {
                16 => (0..leaves).map(|leaf| format!("<leaf+{leaf}>")).collect(),
                at => format!("<{long}{0}><{second}{0}>\n", at + 1),
            };
            files.insert(format!("{long}{at}"), value.clone());
            files.insert(format!("{second}{at}"), value);
        }
        let template = Template::parse(&format!("<{long}0>")).unwrap();
        Effects::new(vec![template], &Placeholders::new(files)).unwrap()
    };
    let free = doubling("m", 20);
    assert_eq!((free.count(), free.picks_of(0, 0)), (Some(1), None));
    assert_eq!(free.step(0, &[0; 16]).unwrap().next.unwrap().placeholder, format!("<{long}16>"));
    let linked = doubling(&long, 1);
    assert_eq!(linked.picks_of(0, 0), Some(vec![0; 18]));
    assert!(linked.step(0, &[0; 15]).is_ok());
    assert_eq!(linked.step(0, &[0; 16]), Err(PickError::TooLong));
    assert_eq!(linked.index_of_picks(0, &[0; 18]), Ok(Some(0)));
    assert_eq!(linked.step_choices(0, &[0; 16], 0, 9).unwrap().len(), 1);
}

#[test]
fn beyond_counting_steps_go_on() {
    let digits = (0..10).map(|digit| format!("{digit}\n")).collect::<String>();
    let names: Vec<String> = (0..45).map(|at| format!("n{at}")).collect();
    let files = Placeholders::new(names.iter().map(|name| (name.clone(), digits.clone())));
    let template: String = names.iter().map(|name| format!("<{name}>")).collect();
    let effects = Effects::new(vec![Template::parse(&template).unwrap()], &files).unwrap();
    assert_eq!(effects.step(0, &[9; 6]).unwrap().combinations, None);
    assert_eq!(effects.step(0, &[9; 7]).unwrap().combinations, Some(10_u128.pow(38)));
    assert_eq!(effects.index_of_picks(0, &[9; 45]), Ok(None));
    let picks = effects.picks_of(0, 123).unwrap();
    assert_eq!((&picks[..42], &picks[42..]), (&[0; 42][..], &[1, 2, 3][..]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// From a combination to its picks and back; the numbers of all steps add up.
    #[test]
    fn steps_lead_to_every_combination(
        template in sentence(), files in files(), chosen in prop::collection::vec(any::<Index>(), 4),
    ) {
        let effects = effects(&[template], &files);
        let count = effects.count_of(0).unwrap_or(u128::MAX);
        for index in chosen.iter().map(|chosen| chosen.index(usize::try_from(count).unwrap_or(usize::MAX)) as u128) {
            let picks = effects.picks_of(0, index).unwrap();
            for rendered in 0..picks.len() {
                let step = effects.step(0, &picks[..rendered]).unwrap();
                let next = step.next.unwrap();
                let choices = effects.step_choices(0, &picks[..rendered], 0, usize::MAX).unwrap();
                prop_assert_eq!(choices.len(), next.choices);
                prop_assert!(step.text.contains(&next.placeholder));
                let mut sum = Some(0_u128);
                for (at, choice) in choices.iter().enumerate() {
                    let picked = [&picks[..rendered], &[at]].concat();
                    let after = effects.step(0, &picked).unwrap();
                    sum = sum.and_then(|sum| sum.checked_add(after.combinations?));
                    if let Some(place) = choice.places.first() {
                        prop_assert_eq!(&after.next.unwrap().placeholder, place);
                    }
                }
                prop_assert_eq!(sum, step.combinations);
            }
            let done = effects.step(0, &picks).unwrap();
            prop_assert_eq!((done.combinations, done.next), (Some(1), None));
            prop_assert_eq!(Some(done.text), effects.nth_of(0, index));
            prop_assert_eq!(effects.index_of_picks(0, &picks), Ok(Some(index)));
            let more = [&picks[..], &[0]].concat();
            prop_assert_eq!(effects.step(0, &more), Err(PickError::TooMany { at: picks.len() }));
        }
    }

    /// Random picks give an answer or an error, and a complete answer has a number that leads back to it.
    #[test]
    fn any_picks_will_do(
        template in sentence(), files in files(), picks in prop::collection::vec(0_usize..4, 0..9),
    ) {
        let effects = effects(&[template], &files);
        match effects.step(0, &picks) {
            Ok(Step { next: None, .. }) => {
                let index = effects.index_of_picks(0, &picks).unwrap();
                prop_assert_eq!(index.and_then(|index| effects.picks_of(0, index)), index.map(|_| picks));
            }
            Ok(Step { next: Some(next), .. }) => {
                let out = [&picks[..], &[next.choices]].concat();
                let reported = PickError::OutOfRange { at: picks.len(), choices: next.choices };
                prop_assert_eq!(effects.step(0, &out), Err(reported));
            }
            Err(PickError::OutOfRange { at, choices }) => prop_assert!(picks[at] >= choices),
            Err(error) => prop_assert!(matches!(error, PickError::TooMany { .. }), "{error}"),
        }
    }
}
