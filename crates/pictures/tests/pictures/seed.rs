//! Every card of every shipped set, in every rarity.

use std::collections::BTreeSet;

use cardscape_engine::Game;
use cardscape_pictures::{CardFace, Picture};

use crate::support::{SEEDS, seed};

#[test]
fn every_shipped_card_has_a_complete_and_unique_picture() {
    let mut drawn = BTreeSet::new();
    let mut count = 0;
    for (game, set) in SEEDS {
        let (game, set) = seed(game, set);
        for card in &set.cards {
            for rarity in game.rarities() {
                let face = CardFace::from_definition(&game, card, &set.code, Some(&rarity.code));
                let picture = Picture::card(&face);
                assert!(!picture.is_cut(), "{}", card.name);
                let svg = picture.svg();
                assert!(svg.len() < 16_384, "{}: {} bytes", card.name, svg.len());
                drawn.insert(svg);
                count += 1;
            }
        }
    }
    assert_eq!(drawn.len(), count);
}

#[test]
fn the_type_of_an_attribute_determines_its_position() {
    let (game, set) = seed("ttcg", "hearth");
    let face = CardFace::from_definition(&game, &set.cards[0], "hearth", Some("primal_rare"));
    assert_eq!(face.type_line, "Unit — Earth · Reptile");
    assert_eq!(face.badge.as_ref().map(|badge| &*badge.value), Some("1"));
    let stats: Vec<(&str, &str)> =
        face.stats.iter().map(|stat| (&*stat.label, &*stat.value)).collect();
    assert_eq!(stats, [("Attack", "150"), ("Defense", "400")], "of the printing");
    assert_eq!(face.effects[0].label, "Latent");
    assert_eq!(face.theme, "unit earth");

    let spell = set.cards.iter().find(|card| card.kind == "spell").unwrap();
    let face = CardFace::from_definition(&game, spell, "hearth", None);
    assert_eq!((face.type_line.as_ref(), face.rarity.as_ref()), ("Spell", "Common"));
    assert!(face.stats.iter().all(|stat| stat.value.starts_with(['+', '−'])), "{:?}", face.stats);
    let umbrella = set.cards.iter().find(|card| card.name == "Borrowed Umbrella").unwrap();
    let face = CardFace::from_definition(&game, umbrella, "hearth", None);
    let boosts: Vec<&str> = face.stats.iter().map(|stat| &*stat.value).collect();
    assert_eq!(boosts, ["0", "+20"], "zero has no sign");

    let (game, set) = seed("emoji-tcg", "feed");
    let face = CardFace::from_definition(&game, &set.cards[0], "feed", None);
    assert_eq!(face.glyph.as_deref(), Some("🙂"));
    assert_eq!(face.type_line, "Emoji — Basicmoji · Faces");
    assert_eq!((face.facts[0].label.as_ref(), face.facts[0].value.as_ref()), ("Keywords", "Boost"));

    let (game, set) = seed("emojito", "box");
    let face = CardFace::from_definition(&game, &set.cards[0], "box", None);
    assert_eq!(face.facts, [], "its only word is its name");
}

/// Emoji fonts also contain digits and spaces, which are wider than those of text fonts.
#[test]
fn emoji_have_fonts_of_their_own() {
    for (code, set, with_emoji) in [("ttcg", "hearth", 0), ("emoji-tcg", "feed", 1)] {
        let (game, set) = seed(code, set);
        let face = CardFace::from_definition(&game, &set.cards[0], &set.code, None);
        let svg = Picture::card(&face).svg();
        assert_eq!(svg.matches("Noto Color Emoji").count(), with_emoji, "{code}");
        assert_eq!(svg.contains("sans-serif\">🙂</text>"), with_emoji == 1, "{code}: {svg}");
    }
}

#[test]
fn cards_of_an_unknown_kind_have_a_picture() {
    let game = Game::from_toml(
        r#"
        code = "pond"
        name = "Pond"
        rules_version = "pond/1"
        [[kinds]]
        code = "fish"
        name = "Fish"
        "#,
    )
    .unwrap();
    let card = serde_json::from_str(
        r#"{ "number": "1", "name": "Newt", "kind": "small_newt", "attributes":
            { "legs": 4, "eyes": 2, "toes": 18, "hearts": 1, "tails": 1, "spots": 60, "wet": true, "odd": null, "deep": {}, "part": 0.5 } }"#,
    )
    .unwrap();
    let face = CardFace::from_definition(&game, &card, "shore", Some("no such"));
    assert_eq!(face.type_line, "Small Newt");
    assert_eq!((face.stats.len(), face.facts.len()), (4, 3));
    assert!(face.facts.iter().any(|fact| fact.label == "Wet" && fact.value == "Yes"));
    assert!(!Picture::card(&face).is_cut());
}

#[test]
fn equal_cards_give_equal_pictures_and_others_other_ids() {
    let (game, set) = seed("ttcg", "hearth");
    let svg = |place: usize, rarity| {
        let face = CardFace::from_definition(&game, &set.cards[place], "hearth", Some(rarity));
        Picture::card(&face).svg()
    };
    assert_eq!(svg(0, "rare"), svg(0, "rare"));
    let id = |svg: &str| {
        let document = roxmltree::Document::parse(svg).unwrap();
        document.root_element().attribute("aria-labelledby").unwrap().to_owned()
    };
    let ids: BTreeSet<String> =
        [svg(0, "common"), svg(0, "rare"), svg(1, "rare")].iter().map(|svg| id(svg)).collect();
    assert_eq!(ids.len(), 3);
}
