//! Finds the printing that a line means, among the cards that its owner may see. Nothing is guessed: a line that may mean several printings is
//! ambiguous, with the choices.

use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use cardscape_engine::{Game, name_key, near, search_key, word_key};

use super::table::{LineFault, WantedPrinting, strip_brackets};
use crate::domain::catalogue::card_name::TypedName;
use crate::domain::ids::{CardId, PrintingId};

/// Most choices of one ambiguous line.
const MAX_CHOICES: usize = 10;

/// Most unknown words for which similar ones are searched: a file may be full of them.
const MAX_SUGGESTIONS: usize = 100;

/// A printing that a line may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownPrinting {
    pub id: PrintingId,
    pub rarity: String,
}

/// A card that a line may mean: one that the owner may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCard {
    pub id: CardId,
    pub game: String,
    pub set: String,
    /// Collector number.
    pub number: String,
    /// Name; `None`: the card is hidden from the owner, who counted it before.
    pub name: Option<String>,
    /// Its printings, the most common first. Of a card that is hidden from the owner: those that lines have named, without rarity.
    pub printings: Vec<KnownPrinting>,
}

/// What a card was before it was renamed or moved, and what the cards were that were merged into it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormerCard {
    pub names: Vec<String>,
    /// Sets and collector numbers.
    pub places: Vec<(String, String)>,
}

/// A line with the id of a printing that means nothing as cards are now: it may be from an older export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outdated {
    /// The printing is of this card, which the line calls something else.
    Card(CardId),
    /// There is no such printing, and the line names one of these places: game, set, and number in every spelling.
    Places(Vec<(String, String, String)>),
}

/// A game or a set: code and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Titled {
    /// Code of its game; of a game its own.
    pub game: String,
    pub code: String,
    /// Name for people.
    pub name: String,
}

/// Games, or sets, by code and by name.
#[derive(Debug, Default)]
struct Titles {
    all: Vec<Titled>,
    by_code: HashMap<String, Vec<usize>>,
    by_name: HashMap<String, Vec<usize>>,
    /// Similar words for unknown words; they are cached because lines repeat each other.
    near: Mutex<HashMap<String, Vec<String>>>,
}

impl From<Vec<Titled>> for Titles {
    fn from(all: Vec<Titled>) -> Self {
        let mut titles = Self::default();
        for (at, titled) in all.iter().enumerate() {
            titles.by_code.entry(titled.code.to_ascii_lowercase()).or_default().push(at);
            let name = name_key(&titled.name);
            if !name.is_empty() {
                titles.by_name.entry(name).or_default().push(at);
            }
        }
        Self { all, ..titles }
    }
}

impl Titles {
    fn find_by_code(&self, text: &str) -> &[usize] {
        self.by_code.get(&text.to_ascii_lowercase()).map_or(&[], Vec::as_slice)
    }

    fn find_by_name(&self, text: &str) -> &[usize] {
        self.by_name.get(&name_key(text)).map_or(&[], Vec::as_slice)
    }
}

impl Titles {
    /// Codes or names that are similar to words that name no game or set; only of these games, if any are given.
    fn near_to(&self, texts: &[String], games: Option<&[&str]>) -> Vec<String> {
        let mut kept = self.near.lock().unwrap_or_else(PoisonError::into_inner);
        let key = format!("{texts:?} {games:?}");
        if let Some(known) = kept.get(&key) {
            return known.clone();
        }
        if kept.len() >= MAX_SUGGESTIONS {
            return Vec::new();
        }
        let all = self.all.iter();
        let all = all.filter(|one| games.is_none_or(|games| games.contains(&one.game.as_str())));
        let near_to = |text: &String| {
            let codes = near(text, all.clone().map(|one| one.code.as_str()));
            let of_names = || near(text, all.clone().map(|one| one.name.as_str()));
            if codes.is_empty() { of_names() } else { codes }
        };
        let found = texts.iter().map(near_to).find(|near| !near.is_empty()).unwrap_or_default();
        let found: Vec<String> = found.into_iter().map(str::to_owned).collect();
        kept.insert(key, found.clone());
        found
    }
}

/// Codes of game and set.
type SetCodes<'s> = Vec<(&'s str, &'s str)>;

/// The games, sets and cards that lines may mean.
#[derive(Debug, Default)]
pub struct CardResolver {
    games: Titles,
    sets: Titles,
    cards: Vec<KnownCard>,
    /// Indices of cards.
    known: BTreeMap<CardId, usize>,
    by_search_key: BTreeMap<String, Vec<usize>>,
    /// Indices of cards by game, set and number without leading zeros.
    by_place: BTreeMap<(String, String, String), Vec<usize>>,
    by_printing: BTreeMap<PrintingId, usize>,
    /// What cards were before, by their indices.
    former: BTreeMap<usize, FormerCard>,
    /// Like `by_place`, for former places.
    by_former_place: BTreeMap<(String, String, String), BTreeSet<usize>>,
}

/// How to read lines with missing values.
#[derive(Clone, Debug, Default)]
pub struct Assumptions {
    /// The game of lines that name none.
    pub game: Option<String>,
    /// Whether lines without a rarity mean the most common printing of their card.
    pub most_common: bool,
    /// Words for rarities.
    pub rarities: RarityWords,
}

/// Words for the rarities of games: codes, names and aliases of their manifests. They mean what they mean in decks.
#[derive(Clone, Debug, Default)]
pub struct RarityWords(BTreeMap<String, WordsOfGame>);

#[derive(Clone, Debug)]
struct WordsOfGame {
    game: Game,
    /// The codes of rarities by words as the manifest spells them. Files may have a word in each of many lines.
    spelled: BTreeMap<String, String>,
}

impl RarityWords {
    /// The words of these games.
    pub fn from_games<'g>(games: impl IntoIterator<Item = &'g Game>) -> Self {
        let words = |game: &Game| {
            let rarities = game.rarities().iter();
            let all = rarities
                .flat_map(|rarity| rarity.aliases.iter().chain([&rarity.code, &rarity.name]));
            let spelled =
                all.filter_map(|word| Some((word.clone(), game.rarity_called(word)?.code.clone())));
            let words = WordsOfGame { game: game.clone(), spelled: spelled.collect() };
            (game.code().to_owned(), words)
        };
        Self(games.into_iter().map(words).collect())
    }

    /// The code of the rarity that a word means in a game.
    fn code(&self, game: &str, word: &str) -> Option<&str> {
        let WordsOfGame { game, spelled } = self.0.get(game)?;
        let called = || game.rarity_called(word).map(|rarity| rarity.code.as_str());
        spelled.get(word).map(String::as_str).or_else(called)
    }
}

/// A card or printing that a line may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub game: String,
    pub set: String,
    /// Collector number.
    pub number: String,
    pub name: Option<String>,
    /// The printing with its rarity, if the card is certain.
    pub printing: Option<KnownPrinting>,
}

/// What a line means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    Printing(Box<Choice>, PrintingId),
    /// One of several printings. The reason reveals nothing about hidden cards; the choices contain only what the owner may see.
    Ambiguous(LineFault, Vec<Choice>),
    /// Nothing that the owner may see, with the nearest choices, if there are any.
    Unknown(LineFault, Vec<Choice>),
}

/// Spellings of a number that cards may have: as written, without leading zeros, and padded with zeros to up to four digits.
pub fn spellings(number: &str) -> BTreeSet<String> {
    let bare = bare_number(number);
    let mut spellings = BTreeSet::from([number.to_owned()]);
    for width in 1..=4 {
        spellings.insert(format!("{bare:0>width$}"));
        spellings.insert(format!("{:0>width$}", bare.to_ascii_uppercase()));
    }
    spellings
}

fn bare_number(number: &str) -> String {
    let bare = number.trim_start_matches('0');
    if bare.is_empty() { "0".to_owned() } else { bare.to_ascii_lowercase() }
}

impl CardResolver {
    /// A resolver with these games and sets, without cards.
    pub fn new(games: Vec<Titled>, sets: Vec<Titled>) -> Self {
        Self { games: games.into(), sets: sets.into(), ..Self::default() }
    }

    /// Adds a card or, if it was added before, those of its printings that are missing: of a card that is hidden from the owner, a
    /// look-up finds only the printings that it asked for.
    pub fn add(&mut self, card: KnownCard) {
        if let Some(at) = self.known.get(&card.id).copied() {
            for printing in card.printings {
                if let Entry::Vacant(place) = self.by_printing.entry(printing.id) {
                    place.insert(at);
                    self.cards[at].printings.push(printing);
                }
            }
            return;
        }
        let at = self.cards.len();
        self.known.insert(card.id, at);
        let place = (card.game.clone(), card.set.clone(), bare_number(&card.number));
        self.by_place.entry(place).or_default().push(at);
        if let Some(name) = &card.name {
            self.by_search_key.entry(search_key(name)).or_default().push(at);
        }
        self.by_printing.extend(card.printings.iter().map(|printing| (printing.id, at)));
        self.cards.push(card);
    }

    /// Adds what a card was before, if the card was added.
    pub fn add_former(&mut self, card: CardId, former: FormerCard) {
        let Some(at) = self.known.get(&card).copied() else { return };
        for (set, number) in &former.places {
            let place = (self.cards[at].game.clone(), set.clone(), bare_number(number));
            self.by_former_place.entry(place).or_default().insert(at);
        }
        self.former.insert(at, former);
    }

    /// What to look up about the past, because a line names a printing by its id and cannot be resolved without that.
    pub fn find_outdated(
        &self,
        wanted: &WantedPrinting,
        assumed: &Assumptions,
    ) -> Option<Outdated> {
        let id = wanted.printing?;
        if matches!(self.resolve(wanted, assumed), Meaning::Printing(..)) {
            return None;
        }
        if let Some(at) = self.by_printing.get(&id) {
            return (!self.former.contains_key(at)).then(|| Outdated::Card(self.cards[*at].id));
        }
        let numbers = spellings(wanted.number.as_ref()?);
        let sets = self.sets_of(wanted, assumed)?;
        let places = sets.into_iter().flat_map(|(game, set)| {
            let place = move |number: &String| (game.to_owned(), set.to_owned(), number.clone());
            numbers.iter().map(place)
        });
        Some(Outdated::Places(places.collect()))
    }

    /// Codes of the games that a line may mean; empty: it names an unknown game.
    pub fn games_of(&self, wanted: &WantedPrinting, assumed: &Assumptions) -> Vec<&str> {
        let games = &self.games;
        let code = |at: usize| games.all[at].code.as_str();
        match (&wanted.game, &assumed.game) {
            (Some(text), _) => {
                let found = games.find_by_code(text).iter().chain(games.find_by_name(text));
                found.collect::<BTreeSet<_>>().into_iter().map(|at| code(*at)).collect()
            }
            (None, Some(assumed)) => {
                let found = games.find_by_code(assumed).iter().map(|at| code(*at));
                found.filter(|code| code == assumed).collect()
            }
            (None, None) => games.all.iter().map(|game| game.code.as_str()).collect(),
        }
    }

    /// The sets that a line may mean, as codes of game and set; `None`: it names no set. Codes take precedence over names.
    pub fn sets_of(&self, wanted: &WantedPrinting, assumed: &Assumptions) -> Option<SetCodes<'_>> {
        if wanted.sets.is_empty() {
            return None;
        }
        Some(self.find_sets(&wanted.sets, &self.games_of(wanted, assumed)))
    }

    fn find_sets<'s>(&'s self, texts: &[String], games: &[&str]) -> SetCodes<'s> {
        let called = |find: for<'t> fn(&'t Titles, &str) -> &'t [usize]| -> SetCodes<'s> {
            let found: BTreeSet<usize> =
                texts.iter().flat_map(|text| find(&self.sets, text)).copied().collect();
            let sets = found.into_iter().map(|at| &self.sets.all[at]);
            let sets = sets.map(|set| (set.game.as_str(), set.code.as_str()));
            sets.filter(|(game, _)| games.contains(game)).collect()
        };
        let by_code = called(Titles::find_by_code);
        if by_code.is_empty() { called(Titles::find_by_name) } else { by_code }
    }

    /// Finds the printing that a line means.
    pub fn resolve(&self, wanted: &WantedPrinting, assumed: &Assumptions) -> Meaning {
        let games = self.games_of(wanted, assumed);
        if games.is_empty() {
            let named = wanted.game.as_ref().or(assumed.game.as_ref());
            let near = self.games.near_to(named.map_or(&[], std::slice::from_ref), None);
            return Meaning::Unknown(LineFault::NoGame(near), Vec::new());
        }
        let sets = self.sets_of(wanted, assumed);
        if let Some(found) = wanted.printing.and_then(|id| Some((id, *self.by_printing.get(&id)?)))
        {
            return self.resolve_by_id(found, wanted, assumed, &games, sets.as_deref());
        }
        let former = wanted.printing.and_then(|_| self.find_former(wanted, sets.as_deref()));
        match (self.resolve_by_words(wanted, assumed, &games, sets), former) {
            (meaning @ Meaning::Printing(..), _) | (meaning, None) => meaning,
            // The card that the line was exported from was merged into this one, or was moved and has lost the rarity: its counts went to the
            // most common printing.
            (_, Some(card)) => {
                match (resolve_rarity(card, wanted, assumed), card.printings.first()) {
                    (Meaning::Unknown(LineFault::NoRarity, _), Some(first)) => {
                        Meaning::Printing(Box::new(choice(card, Some(first))), first.id)
                    }
                    (meaning, _) => meaning,
                }
            }
        }
    }

    /// Resolves a line without the id of a printing that there is.
    fn resolve_by_words(
        &self,
        wanted: &WantedPrinting,
        assumed: &Assumptions,
        games: &[&str],
        sets: Option<SetCodes<'_>>,
    ) -> Meaning {
        let cards = match &wanted.name {
            Some(name) => self.find_named(name.as_str(), games),
            None => Vec::new(),
        };
        let (cards, sets) = match (cards.is_empty(), &wanted.name, &sets) {
            // The set may follow the name: "Kettle Imp [HEARTH]".
            (true, Some(name), None) => match self.find_named_with_set(name.as_str(), games) {
                Some((cards, sets)) => (cards, Some(sets)),
                None => (cards, sets),
            },
            _ => (cards, sets),
        };
        if sets.as_ref().is_some_and(Vec::is_empty) {
            let near = self.sets.near_to(&wanted.sets, Some(games));
            return Meaning::Unknown(LineFault::NoSet(near), list_choices(&cards));
        }
        if wanted.name.is_none() {
            return match (&sets, &wanted.number) {
                (Some(sets), Some(number)) => self.resolve_by_place(sets, number, wanted, assumed),
                _ => Meaning::Unknown(LineFault::NoPrinting, Vec::new()),
            };
        }
        if cards.is_empty() {
            return Meaning::Unknown(LineFault::NoName, Vec::new());
        }
        let in_set = |card: &&KnownCard| is_one_of(sets.as_deref(), &card.game, &card.set);
        let in_set_cards: Vec<&KnownCard> = cards.iter().copied().filter(in_set).collect();
        if in_set_cards.is_empty() {
            return Meaning::Unknown(LineFault::OtherSet, list_choices(&cards));
        }
        let of_number = |card: &&KnownCard| has_number(&card.number, wanted);
        let matching: Vec<&KnownCard> = in_set_cards.iter().copied().filter(of_number).collect();
        match matching[..] {
            [card] => resolve_rarity(card, wanted, assumed),
            [] => Meaning::Ambiguous(LineFault::OtherNumber, list_choices(&in_set_cards)),
            _ => Meaning::Ambiguous(LineFault::SeveralOfName, list_choices(&matching)),
        }
    }

    /// Resolves a line that names the printing by its id; nothing else in the line may contradict it. Its name and its place may be
    /// former ones.
    fn resolve_by_id(
        &self,
        (id, at): (PrintingId, usize),
        wanted: &WantedPrinting,
        assumed: &Assumptions,
        games: &[&str],
        sets: Option<&[(&str, &str)]>,
    ) -> Meaning {
        let card = &self.cards[at];
        let Some(printing) = card.printings.iter().find(|printing| printing.id == id) else {
            return Meaning::Unknown(LineFault::NoPrinting, Vec::new());
        };
        let agrees = games.contains(&card.game.as_str())
            && (is_called(card, wanted, sets) || self.was_called(at, wanted, games, sets))
            && has_rarity(card, printing, wanted, assumed);
        let choice = choice(card, Some(printing));
        if agrees {
            Meaning::Printing(Box::new(choice), id)
        } else {
            Meaning::Ambiguous(LineFault::Contradiction, vec![choice])
        }
    }

    /// Whether the name and the place of a line are those of a card, now or formerly. They must not be those of another card now.
    fn was_called(
        &self,
        at: usize,
        wanted: &WantedPrinting,
        games: &[&str],
        sets: Option<&[(&str, &str)]>,
    ) -> bool {
        let Some(former) = self.former.get(&at) else { return false };
        let card = &self.cards[at];
        let is_in = |set: &str| is_one_of(sets, &card.game, set);
        let has_place =
            former.places.iter().any(|(set, number)| is_in(set) && has_number(number, wanted))
                || is_in(&card.set) && has_number(&card.number, wanted);
        let has_name = self.had_name(at, wanted);
        let is_another = |other: &KnownCard| other.id != card.id && is_called(other, wanted, sets);
        let named = wanted.name.as_ref().map(TypedName::as_str);
        let named = named.into_iter().chain(named.and_then(split_set).map(|(name, _)| name));
        let mut others = named.flat_map(|name| self.find_named(name, games));
        has_name && has_place && !others.any(is_another)
    }

    /// Whether a line has no name, or one that the card has now or had before.
    fn had_name(&self, at: usize, wanted: &WantedPrinting) -> bool {
        let was_name = |name: &TypedName| {
            let former = self.former.get(&at);
            former.is_some_and(|card| card.names.iter().any(|one| is_name(one, name.as_str())))
        };
        has_name(&self.cards[at], wanted) || wanted.name.as_ref().is_some_and(was_name)
    }

    /// The only card that had the place of a line before, if the name may be its own.
    fn find_former(
        &self,
        wanted: &WantedPrinting,
        sets: Option<&[(&str, &str)]>,
    ) -> Option<&KnownCard> {
        let number = bare_number(wanted.number.as_ref()?);
        let at = |(game, set): &(&str, &str)| {
            let place = ((*game).to_owned(), (*set).to_owned(), number.clone());
            self.by_former_place.get(&place).into_iter().flatten().copied()
        };
        // A card that is hidden from its former holder can be named by its printing id only.
        let is_it = |at: &usize| self.cards[*at].name.is_some() && self.had_name(*at, wanted);
        let found: BTreeSet<usize> = sets?.iter().flat_map(at).filter(is_it).collect();
        if found.len() == 1 { found.first().map(|at| &self.cards[*at]) } else { None }
    }

    fn find_named<'s>(&'s self, name: &str, games: &[&str]) -> Vec<&'s KnownCard> {
        let same = self.by_search_key.get(&search_key(name));
        let cards = same.into_iter().flatten().map(|at| &self.cards[*at]);
        let cards: Vec<&KnownCard> =
            cards.filter(|card| games.contains(&card.game.as_str())).collect();
        // Accents count only if a name with exactly these accents exists.
        let key = name_key(name);
        let is_exact =
            |card: &&KnownCard| card.name.as_deref().is_some_and(|name| name_key(name) == key);
        let exact: Vec<&KnownCard> = cards.iter().copied().filter(is_exact).collect();
        if exact.is_empty() { cards } else { exact }
    }

    /// Finds cards by a name that ends with a set in brackets.
    fn find_named_with_set<'s>(
        &'s self,
        name: &str,
        games: &[&str],
    ) -> Option<(Vec<&'s KnownCard>, SetCodes<'s>)> {
        let (name, set) = split_set(name)?;
        let cards = self.find_named(name, games);
        let sets = self.find_sets(&[set.to_owned()], games);
        (!cards.is_empty() && !sets.is_empty()).then_some((cards, sets))
    }

    fn resolve_by_place(
        &self,
        sets: &[(&str, &str)],
        number: &str,
        wanted: &WantedPrinting,
        assumed: &Assumptions,
    ) -> Meaning {
        let at = |(game, set): &(&str, &str)| {
            let place = ((*game).to_owned(), (*set).to_owned(), bare_number(number));
            self.by_place.get(&place).into_iter().flatten().map(|at| &self.cards[*at])
        };
        // A card that is hidden from its former holder can be named by its printing id only.
        let candidates: Vec<&KnownCard> =
            sets.iter().flat_map(at).filter(|card| card.name.is_some()).collect();
        let exact: Vec<&KnownCard> =
            candidates.iter().copied().filter(|card| card.number == number).collect();
        let cards = if exact.is_empty() { candidates } else { exact };
        match cards[..] {
            [card] => resolve_rarity(card, wanted, assumed),
            [] => Meaning::Unknown(LineFault::NoNumber, Vec::new()),
            _ => Meaning::Ambiguous(LineFault::SeveralOfNumber, list_choices(&cards)),
        }
    }
}

fn resolve_rarity(card: &KnownCard, wanted: &WantedPrinting, assumed: &Assumptions) -> Meaning {
    let all = || card.printings.iter().map(|one| choice(card, Some(one))).collect();
    let called = |word: &str| assumed.rarities.code(&card.game, word);
    let of_finish = wanted.finish.as_deref().and_then(called);
    let rarity = wanted.rarity.as_deref().map(|text| called(text).unwrap_or(text)).or(of_finish);
    let printing = match rarity {
        Some(rarity) => {
            let found = card.printings.iter().find(|one| is_rarity(rarity, &one.rarity));
            let Some(found) = found else {
                return Meaning::Unknown(LineFault::NoRarity, all());
            };
            found
        }
        None => match &card.printings[..] {
            [only] => only,
            [] => return Meaning::Unknown(LineFault::NoPrintings, Vec::new()),
            _ if wanted.finish.is_some() => return Meaning::Ambiguous(LineFault::Finish, all()),
            [first, ..] if assumed.most_common => first,
            _ => return Meaning::Ambiguous(LineFault::SeveralPrintings, all()),
        },
    };
    Meaning::Printing(Box::new(choice(card, Some(printing))), printing.id)
}

fn list_choices(cards: &[&KnownCard]) -> Vec<Choice> {
    cards.iter().take(MAX_CHOICES).map(|card| choice(card, None)).collect()
}

/// Splits a text into a name and the set in brackets that follows it, if there is one.
pub fn split_set(name: &str) -> Option<(&str, &str)> {
    let open = name.rfind(['[', '('])?;
    let (name, set) = (name[..open].trim_end(), &name[open..]);
    let inside = strip_brackets(set);
    (inside != set && !name.is_empty() && !inside.is_empty()).then_some((name, inside))
}

/// Whether everything by which a line names its card is true of this card now.
fn is_called(card: &KnownCard, wanted: &WantedPrinting, sets: Option<&[(&str, &str)]>) -> bool {
    is_one_of(sets, &card.game, &card.set)
        && has_number(&card.number, wanted)
        && has_name(card, wanted)
}

/// Whether a set is one of those that a line names, if it names any.
fn is_one_of(sets: Option<&[(&str, &str)]>, game: &str, set: &str) -> bool {
    sets.is_none_or(|sets| sets.contains(&(game, set)))
}

/// Whether a line has this number, if it has one.
fn has_number(number: &str, wanted: &WantedPrinting) -> bool {
    wanted.number.as_ref().is_none_or(|wanted| bare_number(wanted) == bare_number(number))
}

/// Whether a line has no name, or one that may be that of the card. Any text may be the name of a card that is hidden from the owner.
fn has_name(card: &KnownCard, wanted: &WantedPrinting) -> bool {
    let (Some(name), Some(wanted)) = (&card.name, &wanted.name) else { return true };
    is_name(name, wanted.as_str())
}

/// Whether a line has no rarity, or one that may be that of the printing. Any text may be the rarity of a card that is hidden from
/// the owner: an older export may have it.
fn has_rarity(
    card: &KnownCard,
    printing: &KnownPrinting,
    wanted: &WantedPrinting,
    assumed: &Assumptions,
) -> bool {
    let (Some(_), Some(wanted)) = (&card.name, &wanted.rarity) else { return true };
    is_rarity(assumed.rarities.code(&card.game, wanted).unwrap_or(wanted), &printing.rarity)
}

/// Whether a text is a name, perhaps followed by a set.
fn is_name(name: &str, text: &str) -> bool {
    let key = search_key(name);
    search_key(text) == key || split_set(text).is_some_and(|(text, _)| search_key(text) == key)
}

fn choice(card: &KnownCard, printing: Option<&KnownPrinting>) -> Choice {
    Choice {
        game: card.game.clone(),
        set: card.set.clone(),
        number: card.number.clone(),
        name: card.name.clone(),
        printing: printing.cloned(),
    }
}

/// Whether a rarity as people write it, `Ultra Rare`, is that code.
fn is_rarity(text: &str, code: &str) -> bool {
    word_key(text) == word_key(code)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn id(number: u128) -> PrintingId {
        PrintingId(Uuid::from_u128(number))
    }

    fn card(number: u128, set: &str, name: &str, rarities: &[&str]) -> KnownCard {
        let printing = |(rarity, at): (&&str, u128)| KnownPrinting {
            id: id(number * 10 + at),
            rarity: (*rarity).to_owned(),
        };
        KnownCard {
            id: CardId(Uuid::from_u128(number)),
            game: "ttcg".to_owned(),
            set: set.to_owned(),
            number: format!("{number:03}"),
            name: Some(name.to_owned()),
            printings: rarities.iter().zip(0..).map(printing).collect(),
        }
    }

    fn resolver() -> CardResolver {
        let titled = |game: &str, code: &str, name: &str| Titled {
            game: game.to_owned(),
            code: code.to_owned(),
            name: name.to_owned(),
        };
        let games =
            vec![titled("ttcg", "ttcg", "True Trading Card Game"), titled("uno", "uno", "Uno")];
        let sets =
            vec![titled("ttcg", "hearth", "Hearth and Home"), titled("ttcg", "veil", "The Veil")];
        let mut resolver = CardResolver::new(games, sets);
        let all = &["common", "ultra_rare"];
        resolver.add(card(16, "hearth", "Don't Panic", all));
        resolver.add(card(17, "hearth", "Café", &["common"]));
        resolver.add(card(18, "hearth", "Cafe", &["common"]));
        resolver.add(card(19, "hearth", "Twin", &["common"]));
        resolver.add(card(3, "veil", "Twin", &["common"]));
        resolver.add(KnownCard { name: None, ..card(5, "veil", "", &[""]) });
        resolver
    }

    fn wanted_printing(name: &str, set: &str, number: &str, rarity: &str) -> WantedPrinting {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        WantedPrinting {
            name: some(name).map(|name| TypedName::parse(&name).unwrap()),
            sets: some(set).into_iter().collect(),
            number: some(number),
            rarity: some(rarity),
            ..WantedPrinting::default()
        }
    }

    /// The id of the printing; otherwise whether the line is ambiguous (not unknown), and the number of choices.
    fn resolve(wanted: &WantedPrinting, assumed: &Assumptions) -> Result<u128, (bool, usize)> {
        meant_among(&resolver(), wanted, assumed)
    }

    fn meant_among(
        resolver: &CardResolver,
        wanted: &WantedPrinting,
        assumed: &Assumptions,
    ) -> Result<u128, (bool, usize)> {
        match resolver.resolve(wanted, assumed) {
            Meaning::Printing(_, id) => Ok(id.0.as_u128()),
            Meaning::Ambiguous(_, choices) => Err((true, choices.len())),
            Meaning::Unknown(_, choices) => Err((false, choices.len())),
        }
    }

    #[test]
    fn unknown_sets_and_games_are_reported_with_similar_ones() {
        let resolver = resolver();
        let reason =
            |wanted: &WantedPrinting| match resolver.resolve(wanted, &Assumptions::default()) {
                Meaning::Unknown(reason, _) => reason.to_string(),
                other => panic!("{other:?}"),
            };
        for (set, stated) in [
            ("hearht", "there is no such set; did you mean hearth?"),
            ("Hearth and Hom", "there is no such set; did you mean Hearth and Home?"),
            ("Somewhere else", "there is no such set"),
        ] {
            assert_eq!(reason(&wanted_printing("Don't Panic", set, "", "")), stated);
        }
        let game = Some("ttgc".to_owned());
        let wanted = WantedPrinting { game, ..wanted_printing("Don't Panic", "", "", "") };
        assert_eq!(reason(&wanted), "there is no such game; did you mean ttcg?");
        // Of many unknown words, only the first `MAX_SUGGESTIONS` are compared.
        for at in 0..2 * MAX_SUGGESTIONS {
            reason(&super::tests::wanted_printing("Don't Panic", &format!("set {at}"), "", ""));
        }
        assert_eq!(resolver.sets.near.lock().unwrap().len(), MAX_SUGGESTIONS);
    }

    #[test]
    fn lines_are_resolved_without_guessing() {
        let strict = Assumptions::default();
        for (name, set, number, rarity, expected) in [
            ("Don’t Panic", "", "", "Common", Ok(160)),
            ("DONT PANIC", "HEARTH", "16", "Ultra Rare", Ok(161)),
            ("Don't Panic", "Hearth and Home", "0016", "ultra_rare", Ok(161)),
            ("Don't Panic [hearth]", "", "", "common", Ok(160)),
            ("", "hearth", "17", "", Ok(170)),
            ("Café", "", "", "", Ok(170)),
            ("cafe", "", "", "", Ok(180)),
            ("Cafè", "", "", "", Err((true, 2))),
            ("Don't Panic", "", "", "", Err((true, 2))),
            ("Don't Panic", "", "", "rare", Err((false, 2))),
            ("Don't Panic", "", "17", "common", Err((true, 1))),
            ("Don't Panic", "veil", "", "common", Err((false, 1))),
            ("Don't Panic", "nowhere", "", "common", Err((false, 1))),
            ("Twin", "", "", "", Err((true, 2))),
            ("Twin", "The Veil", "", "", Ok(30)),
            ("Nobody", "", "", "", Err((false, 0))),
            ("", "veil", "4", "", Err((false, 0))),
            // A card that is hidden now and was counted before: only the id of its printing names it.
            ("", "veil", "5", "", Err((false, 0))),
        ] {
            let wanted = wanted_printing(name, set, number, rarity);
            assert_eq!(resolve(&wanted, &strict), expected, "{name} {set} {number} {rarity}");
        }
    }

    #[test]
    fn assumptions_fill_in_missing_values() {
        let panic = wanted_printing("Don't Panic", "", "", "");
        let common = Assumptions { most_common: true, ..Assumptions::default() };
        assert_eq!(resolve(&panic, &common), Ok(160));
        let uno = Assumptions {
            game: Some("uno".to_owned()),
            most_common: true,
            ..Assumptions::default()
        };
        assert_eq!(resolve(&panic, &uno), Err((false, 0)));
        let stated = WantedPrinting { game: Some("true trading card game".to_owned()), ..panic };
        assert_eq!(resolve(&stated, &uno), Ok(160));
        let other = WantedPrinting { game: Some("chess".to_owned()), ..stated };
        assert_eq!(resolve(&other, &common), Err((false, 0)));
    }

    #[test]
    fn a_rarity_is_named_by_its_code_its_name_or_an_alias() {
        let game = "code='ttcg'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'\n\
            [[rarities]]\ncode='common'\nname='Plain'\nweight=9\naliases=['C', 'normal']\n\
            [[rarities]]\ncode='ultra_rare'\nname='Common'\nweight=1\n\
            [[rarities]]\ncode='secret'\nname='🍞'\nweight=1\n";
        let game = Game::from_toml(game).unwrap();
        let assumed =
            Assumptions { rarities: RarityWords::from_games([&game]), ..Assumptions::default() };
        for (rarity, expected) in [
            ("plain", Ok(160)),
            ("C", Ok(160)),
            ("Normal", Ok(160)),
            // The code of one rarity and the name of another one: the code takes precedence.
            ("Common", Ok(160)),
            ("Ultra Rare", Ok(161)),
            ("gilded", Err((false, 2))),
            ("🍞", Err((false, 2))),
        ] {
            let wanted = wanted_printing("Don't Panic", "", "", rarity);
            assert_eq!(resolve(&wanted, &assumed), expected, "{rarity}");
            let by_id = WantedPrinting { printing: Some(id(160)), ..wanted };
            let is_it = expected == Ok(160);
            assert_eq!(resolve(&by_id, &assumed).is_ok(), is_it, "{rarity}");
        }
        let finish = Some("Plain".to_owned());
        let of_finish = WantedPrinting { finish, ..wanted_printing("Don't Panic", "", "", "") };
        assert_eq!(resolve(&of_finish, &assumed), Ok(160));
    }

    #[test]
    fn an_id_is_accepted_if_nothing_contradicts_it() {
        let strict = Assumptions::default();
        let by_id = |number, wanted| WantedPrinting { printing: Some(id(number)), ..wanted };
        assert_eq!(
            resolve(&by_id(161, wanted_printing("dont panic", "", "", "")), &strict),
            Ok(161)
        );
        assert_eq!(
            resolve(&by_id(161, wanted_printing("Whatever", "", "", "")), &strict),
            Err((true, 1))
        );
        assert_eq!(resolve(&by_id(50, wanted_printing("", "veil", "5", "")), &strict), Ok(50));
        // Name and rarity of a card that is hidden from the owner decide nothing.
        assert_eq!(
            resolve(&by_id(50, wanted_printing("Spoon", "veil", "5", "rare")), &strict),
            Ok(50)
        );
        assert_eq!(
            resolve(&by_id(50, wanted_printing("", "veil", "6", "rare")), &strict),
            Err((true, 1))
        );
        assert_eq!(
            resolve(&by_id(161, wanted_printing("", "", "", "common")), &strict),
            Err((true, 1))
        );
        assert_eq!(
            resolve(&by_id(161, wanted_printing("", "veil", "", "")), &strict),
            Err((true, 1))
        );
        assert_eq!(
            resolve(&by_id(161, wanted_printing("", "", "17", "")), &strict),
            Err((true, 1))
        );
        // An id of another service: the other columns decide.
        let foreign = by_id(999, wanted_printing("Don't Panic", "", "", "common"));
        assert_eq!(resolve(&foreign, &strict), Ok(160));
        assert_eq!(resolve(&by_id(999, wanted_printing("", "", "", "")), &strict), Err((false, 0)));
    }

    #[test]
    fn a_look_up_adds_the_printings_that_earlier_ones_did_not_find() {
        let mut resolver = resolver();
        let mut hidden = KnownCard { name: None, ..card(5, "veil", "", &["", ""]) };
        let line = |number| WantedPrinting {
            printing: Some(id(number)),
            ..wanted_printing("", "", "", "")
        };
        let strict = Assumptions::default();
        assert_eq!(meant_among(&resolver, &line(51), &strict), Err((false, 0)));
        hidden.printings.remove(0);
        resolver.add(hidden);
        for number in [50, 51] {
            assert_eq!(meant_among(&resolver, &line(number), &strict), Ok(number));
        }
    }

    #[test]
    fn a_line_with_an_id_may_call_its_card_what_it_was_before() {
        let strict = Assumptions::default();
        let mut resolver = resolver();
        // The card 16 was hearth 90 and had the name of a card that there is; another card was merged into it.
        let names = ["Cafe", "Towel"].map(str::to_owned).to_vec();
        let places = [("hearth", "090"), ("veil", "7")];
        let places = places.map(|(set, number)| (set.to_owned(), number.to_owned())).to_vec();
        let former = FormerCard { names, places };
        let by_id = |number, wanted| WantedPrinting { printing: Some(id(number)), ..wanted };
        let line = by_id(161, wanted_printing("Towel", "hearth", "90", "ultra_rare"));
        assert_eq!(meant_among(&resolver, &line, &strict), Err((true, 1)));
        assert_eq!(
            resolver.find_outdated(&line, &strict),
            Some(Outdated::Card(CardId(Uuid::from_u128(16))))
        );
        let merged = by_id(999, wanted_printing("Towel", "veil", "7", "common"));
        let Some(Outdated::Places(found)) = resolver.find_outdated(&merged, &strict) else {
            panic!("the places of a line whose printing is gone");
        };
        let place = |number: &str| ("ttcg".to_owned(), "veil".to_owned(), number.to_owned());
        assert!(found.contains(&place("7")) && found.contains(&place("007")), "{found:?}");
        resolver.add_former(CardId(Uuid::from_u128(16)), former);

        for (line, expected) in [
            (line, Ok(161)),
            (by_id(161, wanted_printing("Don't Panic", "hearth", "90", "")), Ok(161)),
            (by_id(161, wanted_printing("Towel", "hearth", "16", "")), Ok(161)),
            (by_id(161, wanted_printing("Cafe", "hearth", "90", "")), Ok(161)),
            // Name and place are those of another card now.
            (by_id(161, wanted_printing("Cafe", "hearth", "", "")), Err((true, 1))),
            (by_id(161, wanted_printing("Cafe", "hearth", "18", "")), Err((true, 1))),
            (by_id(161, wanted_printing("Towel", "hearth", "91", "")), Err((true, 1))),
            (by_id(161, wanted_printing("Spoon", "hearth", "90", "")), Err((true, 1))),
            (by_id(161, wanted_printing("Towel", "hearth", "90", "common")), Err((true, 1))),
            // The printing is gone: name and place together name the card.
            (merged, Ok(160)),
            (by_id(999, wanted_printing("", "veil", "007", "ultra_rare")), Ok(161)),
            // The card that it was merged into has no such printing.
            (by_id(999, wanted_printing("Towel", "veil", "7", "rare")), Ok(160)),
            (by_id(999, wanted_printing("Towel", "veil", "7", "")), Err((true, 2))),
            (by_id(999, wanted_printing("Spoon", "veil", "7", "common")), Err((false, 0))),
            (by_id(999, wanted_printing("Towel", "", "", "common")), Err((false, 0))),
            // Without an id, only what is true now counts.
            (wanted_printing("Towel", "veil", "7", "common"), Err((false, 0))),
        ] {
            assert_eq!(meant_among(&resolver, &line, &strict), expected, "{line:?}");
        }
        let known = by_id(161, wanted_printing("Spoon", "", "", ""));
        assert_eq!(resolver.find_outdated(&known, &strict), None, "it was looked up");
    }

    #[test]
    fn a_number_has_all_spellings_that_cards_may_have() {
        let spellings = spellings("0042");
        for spelling in ["42", "042", "0042"] {
            assert!(spellings.contains(spelling), "{spelling}");
        }
        assert!(super::spellings("a7").contains("A7"));
        assert_eq!(bare_number("000"), "0");
    }
}
