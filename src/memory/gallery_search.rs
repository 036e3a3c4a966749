//! Searches of the gallery in memory: conditions that contain words, and the orders of lists.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};

use super::gallery_designs::{Author, Entry};
use crate::domain::designs::gallery::GallerySort;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::text::AccountName;
use crate::search::{
    Case, DesignTest, KnownTest, Place, Predicate, RoaringBitmap, Test, WordLists,
};
use crate::store::designs::gallery::{GalleryFilter, GalleryKey, GalleryPosition};

/// A condition of a query, with the designs that have its words.
pub(super) enum Check<'p> {
    All(Vec<Self>),
    Any(Vec<Self>),
    Words {
        negated: bool,
        cases: Vec<WordCase<'p>>,
    },
    /// The key of a name that no account can have is absent.
    Author {
        negated: bool,
        key: Option<String>,
    },
    Known {
        negated: bool,
        test: &'p KnownTest,
    },
}

/// Words in some games; `None`: in all games.
pub(super) struct WordCase<'p> {
    games: Option<&'p [String]>,
    found: RoaringBitmap,
}

impl<'p> Check<'p> {
    /// `None`: the condition has parts that only the database tests.
    pub(super) fn of(predicate: &'p Predicate, words: &WordLists) -> Option<Self> {
        let each = |parts: &'p [Predicate]| -> Option<Vec<Self>> {
            parts.iter().map(|part| Self::of(part, words)).collect()
        };
        Some(match predicate {
            Predicate::All(parts) => Self::All(each(parts)?),
            Predicate::Any(parts) => Self::Any(each(parts)?),
            Predicate::Known { negated, test: KnownTest::Design(DesignTest::Author(name)) } => {
                let key = AccountName::parse(name).ok().map(|name| name.key().to_owned());
                Self::Author { negated: *negated, key }
            }
            Predicate::Known { negated, test } => Self::Known { negated: *negated, test },
            Predicate::Content { negated, cases } => {
                let with_words = |Case { games, test }: &'p Case| {
                    let found = designs_with(test, words)?;
                    Some(WordCase { games: games.as_deref(), found })
                };
                let cases = cases.iter().map(with_words).collect::<Option<_>>()?;
                Self::Words { negated: *negated, cases }
            }
        })
    }

    /// Designs among which are all that pass; `None`: all designs.
    pub(super) fn candidates(&self) -> Option<RoaringBitmap> {
        match self {
            Self::All(parts) => {
                let found = parts.iter().filter_map(Self::candidates);
                found.reduce(|one, other| one & other)
            }
            Self::Any(parts) => {
                let found: Option<Vec<_>> = parts.iter().map(Self::candidates).collect();
                Some(found?.into_iter().fold(RoaringBitmap::new(), |one, other| one | other))
            }
            Self::Words { negated: false, cases } => {
                Some(cases.iter().fold(RoaringBitmap::new(), |one, case| one | &case.found))
            }
            Self::Words { negated: true, .. } | Self::Author { .. } | Self::Known { .. } => None,
        }
    }

    pub(super) fn passes(&self, number: u32, entry: &Entry, author: &Author) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.passes(number, entry, author)),
            Self::Any(parts) => parts.iter().any(|part| part.passes(number, entry, author)),
            Self::Words { negated, cases } => {
                let applies = |games: &[String]| games.iter().any(|game| game == entry.game());
                let has_words = cases
                    .iter()
                    .any(|case| case.games.is_none_or(applies) && case.found.contains(number));
                entry.is_searched() && has_words != *negated
            }
            Self::Author { negated, key } => {
                (key.as_deref() == Some(author.key.as_str())) != *negated
            }
            Self::Known { negated, test } => is_true(test, entry) != *negated,
        }
    }
}

/// The designs that pass a test for words; `None`: only the database makes this test.
fn designs_with(test: &Test, words: &WordLists) -> Option<RoaringBitmap> {
    match test {
        // Whether several words are beside each other, and in which of the texts, is not known here.
        Test::Words(Place::Everywhere, list) => match list.as_slice() {
            [word] if !word.is_empty() => words.with_beginning(word),
            _ => None,
        },
        Test::Any(tests) => {
            let found: Option<Vec<_>> =
                tests.iter().map(|test| designs_with(test, words)).collect();
            Some(found?.into_iter().fold(RoaringBitmap::new(), |one, other| one | other))
        }
        _ => None,
    }
}

fn is_true(test: &KnownTest, entry: &Entry) -> bool {
    match test {
        KnownTest::Game(code) => entry.game() == code,
        KnownTest::Design(DesignTest::Status(status)) => entry.status.as_str() == status,
        KnownTest::Design(DesignTest::Rating(wanted)) => {
            entry.rating_count > 0 && wanted.holds(&entry.rating.into())
        }
        KnownTest::Design(DesignTest::Comments(wanted)) => wanted.holds(&entry.comment_count),
        // The names of authors are tested by `Check::Author`. Designs belong to no set, and are never hidden.
        KnownTest::Design(DesignTest::Author(_))
        | KnownTest::Set(_)
        | KnownTest::Number(_)
        | KnownTest::NumberValue(_)
        | KnownTest::Hidden
        | KnownTest::Unlocked
        | KnownTest::UnlockedOn(_)
        | KnownTest::Submissions(_) => false,
    }
}

/// Whether a design passes the filter apart from its query.
pub(super) fn passes_filter(filter: &GalleryFilter<'_>, entry: &Entry, author: &Author) -> bool {
    filter.game.is_none_or(|game| entry.game() == game)
        && filter.kind.is_none_or(|kind| entry.kind() == kind)
        && filter.status.is_none_or(|status| entry.status == status)
        && filter.author.is_none_or(|key| author.key == key)
        && filter.name.is_none_or(|part| entry.name_key().contains(part.key()))
}

/// The rank of a design in an order of the gallery; the lowest is listed first. No two designs have the same.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank<'a> {
    Falling(Reverse<(i64, i64, DateTime<Utc>, DesignCode)>),
    Rising(&'a str, DesignCode),
}

impl<'a> Rank<'a> {
    pub(super) fn of(sort: GallerySort, entry: &'a Entry) -> Self {
        let falling =
            |first, second| Self::Falling(Reverse((first, second, entry.shared_at, entry.code)));
        match sort {
            GallerySort::New => falling(0, 0),
            GallerySort::Rating => falling(entry.rating.into(), entry.rating_count),
            GallerySort::Comments => falling(entry.comment_count, 0),
            GallerySort::Name => Self::Rising(entry.folded_name(), entry.code),
        }
    }

    pub(super) fn of_position(position: &'a GalleryPosition) -> Self {
        let GalleryPosition { key, shared_at, code } = position;
        let falling = |first, second| Self::Falling(Reverse((first, second, *shared_at, *code)));
        match key {
            GalleryKey::New => falling(0, 0),
            GalleryKey::Rating(rating, count) => falling((*rating).into(), *count),
            GalleryKey::Comments(count) => falling(*count, 0),
            GalleryKey::Name(key) => Self::Rising(key, *code),
        }
    }
}
