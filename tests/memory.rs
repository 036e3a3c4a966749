//! The cost of reading untrusted files: memory and processor time must grow at most in proportion to the bytes of the file, whatever it contains. An
//! allocator counts the memory of each thread separately; the processor time is that of the thread. This is a separate test program, because the
//! allocator replaces that of the whole process.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]
#![allow(unsafe_code, reason = "an allocator and the thread's clock")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use cardscape::domain::catalogue::import::{GameImport, GameSource, SourceFile};
use cardscape::domain::collection::table::{FileFormat, Table};
use cardscape::domain::decks::list::{CheckedList, check_list};
use cardscape::domain::effects::effect_texts::EffectTexts;
use cardscape_engine::{Catalogue, DeckReading, Game, read_deck};

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

fn count(bytes: isize) {
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    if live > PEAK.get() {
        PEAK.set(live);
    }
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

// SAFETY: every call is passed on to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-signed(layout.size()));
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(signed(size) - signed(layout.size()));
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Processor time of this thread.
fn clock() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for the write.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}

/// Runs work and returns its peak of allocated bytes and its processor time.
fn cost<T>(work: impl FnOnce() -> T) -> (usize, Duration) {
    let (before, started) = (LIVE.get(), clock());
    PEAK.set(before);
    let done = work();
    let cost = (usize::try_from(PEAK.get() - before).unwrap(), clock().saturating_sub(started));
    drop(done);
    cost
}

const SMALL: usize = 64 * 1024;
/// The large file has this many times the size of the small one.
const TIMES: u32 = 8;

/// Reads a small and a large file of the same kind. The peak must be at most `fixed` bytes plus `factor` bytes for each byte of the file. Work that grows
/// with the square of the size would be 64 times as much for the large file. About a third of that is allowed, plus 20 ms, because shorter times cannot
/// be measured.
fn bounded<T>(
    name: &str,
    fixed: usize,
    factor: usize,
    file: impl Fn(usize) -> String,
    read: impl Fn(&str) -> T,
) {
    let costs = [SMALL, SMALL * TIMES as usize].map(|size| {
        let file = file(size);
        assert!((size / 2..=size * 2).contains(&file.len()), "{name}: {} for {size}", file.len());
        let costs: Vec<_> = (0..2).map(|_| cost(|| read(&file))).collect();
        let peak = costs.iter().map(|(peak, _)| *peak).max().unwrap();
        let most = fixed + factor * file.len();
        assert!(peak <= most, "{name}: {peak} bytes for a file of {}, not {most}", file.len());
        costs.into_iter().map(|(_, time)| time).min().unwrap()
    });
    let most = costs[0] * TIMES * 3 + Duration::from_millis(20);
    assert!(
        costs[1] <= most,
        "{name}: {:?} for the large file, {:?} for the small one",
        costs[1],
        costs[0]
    );
}

/// A text of about `size` bytes: a beginning, repeated pieces and an end.
fn filled(size: usize, begin: &str, piece: impl Fn(usize) -> String, end: &str) -> String {
    let mut text = begin.to_owned();
    let mut at = 0;
    while text.len() < size {
        text += &piece(at);
        at += 1;
    }
    text + end
}

#[test]
fn reading_collections_costs_in_proportion_to_the_file() {
    // The number of lines has a fixed limit, and so have their records and headings.
    let fixed = 24 * 1024 * 1024;
    let csv = |name: &str, begin: &str, piece: &str| {
        let file = |size| filled(size, begin, |_| piece.to_owned(), "");
        bounded(name, fixed, 4, file, |text| Table::read(FileFormat::Csv, text.as_bytes()));
    };
    csv("a heading of commas", "", ",");
    csv("a line of commas", "Name\n", ",");
    csv("lines of a letter", "Name\n", "a\n");
    csv("lines that cannot be read", "Name,Quantity\n", "a,b\n");
    csv("empty lines", "Name\n", "\n");
    csv("blank lines", "Name\n", ",\n");
    csv("an open quotation mark", "Name\n\"", "\n");
    csv("quotation marks", "Name\n", "\"");
    csv("one long name", "Name\n", "a");
    csv("wide blank lines", &format!("Name{}\n", ",x".repeat(999)), &(",".repeat(999) + "\n"));
    csv("long lines", "Name,Set,Game,Rarity\n", &format!("{0},{0},{0},{0}\n", "x".repeat(120)));
    csv("wide lines", "Name\n", &("a".to_owned() + &",b".repeat(2_000) + "\n"));
    let json = |name: &str, begin: &str, piece: &dyn Fn(usize) -> String, end: &str| {
        let file = |size| filled(size, begin, piece, end);
        bounded(name, fixed, 4, file, |text| Table::read(FileFormat::Json, text.as_bytes()));
    };
    json("many keys", "[{\"name\":\"a\"", &|at| format!(",\"k{at}\":0"), "}]");
    let wide = format!(
        "[{{\"name\":\"a\"{}}}",
        (0..999).map(|at| format!(",\"k{at}\":0")).collect::<String>()
    );
    json("wide, then empty", &wide, &|_| ",{}".to_owned(), "]");
    json("an empty key", "[{\"name\":0}", &|_| ",{\"\":0}".to_owned(), "]");
    json("one key again and again", "[{\"name\":\"a\"", &|_| ",\"name\":\"b\"".to_owned(), "}]");
    json("what is not kept", "[{\"name\":\"a\",\"x\":[0", &|_| ",{\"y\":[[]]}".to_owned(), "]}]");
    json("what is no list", "{\"cards\":[0", &|_| ",{}".to_owned(), "]}");
    json("depth", "[{\"name\":", &|_| "[".to_owned(), "");
    json("a long text", "[{\"name\":\"", &|_| "\\n".to_owned(), "\"}]");
}

const GAME: &str = r#"
code = "pond"
name = "Pond"
rules_version = "pond/1"
[[rarities]]
code = "common"
name = "Common"
[[kinds]]
code = "fish"
name = "Fish"
attributes.size = { type = "integer", min = 1, max = 9 }
attributes.colours = { type = "choices", values = ["red", "blue"] }
"#;

fn import(manifest: &str, sets: &[&str]) -> bool {
    let manifest = SourceFile::new("game.toml", manifest);
    let sets = sets.iter().map(|set| SourceFile::new("set.json", set)).collect();
    GameImport::check(&GameSource { manifest, sets }).is_ok()
}

/// A manifest has at most 512 KiB. Its text is first parsed to a tree.
#[test]
fn reading_manifests_costs_in_proportion_to_the_file() {
    let manifest = |name: &str, begin: &str, piece: &dyn Fn(usize) -> String, end: &str| {
        let begin = GAME.to_owned() + begin;
        let file = |size| filled(size, &begin, piece, end);
        bounded(name, 4 * 1024 * 1024, 160, file, |text| import(text, &[]));
    };
    manifest("zones", "", &|at| format!("[[zones]]\ncode=\"z{at}\"\nname=\"Z\"\n"), "");
    manifest("empty zones", "", &|_| "[[zones]]\n".to_owned(), "");
    manifest("kinds", "", &|at| format!("[[kinds]]\ncode=\"k{at}\"\nname=\"K\"\n"), "");
    manifest("unknown keys", "[unknown]\n", &|at| format!("k{at}=1\n"), "");
    manifest("tables of one key", "", &|at| format!("[t{at}]\na=1\n"), "");
    manifest("a list of numbers", "a=[", &|_| "1,".to_owned(), "]");
    manifest("a list of lists", "a=[", &|_| "[],".to_owned(), "]");
    manifest("a list of tables", "a=[", &|_| "{},".to_owned(), "]");
    manifest("dotted keys", "", &|at| format!("d.k{at}=1\n"), "");
    let values = "attributes.rank = { type = \"choice\", values = [";
    manifest("values of an attribute", values, &|at| format!("\"v{at}\","), "] }");
    let attribute = |at| format!("attributes.a{at} = {{ type = \"boolean\" }}\n");
    manifest("attributes", "", &attribute, "");
    let format = "[[formats]]\ncode=\"f\"\nname=\"F\"\nversion=\"1\"\n";
    let rule = |_| "[[formats.rules]]\nrule=\"1\"\ntext=\"T\"\nzone_size.exactly=1\n".to_owned();
    manifest("rules", format, &rule, "");
    let limits = format.to_owned()
        + "[[formats.rules]]\nrule=\"1\"\ntext=\"T\"\n[formats.rules.limit_list.cards]\n";
    manifest("a limit list", &limits, &|at| format!("c{at}=1\n"), "");
    manifest("comments", "", &|_| "#\n".to_owned(), "");
    manifest("one long text", "description=\"", &|_| "x".to_owned(), "\"");
    manifest("depth", "a=", &|_| "[".to_owned(), "");
}

/// A set file has at most 8 MiB.
#[test]
fn reading_set_files_costs_in_proportion_to_the_file() {
    let file = |name: &str, begin: &str, piece: &dyn Fn(usize) -> String, end: &str| {
        let file = |size| filled(size, begin, piece, end);
        bounded(name, 40 * 1024 * 1024, 64, file, |text| import(GAME, &[text]));
    };
    let cards = r#"{"code":"lake","name":"Lake","cards":["#;
    let card = |at: usize| {
        format!(
            r#"{{"number":"{at:04}","name":"Fish {at}","kind":"fish","attributes":{{"size":3,"colours":["red"]}},"printings":[{{"rarity":"common"}}]}},"#
        )
    };
    let last =
        r#"{"number":"x","name":"Last","kind":"fish","attributes":{"size":1,"colours":[]}}]}"#;
    file("cards", cards, &card, last);
    file("empty cards", cards, &|_| "{},".to_owned(), "{}]}");
    file("small objects", cards, &|_| "{\"\":0},".to_owned(), "{}]}");
    file("small lists", cards, &|_| "[[]],".to_owned(), "{}]}");
    file("numbers", cards, &|_| "0,".to_owned(), "0]}");
    let same = |_| r#"{"number":"1","name":"Fish","kind":"fish","attributes":{}},"#.to_owned();
    let long = format!(r#"{cards}{{"number":"1","name":"{}","kind":"fish"}},"#, "x".repeat(19_000));
    file("the same number as a card with a long name", &long, &same, last);
    let odd = |at: usize| {
        let attributes: String = (0..900).map(|at| format!("\"a{at}\":0,")).collect();
        format!(
            r#"{{"number":"{at}","name":"{}","kind":"fish","attributes":{{{attributes}"size":1}}}},"#,
            "x".repeat(9_000)
        )
    };
    file("unknown attributes of cards with long names", cards, &odd, last);
    let repeated = |at: usize| {
        format!(
            r#"{{"number":"{at}","name":"F{at}","kind":"fish","attributes":{{"colours":[{}"red"]}},"printings":[{}{{"rarity":"common"}}]}},"#,
            "\"red\",".repeat(900),
            r#"{"rarity":"common"},"#.repeat(900)
        )
    };
    file("values and printings again and again", cards, &repeated, last);
    file(
        "keys that stand twice",
        r#"{"code":"a","cards":[{"#,
        &|_| "\"a\":0,".to_owned(),
        "\"b\":0}]}",
    );
    let deep = format!("{{\"{}\":", "x".repeat(190)).repeat(100);
    file("keys that stand twice, far down", &deep, &|_| "\"a\":0,".to_owned(), "");
    file("one long text", "{\"name\":\"", &|_| "x".to_owned(), "\"}");
    file("depth", "", &|_| "[".to_owned(), "");
}

fn texts(lines: &str) -> EffectTexts {
    let mut lines = lines.lines().map(str::to_owned);
    let templates = lines.next().into_iter().collect();
    EffectTexts {
        templates,
        placeholders: BTreeMap::from([("a".to_owned(), lines.collect())]),
        removals: Vec::new(),
        replacements: Vec::new(),
    }
}

/// All effect texts of a game have at most 1 MiB and 20,000 values.
#[test]
fn reading_effect_texts_costs_in_proportion_to_the_file() {
    let fixed = 48 * 1024 * 1024;
    let values = |name: &str, first: &str, piece: &dyn Fn(usize) -> String| {
        let file = |size| filled(size, first, piece, "");
        bounded(name, fixed, 64, file, |text| texts(text).check().is_ok());
    };
    values("values", "<a>\n", &|at| {
        format!("{at} is a value of sixty letters, or of about as many, no more\n")
    });
    // Each has at least 27 bytes: more than 20,000 values are refused before they are read.
    values("short values", "<a>\n", &|at| format!("{at:0>26}\n"));
    values("places", "<a> <a+1> <a-1>\n", &|_| "<b> <b> <b> <b> <b> <b> <b>\n".to_owned());
    values("values that lead back", "<a>\n", &|_| "<a> and again and once more\n".to_owned());
    values("one long value", "<a>\n", &|_| "x".to_owned());
    values("a long template", "", &|_| "<a>".to_owned());
}

/// Deck lists arrive in bodies of at most 256 KiB. The large list here is twice as large.
#[test]
fn reading_deck_lists_costs_in_proportion_to_the_file() {
    let game = "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'";
    let catalogue = Catalogue::builder(&Game::from_toml(game).unwrap()).build();
    let read_list =
        |list: &str| -> CheckedList { check_list(read_deck(list, &DeckReading::new(&catalogue))) };
    let list = |name: &str, begin: &str, piece: &dyn Fn(usize) -> String| {
        let file = |size| filled(size, begin, piece, "");
        bounded(name, 1024 * 1024, 256, file, read_list);
    };
    list("cards", "", &|at| format!("4 Fish {at}\n"));
    list("letters", "", &|_| "a\n".to_owned());
    list("numbers", "", &|_| "1\n".to_owned());
    list("headings", "", &|_| "# a\n".to_owned());
    list("comments", "", &|_| "// a: b\n".to_owned());
    list("one long line", "4 ", &|_| "x".to_owned());
    list("brackets", "4 x ", &|_| "(".to_owned());
    list("spaces", "", &|_| " ".to_owned());
}
