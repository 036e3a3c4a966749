//! What the gallery shows of listed designs, and their words, in memory: searches for words that need no database.
//!
//! Results are equal to those of [`crate::store::designs::gallery`], which is used while nothing is loaded here, while
//! the memory is behind the database, and for conditions that are not tested here.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use chrono::{DateTime, Utc};
use metrics::Counter;
use xxhash_rust::xxh3::xxh3_64;

use super::catalogue::clock::FeedClock;
use super::gallery_search::{Check, Rank, passes_filter};
use crate::domain::designs::artwork::ArtworkId;
use crate::domain::designs::gallery::GallerySort;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::status::DesignStatus;
use crate::domain::ids::{AccountId, DesignId};
use crate::search::WordLists;
use crate::store::designs::design_lifecycle::DesignRow;
use crate::store::designs::design_lists::ListedDesign;
use crate::store::designs::gallery::{GalleryDesign, GalleryFilter, GalleryPosition};
use crate::store::designs::gallery_entries::{GalleryAuthor, GalleryEntry};

/// Most memory in bytes: enough for some 350,000 designs.
pub(crate) const MAX_BYTES: usize = 128 * 1024 * 1024;
/// About the size of a design in the map of numbers, and of its allocations, in bytes.
const BESIDE_ENTRY: usize = 60;
/// About the size of an author or a kind, in bytes.
const AUTHOR_BYTES: usize = 150;
/// Most designs with the words of a query that are tested for one page. The database finds a page of words that more
/// designs have after few of them.
const MAX_CANDIDATES: u64 = 20_000;
/// Most tests of a query: each runs on every candidate, and each beginning of a word combines up to 2,000 lists, on a
/// thread that answers requests.
const MAX_TESTS: usize = 16;
/// The lists of words are rewritten when they contain this many removed designs, and an eighth of all.
const MIN_REMOVED: u64 = 1_000;

/// A listed design.
#[derive(Debug)]
pub(super) struct Entry {
    id: DesignId,
    pub(super) code: DesignCode,
    account: AccountId,
    kind: Arc<KindOfGame>,
    pub(super) status: DesignStatus,
    version: i64,
    revision: i64,
    public_revision: Option<i64>,
    pub(super) shared_at: DateTime<Utc>,
    created_at: DateTime<Utc>,
    pub(super) comment_count: i64,
    pub(super) rating_count: i64,
    pub(super) rating: i32,
    artwork: Option<Box<ArtworkId>>,
    /// Name, key, and the key without accents if it is another, one after the other.
    texts: Box<str>,
    key_at: usize,
    folded_at: usize,
    /// A hash of its words; 0: searches do not find it yet.
    words: u64,
}

/// Codes of a game and of a kind, shared by many designs.
#[derive(Debug, PartialEq, Eq, Hash)]
struct KindOfGame {
    game: String,
    kind: String,
}

/// The author of listed designs.
#[derive(Debug)]
pub(super) struct Author {
    name: String,
    pub(super) key: String,
    banned: bool,
}

impl Entry {
    fn new(listed: &GalleryEntry, kind: Arc<KindOfGame>) -> Self {
        let GalleryDesign { listed: shown, name_key, folded_name } = &listed.design;
        let ListedDesign { design, name, artwork, .. } = shown;
        let folded = if folded_name == name_key { "" } else { folded_name.as_str() };
        Self {
            id: design.id,
            code: design.code,
            account: design.account_id,
            kind,
            status: design.status,
            version: design.version,
            revision: design.revision,
            public_revision: design.public_revision,
            shared_at: design.shared_at.unwrap_or_default(),
            created_at: design.created_at,
            comment_count: design.comment_count,
            rating_count: design.rating_count,
            rating: design.rating,
            artwork: artwork.map(Box::new),
            texts: [name.as_str(), name_key, folded].concat().into(),
            key_at: name.len(),
            folded_at: name.len() + name_key.len(),
            words: listed.words.as_deref().map_or(0, |words| xxh3_64(words.as_bytes()).max(1)),
        }
    }

    pub(super) fn game(&self) -> &str {
        &self.kind.game
    }

    pub(super) fn kind(&self) -> &str {
        &self.kind.kind
    }

    fn name(&self) -> &str {
        self.texts.get(..self.key_at).unwrap_or_default()
    }

    pub(super) fn name_key(&self) -> &str {
        self.texts.get(self.key_at..self.folded_at).unwrap_or_default()
    }

    pub(super) fn folded_name(&self) -> &str {
        match self.texts.get(self.folded_at..) {
            None | Some("") => self.name_key(),
            Some(folded) => folded,
        }
    }

    /// Whether searches find its public revision.
    pub(super) fn is_searched(&self) -> bool {
        self.words != 0
    }

    fn row(&self, author: &Author) -> GalleryDesign {
        GalleryDesign {
            listed: ListedDesign {
                design: DesignRow {
                    id: self.id,
                    code: self.code,
                    account_id: self.account,
                    author: author.name.clone(),
                    game_code: self.kind.game.clone(),
                    status: self.status,
                    version: self.version,
                    revision: self.revision,
                    public_revision: self.public_revision,
                    shared_at: Some(self.shared_at),
                    created_at: self.created_at,
                    comment_count: self.comment_count,
                    rating_count: self.rating_count,
                    rating: self.rating,
                },
                name: self.name().to_owned(),
                kind: self.kind.kind.clone(),
                artwork: self.artwork.as_deref().copied(),
            },
            name_key: self.name_key().to_owned(),
            folded_name: self.folded_name().to_owned(),
        }
    }
}

/// The designs by number, with their words.
#[derive(Default)]
struct Entries {
    numbered: Vec<Option<Entry>>,
    numbers: HashMap<DesignId, u32>,
    /// Numbers without a design that no list of words contains.
    free: Vec<u32>,
    authors: HashMap<AccountId, Author>,
    kinds: HashSet<Arc<KindOfGame>>,
    words: WordLists,
    /// Bytes of all names.
    names: usize,
}

impl Entries {
    fn entry(&self, number: u32) -> Option<&Entry> {
        self.numbered.get(usize::try_from(number).ok()?)?.as_ref()
    }

    fn put(&mut self, listed: &GalleryEntry) {
        let ListedDesign { design, kind, .. } = &listed.design.listed;
        let kind = KindOfGame { game: design.game_code.clone(), kind: kind.clone() };
        let kind = self.kinds.get(&kind).cloned().unwrap_or_else(|| Arc::new(kind));
        self.kinds.insert(kind.clone());
        let entry = Entry::new(listed, kind);
        let known = self.numbers.get(&design.id).copied();
        let known = known
            .filter(|number| self.entry(*number).is_some_and(|known| known.words == entry.words));
        let Some(number) = known.or_else(|| self.renumber(listed)) else { return };
        // Only now, because `renumber` may drop authors without designs.
        let author = Author {
            name: design.author.clone(),
            key: listed.author_key.clone(),
            banned: listed.author_banned,
        };
        self.authors.insert(design.account_id, author);
        self.names += entry.texts.len();
        let Ok(at) = usize::try_from(number) else { return };
        if let Some(place) = self.numbered.get_mut(at)
            && let Some(before) = place.replace(entry)
        {
            self.names -= before.texts.len();
        }
    }

    /// Gives a design a number that no other text has; `None`: there are no more numbers.
    fn renumber(&mut self, listed: &GalleryEntry) -> Option<u32> {
        let id = listed.design.listed.design.id;
        self.remove(id);
        let number = match self.free.pop() {
            Some(number) => number,
            None => {
                let number = u32::try_from(self.numbered.len()).ok()?;
                self.numbered.push(None);
                number
            }
        };
        self.numbers.insert(id, number);
        if let Some(words) = &listed.words {
            self.words.insert(number, words);
        }
        Some(number)
    }

    fn remove(&mut self, id: DesignId) {
        let Some(number) = self.numbers.remove(&id) else { return };
        let place = usize::try_from(number).ok().and_then(|at| self.numbered.get_mut(at));
        if let Some(entry) = place.and_then(Option::take) {
            self.names -= entry.texts.len();
        }
        self.words.remove(number);
        let designs = u64::try_from(self.numbers.len()).unwrap_or(u64::MAX);
        if self.words.removed() >= MIN_REMOVED.max(designs / 8) {
            self.sweep();
        }
    }

    /// Drops what only removed designs needed.
    fn sweep(&mut self) {
        self.free.extend(self.words.sweep());
        let used: HashSet<AccountId> =
            self.numbered.iter().flatten().map(|entry| entry.account).collect();
        self.authors.retain(|account, _| used.contains(account));
        self.kinds.retain(|kind| Arc::strong_count(kind) > 1);
    }

    fn set_author(&mut self, changed: &GalleryAuthor) {
        if let Some(author) = self.authors.get_mut(&changed.id) {
            author.name.clone_from(&changed.name);
            author.key.clone_from(&changed.name_key);
            author.banned = changed.banned;
        }
    }

    /// About the size in bytes.
    fn bytes(&self) -> usize {
        self.numbered.len() * (size_of::<Option<Entry>>() + BESIDE_ENTRY)
            + (self.authors.len() + self.kinds.len()) * AUTHOR_BYTES
            + self.names
            + self.words.bytes()
    }

    fn find(
        &self,
        filter: &GalleryFilter<'_>,
        (sort, after, limit): (GallerySort, Option<&GalleryPosition>, i64),
    ) -> Option<Vec<GalleryDesign>> {
        if filter.predicate.size() > MAX_TESTS {
            return None;
        }
        let check = Check::of(filter.predicate, &self.words)?;
        let candidates = check.candidates().filter(|found| found.len() <= MAX_CANDIDATES)?;
        let after = after.map(Rank::of_position);
        let ranked = candidates.iter().filter_map(|number| {
            let entry = self.entry(number)?;
            let author = self.authors.get(&entry.account).filter(|author| !author.banned)?;
            let rank = Rank::of(sort, entry);
            let is_listed = after.as_ref().is_none_or(|after| rank > *after)
                && passes_filter(filter, entry, author)
                && check.passes(number, entry, author);
            is_listed.then_some((rank, entry, author))
        });
        let mut page: Vec<_> = ranked.collect();
        let limit = usize::try_from(limit).unwrap_or_default();
        if limit < page.len() {
            page.select_nth_unstable_by(limit, |(one, ..), (other, ..)| one.cmp(other));
            page.truncate(limit);
        }
        page.sort_unstable_by(|(one, ..), (other, ..)| one.cmp(other));
        Some(page.into_iter().map(|(_, entry, author)| entry.row(author)).collect())
    }
}

/// The listed designs in memory, as the gallery shows them.
pub struct GalleryDesigns {
    entries: RwLock<Entries>,
    max_bytes: usize,
    clock: FeedClock,
    hits: Counter,
    misses: Counter,
}

impl GalleryDesigns {
    /// `max_bytes` is the most memory. `trust` is how long the designs are used after changes were last read.
    pub fn new(max_bytes: usize, trust: Duration) -> Self {
        Self {
            entries: RwLock::default(),
            max_bytes,
            clock: FeedClock::new(trust),
            hits: metrics::counter!("gallery_search_hits_total"),
            misses: metrics::counter!("gallery_search_misses_total"),
        }
    }

    /// The same page as [`crate::store::designs::gallery::list`] returns, for a query that requires words; `None`: the caller
    /// must query the database.
    pub fn find(
        &self,
        filter: &GalleryFilter<'_>,
        page: (GallerySort, Option<&GalleryPosition>, i64),
    ) -> Option<Vec<GalleryDesign>> {
        let is_current = || self.clock.is_current();
        // Checked again with the lock: everything may have been dropped while this thread waited for it.
        let entries = is_current().then(|| self.read()).filter(|_| is_current());
        let found = entries.and_then(|entries| entries.find(filter, page));
        if found.is_some() { &self.hits } else { &self.misses }.increment(1);
        found
    }

    /// The moment up to which changes are known.
    pub fn clock(&self) -> &FeedClock {
        &self.clock
    }

    /// Drops everything.
    pub fn forget(&self) {
        self.clock.reset();
        let before = std::mem::take(&mut *self.write());
        drop(before);
    }

    /// Adds designs, or replaces those with the same ids; returns whether the memory suffices.
    pub fn add(&self, listed: &[GalleryEntry]) -> bool {
        let mut entries = self.write();
        for design in listed {
            entries.put(design);
        }
        entries.bytes() <= self.max_bytes
    }

    /// Applies changes of designs, of which `listed` are still listed, and of accounts; returns whether the memory suffices.
    pub fn apply(
        &self,
        changed: &[DesignId],
        listed: &[GalleryEntry],
        accounts: &[GalleryAuthor],
    ) -> bool {
        let still: HashSet<DesignId> =
            listed.iter().map(|entry| entry.design.listed.design.id).collect();
        let mut entries = self.write();
        let gone = changed.iter().filter(|design| !still.contains(design));
        gone.for_each(|design| entries.remove(*design));
        for design in listed {
            entries.put(design);
        }
        for account in accounts {
            entries.set_author(account);
        }
        entries.bytes() <= self.max_bytes
    }

    /// Updates the metrics.
    pub fn measure(&self) {
        let bytes = u32::try_from(self.read().bytes()).unwrap_or(u32::MAX);
        metrics::gauge!("gallery_bytes").set(f64::from(bytes));
    }

    fn read(&self) -> RwLockReadGuard<'_, Entries> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Entries> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner)
    }
}
