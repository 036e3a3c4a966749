//! The content of PNGs.

use cardscape_pictures::{CardFace, FontError, Fonts, Picture};

use crate::support::{filled, hostile_texts, pixels};

const EMOJI: &[u8] = include_bytes!("../fixtures/emoji.ttf");

fn with_emoji() -> Fonts {
    Fonts::bundled().with_emoji(EMOJI.to_vec()).unwrap()
}

/// Number of colourful pixels on the title plate, which is itself nearly grey.
fn colourful(face: &CardFace<'_>, fonts: &Fonts) -> usize {
    let drawn = pixels(&Picture::card(face).png(fonts).unwrap());
    let plate = (30..76).flat_map(|y| (30..470).map(move |x| y * 500 + x));
    let is_colourful = |at: &usize| {
        let [red, green, blue, _] = drawn[*at];
        red.max(green).max(blue) - red.min(green).min(blue) > 90
    };
    plate.filter(is_colourful).count()
}

fn titled(title: &str) -> CardFace<'_> {
    CardFace { title: title.into(), theme: "gray".into(), ..CardFace::default() }
}

#[test]
fn emoji_are_in_colour_with_a_font_for_them() {
    for title in [
        "🔥",
        "Fire 🔥 and water",
        "A heart ❤\u{FE0F}\u{200D}🔥 on fire",
        "I ❤\u{FE0F} it",
        "👍🏽 🇩🇪",
    ] {
        assert_eq!(colourful(&titled(title), &Fonts::bundled()), 0, "{title}");
        let count = colourful(&titled(title), &with_emoji());
        assert!(count > 100, "{title}: {count}");
    }
    // Emoji with a joiner between them are one picture.
    let one = colourful(&titled("🔥"), &with_emoji());
    let joined = colourful(&titled("❤\u{FE0F}\u{200D}🔥"), &with_emoji());
    assert!(joined < one * 3 / 2, "{joined} and {one}");
}

#[test]
fn additional_fonts_are_used_for_missing_characters() {
    let more = Fonts::bundled().with_more(EMOJI.to_vec()).unwrap();
    assert!(colourful(&titled("Fire 🔥 and water"), &more) > 100);
    let letters = |fonts: &Fonts| Picture::card(&titled("Letters")).png(fonts).unwrap();
    assert_eq!(letters(&more), letters(&Fonts::bundled()));
}

#[test]
fn missing_characters_are_drawn_as_a_placeholder() {
    let fonts = Fonts::bundled();
    let drawn = |title: &str| Picture::card(&titled(title)).png(&fonts).unwrap();
    let dark = |file: &[u8]| {
        let pixels = pixels(file);
        let plate = (30..76).flat_map(|y| (30..470).map(move |x| y * 500 + x));
        plate.filter(|at| pixels[*at][1] < 90).count()
    };
    let (empty, one, two) = (dark(&drawn("")), dark(&drawn("🦖")), dark(&drawn("🦖🦖")));
    assert!(one > empty + 100 && two > one + 100, "{empty} {one} {two}");
    assert!(dark(&drawn("→")) > empty + 20, "arrows are in the font of symbols");
    // An emoji that no font has, on a card with another theme.
    let emblems_apart = CardFace { theme: "x".into(), ..titled("🦖") };
    assert!(Picture::card(&emblems_apart).png(&fonts).is_ok());
}

#[test]
fn hostile_texts_can_be_drawn() {
    let fonts = with_emoji();
    for text in hostile_texts() {
        let face = filled(&text, cardscape_pictures::Finish::Matte);
        let file = Picture::card(&face).png(&fonts).unwrap();
        assert!(file.len() < 400_000, "{} bytes", file.len());
    }
}

#[test]
fn equal_cards_give_equal_files() {
    let face = titled("Fire 🔥");
    let one = Picture::card(&face).png(&with_emoji()).unwrap();
    assert_eq!(one, Picture::card(&face).png(&with_emoji()).unwrap());
}

#[test]
fn invalid_fonts_are_refused() {
    let mono = include_bytes!("../fixtures/DejaVuSansMono.ttf").to_vec();
    assert!(Fonts::bundled().with_more(mono).is_ok());
    assert_eq!(Fonts::bundled().with_emoji(b"<svg/>".to_vec()).unwrap_err(), FontError);
    assert_eq!(Fonts::bundled().with_more(Vec::new()).unwrap_err(), FontError);
}

/// A picture can be created by one thread and drawn by another.
#[test]
fn threads_share_fonts_and_pictures() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Fonts>();
    shared::<Picture>();
}
