//! Each finish includes the ones before it, and finishes can be distinguished without colours.

use cardscape_pictures::{CardFace, Figure, Finish, Fonts, Picture};

use crate::support::{pixels, seed};

fn face(finish: Finish) -> CardFace<'static> {
    let figure = |label: &'static str| Figure { label: label.into(), value: "250".into() };
    CardFace {
        title: "Pebblebrow Tortoise".into(),
        type_line: "Unit — Earth".into(),
        badge: Some(figure("Rank")),
        stats: vec![figure("Attack"), figure("Defense")],
        lore: Some("Nobody has the heart to hurry it.".into()),
        tiers: 6,
        finish,
        ..CardFace::default()
    }
}

/// For each finish, a part of the SVG that only this feature draws.
const MARKS: [&str; 6] = [
    "<svg",
    "paint-order=\"stroke\"",
    "stroke-dasharray=\"0 11.04\"",
    "h10l-",
    "C35 2 29 7 28 16",
    "M0 0L0 -460",
];

#[test]
fn each_finish_has_all_of_those_below_it() {
    for finish in Finish::ALL {
        let svg = Picture::card(&face(finish)).svg();
        for (place, mark) in MARKS.iter().enumerate() {
            let expected = place < finish.tier() as usize;
            assert_eq!(svg.contains(mark), expected, "{finish:?} {mark}");
        }
        let filled = svg.matches("l5 5-5 5-5-5Z\"/>").count();
        assert_eq!(filled, finish.tier() as usize, "pips of {finish:?}");
    }
}

#[test]
fn finishes_differ_in_grey() {
    let fonts = Fonts::bundled();
    let grey = |finish: Finish| -> Vec<f32> {
        let file = Picture::card(&face(finish)).png(&fonts).unwrap();
        assert!(file.len() < 150_000, "{finish:?}: {} bytes", file.len());
        let grey = |[red, green, blue, _]: [u8; 4]| {
            0.2126 * f32::from(red) + 0.7152 * f32::from(green) + 0.0722 * f32::from(blue)
        };
        pixels(&file).into_iter().map(grey).collect()
    };
    let drawn = Finish::ALL.map(grey);
    for (place, one) in drawn.iter().enumerate() {
        for other in &drawn[place + 1..] {
            // Pixels whose lightness differs by more than an eighth: at least as many of the 350,000 as in a square of 60 × 60.
            let differing =
                one.iter().zip(other).filter(|(one, other)| (*one - *other).abs() > 32.0);
            let count = differing.count();
            assert!(count > 3_600, "finish {}: {count}", place + 1);
        }
    }
}

#[test]
fn the_finish_follows_from_the_tier() {
    let (game, set) = seed("ttcg", "hearth");
    let finishes: Vec<Finish> = game
        .rarities()
        .iter()
        .map(|rarity| {
            CardFace::from_definition(&game, &set.cards[0], "hearth", Some(&rarity.code)).finish
        })
        .collect();
    assert_eq!(finishes, Finish::ALL);
    let (game, set) = seed("emojito", "box");
    let face = CardFace::from_definition(&game, &set.cards[0], "box", None);
    assert_eq!((face.finish, face.tiers), (Finish::Matte, 1));
    assert_eq!(Finish::of_tier(0), Finish::Matte);
    assert_eq!(Finish::of_tier(u32::MAX), Finish::Prismatic);
}
