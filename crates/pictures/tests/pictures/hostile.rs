//! Whatever players write, a picture is valid XML with only the elements and attributes of our templates, and player texts
//! occur only as text.

use cardscape_pictures::{CardFace, Finish, Picture, card_back};
use proptest::prelude::*;

use crate::support::{filled, hostile_texts};

const ELEMENTS: &[&str] = &[
    "svg",
    "title",
    "desc",
    "defs",
    "linearGradient",
    "radialGradient",
    "stop",
    "clipPath",
    "pattern",
    "rect",
    "circle",
    "path",
    "g",
    "image",
    "text",
];

const ATTRIBUTES: &[&str] = &[
    "viewBox",
    "width",
    "height",
    "role",
    "aria-labelledby",
    "font-family",
    "id",
    "x",
    "y",
    "x2",
    "y2",
    "r",
    "rx",
    "cx",
    "cy",
    "d",
    "offset",
    "stop-color",
    "spreadMethod",
    "patternUnits",
    "patternTransform",
    "fill",
    "opacity",
    "fill-opacity",
    "stroke-opacity",
    "stroke",
    "stroke-width",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-dasharray",
    "paint-order",
    "clip-path",
    "transform",
    "preserveAspectRatio",
    "href",
    "font-size",
    "font-weight",
    "font-style",
    "text-anchor",
    "textLength",
    "lengthAdjust",
];

/// Parses an SVG and checks all elements, attributes and ids in it.
pub(crate) fn check(svg: &str) {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    for node in document.descendants() {
        assert!(!node.is_comment() && !node.is_pi(), "{svg}");
        if !node.is_element() {
            continue;
        }
        let name = node.tag_name().name();
        assert!(ELEMENTS.contains(&name), "{name}");
        assert_eq!(node.tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(ATTRIBUTES.contains(&name), "{name}");
            if name == "href" {
                assert!(value.starts_with("data:image/"), "{value}");
            }
            if let Some(address) = value.strip_prefix("url(") {
                let id = address.strip_prefix('#').and_then(|id| id.strip_suffix(')')).unwrap();
                assert!(ids.contains(&id), "{value}");
            }
            assert!(!value.contains("NaN") && !value.contains("inf"), "{name}: {value}");
        }
    }
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), ids.len(), "ids are different");
    assert!(ids.len() >= 2, "what it is called for screen readers");
}

#[test]
fn hostile_texts_stay_texts() {
    check(card_back());
    for text in hostile_texts() {
        for finish in [Finish::Matte, Finish::Prismatic] {
            let svg = Picture::card(&filled(&text, finish)).svg();
            check(&svg);
            assert!(svg.len() < 60_000, "{} bytes for {:.40}", svg.len(), text);
        }
    }
}

#[test]
fn texts_are_escaped() {
    let face = CardFace { title: "</text><script>&amp;".into(), ..CardFace::default() };
    let svg = Picture::card(&face).svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let text_of = |element: &str| {
        let mut found = document.descendants().filter(|node| node.has_tag_name(element));
        found.next().and_then(|node| node.text().map(str::to_owned))
    };
    assert_eq!(text_of("title").as_deref(), Some("</text><script>&amp;"));
    assert_eq!(text_of("text").as_deref(), Some("</text><script>&amp;"));
    // Characters that change the text direction are removed, so that they cannot affect other texts.
    let face = CardFace { title: "a\u{202E}b".into(), ..CardFace::default() };
    assert!(Picture::card(&face).svg().contains(">ab</text>"));
}

#[test]
fn an_empty_face_gives_a_card() {
    check(&Picture::card(&CardFace::default()).svg());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_harmless(text in "\\PC{0,80}|[\\x00-\\x7F]{0,60}|.{0,40}", tier in 0_u32..9) {
        check(&Picture::card(&filled(&text, Finish::of_tier(tier))).svg());
    }
}
