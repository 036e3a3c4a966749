//! Lists as people paste them, and exactly what is read from each line. The lists are in `tests/data/deck_text`, with the expected results beside
//! them.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use cardscape_engine::{
    CardReference, Catalogue, DECK_LINES_MAX, DeckDialect, DeckMentions, DeckReading, DeckText,
    Game, Guess, IgnoredReason, KnownSet, KnownSets, LineVerdict, MentionDepth, PoolCard, ReadDeck,
    ReadLine, SetDefinition, TextEncoding, decode_deck_text, name_key, read_deck_bytes,
};
use serde_json::{Value, json};

use crate::support::{HARBOUR, sets, shipped};

/// The shipped sets of a game.
pub fn known_sets(game: &str) -> Arc<KnownSets> {
    let known = |set: SetDefinition| KnownSet {
        code: set.code,
        name: set.name,
        has_cards: !set.cards.is_empty(),
    };
    KnownSets::new(sets(game).into_iter().map(|(_, set)| known(set))).into()
}

fn card(card: &CardReference) -> String {
    let mut text = card.name.clone();
    if let Some(set) = &card.set {
        let _ = write!(text, " ({set})");
    }
    if let Some(number) = &card.number {
        let _ = write!(text, " {number}");
    }
    if let Some(rarity) = &card.rarity {
        let _ = write!(text, " {{{rarity}}}");
    }
    text
}

fn json_of(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

/// A line for each line of the list.
pub fn outline(read: &ReadDeck) -> String {
    let mut text = format!("{}, {}", read.dialect, json_of(&read.encoding).as_str().unwrap());
    if let Some(mark) = read.recognised_by {
        let _ = write!(text, ": {mark}");
    }
    text.push('\n');
    for (key, value) in &read.notes {
        let _ = writeln!(text, "{key} = {value}");
    }
    for line in &read.lines {
        let _ = write!(text, "{:>3} ", line.line);
        if let Some(entry) = line.entry.map(|at| &read.deck.entries[at]) {
            let _ = write!(text, "{}: {} {}", entry.zone, entry.quantity, card(&entry.card));
        } else {
            let _ = write!(text, "`{}`", line.text);
        }
        let _ = match &line.verdict {
            LineVerdict::Accepted => write!(text, " | accepted"),
            LineVerdict::Guessed { how } => write!(text, " | guessed {}", json_of(how)),
            LineVerdict::Ambiguous { candidates } => {
                let candidates: Vec<String> = candidates.iter().map(card).collect();
                write!(text, " | ambiguous {}", candidates.join(", "))
            }
            LineVerdict::Unknown { near, reason } => {
                write!(text, " | unknown, near {}", json!({ "near": near, "reason": reason }))
            }
            LineVerdict::Ignored(reason) => write!(text, " | ignored {}", json_of(reason)),
            other => panic!("{other:?}"),
        };
        if !line.tags.is_empty() {
            let _ = write!(text, " | tags {}", line.tags.join(", "));
        }
        text.push('\n');
    }
    text
}

#[test]
fn lists_are_read_as_they_are_meant() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/deck_text");
    let catalogue = shipped(HARBOUR);
    let known = known_sets(HARBOUR);
    let reading = DeckReading::new(&catalogue).with_sets(&known);
    let mut files: Vec<PathBuf> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension != "read"));
    files.sort();
    assert!(files.len() >= 18, "{files:?}");
    for path in files {
        let read = read_deck_bytes(&fs::read(&path).unwrap(), &reading);
        let found = outline(&read);
        let expected = path.with_extension("read");
        if std::env::var_os("CARDSCAPE_UPDATE").is_some() {
            fs::write(&expected, &found).unwrap();
        }
        let expected = fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(found, expected, "{}; CARDSCAPE_UPDATE=1 writes it", path.display());
        assert_eq!(read.lines_left_out, 0);
    }
}

/// The cards of `all` that the lines of a list may mean.
fn mentioned(all: &Catalogue, mentions: &DeckMentions, known: &Arc<KnownSets>) -> Catalogue {
    let code = |written: &str| known.find(written).map_or(written, |set| &set.code).to_lowercase();
    let plain = |number: &str| number.trim_start_matches('0').to_lowercase();
    let is_mentioned = |card: &&PoolCard| {
        let definition = &card.definition;
        let texts = definition.attributes.values().filter_map(Value::as_str);
        let id = all.game().external_id().and_then(|id| definition.attributes.get(id)?.as_u64());
        mentions.names.iter().any(|name| name_key(name) == name_key(&definition.name))
            || mentions.numbered.iter().any(|(set, number)| {
                code(set) == card.set.to_lowercase() && plain(number) == plain(&definition.number)
            })
            || id.is_some_and(|id| mentions.external_ids.contains(&id))
            || texts
                .into_iter()
                .any(|text| mentions.symbols.contains(&text.replace('\u{fe0f}', "")))
    };
    let cards = all.iter().filter(is_mentioned).cloned();
    // The reader still knows that other sets have cards.
    Catalogue::builder(all.game()).extend(cards).part_of(Arc::clone(known)).build()
}

#[test]
fn a_list_mentions_all_that_it_is_read_with() {
    let all = shipped(HARBOUR);
    let known = known_sets(HARBOUR);
    let reading = DeckReading::new(&all).with_sets(&known);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/deck_text");
    let without_near = |read: &ReadDeck| {
        let mut read = read.clone();
        for line in &mut read.lines {
            if let LineVerdict::Unknown { near, .. } = &mut line.verdict {
                near.clear();
            }
        }
        read
    };
    let (mut lists, mut settled) = (0, 0);
    for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.extension().is_some_and(|extension| extension == "read") {
            continue;
        }
        let text = DeckText::of_bytes(&fs::read(&path).unwrap(), None);
        let whole = text.read(&reading);
        for depth in [MentionDepth::Literal, MentionDepth::Every] {
            let few = mentioned(&all, &text.mentions(all.game(), depth), &known);
            let read = text.read(&DeckReading::new(&few).with_sets(&known));
            lists += 1;
            settled += usize::from(read.is_settled());
            // Names with other accents are found among similar names.
            let spelled = |line: &ReadLine| {
                matches!(&line.verdict, LineVerdict::Guessed { how }
                    if how.iter().any(|guess| matches!(guess, Guess::NameSpelled { .. })))
            };
            if (depth == MentionDepth::Every || read.is_settled())
                && !whole.lines.iter().any(spelled)
            {
                assert_eq!(without_near(&read), without_near(&whole), "{}", path.display());
            }
        }
    }
    assert!(lists >= 36 && settled >= 5, "{lists} {settled}");
}

/// The clients of the Pokémon game write basic energies with a symbol, with the word `Energy` in place of a set, or with a number and no set.
#[test]
fn basic_energies_are_cards_of_the_game() {
    let game = "code = 'pond'\nname = 'Pond'\nrules_version = '1'\n[[kinds]]\ncode = 'energy'\nname = 'Source'";
    let game = Game::from_toml(game).unwrap();
    let card = |set: &str, number: &str, name: &str| PoolCard {
        key: format!("{set}/{number}"),
        set: set.to_owned(),
        released_on: None,
        definition: serde_json::from_value(
            json!({ "number": number, "name": name, "kind": "energy" }),
        )
        .unwrap(),
    };
    let catalogue = Catalogue::builder(&game)
        .add(card("sve", "2", "Basic Fire Energy"))
        .add(card("old", "9", "Grass Energy"))
        .build();
    let reading = DeckReading::new(&catalogue);
    let list = "****** Deck List ******\n* 4 Fire Energy Energy\n* 10 Basic {R} Energy  4\n* 3 Basic {R} Energy SVE 2\n* 2 Basic {G} Energy Energy\n* 1 Grass Energy 12\n";
    let expected = "ptcg_online, utf8: a line begins with \"##\" or is framed by asterisks\n\
        \x20 1 `****** Deck List ******` | ignored {\"reason\":\"decoration\"}\n\
        \x20 2 main: 4 Basic Fire Energy | accepted\n\
        \x20 3 main: 10 Basic Fire Energy | accepted\n\
        \x20 4 main: 3 Basic Fire Energy (SVE) 2 | accepted\n\
        \x20 5 main: 2 Grass Energy | accepted\n\
        \x20 6 main: 1 Grass Energy | accepted\n";
    assert_eq!(outline(&read_deck_bytes(list.as_bytes(), &reading)), expected);

    // It is the same if the caller says which dialect it is.
    let text = DeckText::new(list, Some(DeckDialect::PtcgOnline));
    let names = text.read(&reading).deck.entries.into_iter().map(|entry| entry.card.name);
    let fire = "Basic Fire Energy";
    assert_eq!(names.collect::<Vec<_>>(), [fire, fire, fire, "Grass Energy", "Grass Energy"]);

    let live = "Energy: 9\n4 Basic {R} Energy Energy 2\n4 Basic {R} Energy\n1 Boost Energy Energy";
    let read = read_deck_bytes(live.as_bytes(), &reading);
    assert_eq!(read.dialect, DeckDialect::PtcgLive);
    let entries = read.deck.entries.iter().map(|entry| (entry.quantity, &*entry.card.name));
    // A name that is not a basic energy stays as it is written.
    let expected = [(4, "Basic Fire Energy"), (4, "Basic Fire Energy"), (1, "Boost Energy Energy")];
    assert_eq!(entries.collect::<Vec<_>>(), expected);
}

/// Numbers with points count lines only if all of them are in order.
#[test]
fn quantities_with_points_may_rise() {
    let catalogue = shipped(HARBOUR);
    let reading = DeckReading::new(&catalogue);
    let quantities = |text: &str| {
        let entries = read_deck_bytes(text.as_bytes(), &reading).deck.entries.into_iter();
        entries.map(|entry| entry.quantity).collect::<Vec<_>>()
    };
    assert_eq!(quantities("1. Salt\n2. Silk\n3. Anchor\n3. Brig"), [1, 2, 3, 3]);
    assert_eq!(
        quantities("1. Salt\n2. Silk\n3. Anchor\n4x Brig\n1. Marble\n2. Gunpowder"),
        [1, 1, 1, 4, 1, 1]
    );
    // Two lines in order are numbered; a single one, and numbers that are not in order, are quantities.
    assert_eq!(quantities("4x Brig\n1. Marble\n2. Gunpowder"), [4, 1, 1]);
    assert_eq!(quantities("4x Brig\n1) Marble\n2) Gunpowder"), [4, 1, 1]);
    assert_eq!(quantities("4x Brig\n1. Marble"), [4, 1]);
    assert_eq!(quantities("4x Brig\n2. Marble\n1. Gunpowder"), [4, 2, 1]);
    // A line with a quantity changes nothing in the numbers around it.
    assert_eq!(quantities("1. Salt\n2. Silk\n4x Brig\n3. Anchor"), [1, 1, 4, 1]);
    assert_eq!(quantities("1. 4x Salt\n1 Brig\nSideboard\n1. 2x Silk"), [4, 1, 2]);
    // Headings may have numbers, too.
    assert_eq!(quantities("1. Ships (4)\n4 Brig\n2. Cargo (2)\n2 Salt"), [4, 2]);
    assert_eq!(quantities("1. Ships (4)\n4 Brig\n2. Cargo (0)\n3. Tools (2)\n2 Rope"), [4, 2]);
    assert_eq!(quantities("1. Ships (4)\n4 Brig\n2. Cargo (2)\n// cheap ones\n2 Salt"), [4, 2]);
    assert_eq!(quantities("1. Salt (2)\n2. Silk (4)\n3x Brig"), [2, 4, 3]);
    assert_eq!(quantities("1 Marble\n2 Gunpowder"), [1, 2]);
}

#[test]
fn a_zone_with_its_total_is_a_header() {
    let catalogue = shipped(HARBOUR);
    let reading = DeckReading::new(&catalogue);
    let list = b"Deck: 2 cards\n2 Salt\nSideboard: 1 card\n1 Silk";
    let read = read_deck_bytes(list, &reading);
    let entries = read.deck.entries.iter().map(|entry| (&*entry.zone, &*entry.card.name));
    assert_eq!(entries.collect::<Vec<_>>(), [("main", "Salt"), ("side", "Silk")]);
}

#[test]
fn headings_in_brackets_do_not_make_a_blank_line_the_sideboard() {
    let catalogue = shipped(HARBOUR);
    let list =
        b"[4 Cargo]\n4 Salt\n\n(1 Ships)\n1 Brig\n[2 Silk]\n(1 Sideboard)\n1 Anchor\n(8 cards)";
    let read = read_deck_bytes(list, &DeckReading::new(&catalogue));
    let entries = read.deck.entries.iter();
    let entries = entries.map(|entry| (&*entry.zone, entry.quantity, &*entry.card.name));
    assert_eq!(
        entries.collect::<Vec<_>>(),
        [("main", 4, "Salt"), ("main", 1, "Brig"), ("main", 2, "Silk"), ("side", 1, "Anchor")]
    );
}

/// Each of these lines opens a quotation that none of the later ones closes.
#[test]
fn open_quotations_do_not_make_a_table_of_many_lines_slow() {
    let catalogue = shipped(HARBOUR);
    let text = format!("Quantity,Name\n1,Salt\n{}1,Silk\n", "a\"b,\"\n".repeat(40_000));
    let read = read_deck_bytes(text.as_bytes(), &DeckReading::new(&catalogue));
    assert_eq!((read.lines.len(), read.lines_left_out), (10_000, 30_003));
    assert_eq!(read.lines[1].verdict, LineVerdict::Accepted);
}

/// Names may end with a word and a number, as sets and numbers without brackets do.
#[test]
fn words_after_a_name_are_a_place_only_if_the_game_has_the_set() {
    let (catalogue, known) = (shipped("uno-emoji"), known_sets("uno-emoji"));
    let reading = DeckReading::new(&catalogue).with_sets(&known);
    let read = read_deck_bytes(b"4 Wild Draw 4\n4 Wild Cards 9\n1 Red Skip box 41", &reading);
    let near = |at: usize| match &read.lines[at].verdict {
        LineVerdict::Unknown { near, .. } => near.clone(),
        other => panic!("{other:?}"),
    };
    assert!(near(0).iter().any(|name| name == "Wild Draw Four"), "{:?}", near(0));
    assert!(!near(1).is_empty());
    assert_eq!(read.lines[2].verdict, LineVerdict::Accepted);
    assert_eq!(read.deck.entries[0].card.name, "Wild Draw 4");
}

#[test]
fn symbols_have_quantities_and_names_beside_them() {
    let catalogue = shipped("emojito");
    let reading = DeckReading::new(&catalogue);
    let read = read_deck_bytes("😀: 2\n😀×3\n🙄 Joy".as_bytes(), &reading);
    let entries = read.deck.entries.iter().map(|entry| (entry.quantity, &*entry.card.name));
    assert_eq!(entries.collect::<Vec<_>>(), [(2, "Joy"), (3, "Joy"), (1, "Joy")]);
}

#[test]
fn rows_of_symbols_are_entries() {
    let catalogue = shipped("emoji-tcg");
    let reading = DeckReading::new(&catalogue);
    let entries = |text: &str| {
        let entries = read_deck_bytes(text.as_bytes(), &reading).deck.entries.into_iter();
        entries.map(|entry| (entry.quantity, entry.card.name)).collect::<Vec<_>>()
    };
    let entry = |quantity: u32, name: &str| (quantity, name.to_owned());
    let (smile, tears) = ("Tiny Smile", "Happy Tears");
    assert_eq!(entries("🙂🙂😂"), [entry(2, smile), entry(1, tears)]);
    assert_eq!(entries("- 🙂 🙂 😂 ×2"), [entry(4, smile), entry(2, tears)]);
    for list in ["🙂×2 😂×3", "- 🙂×2 😂×3", "2 🙂 3 😂"] {
        assert_eq!(entries(list), [entry(2, smile), entry(3, tears)], "{list}");
    }
    assert_eq!(entries("1. 🙂😂\n2. 🙂, 🙂"), [entry(1, smile), entry(1, tears), entry(2, smile)]);
    assert_eq!(entries("SB: 🙂🙂"), [entry(2, smile)]);
    // A symbol that no card shows stays in the list. A row without any card is a line as any other.
    assert_eq!(entries("🙂🀄"), [entry(1, smile), entry(1, "🀄")]);
    assert_eq!(entries("🀄🀄"), [entry(1, "🀄🀄")]);
    // Keycaps are symbols, but the digit before a name is its quantity.
    assert_eq!(entries("#\u{fe0f}\u{20e3}"), [entry(1, "Hashtag")]);
    assert_eq!(entries("#\u{20e3} x2"), [entry(2, "Hashtag")]);
    assert_eq!(entries("#\u{fe0f}\u{20e3}🙂#\u{20e3}"), [entry(2, "Hashtag"), entry(1, smile)]);
    assert_eq!(entries("1\u{fe0f}\u{20e3}"), [entry(1, "1\u{fe0f}\u{20e3}")]);
    assert_eq!(entries("2\u{fe0f}\u{20e3} Tiny Smile"), [entry(2, smile)]);
    assert_eq!(entries("2\u{fe0f}\u{20e3} 🙂🙂"), [entry(4, smile)]);

    let read = read_deck_bytes("// mine\n🙂🙂😂".as_bytes(), &reading);
    let lines = read.lines.iter().skip(1).map(|line| (line.line, &*line.text, line.entry));
    assert_eq!(lines.collect::<Vec<_>>(), [(2, "🙂", Some(0)), (2, "😂", Some(1))]);
    let how = vec![Guess::SymbolsCounted, Guess::BySymbol { name: smile.to_owned() }];
    assert_eq!(read.lines[1].verdict, LineVerdict::Guessed { how });
}

#[test]
fn one_symbol_has_the_quantity_beside_it() {
    let catalogue = shipped("emoji-tcg");
    let reading = DeckReading::new(&catalogue);
    let entries = |text: &str| {
        let entries = read_deck_bytes(text.as_bytes(), &reading).deck.entries.into_iter();
        entries.map(|entry| (entry.quantity, entry.card.name)).collect::<Vec<_>>()
    };
    let smile = |quantity: u32| vec![(quantity, "Tiny Smile".to_owned())];
    for list in
        ["🙂 (3)", "🙂 [3]", "🙂 <3>", "🙂 x(3)", "🙂3", "3🙂", "🙂 * 3", "🙂*3", "- 🙂 (3)"]
    {
        assert_eq!(entries(list), smile(3), "{list}");
    }
    // Before, this symbol was an unknown card, because the zone was taken for a set.
    assert_eq!(entries("🙂 x3 [Sideboard]"), smile(3));
    // A quantity before the line is the one that counts.
    assert_eq!(entries("2 🙂 (3)"), smile(2));
    let numbered = [smile(3), smile(1)].concat();
    assert_eq!(entries("1. 🙂 (3)\n2. 🙂"), numbered);
    assert_eq!(entries("1.🙂 (3)\n2.🙂"), numbered);
    let hashtag = |quantity: u32| (quantity, "Hashtag".to_owned());
    assert_eq!(entries("#\u{fe0f}\u{20e3} (2)"), [hashtag(2)]);
    assert_eq!(entries("🙂\n#\u{fe0f}\u{20e3}"), [smile(1), vec![hashtag(1)]].concat());

    let how = |list: &str| read_deck_bytes(list.as_bytes(), &reading).lines[0].verdict.clone();
    let by_symbol = Guess::BySymbol { name: "Tiny Smile".to_owned() };
    let guessed = |guess| LineVerdict::Guessed { how: vec![guess, by_symbol.clone()] };
    assert_eq!(how("🙂 (3)"), guessed(Guess::QuantityAfterName));
    assert_eq!(how("3🙂"), guessed(Guess::SymbolsCounted));
}

#[test]
fn a_keycap_of_the_number_sign_is_no_mark_of_a_list() {
    let hashtag = "#\u{fe0f}\u{20e3}";
    let catalogue = shipped("emoji-tcg");
    let read = |list: &str| read_deck_bytes(list.as_bytes(), &DeckReading::new(&catalogue));
    let list = format!("2 {hashtag}");
    assert_eq!(read(&list).dialect, DeckDialect::Plain);
    assert_eq!(read("2 Hashtag #mine").dialect, DeckDialect::Moxfield);
    let own = read(&format!("{hashtag}\n1 \"Hashtag\""));
    assert_eq!((own.dialect, own.deck.entries.len()), (DeckDialect::Own, 2));
    // In a game without such a card, it is an unknown card and not a heading.
    let other = shipped(HARBOUR);
    for list in [hashtag.to_owned(), hashtag.repeat(2), format!("{hashtag} 2\n2 Salt")] {
        let read = read_deck_bytes(list.as_bytes(), &DeckReading::new(&other));
        let verdict = &read.lines[0].verdict;
        assert!(matches!(verdict, LineVerdict::Unknown { .. }), "{list}: {verdict:?}");
    }
}

#[test]
fn rows_of_joined_and_ambiguous_symbols_are_read() {
    let catalogue = shipped("emojito");
    let reading = DeckReading::new(&catalogue);
    let relief = "😮\u{200d}💨";
    let text = format!("{relief}{relief}😀\n☺☺\u{fe0f}\n🙏\u{1f3fd}🙏🙏\u{1f3ff}");
    let read = read_deck_bytes(text.as_bytes(), &reading);
    let quantities = read.deck.entries.iter().map(|entry| entry.quantity);
    assert_eq!(quantities.collect::<Vec<_>>(), [2, 1, 2, 1, 1, 1]);
    let is_guessed = |line: &ReadLine| matches!(line.verdict, LineVerdict::Guessed { .. });
    assert!(read.lines.iter().all(is_guessed), "{read:?}");
    assert_eq!(read.deck.entries[3].card.name, "Gratitude");

    // Four cards of this game show the same symbol.
    let catalogue = shipped("uno-emoji");
    let read = read_deck_bytes("⏭⏭😍".as_bytes(), &DeckReading::new(&catalogue));
    assert!(
        matches!(&read.lines[0].verdict, LineVerdict::Ambiguous { candidates } if candidates.len() == 4)
    );
    assert_eq!((read.deck.entries[0].quantity, read.deck.entries[1].quantity), (2, 1));
}

/// A catalogue of the cards that a row mentions reads it as the catalogue of all cards does.
#[test]
fn rows_of_symbols_mention_each_symbol() {
    let (all, known) = (shipped("emojito"), known_sets("emojito"));
    for list in ["😀😀🙏\u{1f3fd}", "2\u{fe0f}\u{20e3} 😀🙏", "☺\u{fe0f}, 😀 ×2", "😀 (2)\n2🙏"]
    {
        let text = DeckText::new(list, None);
        let mentions = text.mentions(all.game(), MentionDepth::Every);
        let few = mentioned(&all, &mentions, &known);
        let read = text.read(&DeckReading::new(&few).with_sets(&known));
        assert_eq!(read, text.read(&DeckReading::new(&all).with_sets(&known)), "{list}");
        assert!(!text.read(&DeckReading::new(&all)).is_settled());
    }
}

#[test]
fn a_list_of_long_rows_has_no_more_results_than_lines_are_read() {
    let catalogue = shipped("emojito");
    let row = "😀😃😄😆🙂😌🤣😂🙏🤗\n".repeat(1_500);
    let read = read_deck_bytes(row.as_bytes(), &DeckReading::new(&catalogue));
    assert_eq!((read.lines.len(), read.lines_left_out), (10_000, 500));
}

#[test]
fn two_cards_in_a_line_and_files_without_text_are_told() {
    let catalogue = shipped(HARBOUR);
    let reading = DeckReading::new(&catalogue);
    let read = read_deck_bytes(b"2 Salt | 2 Silk", &reading);
    assert!(matches!(read.lines[0].verdict, LineVerdict::Unknown { .. }), "{read:?}");
    for file in [&b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"[..], b"\xff\xd8\xff\xe0JFIF", b"2 Salt\0\0\0"]
    {
        assert!(!DeckText::of_bytes(file, None).is_text());
        let read = read_deck_bytes(file, &reading);
        assert!(read.deck.entries.is_empty());
        assert!(read.lines[0].verdict.to_string().contains("this is no text"), "{read:?}");
    }
}

#[test]
fn a_name_with_commas_and_numbers_is_one_card() {
    let game = "code = 'pond'\nname = 'Pond'\nrules_version = '1'\n[[kinds]]\ncode = 'fish'\nname = 'Fish'";
    let game = Game::from_toml(game).unwrap();
    let card = |number: &str, name: &str| PoolCard {
        key: number.to_owned(),
        set: "shore".to_owned(),
        released_on: None,
        definition: serde_json::from_value(
            json!({ "number": number, "name": name, "kind": "fish" }),
        )
        .unwrap(),
    };
    let pike = card("1", "Pike");
    let few = Catalogue::builder(&game).add(pike.clone()).add(card("2", "Carp")).build();
    let all = Catalogue::builder(&game)
        .add(pike)
        .add(card("2", "Carp"))
        .add(card("3", "Pike, 1 Carp"))
        .build();
    let entries = |text: &str, catalogue: &Catalogue| {
        let read = read_deck_bytes(text.as_bytes(), &DeckReading::new(catalogue));
        let entries = read.deck.entries.into_iter();
        entries.map(|entry| (entry.quantity, entry.card.name)).collect::<Vec<_>>()
    };
    let entry = |quantity: u32, name: &str| (quantity, name.to_owned());
    for list in ["2 Pike, 1 Carp", "// format: pond/open\n2 Pike, 1 Carp"] {
        assert_eq!(entries(list, &all), [entry(2, "Pike, 1 Carp")], "{list}");
        assert_eq!(entries(list, &few), [entry(2, "Pike"), entry(1, "Carp")], "{list}");
    }
    // A line of which no part is a card stays as it is written.
    assert_eq!(entries("2 Tench, 1 Roach", &all), [entry(2, "Tench, 1 Roach")]);
    // The line mentions the cards of its parts, which count as entries.
    let text = DeckText::new("Pike x2, Carp x1\n1 Pike", None);
    let mentions = text.mentions(&game, MentionDepth::Every);
    assert!(mentions.names.contains("Pike") && mentions.names.contains("Carp"), "{mentions:?}");
    assert_eq!(text.entry_count(&game), 3);
}

#[test]
fn lines_that_are_no_entries_are_counted() {
    let catalogue = shipped(HARBOUR);
    for (list, entries, lines) in [
        ("// Salt\n\n\n2 Salt\n1 Silk\n\n", 2, 3),
        // Each line of an id is one copy of an entry.
        ("#main\n7\n7\n7\n\n8\n!side", 2, 6),
    ] {
        let text = DeckText::new(list, None);
        let read = text.lines(catalogue.game());
        assert_eq!((read.entry_count(), read.line_count()), (entries, lines), "{list}");
        let verdicts = text.read(&DeckReading::new(&catalogue)).lines.len();
        assert_eq!(verdicts, lines, "{list}");
    }
}

#[test]
fn blank_lines_do_not_count_towards_the_most_lines() {
    let catalogue = shipped(HARBOUR);
    let lines = "1 Salt\n\n".repeat(DECK_LINES_MAX);
    let table = format!("Quantity,Name\n{}", "1,Salt\n\n".repeat(DECK_LINES_MAX - 1));
    for list in [lines, table] {
        for (more, left_out) in [("", 0), ("1,Salt\n\n1,Salt\n", 2)] {
            let text = DeckText::new(&format!("{list}{more}"), None);
            let read = text.lines(catalogue.game());
            assert_eq!((read.line_count(), read.left_out()), (DECK_LINES_MAX, left_out));
        }
    }
}

#[test]
fn an_unknown_symbol_has_the_quantity_beside_it() {
    let catalogue = shipped("emoji-tcg");
    for list in ["🀄 (2)", "🀄 (2)\n1 Tiny Smile", "- 🀄 (2)", "🀄2", "2🀄"] {
        let read = read_deck_bytes(list.as_bytes(), &DeckReading::new(&catalogue));
        let (line, entry) = (&read.lines[0], &read.deck.entries[0]);
        let unknown = LineVerdict::Unknown { near: Vec::new(), reason: None };
        assert_eq!(line.verdict, unknown, "{list}");
        assert_eq!((entry.quantity, &*entry.card.name), (2, "🀄"), "{list}");
    }
}

#[test]
fn long_lines_are_given_as_they_are_written() {
    let catalogue = shipped(HARBOUR);
    let list = format!("2 Salt // {}", "x".repeat(400));
    let read = read_deck_bytes(list.as_bytes(), &DeckReading::new(&catalogue));
    assert_eq!(read.lines[0].text, list);
    let remark = Guess::RemarkDropped { remark: "x".repeat(400) };
    assert_eq!(read.lines[0].verdict, LineVerdict::Guessed { how: vec![remark] });
}

#[test]
fn utf_16_is_recognised_without_a_byte_order_mark() {
    let text = "2 Salt\n1 Café “Quay”\n";
    let units: Vec<u16> = text.encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for bytes in [little, big] {
        assert_eq!(decode_deck_text(&bytes), (text.into(), TextEncoding::Utf16));
    }
    // A stray zero byte is not a sign of UTF-16.
    let stray = "2 Salt\0 and pepper\n";
    assert_eq!(decode_deck_text(stray.as_bytes()), (stray.into(), TextEncoding::Utf8));
}

#[test]
fn a_line_serialises_flat() {
    let catalogue = shipped(HARBOUR);
    let read = read_deck_bytes(b"2 Salt (reef)\n# note\n1 Slat", &DeckReading::new(&catalogue));
    assert_eq!(
        json_of(&read),
        json!({
            "dialect": "plain", "recognised_by": "it has no marks of another dialect", "encoding": "utf8", "notes": {},
            "deck": { "entries": [
                { "zone": "main", "quantity": 2, "card": { "name": "Salt" } },
                { "zone": "main", "quantity": 1, "card": { "name": "Slat" } },
            ] },
            "lines": [
                {
                    "line": 1, "text": "2 Salt (reef)", "entry": 0, "status": "guessed",
                    "how": [{ "guess": "set_dropped", "set": "reef" }],
                },
                { "line": 2, "text": "# note", "status": "ignored", "reason": "comment" },
                { "line": 3, "text": "1 Slat", "entry": 1, "status": "unknown", "near": ["Salt"] },
            ],
        })
    );
    assert_eq!(read.lines[1].verdict, LineVerdict::Ignored(IgnoredReason::Comment));
    assert_eq!(
        read.lines[0].verdict,
        LineVerdict::Guessed { how: vec![Guess::SetDropped { set: "reef".to_owned() }] }
    );
}
