//! Texts stay on the card and on their plates, in the bundled font and in other fonts that readers may have.

use cardscape_pictures::{CardFace, EFFECTS_MAX, EffectText, Finish, Picture};
use resvg::usvg::Options;
use unicode_normalization::char::is_combining_mark;

use crate::support::{SEEDS, filled, hostile_texts, reader, seed, text_boxes};

pub(crate) fn readers() -> [(&'static str, Options<'static>); 3] {
    [
        ("bundled", reader(include_bytes!("../../fonts/CardscapeSans-Bold.ttf"))),
        ("serif", reader(include_bytes!("../fixtures/DejaVuSerif.ttf"))),
        ("mono", reader(include_bytes!("../fixtures/DejaVuSansMono.ttf"))),
    ]
}

/// Checks that no text leaves the plates at the sides, or the card at the top and at the bottom.
fn check(svg: &str, (name, options): &(&str, Options<'_>)) {
    for (message, [left, top, right, bottom]) in text_boxes(svg, options) {
        // If a font lacks a part of a cluster, the renderer applies the fixed length only to its first glyph. For these texts,
        // only the requested length is checked (below).
        let is_joined = message.contains(['\u{200D}', '\u{E007F}', '\u{FE0F}'])
            || message.chars().any(is_combining_mark);
        let is_between = (left >= 27.0 && right <= 484.0) || is_joined;
        let is_inside = is_between && top >= 0.0 && bottom <= 700.0;
        assert!(is_inside, "{name}: {left} {top} {right} {bottom}: {message}");
    }
    let document = roxmltree::Document::parse(svg).unwrap();
    for block in document.descendants().filter(|node| node.has_tag_name("g")) {
        let texts = block.children().filter(|node| node.has_tag_name("text"));
        let held: Vec<bool> = texts.map(|text| text.attribute("textLength").is_some()).collect();
        let same = held.iter().all(|is_held| *is_held == held[0]);
        assert!(same, "lines of one text have letters of one width");
    }
    for text in document.descendants().filter(|node| node.has_tag_name("text")) {
        let number = |name| text.attribute(name).map(|text: &str| text.parse::<f32>().unwrap());
        let message = text.text().unwrap_or_default();
        if let Some(length) = number("textLength") {
            let left = number("x").unwrap();
            assert!(text.attribute("text-anchor").is_none());
            assert!(left >= 27.0 && left + length <= 484.0, "{left} {length}: {message}");
        }
    }
}

#[test]
fn the_longest_and_strangest_texts_fit_in_every_font() {
    let readers = readers();
    for text in hostile_texts() {
        let svg = Picture::card(&filled(&text, Finish::Matte)).svg();
        for reader in &readers {
            check(&svg, reader);
        }
    }
}

#[test]
fn shipped_cards_fit_in_every_font() {
    let readers = readers();
    for (game, set) in SEEDS {
        let (game, set) = seed(game, set);
        for card in set.cards.iter().step_by(9) {
            let face = CardFace::from_definition(&game, card, &set.code, None);
            let svg = Picture::card(&face).svg();
            for reader in &readers {
                check(&svg, reader);
            }
        }
    }
}

#[test]
fn left_out_parts_are_reported() {
    let effect = || EffectText { label: "a".into(), text: "b".into() };
    let face =
        |effects: usize| CardFace { effects: vec![effect(); effects], ..CardFace::default() };
    assert!(!Picture::card(&face(3)).is_cut());
    assert!(Picture::card(&face(EFFECTS_MAX + 1)).is_cut());
}

/// The font size decreases with the length of a text, down to 13; then the text is cut.
#[test]
fn long_texts_become_smaller_and_then_are_cut() {
    let sentence = "Draw two cards, then discard one card. ";
    let size_of = |repeats: usize| {
        let effect = EffectText { label: "passive".into(), text: sentence.repeat(repeats).into() };
        let face = CardFace { effects: vec![effect], ..CardFace::default() };
        let picture = Picture::card(&face);
        let svg = picture.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let is_effect = |node: &roxmltree::Node<'_, '_>| {
            node.has_tag_name("text")
                && node.text().is_some_and(|text| text.starts_with("Draw two"))
        };
        let first = document.descendants().find(is_effect).unwrap();
        let size: f32 = first.parent().unwrap().attribute("font-size").unwrap().parse().unwrap();
        (size, picture.is_cut(), svg.contains('…'))
    };
    assert_eq!(size_of(1), (20.0, false, false));
    let (size, is_cut, _) = size_of(14);
    assert!(size < 20.0 && size > 13.0 && !is_cut, "{size}");
    assert_eq!(size_of(40), (13.0, true, true));
}

/// Each line of an effect and of lore is a line of the picture, and all of them fit.
#[test]
fn line_breaks_begin_lines() {
    let effect = EffectText { label: "latent".into(), text: "Draw one.\r\n\nRest two.".into() };
    let face = CardFace {
        effects: vec![effect],
        lore: Some("It waits.\nIt hops.".into()),
        ..CardFace::default()
    };
    let picture = Picture::card(&face);
    let svg = picture.svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let drawn: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text())
        .collect();
    for line in ["Draw one.", "Rest two.", "It waits.", "It hops."] {
        assert!(drawn.contains(&line), "{line}: {drawn:?}");
    }
    let many = "Rest.\n".repeat(200);
    for (lines, is_cut) in [("Rest.\n".repeat(5), false), (many, true)] {
        let effect = EffectText { label: "latent".into(), text: lines.into() };
        let face = CardFace { effects: vec![effect], ..CardFace::default() };
        let picture = Picture::card(&face);
        assert_eq!(picture.is_cut(), is_cut);
        for reader in &readers() {
            check(&picture.svg(), reader);
        }
    }
}

/// With many long effects, some are cut, but lines do not overlap.
#[test]
fn lines_do_not_overlap() {
    let effect = EffectText {
        label: "latent".into(),
        text: "When this card attacks, draw. ".repeat(9).into(),
    };
    let face = CardFace {
        effects: vec![effect; 12],
        lore: Some("It waits. ".repeat(60).into()),
        ..CardFace::default()
    };
    let svg = Picture::card(&face).svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let mut heights: Vec<f32> = document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .map(|node| node.attribute("y").unwrap().parse().unwrap())
        .collect();
    heights.sort_by(f32::total_cmp);
    heights.dedup();
    assert!(heights.windows(2).all(|pair| pair[1] - pair[0] > 8.0), "{heights:?}");
    assert!(heights.len() > 12, "{heights:?}");
}
