//! Quantities of cards in forms that people type: after the name and before other parts, in words; and numbers of cards with the size of their set.

use cardscape_engine::{
    Catalogue, DeckDialect, DeckReading, DeckText, DeckTextFault, Guess, IgnoredReason,
    LineVerdict, MentionDepth, read_deck, write_deck,
};
use serde_json::json;

use crate::support::{HARBOUR, card, game, pool_card, shipped};

/// Five cards of one set.
fn catalogue() -> Catalogue {
    let names = ["Pocket Bat", "Salt", "Fast x2", "Lamp-7", "Agent"];
    catalogue_of(&names.map(|name| ("port", name)))
}

/// Cards of sets, with numbers in their order.
fn catalogue_of(cards: &[(&str, &str)]) -> Catalogue {
    let cards = cards.iter().enumerate().map(|(at, (set, name))| {
        let definition = json!({
            "number": format!("{:03}", at + 1), "name": name, "kind": "cargo",
            "attributes": { "weight": 1, "price": 1 },
        });
        pool_card(set, card(definition))
    });
    Catalogue::builder(&game(HARBOUR)).extend(cards).build()
}

/// The quantity and the card of each line, as `2 Name`, and whether every line is a card.
fn entries(text: &str) -> (Vec<String>, bool) {
    entries_of(text, &catalogue())
}

fn entries_of(text: &str, catalogue: &Catalogue) -> (Vec<String>, bool) {
    let read = read_deck(text, &DeckReading::new(catalogue));
    let is_known = |verdict: &LineVerdict| !matches!(verdict, LineVerdict::Unknown { .. });
    let entry = |entry: &cardscape_engine::DeckEntry| {
        let card = &entry.card;
        let place = card.set.iter().chain(&card.number).map(|part| format!(" {part}"));
        format!("{} {}{}", entry.quantity, card.name, place.collect::<String>())
    };
    let all_known = read.lines.iter().all(|line| line.entry.is_some() && is_known(&line.verdict));
    (read.deck.entries.iter().map(entry).collect(), all_known)
}

/// Before, each of these lines was one copy, without a word, or no card.
#[test]
fn a_quantity_between_the_name_and_other_parts_counts() {
    for (line, expected) in [
        ("Pocket Bat (2) (foil)", "2 Pocket Bat"),
        ("Pocket Bat (2) *F*", "2 Pocket Bat"),
        ("Pocket Bat (2x) (foil)", "2 Pocket Bat"),
        ("Pocket Bat [2] (port) 1", "2 Pocket Bat port 1"),
        ("Pocket Bat (x2) (port) 001", "2 Pocket Bat port 001"),
        ("Pocket Bat (2) // for later", "2 Pocket Bat"),
        ("Pocket Bat x2 // for later", "2 Pocket Bat"),
        ("Pocket Bat: 2 // for later", "2 Pocket Bat"),
        ("Pocket Bat (2 copies)", "2 Pocket Bat"),
        ("Pocket Bat (1 copy)", "1 Pocket Bat"),
        ("Pocket Bat (2 Copies)", "2 Pocket Bat"),
        ("Pocket Bat (2) [Sideboard]", "2 Pocket Bat"),
        ("Pocket Bat (60 cards)", "1 Pocket Bat"),
        ("Fast x2", "1 Fast x2"),
        ("Fast x2 (3) (foil)", "3 Fast x2"),
        ("Fast x2 // both of them", "1 Fast x2"),
        ("Salt (2) foil", "2 Salt"),
        ("Salt x2 foil", "2 Salt"),
        ("Salt (2 copies) foil", "2 Salt"),
        ("Salt (2 copies) (foil)", "2 Salt"),
        ("Salt (2 copies) *F*", "2 Salt"),
        ("Salt [2 copies]", "2 Salt"),
        ("Salt (2) foil // for later", "2 Salt"),
        ("3 Salt [2 copies]", "3 Salt"),
        ("Salt [x2]", "2 Salt"),
        ("Salt [2x]", "2 Salt"),
        ("1. Salt [x2]", "2 Salt"),
        ("3. Salt [x2]", "3 Salt"),
        ("1. Salt (2)", "2 Salt"),
        ("Salt #mine (2)", "2 Salt"),
        ("Fast x2 (3) foil", "3 Fast x2"),
    ] {
        assert_eq!(entries(line), (vec![expected.to_owned()], true), "{line}");
    }
}

/// Many cards have their number and the size of their set printed on them.
#[test]
fn a_number_may_have_the_size_of_its_set() {
    for line in ["2 Salt (port) 2/60", "2 Salt (port) 002/060", "2 Salt port 2/60"] {
        let catalogue = catalogue();
        let read = read_deck(line, &DeckReading::new(&catalogue));
        assert_eq!(read.lines[0].verdict, LineVerdict::Accepted, "{line}");
        let card = &read.deck.entries[0].card;
        let place = (card.name.as_str(), card.set.as_deref());
        assert_eq!(place, ("Salt", Some("port")), "{line}");
        assert!(["2", "002"].contains(&card.number.as_deref().unwrap_or_default()), "{line}");
    }
    for line in ["2 (port) 002/060", "2 Salz (port) 2/60"] {
        assert_eq!(entries(line).0, ["2 Salt port 002"], "{line}");
    }
    assert_eq!(entries("2 Salt (port) #2/60").0, ["2 Salt port 2"]);
    assert_eq!(entries("2 (port) 77/60").0, ["2  port 77"], "an unknown card");
}

/// Before, the quantity was taken for a set, or the line for another card, `Agent`.
#[test]
fn a_name_with_marks_may_have_a_quantity_after_it() {
    let names = ["Agent", "Agent #7", "Agent #8", "Agent #8 (2)", "Gold {gilded}", "Salt [Fleet]"];
    let catalogue = catalogue_of(&names.map(|name| ("port", name)));
    for (line, expected) in [
        ("Agent #7 (2)", "2 Agent #7"),
        ("Agent #7 (2 copies)", "2 Agent #7"),
        ("Agent #7: 2", "2 Agent #7"),
        ("Agent #7 x2 // good", "2 Agent #7"),
        ("Agent #7 (2) // good", "2 Agent #7"),
        ("Agent #7 x2 // good, but only with more than one of the others", "2 Agent #7"),
        ("Agent #7 (2) (foil)", "2 Agent #7"),
        ("Agent #7 (2) (port) 2", "2 Agent #7 port 2"),
        ("**Agent #7** (2)", "2 Agent #7"),
        ("**Agent #7 (2)**", "2 Agent #7"),
        ("2 Agent #7 // good", "2 Agent #7"),
        ("Agent #8 (2)", "1 Agent #8 (2)"),
        ("Agent #8 (3)", "3 Agent #8"),
        ("Agent #9 (2)", "2 Agent"),
        ("Agent #7 2", "2 Agent #7"),
        ("Agent #7 2 // good", "2 Agent #7"),
        ("Agent #8 2", "2 Agent #8"),
        ("Agent #9 2", "1 Agent"),
        ("Gold {gilded} 2", "2 Gold {gilded}"),
        ("Salt [Fleet] 2", "2 Salt [Fleet]"),
        ("Gold {gilded} (2)", "2 Gold {gilded}"),
        ("Salt [Fleet] (2)", "2 Salt [Fleet]"),
    ] {
        assert_eq!(entries_of(line, &catalogue), (vec![expected.to_owned()], true), "{line}");
    }
    for line in ["Agent #7 (2)", "Agent #7 2"] {
        let read = read_deck(line, &DeckReading::new(&catalogue));
        let how = vec![Guess::MarksArePartOfName, Guess::QuantityAfterName];
        assert_eq!(read.lines[0].verdict, LineVerdict::Guessed { how }, "{line}");
    }
}

/// Before, the quantity was taken for a set, or the line for a heading or for another card, `Fox`.
#[test]
fn a_name_with_parentheses_may_have_a_quantity_after_it() {
    let names = ["Lamp (Red)", "Fox", "Fox (Red)", "Wolf (a) (b)", "Energy (Fire)", "Kit"];
    let mut cards = names.map(|name| ("port", name)).to_vec();
    cards.extend([("port", "Kit (port)"), ("port", "Kit (reef)"), ("reef", "Hué (Red)")]);
    let catalogue = catalogue_of(&cards);
    for (line, expected) in [
        ("Lamp (Red) (2)", "2 Lamp (Red)"),
        ("Lamp (Red) x2", "2 Lamp (Red)"),
        ("Lamp (Red): 2", "2 Lamp (Red)"),
        ("Lamp (Red) - 2", "2 Lamp (Red)"),
        ("Lamp (Red) [2]", "2 Lamp (Red)"),
        ("Lamp (Red) (2 copies)", "2 Lamp (Red)"),
        ("Lamp (Red) (2) // good", "2 Lamp (Red)"),
        ("Lamp (Red) (2) [Sideboard]", "2 Lamp (Red)"),
        ("**Lamp (Red)** (2)", "2 Lamp (Red)"),
        ("**Lamp (Red) (2)**", "2 Lamp (Red)"),
        ("Fox (Red) (2)", "2 Fox (Red)"),
        ("Fox (Red): 2", "2 Fox (Red)"),
        ("Fox (Blue) (2)", "2 Fox"),
        ("Fox (port) (2)", "2 Fox port"),
        ("Wolf (a) (b) (2)", "2 Wolf (a) (b)"),
        ("Hue (Red) (2)", "2 Hué (Red)"),
        ("Energy (Fire) (2)", "2 Energy (Fire)"),
        // As in `Kit (port) x2`, a set that the card has goes before a longer name.
        ("Kit (port) (2)", "2 Kit port"),
        ("Kit (port) x2", "2 Kit port"),
        ("Kit (reef) (2)", "2 Kit (reef)"),
        ("Kit (reef) x2", "2 Kit (reef)"),
    ] {
        assert_eq!(entries_of(line, &catalogue), (vec![expected.to_owned()], true), "{line}");
    }
    let read = |line| read_deck(line, &DeckReading::new(&catalogue)).lines.remove(0).verdict;
    let how = vec![Guess::QuantityAfterName, Guess::MarksArePartOfName];
    assert_eq!(read("Fox (Red) (2)"), LineVerdict::Guessed { how });
    for heading in ["Energy (Water) (2)", "Creatures (Red) (4)", "Cargo (4)"] {
        assert_eq!(read(heading), LineVerdict::Ignored(IgnoredReason::Heading), "{heading}");
    }
}

/// Before, the zone of such a line was reported as a set that the card does not have.
#[test]
fn a_zone_after_a_quantity_is_no_set() {
    let names = ["Salt", "Étoile", "Agent #7"];
    let catalogue = catalogue_of(&names.map(|name| ("port", name)));
    let after_name = vec![Guess::QuantityAfterName];
    let with_marks = vec![Guess::MarksArePartOfName, Guess::QuantityAfterName];
    let spelled = Guess::NameSpelled { name: "Étoile".to_owned() };
    let spelled = vec![Guess::QuantityAfterName, spelled];
    for (line, name, how) in [
        ("Salt (2) [Sideboard]", "Salt", &after_name),
        ("Salt x2 [Sideboard]", "Salt", &after_name),
        ("Étoile (2) [Sideboard]", "Étoile", &after_name),
        ("Etoile (2) [Sideboard]", "Étoile", &spelled),
        ("Etoile x2 [Sideboard]", "Étoile", &spelled),
        ("Agent #7 (2) [Sideboard]", "Agent #7", &with_marks),
    ] {
        let read = read_deck(line, &DeckReading::new(&catalogue));
        assert_eq!(read.lines[0].verdict, LineVerdict::Guessed { how: how.clone() }, "{line}");
        assert_eq!(read.lines[0].tags, ["Sideboard"], "{line}");
        let entry = &read.deck.entries[0];
        let found = (&*entry.zone, entry.quantity, &*entry.card.name);
        assert_eq!(found, ("side", 2, name), "{line}");
        assert_eq!(entry.card.set, None, "{line}");
    }
}

/// Before, such a line was a heading.
#[test]
fn a_name_with_other_accents_may_have_a_quantity_after_it() {
    let names = ["Étoile", "Île 2", "Île", "Noël", "Noèl", "Cafe"];
    let catalogue = catalogue_of(&names.map(|name| ("port", name)));
    for (line, expected) in [
        ("Etoile (2)", "2 Étoile"),
        ("etoile: 2", "2 Étoile"),
        ("Etoile [2]", "2 Étoile"),
        ("Etoile (2) (foil)", "2 Étoile"),
        ("Étoile (2)", "2 Étoile"),
        ("Café (2)", "2 Cafe"),
        ("Ile (3)", "3 Île"),
        ("2 Etoile // mine", "2 Étoile"),
        ("2 Etoile (foil) // mine", "2 Étoile"),
        ("Etoile // mine", "1 Étoile"),
        ("[2 Etoile]", "2 Étoile"),
        ("(2 Etoile)", "2 Étoile"),
        ("1. Etoile (2)", "2 Étoile"),
        ("1. Étoile (2)", "2 Étoile"),
        ("Ile (2)", "1 Île 2"),
    ] {
        assert_eq!(entries_of(line, &catalogue), (vec![expected.to_owned()], true), "{line}");
    }
    let read = |line| read_deck(line, &DeckReading::new(&catalogue)).lines.remove(0).verdict;
    let spelled = Guess::NameSpelled { name: "Étoile".to_owned() };
    let how = vec![Guess::QuantityAfterName, spelled];
    assert_eq!(read("Etoile (2)"), LineVerdict::Guessed { how });
    let near = vec!["Noël".to_owned(), "Noèl".to_owned()];
    assert_eq!(read("Noel (2)"), LineVerdict::Unknown { near, reason: None });
    for heading in ["Etoiles (2)", "Cargo (2)", "Others: 2"] {
        assert_eq!(read(heading), LineVerdict::Ignored(IgnoredReason::Heading), "{heading}");
    }
}

/// Before, such a line was one copy of another card, `Fire`.
#[test]
fn a_name_with_the_mark_of_a_remark_may_have_a_quantity_after_it() {
    let names = ["Fire", "Fire // Ice", "Silk", "Wear // Tear"];
    let catalogue = catalogue_of(&names.map(|name| ("port", name)));
    for (line, expected) in [
        ("Fire // Ice [2 copies]", "2 Fire // Ice"),
        ("Fire // Ice #mine (2)", "2 Fire // Ice"),
        ("Fire // Ice (2)", "2 Fire // Ice"),
        ("Fire // Ice: 2", "2 Fire // Ice"),
        ("Fire // Ice - 2", "2 Fire // Ice"),
        ("Fire // Ice [2]", "2 Fire // Ice"),
        ("Fire // Ice 2", "2 Fire // Ice"),
        ("Fire // Ice x2", "2 Fire // Ice"),
        ("Fire // Ice (2) (foil)", "2 Fire // Ice"),
        ("Fire // Ice (2) foil", "2 Fire // Ice"),
        ("Fire // Ice (2) *F*", "2 Fire // Ice"),
        ("Fire // Ice (2x) {gilded}", "2 Fire // Ice"),
        ("Fire // Ice (2 copies)", "2 Fire // Ice"),
        ("Fire // Ice (2) // mine", "2 Fire // Ice"),
        ("Fire // Ice // mine", "1 Fire // Ice"),
        ("2 Fire // Ice (nowhere) 3", "2 Fire // Ice"),
        ("Fire // Ice (nowhere) // mine", "1 Fire // Ice"),
        ("Wear // Tear (2)", "2 Wear // Tear"),
        ("Fire // mine (2)", "1 Fire"),
        ("Fire // 2", "1 Fire"),
        ("Fire // (2)", "2 Fire"),
        ("Fire // [x2]", "2 Fire"),
        ("Fire // (2 copies)", "2 Fire"),
        ("Silk // x2", "1 Silk"),
        ("Silk // - 2", "1 Silk"),
        ("Fire // Ice // 2", "1 Fire // Ice"),
        ("2 Silk #keep // or cut 1, 1 Fire", "2 Silk"),
        ("Fire (2) // Ice", "2 Fire"),
        ("2 Fire // mine, 1 of them", "2 Fire"),
        ("2 Fire // mine, 1 Silk", "2 Fire"),
    ] {
        assert_eq!(entries_of(line, &catalogue), (vec![expected.to_owned()], true), "{line}");
    }
    let read = read_deck("Fire // (2)", &DeckReading::new(&catalogue));
    let how = vec![Guess::QuantityAfterName, Guess::MarksDropped];
    assert_eq!(read.lines[0].verdict, LineVerdict::Guessed { how });
    let both = ["2 Fire // Ice".to_owned(), "1 Silk".to_owned()];
    for line in [
        "2 Fire // Ice, 1 Silk",
        "2 Fire // Ice; 1 Silk",
        "Fire // Ice (2), Silk (1)",
        "Fire // Ice x2, Silk x1",
    ] {
        assert_eq!(entries_of(line, &catalogue), (both.to_vec(), true), "{line}");
    }
    let (found, all_known) = entries_of("2 Fire // Ice, 1 Nothing", &catalogue);
    assert_eq!(
        (found, all_known),
        (vec!["2 Fire // Ice".to_owned(), "1 Nothing".to_owned()], false)
    );
}

/// Before, the rest of the line was a label of the first card, without a word.
#[test]
fn cards_after_a_tag_are_not_lost() {
    let names = ["Agent", "Agent #7", "Silk", "Salt"];
    let catalogue = catalogue_of(&names.map(|name| ("port", name)));
    for (line, first) in [
        ("2 Agent #7, 1 Silk", "2 Agent #7"),
        ("Agent #7 x2, Silk x1", "2 Agent #7"),
        ("Agent #7 (2), Silk (1)", "2 Agent #7"),
        ("2 Salt #wincon, 1 Silk", "2 Salt"),
        ("2 Salt #wincon; 1 Silk", "2 Salt"),
    ] {
        let both = [first.to_owned(), "1 Silk".to_owned()];
        assert_eq!(entries_of(line, &catalogue), (both.to_vec(), true), "{line}");
    }
    let read = |line| read_deck(line, &DeckReading::new(&catalogue)).lines.remove(0);
    let told = LineVerdict::Guessed { how: vec![Guess::TagsDropped] };
    assert_eq!(read("2 Salt #mine, 1 per game").verdict, told);
    // A service that has loaded only `Salt` must load the other card, too.
    let salt = catalogue_of(&[("port", "Salt")]);
    let part = read_deck("2 Salt #wincon, 1 Silk", &DeckReading::new(&salt));
    assert_eq!((&part.lines[0].verdict, part.is_settled()), (&told, false));
    assert!(read_deck("2 Salt ^Have,#37d67a^", &DeckReading::new(&salt)).is_settled());
    assert_eq!(read("2 Salt #mine, cheap").verdict, LineVerdict::Accepted);
    assert_eq!(read("2 Salt #mine, cheap").tags, ["mine, cheap"]);
}

/// Before, the card was unknown, with the number of the line in its name.
#[test]
fn one_numbered_line_may_have_a_quantity_after_the_name() {
    for line in ["1. Salt x2", "1) Salt x2", "- 1. Salt x2", "3. Salt x2", "1. Salt 2x"] {
        for list in [line.to_owned(), format!("{line}\n3 Agent")] {
            let catalogue = catalogue();
            let read = read_deck(&list, &DeckReading::new(&catalogue));
            let entry = &read.deck.entries[0];
            assert_eq!((entry.quantity, &*entry.card.name), (2, "Salt"), "{list}");
            let how = vec![Guess::LineIsNumbered, Guess::QuantityAfterName];
            assert_eq!(read.lines[0].verdict, LineVerdict::Guessed { how }, "{list}");
        }
    }
    // A card may be called so, and an unknown card keeps its text.
    let catalogue = catalogue_of(&[("port", "1. Salt"), ("port", "Salt")]);
    assert_eq!(entries_of("1. Salt x2", &catalogue), (vec!["2 1. Salt".to_owned()], true));
    assert_eq!(entries("1. Pepper x2"), (vec!["2 1. Pepper".to_owned()], false));
    assert!(!entries("4 1. Salt").1 && !entries("1.Salt x2").1);
}

/// Before, the quantity was taken for a set, and the line was one copy.
#[test]
fn an_unknown_card_keeps_the_quantity_in_brackets_after_its_name() {
    for (line, expected) in [
        ("Pepper [x2]", "2 Pepper"),
        ("Pepper [2x]", "2 Pepper"),
        ("Pepper [X2] (foil)", "2 Pepper"),
        ("1. Pepper [x2]", "2 Pepper"),
        // An unknown set may be called so, if there is a quantity or a number.
        ("3 Pepper [x2]", "3 Pepper x2"),
        ("Pepper (x2) 12", "1 Pepper x2 12"),
    ] {
        assert_eq!(entries(line), (vec![expected.to_owned()], false), "{line}");
    }
    let catalogue = catalogue_of(&[("port", "Salt"), ("x2", "Silk")]);
    let (found, _) = entries_of("Pepper [x2]", &catalogue);
    assert_eq!(found, ["1 Pepper x2"], "the game has a set of this code");
    assert_eq!(entries("Pepper [2]").0, Vec::<String>::new(), "a heading");
}

/// A line of many words like quantities has few meanings.
#[test]
fn meanings_of_a_line_are_bounded() {
    let line = format!("a{}", " x2 #b".repeat(160));
    let game = game(HARBOUR);
    let text = DeckText::new(&line, None);
    let mentions = text.lines(&game).mentions(MentionDepth::Every);
    assert!(mentions.names.len() < 40, "{}", mentions.names.len());
}

/// A remark is told, and does not hide the quantity.
#[test]
fn a_remark_after_a_quantity_is_told() {
    let catalogue = catalogue();
    let read = read_deck("Pocket Bat x2 // for later", &DeckReading::new(&catalogue));
    let dropped = Guess::RemarkDropped { remark: "for later".to_owned() };
    assert_eq!(read.lines[0].verdict, LineVerdict::Guessed { how: vec![dropped] });
    let text = write_deck(&read.deck, DeckDialect::Plain, &catalogue, None).text;
    assert!(text.contains("2 Pocket Bat"), "{text}");
}

/// Before, such a line was no card, or one copy of the card of its set and number.
#[test]
fn a_quantity_may_stand_directly_before_the_name() {
    let names = ["Salt", "L", "3XL", "Agent #7", "Étoile"];
    let catalogue = catalogue_of(&names.map(|name| ("port", name)));
    for (line, expected) in [
        ("4xSalt", "4 Salt"),
        ("4XSalt", "4 Salt"),
        ("4×Salt (port) 1", "4 Salt port 1"),
        ("4xSalz (port) 1", "4 Salt port 001"),
        ("4xSalt // mine", "4 Salt"),
        ("1. 4xSalt", "4 Salt"),
        ("4xAgent #7", "4 Agent #7"),
        ("4xEtoile", "4 Étoile"),
        ("4xL", "4 L"),
        ("3XL", "1 3XL"),
    ] {
        assert_eq!(entries_of(line, &catalogue), (vec![expected.to_owned()], true), "{line}");
    }
    assert_eq!(entries("4xPepper"), (vec!["4 Pepper".to_owned()], false), "an unknown card");
    let read = read_deck("4xSalt", &DeckReading::new(&catalogue));
    let how = vec![Guess::MarksDropped];
    assert_eq!(read.lines[0].verdict, LineVerdict::Guessed { how });
    let mentions = DeckText::new("4xAgent #7", None).mentions(&game(HARBOUR), MentionDepth::Every);
    assert!(mentions.names.contains("Agent #7"), "{mentions:?}");
}

/// Before, its sign of multiplication was dropped twice.
#[test]
fn a_card_may_be_called_like_the_sign_of_a_quantity() {
    let catalogue = catalogue_of(&[("port", "X"), ("port", "Salt")]);
    for (line, expected) in [
        ("3 X", "3 X"),
        ("3 X (port)", "3 X port"),
        ("3 X (port) 1", "3 X port 1"),
        ("4x X [Sideboard]", "4 X"),
        ("4 x Salt (port)", "4 Salt port"),
        ("4 x [port] Salt", "4 Salt port"),
    ] {
        assert_eq!(entries_of(line, &catalogue), (vec![expected.to_owned()], true), "{line}");
    }
    let read = read_deck("4x X [Sideboard]", &DeckReading::new(&catalogue));
    assert_eq!(read.deck.entries[0].zone, "side");
}

/// Before, what stood after the address was left out without a word.
#[test]
fn what_stands_after_a_link_belongs_to_the_card() {
    let catalogue = catalogue_of(&[("port", "Salt"), ("port", "Silk"), ("reef", "Salt")]);
    for (line, expected) in [
        ("[Salt](https://a.b/1)", "1 Salt"),
        ("[Salt](https://a.b/Salt_(card))", "1 Salt"),
        ("[Salt](https://a.b/1) (reef)", "1 Salt reef"),
        ("2 [Salt](https://a.b/1) (reef) 3", "2 Salt reef 3"),
        ("[Salt](https://a.b/1) (2)", "2 Salt"),
        ("[card]Salt[/card] (reef)", "1 Salt reef"),
    ] {
        assert_eq!(entries_of(line, &catalogue), (vec![expected.to_owned()], true), "{line}");
    }
    let line = "[Salt](https://a.b/1) and [Silk](https://a.b/2)";
    assert!(!entries_of(line, &catalogue).1, "two cards");
}

/// Before, the card was unknown, or its set and number were lost.
#[test]
fn a_card_may_have_several_marks_between_asterisks() {
    let catalogue = shipped(HARBOUR);
    for (line, zone, tags) in [
        ("1x Silk (PORT:2) *F*", "main", ""),
        ("1x Silk (PORT:2) *CMDR* *F*", "commander", ""),
        ("1x Silk (PORT:2) *F* *CMDR*", "commander", ""),
        ("1x Silk (PORT:2) *E* *F*", "main", "E"),
        ("1x Silk (PORT:2) *F* #cmdr", "main", "cmdr"),
    ] {
        let read = read_deck(line, &DeckReading::new(&catalogue));
        let entry = &read.deck.entries[0];
        let place = (&*entry.card.name, entry.card.number.as_deref());
        assert_eq!(place, ("Silk", Some("2")), "{line}");
        let mark = (entry.card.rarity.as_deref(), &*entry.zone);
        assert_eq!(mark, (Some("gilded"), zone), "{line}");
        assert_eq!(read.lines[0].tags.join(", "), tags, "{line}");
    }
    let read = read_deck("1x Brig *CMDR* *E*", &DeckReading::new(&catalogue));
    assert_eq!(
        (&*read.deck.entries[0].card.name, &*read.deck.entries[0].zone),
        ("Brig", "commander")
    );
}

/// Before, such a line was refused, also if a card is called so.
#[test]
fn a_name_may_be_a_number_or_begin_with_a_sign() {
    let catalogue = catalogue_of(&["+2 Mace", "7", "Salt"].map(|name| ("port", name)));
    for (line, expected) in [
        ("+2 Mace", "1 +2 Mace"),
        ("+2 Mace (port) 1", "1 +2 Mace port 1"),
        ("3 +2 Mace", "3 +2 Mace"),
        ("7", "1 7"),
        ("2 7", "2 7"),
    ] {
        assert_eq!(entries_of(line, &catalogue), (vec![expected.to_owned()], true), "{line}");
    }
    for (line, fault) in [
        ("-1 Salt", DeckTextFault::QuantityInvalid),
        ("-2 Mace", DeckTextFault::QuantityInvalid),
        ("+2 Salt (port) 3", DeckTextFault::QuantityInvalid),
        ("8", DeckTextFault::NameMissing),
    ] {
        let read = read_deck(line, &DeckReading::new(&catalogue));
        let refused = LineVerdict::Ignored(IgnoredReason::Unreadable { fault });
        assert_eq!(read.lines[0].verdict, refused, "{line}");
        assert!(!read.is_settled(), "{line}: a card may be called so");
    }
    // Above the cards, such a line does not hide that a blank line begins the sideboard.
    let read = read_deck("8\n2 Salt\n\n1 Salt", &DeckReading::new(&catalogue));
    let zones: Vec<&str> = read.deck.entries.iter().map(|entry| entry.zone.as_str()).collect();
    assert_eq!(zones, ["main", "side"]);
}
