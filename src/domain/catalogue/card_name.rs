//! Decides which card a typed name means.

use cardscape_engine::{name_key, name_similarity, search_key};

use crate::domain::text::{TextError, line};

/// Longest typed name, in characters; card names have at most 120.
pub const MAX_NAME: usize = 120;

/// Least similarity ([`name_similarity`]) of a name that may be meant.
pub const SIMILARITY_MIN: f64 = 0.6;

/// Fewest letters for a search for parts of names and for misspellings; fewer letters match too many names.
const MIN_LETTERS: usize = 3;

/// A typed name, for finding a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedName {
    text: String,
    search_key: String,
}

impl TypedName {
    /// Reads 1 to 120 characters without control characters.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let text = line(text, 1, MAX_NAME)?;
        let search_key = search_key(&text);
        if search_key.is_empty() { Err(TextError::Blank) } else { Ok(Self { text, search_key }) }
    }

    /// The name as it was typed, trimmed.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name without case, punctuation, spaces and accents.
    pub fn search_key(&self) -> &str {
        &self.search_key
    }

    /// Whether the text is long enough for a search for names that contain it or that it misspells.
    pub fn has_near_names(&self) -> bool {
        self.search_key.chars().nth(MIN_LETTERS - 1).is_some()
    }
}

/// A card that may be meant.
pub trait Candidate {
    fn name(&self) -> &str;

    /// Whether the typed words are beginnings of words of the name, in this order.
    fn has_words(&self) -> bool;
}

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameMatch<T> {
    /// This card.
    One(T),
    /// One of these cards, at least two; it is unknown which.
    AnyOf(Vec<T>),
    /// No card.
    Nothing,
}

impl<T> NameMatch<T> {
    fn of(mut cards: Vec<T>) -> Self {
        match cards.len() {
            0 => Self::Nothing,
            1 => cards.pop().map_or(Self::Nothing, Self::One),
            _ => Self::AnyOf(cards),
        }
    }
}

/// Finds the card with exactly that name; case and punctuation are ignored. Accents count only if a name with exactly these accents exists.
pub fn match_exactly<T: Candidate>(typed: &TypedName, candidates: Vec<T>) -> NameMatch<T> {
    let key = name_key(&typed.text);
    let (same, others): (Vec<T>, Vec<T>) =
        candidates.into_iter().partition(|card| name_key(card.name()) == key);
    if same.is_empty() {
        let plain = |card: &T| search_key(card.name()) == typed.search_key;
        NameMatch::of(others.into_iter().filter(plain).collect())
    } else {
        NameMatch::of(same)
    }
}

/// Finds the card whose name is most similar to the typed text: the card with that name; else the only card whose name has words that begin with the
/// typed words; else the nearest misspelling.
pub fn match_nearly<T: Candidate>(typed: &TypedName, candidates: Vec<T>) -> NameMatch<T> {
    let plain = |card: &T| search_key(card.name()) == typed.search_key;
    if candidates.iter().any(plain) {
        return match_exactly(typed, candidates);
    }
    let (with_words, others): (Vec<T>, Vec<T>) =
        candidates.into_iter().partition(Candidate::has_words);
    if !with_words.is_empty() {
        return NameMatch::of(with_words);
    }
    let near = |card: T| {
        let similarity = name_similarity(&typed.text, card.name());
        (similarity >= SIMILARITY_MIN).then_some((similarity, card))
    };
    let near: Vec<(f64, T)> = others.into_iter().filter_map(near).collect();
    let best = near.iter().map(|(similarity, _)| *similarity).fold(0.0, f64::max);
    let nearest = near.into_iter().filter(|(similarity, _)| *similarity >= best);
    NameMatch::of(nearest.map(|(_, card)| card).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Named(&'static str, bool);

    impl Candidate for Named {
        fn name(&self) -> &str {
            self.0
        }

        fn has_words(&self) -> bool {
            self.1
        }
    }

    fn cards(names: &[&'static str]) -> Vec<Named> {
        names.iter().map(|name| Named(name, false)).collect()
    }

    fn typed(text: &str) -> TypedName {
        TypedName::parse(text).unwrap()
    }

    fn names(meant: NameMatch<Named>) -> Vec<&'static str> {
        match meant {
            NameMatch::One(card) => vec![card.0],
            NameMatch::AnyOf(cards) => cards.iter().map(|card| card.0).collect(),
            NameMatch::Nothing => Vec::new(),
        }
    }

    #[test]
    fn accents_count_if_they_distinguish_names() {
        let both = ["Café", "Cafe"];
        assert_eq!(names(match_exactly(&typed("CAFÉ!"), cards(&both))), ["Café"]);
        assert_eq!(names(match_exactly(&typed("cafe"), cards(&both))), ["Cafe"]);
        assert_eq!(names(match_exactly(&typed("cafè"), cards(&both))), both);
        assert_eq!(names(match_exactly(&typed("cafe"), cards(&["Café"]))), ["Café"]);
        assert_eq!(match_exactly(&typed("caf"), cards(&both)), NameMatch::Nothing);
    }

    #[test]
    fn the_nearest_name_is_found_and_a_tie_is_ambiguous() {
        let pool = ["Kettle Imp", "Nettle Imp", "Barrow Ox"];
        assert_eq!(names(match_nearly(&typed("ketle imp"), cards(&pool))), ["Kettle Imp"]);
        assert_eq!(
            names(match_nearly(&typed("xettle imp"), cards(&pool))),
            ["Kettle Imp", "Nettle Imp"]
        );
        assert_eq!(match_nearly(&typed("grandmother"), cards(&pool)), NameMatch::Nothing);
        assert_eq!(names(match_nearly(&typed("KETTLE-IMP"), cards(&pool))), ["Kettle Imp"]);
    }

    #[test]
    fn typed_words_come_before_misspellings() {
        let pool = vec![Named("Kettle", false), Named("Ket of the Long Night", true)];
        assert_eq!(names(match_nearly(&typed("kett"), pool.clone())), ["Ket of the Long Night"]);
        let both = pool.into_iter().map(|card| Named(card.0, true)).collect();
        assert_eq!(names(match_nearly(&typed("kett"), both)).len(), 2);
    }

    #[test]
    fn short_names_are_compared_only_as_a_whole() {
        assert!(!typed("ox").has_near_names());
        assert!(typed("oxe").has_near_names());
        assert!(TypedName::parse(&"x".repeat(121)).is_err());
        assert!(TypedName::parse(" \u{a0}").is_err());
        assert!(TypedName::parse("a\nb").is_err());
    }
}
