//! The picture of a hidden card reveals nothing about the card.

use cardscape_pictures::{Fonts, Picture, card_back};

#[test]
fn every_hidden_card_looks_the_same() {
    let back = Picture::back();
    assert_eq!(back.svg(), card_back());
    assert!(!back.is_cut());
    let fonts = Fonts::bundled();
    let emoji =
        Fonts::bundled().with_emoji(include_bytes!("../fixtures/emoji.ttf").to_vec()).unwrap();
    let file = back.png(&fonts).unwrap();
    assert_eq!(file, Picture::back().png(&fonts).unwrap());
    assert_eq!(file, back.png(&emoji).unwrap(), "not even the operator's fonts show");
    let document = roxmltree::Document::parse(card_back()).unwrap();
    assert!(
        document
            .descendants()
            .all(|node| !node.has_tag_name("text") && !node.has_tag_name("image"))
    );
}
