//! Measures searches for similar names: `cargo bench -p cardscape-search --bench names`. Names consist of common words,
//! so that most share a word with many others, or also have an invented word, as in the synthetic catalogue of the service.

use std::sync::{Arc, LazyLock};

use cardscape_engine::rng::{RandomNumbers as _, SplitMix64};
use cardscape_engine::search_key;
use cardscape_search::Words;
use cardscape_search::index::{
    Builder, CardContent, CardRecord, NamePlace, NameQuery, Snapshot, Unlock,
};
use divan::{Bencher, black_box};
use serde_json::Map;

#[rustfmt::skip]
const WORDS: [&str; 259] = [
    "quiet", "old", "bright", "hollow", "red", "patient", "salt", "lost", "golden", "bitter", "winter", "iron",
    "gentle", "broken", "early", "silver", "deep", "stray", "hungry", "green", "late", "brave", "paper", "grey",
    "wild", "humble", "thorny", "blue", "crooked", "sleepless", "amber", "narrow", "rusty", "merry", "cold",
    "velvet", "northern", "smoky", "stubborn", "pale", "copper", "restless", "mossy", "sunken", "clever",
    "frosted", "violet", "dusty", "wandering", "proud", "ashen", "drowsy", "glass", "feathered", "tidal",
    "blind", "scarlet", "leaden", "barefoot", "honeyed", "moonlit", "knotted", "sevenfold", "unnamed",
    "lantern", "river", "fox", "keeper", "stone", "bell", "garden", "ferry", "moth", "ember", "warden",
    "kettle", "storm", "gate", "raven", "orchard", "hammer", "tide", "shepherd", "mirror", "root", "engine",
    "heron", "candle", "giant", "thimble", "harbour", "wolf", "scribe", "bridge", "beetle", "crown", "meadow",
    "anchor", "witness", "drum", "glacier", "spider", "baker", "tower", "cloud", "needle", "badger", "choir",
    "furnace", "pilgrim", "feather", "cellar", "comet", "miller", "toad", "ladder", "juggler", "reef",
    "sparrow", "archive", "wheel", "mason", "willow", "puppet", "cavern", "otter", "sail", "oracle",
    "bramble", "clock", "smith", "marsh", "falcon", "quilt", "ghost", "mountain", "tailor", "beacon", "snail",
    "vault", "dancer", "hedge", "sphinx", "cartographer", "plough", "dune", "weaver", "stag", "cradle",
    "abbey", "whale", "tinker", "prism", "usher", "barrow", "lark", "quarry", "mosaic", "cicada", "zephyr",
    "dragon", "knight", "queen", "king", "sword", "shield", "tortoise", "turtle", "hare", "owl", "cat", "hound",
    "serpent", "angel", "demon", "soldier", "archer", "mage", "priest", "thief", "captain", "sailor", "pirate",
    "island", "forest", "desert", "swamp", "castle", "temple", "tomb", "grave", "dawn", "dusk", "night",
    "summer", "autumn", "spring", "thunder", "lightning", "rain", "snow", "frost", "flame", "fire", "water",
    "earth", "wind", "light", "shadow", "blood", "bone", "skull", "heart", "hand", "eye", "tooth", "claw",
    "wing", "horn", "scale", "song", "dream", "sleep", "memory", "secret", "promise", "oath", "curse",
    "blessing", "charm", "spell", "potion", "elixir", "scroll", "tome", "crystal", "pearl", "ruby", "emerald",
    "sapphire", "diamond", "coin", "merchant", "market", "wagon", "road", "journey", "return", "revenge",
    "triumph", "defeat", "battle", "siege", "ambush", "duel", "tournament", "feast", "festival", "harvest",
];

/// A random generator that returns the same numbers for the same seed.
struct Chance(SplitMix64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0.below_by_product(end)
    }

    fn word(&mut self) -> String {
        let word = WORDS[usize::try_from(self.below(WORDS.len() as u64)).unwrap_or_default()];
        word[..1].to_uppercase() + &word[1..]
    }

    /// A word of four random syllables.
    fn invented(&mut self) -> String {
        let mut letter = |from: &str| {
            let at = usize::try_from(self.below(from.len() as u64)).unwrap_or_default();
            from[at..=at].to_owned()
        };
        (0..4).map(|_| letter("bdfgjklmnprstvwz") + &letter("aeiou")).collect()
    }
}

fn name(at: u64, has_invented: bool) -> String {
    let chance = &mut Chance(SplitMix64::new(at));
    let (one, other, third) = (chance.word(), chance.word(), chance.word());
    match (has_invented, chance.below(2)) {
        (true, 0) => format!("{}, {one} {other}", chance.invented()),
        (true, _) => format!("The {one} {other} of {}", chance.invented()),
        (false, 0) => format!("{one} {other}"),
        (false, _) => format!("{one} {other} {third}"),
    }
}

fn card(at: u64, has_invented: bool) -> CardRecord {
    let name = name(at, has_invented);
    let attributes = Map::new();
    CardRecord {
        id: u128::from(at.wrapping_mul(0xd134_2543_de82_ef95)) << 64 | u128::from(at),
        // Most cards belong to one game, as in the service.
        game: if at.is_multiple_of(8) { "aa" } else { "bb" }.to_owned(),
        set: format!("set{:02}", at / 8 % 40),
        number: format!("{:05}", at / 320),
        unlock: Unlock::Never,
        content: Some(CardContent {
            kind: "unit".to_owned(),
            words: Words::of(&name, &[], None, &attributes),
            name,
            attributes,
            effects: Vec::new(),
            has_lore: false,
            printings: Vec::new(),
        }),
    }
}

fn cards(many: u64, has_invented: bool) -> Arc<Snapshot> {
    let mut builder = Builder::new();
    (0..many).for_each(|at| builder.push(card(at, has_invented)));
    let now = builder.finish().snapshot();
    let bytes = |part: &str| now.memory().get(part).copied().unwrap_or_default();
    eprintln!("{many} cards: {} bytes of names, {} of trigrams", bytes("names"), bytes("trigrams"));
    now
}

static FEW: LazyLock<Arc<Snapshot>> = LazyLock::new(|| cards(20_000, false));
static MANY: LazyLock<Arc<Snapshot>> = LazyLock::new(|| cards(200_000, false));
static INVENTED: LazyLock<Arc<Snapshot>> = LazyLock::new(|| cards(20_000, true));

/// How a typed name differs from the name of a card.
const KINDS: &[&str] =
    &["exact", "typo", "swapped", "longer", "common word", "prefix words", "looks like", "unlike"];

/// Ten typed names, because the time for a single one depends too much on its words.
fn typed(kind: &str, has_invented: bool) -> Vec<String> {
    let of = |at: u64| {
        let own = name(at * 1_009 + 1, has_invented);
        let mut words: Vec<&str> = own.split(' ').collect();
        match kind {
            "exact" => own,
            // The fourth letter is left out.
            "typo" => own.chars().take(3).chain(own.chars().skip(4)).collect(),
            "swapped" => {
                words.rotate_left(1);
                words.join(" ")
            }
            "longer" => format!("{own} the Second"),
            "common word" => WORDS[usize::try_from(at).unwrap_or_default() * 20].to_owned(),
            "prefix words" => {
                words.iter().map(|word| word.get(..3).unwrap_or(word)).collect::<Vec<_>>().join(" ")
            }
            // Letters are replaced by others that look like them.
            "looks like" => own.replace('m', "rn").replace('w', "vv"),
            "unlike" => "xyqzzyxuqq".chars().cycle().skip(1).take(9 + words.len()).collect(),
            other => unreachable!("{other}"),
        }
    };
    (0..10).map(of).collect()
}

fn query(text: &str) -> NameQuery {
    NameQuery { search_key: search_key(text), words: cardscape_search::words(text), near: true }
}

fn near(bencher: Bencher<'_, '_>, now: &Snapshot, kind: &str, has_invented: bool) {
    let queries: Vec<NameQuery> = typed(kind, has_invented).iter().map(|one| query(one)).collect();
    let place = NamePlace { game: Some("bb"), set: None };
    bencher.counter(divan::counter::ItemsCount::new(queries.len())).bench(|| {
        queries.iter().map(|query| now.named(place, black_box(query), &[]).len()).sum::<usize>()
    });
}

#[divan::bench(args = KINDS)]
fn near_20_000(bencher: Bencher<'_, '_>, kind: &str) {
    near(bencher, &FEW, kind, false);
}

#[divan::bench(args = KINDS)]
fn near_200_000(bencher: Bencher<'_, '_>, kind: &str) {
    near(bencher, &MANY, kind, false);
}

#[divan::bench(args = KINDS)]
fn near_20_000_invented(bencher: Bencher<'_, '_>, kind: &str) {
    near(bencher, &INVENTED, kind, true);
}

fn main() {
    divan::main();
}
