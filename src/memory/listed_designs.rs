//! Names and effects of listed designs in memory, to find similar ones without the database; also the current revision
//! of each game's effect texts, with which sentences are analysed.
//!
//! Results are equal to those of [`crate::store::designs::likeness`], which is used while nothing is loaded here, or
//! while the memory is behind the database.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use metrics::Counter;
use tokio::sync::Notify;

use super::catalogue::clock::FeedClock;
use crate::domain::designs::bare_letters::has_other_letters;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::name_looks::{LookHashes, Name};
use crate::domain::ids::{AccountId, DesignId};
use crate::store::designs::design_changes::{DesignChanges, ListedName};
use crate::store::designs::likeness::{AlikeDesign, LikenessQuery, MAX_ALIKE};

/// Most designs in memory: some 400 MB.
pub const MAX_IN_MEMORY: usize = 1_000_000;

/// A listed design. Its texts are in one allocation, because there are many designs.
#[derive(Debug)]
struct ListedEntry {
    id: DesignId,
    code: DesignCode,
    account: AccountId,
    game: Arc<str>,
    revision: i64,
    effects: Option<[u8; 16]>,
    looks: Option<Looks>,
    approved: bool,
    official: bool,
    /// Name, key and skeleton, one after the other.
    texts: Box<str>,
    key_at: u32,
    skeleton_at: u32,
}

/// The first bytes of the hashes of a name, in the order of [`LookHashes::all`]. Two names may share them by chance, so that
/// callers compare the names, too. Skeletons with accents have an order of their own.
type Looks = [u32; 4];

/// The looks of a name, from all its hashes.
fn looks_of(hashes: &[Vec<u8>]) -> Option<Looks> {
    let [plain, skeleton, small, capitals] = hashes else { return None };
    let number = |hash: &[u8]| hash.first_chunk().copied().map(u32::from_be_bytes);
    Some([number(plain)?, number(skeleton)?, number(small)?, number(capitals)?])
}

/// Whether two names may be the same or look the same, as far as it is known without comparing their letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MayClash {
    Yes,
    /// They do not: they can only be similar.
    No,
}

impl ListedEntry {
    fn new(listed: &ListedName, game: Arc<str>) -> Self {
        let ListedName { name, name_key, name_skeleton, .. } = listed;
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self {
            id: listed.id,
            code: listed.code,
            account: listed.account_id,
            game,
            revision: listed.revision,
            effects: listed.effects_key.as_deref().and_then(|key| key.try_into().ok()),
            looks: listed.name_looks.as_deref().and_then(looks_of),
            approved: listed.approved,
            official: listed.official,
            texts: [name.as_str(), name_key, name_skeleton].concat().into(),
            key_at: place(name.len()),
            skeleton_at: place(name.len() + name_key.len()),
        }
    }

    fn is_same_as(&self, listed: &ListedName) -> bool {
        self.code == listed.code
            && self.account == listed.account_id
            && *self.game == *listed.game_code
            && self.revision == listed.revision
            && self.approved == listed.approved
            && self.official == listed.official
            && self.looks == listed.name_looks.as_deref().and_then(looks_of)
            && self.effects.as_ref().map(|key| &key[..]) == listed.effects_key.as_deref()
            && self.name() == listed.name
            && self.key() == listed.name_key
            && self.skeleton() == listed.name_skeleton
    }

    fn text(&self, from: u32, to: Option<u32>) -> &str {
        let at = |place: u32| usize::try_from(place).unwrap_or(usize::MAX);
        let to = to.map_or(self.texts.len(), at);
        self.texts.get(at(from)..to).unwrap_or_default()
    }

    fn name(&self) -> &str {
        self.text(0, Some(self.key_at))
    }

    fn key(&self) -> &str {
        self.text(self.key_at, Some(self.skeleton_at))
    }

    fn skeleton(&self) -> &str {
        self.text(self.skeleton_at, None)
    }

    fn look(&self, at: usize) -> Option<u32> {
        self.looks.and_then(|looks| looks.get(at).copied())
    }

    /// Whether the names of two designs of a game may be the same or look the same: unknown if one of them has no looks.
    /// Whoever compares names by their letters has to make the looks of each, which takes longest.
    fn may_clash(&self, other: &Self) -> MayClash {
        let (Some(looks), Some(others)) = (self.looks, other.looks) else { return MayClash::Yes };
        let share_a_look = looks.iter().zip(&others).any(|(one, other)| one == other);
        if share_a_look || self.key() == other.key() || self.skeleton() == other.skeleton() {
            MayClash::Yes
        } else {
            MayClash::No
        }
    }

    fn as_name(&self) -> Name<'_> {
        Name { name: self.name(), key: self.key(), skeleton: self.skeleton() }
    }
}

/// A sort order of the designs of a game; designs that compare as equal are sorted by id.
trait Order {
    fn compare(one: &ListedEntry, other: &ListedEntry) -> Ordering;
}

/// By the key of the name, in byte order.
struct ByName;
/// By the key of the name, read backwards.
struct ByNameBackwards;
/// By the skeleton of the name.
struct BySkeleton;
/// By one of the looks of the name.
struct ByLook<const AT: usize>;
/// By the key of the effects.
struct ByEffects;

impl Order for ByName {
    fn compare(one: &ListedEntry, other: &ListedEntry) -> Ordering {
        one.key().cmp(other.key())
    }
}

impl Order for ByNameBackwards {
    fn compare(one: &ListedEntry, other: &ListedEntry) -> Ordering {
        one.key().chars().rev().cmp(other.key().chars().rev())
    }
}

impl Order for BySkeleton {
    fn compare(one: &ListedEntry, other: &ListedEntry) -> Ordering {
        one.skeleton().cmp(other.skeleton())
    }
}

impl<const AT: usize> Order for ByLook<AT> {
    fn compare(one: &ListedEntry, other: &ListedEntry) -> Ordering {
        one.look(AT).cmp(&other.look(AT))
    }
}

impl Order for ByEffects {
    fn compare(one: &ListedEntry, other: &ListedEntry) -> Ordering {
        one.effects.cmp(&other.effects)
    }
}

/// A design that is compared in the order `O`.
struct In<O>(Arc<ListedEntry>, PhantomData<O>);

impl<O> In<O> {
    fn new(entry: &Arc<ListedEntry>) -> Self {
        Self(entry.clone(), PhantomData)
    }
}

impl<O: Order> Ord for In<O> {
    fn cmp(&self, other: &Self) -> Ordering {
        let games = self.0.game.cmp(&other.0.game);
        games.then_with(|| O::compare(&self.0, &other.0)).then_with(|| self.0.id.cmp(&other.0.id))
    }
}

impl<O: Order> PartialOrd for In<O> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<O: Order> PartialEq for In<O> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<O: Order> Eq for In<O> {}

/// The designs, sorted in every order.
#[derive(Default)]
struct SortedDesigns {
    games: HashSet<Arc<str>>,
    by_id: HashMap<DesignId, Arc<ListedEntry>>,
    by_code: HashMap<DesignCode, Arc<ListedEntry>>,
    by_name: BTreeSet<In<ByName>>,
    by_name_backwards: BTreeSet<In<ByNameBackwards>>,
    by_skeleton: BTreeSet<In<BySkeleton>>,
    by_plain_name: BTreeSet<In<ByLook<0>>>,
    by_bare_skeleton: BTreeSet<In<ByLook<1>>>,
    by_small_letters: BTreeSet<In<ByLook<2>>>,
    by_capital_letters: BTreeSet<In<ByLook<3>>>,
    by_effects: BTreeSet<In<ByEffects>>,
    banned: HashSet<AccountId>,
    /// Current revisions of the effect texts of games.
    effect_texts: Vec<(String, i64)>,
}

impl SortedDesigns {
    fn add(&mut self, listed: &ListedName) {
        if self.by_id.get(&listed.id).is_some_and(|entry| entry.is_same_as(listed)) {
            return;
        }
        self.remove(listed.id);
        let game = self.game(&listed.game_code);
        self.games.insert(game.clone());
        let entry = Arc::new(ListedEntry::new(listed, game));
        self.by_name.insert(In::new(&entry));
        self.by_name_backwards.insert(In::new(&entry));
        self.by_skeleton.insert(In::new(&entry));
        if entry.looks.is_some() {
            self.by_plain_name.insert(In::new(&entry));
            self.by_bare_skeleton.insert(In::new(&entry));
            self.by_small_letters.insert(In::new(&entry));
            self.by_capital_letters.insert(In::new(&entry));
        }
        if entry.effects.is_some() {
            self.by_effects.insert(In::new(&entry));
        }
        self.by_code.insert(entry.code, entry.clone());
        self.by_id.insert(entry.id, entry);
    }

    fn remove(&mut self, id: DesignId) {
        let Some(entry) = self.by_id.remove(&id) else { return };
        self.by_code.remove(&entry.code);
        self.by_name.remove(&In::new(&entry));
        self.by_name_backwards.remove(&In::new(&entry));
        self.by_skeleton.remove(&In::new(&entry));
        self.by_plain_name.remove(&In::new(&entry));
        self.by_bare_skeleton.remove(&In::new(&entry));
        self.by_small_letters.remove(&In::new(&entry));
        self.by_capital_letters.remove(&In::new(&entry));
        self.by_effects.remove(&In::new(&entry));
    }

    /// The shared copy of a game's code.
    fn game(&self, code: &str) -> Arc<str> {
        self.games.get(code).cloned().unwrap_or_else(|| code.into())
    }

    /// Similar designs, by id: those that the statement of [`crate::store::designs::likeness`] finds, without those
    /// that differ in both name and effects.
    fn find_alike(
        &self,
        requester: Option<AccountId>,
        query: &LikenessQuery<'_>,
        has_like_name: impl Fn(Name<'_>, MayClash) -> bool,
    ) -> Vec<AlikeDesign> {
        // This key sorts before all designs with the same values.
        let wanted = Arc::new(ListedEntry::new(
            &ListedName {
                id: DesignId(uuid::Uuid::nil()),
                code: DesignCode::from_random([0; 9]),
                account_id: AccountId(uuid::Uuid::nil()),
                game_code: String::new(),
                revision: 0,
                name: String::new(),
                name_key: query.name_key.to_owned(),
                name_skeleton: query.name_skeleton.to_owned(),
                effects_key: query.effects_key.map(|key| key.to_vec()),
                name_looks: query.looks.map(|looks| looks.all().map(|hash| hash.to_vec()).into()),
                approved: false,
                official: false,
                searched: true,
            },
            self.game(query.game),
        ));
        let mut found: BTreeSet<In<ById>> = BTreeSet::new();
        if !query.name_skeleton.is_empty() {
            let same = self.by_skeleton.range(In::new(&wanted)..);
            found.extend(first(&wanted, same, |entry| entry.skeleton() == query.name_skeleton));
        }
        if !query.name_key.is_empty() {
            found.extend(first(&wanted, self.by_name.range(In::new(&wanted)..), |_| true));
            found.extend(first(&wanted, self.by_name.range(..In::new(&wanted)).rev(), |_| true));
            let backwards = &self.by_name_backwards;
            found.extend(first(&wanted, backwards.range(In::new(&wanted)..), |_| true));
            found.extend(first(&wanted, backwards.range(..In::new(&wanted)).rev(), |_| true));
        }
        if let Some(looks) = query.looks {
            found.extend(self.with_a_look(&wanted, looks));
        }
        if query.effects_key.is_some() {
            let same = self.by_effects.range(In::new(&wanted)..);
            found.extend(first(&wanted, same, |entry| entry.effects == query.effects_key));
        }
        let found = found.into_iter().map(|found| found.0);
        let alike = found.filter_map(|entry| {
            let shown = !self.banned.contains(&entry.account);
            let same_effects =
                shown && query.effects_key.is_some() && entry.effects == query.effects_key;
            let is_known = shown || entry.approved;
            let is_alike = same_effects || has_like_name(entry.as_name(), wanted.may_clash(&entry));
            (is_known && is_alike && Some(entry.code) != query.except).then(|| AlikeDesign {
                id: entry.id,
                code: entry.code,
                name: entry.name().to_owned(),
                name_key: entry.key().to_owned(),
                name_skeleton: entry.skeleton().to_owned(),
                own: requester == Some(entry.account),
                reserves_name: !entry.official,
                same_effects,
                shown,
            })
        });
        alike.collect()
    }

    /// The first designs by id that share one of the looks. The look in capital letters does not count between two names
    /// whose letters are ASCII but for accents.
    fn with_a_look(
        &self,
        wanted: &Arc<ListedEntry>,
        looks: &LookHashes,
    ) -> impl Iterator<Item = In<ById>> {
        let counts_in_capitals =
            |entry: &ListedEntry| looks.has_other_letters || has_other_letters(entry.name());
        let mut alike: BTreeSet<In<ById>> = BTreeSet::new();
        alike.extend(of_same_look(wanted, &self.by_plain_name, |_| true));
        alike.extend(of_same_look(wanted, &self.by_bare_skeleton, |_| true));
        alike.extend(of_same_look(wanted, &self.by_small_letters, |_| true));
        alike.extend(of_same_look(wanted, &self.by_capital_letters, counts_in_capitals));
        alike.into_iter().take(MAX_ALIKE)
    }
}

/// By id alone; callers compare only designs of one game.
struct ById;

impl Order for ById {
    fn compare(_: &ListedEntry, _: &ListedEntry) -> Ordering {
        Ordering::Equal
    }
}

/// The first designs of the same game that pass the test, at most as many as each part of the search may find.
fn first<'a, O: 'a>(
    wanted: &Arc<ListedEntry>,
    designs: impl Iterator<Item = &'a In<O>>,
    passes: impl Fn(&ListedEntry) -> bool,
) -> impl Iterator<Item = In<ById>> {
    let passing = move |entry: &&'a In<O>| entry.0.game == wanted.game && passes(&entry.0);
    designs.take_while(passing).take(MAX_ALIKE).map(|entry| In::new(&entry.0))
}

/// The first designs of the same game that have the same look and pass the test.
fn of_same_look<const AT: usize>(
    wanted: &Arc<ListedEntry>,
    designs: &BTreeSet<In<ByLook<AT>>>,
    passes: impl Fn(&ListedEntry) -> bool,
) -> impl Iterator<Item = In<ById>> {
    let is_same = |entry: &&In<ByLook<AT>>| {
        entry.0.game == wanted.game && entry.0.look(AT) == wanted.look(AT)
    };
    let same = designs.range(In::new(wanted)..).take_while(is_same);
    same.filter(move |entry| passes(&entry.0)).take(MAX_ALIKE).map(|entry| In::new(&entry.0))
}

/// The listed designs in memory.
pub struct ListedDesigns {
    sorted: RwLock<SortedDesigns>,
    clock: FeedClock,
    /// Signals that a design changed just now.
    hurry: Notify,
    hits: Counter,
    misses: Counter,
}

impl ListedDesigns {
    /// `trust` is how long the designs are used after changes were last read.
    pub fn new(trust: Duration) -> Self {
        Self {
            sorted: RwLock::default(),
            clock: FeedClock::new(trust),
            hurry: Notify::new(),
            hits: metrics::counter!("listed_design_hits_total"),
            misses: metrics::counter!("listed_design_misses_total"),
        }
    }

    /// Finds listed designs that are similar to a design; `None`: the caller must query the database. `has_like_name` is
    /// asked about dozens of designs whose names are beside the wanted one in some order.
    pub fn find_alike(
        &self,
        requester: Option<AccountId>,
        query: &LikenessQuery<'_>,
        has_like_name: impl Fn(Name<'_>, MayClash) -> bool,
    ) -> Option<Vec<AlikeDesign>> {
        let is_current = || self.clock.is_current();
        // Checked again with the lock: everything may have been dropped while this thread waited for it.
        let sorted = is_current().then(|| self.read()).filter(|_| is_current());
        let found = sorted.map(|sorted| sorted.find_alike(requester, query, has_like_name));
        if found.is_some() { &self.hits } else { &self.misses }.increment(1);
        found
    }

    /// The game and the public revision of a design; `None`: there may be none, and the caller must query the database.
    pub fn shown(&self, code: DesignCode) -> Option<(Arc<str>, i64)> {
        if !self.clock.is_current() {
            return None;
        }
        let sorted = self.read();
        let entry =
            sorted.by_code.get(&code).filter(|entry| !sorted.banned.contains(&entry.account))?;
        Some((entry.game.clone(), entry.revision))
    }

    /// The revision of the effect texts of a game; `None`: the game has none, or the caller must query the database.
    pub fn effect_texts(&self, game: &str) -> Option<i64> {
        if !self.clock.is_current() {
            return None;
        }
        let sorted = self.read();
        let mut revisions = sorted.effect_texts.iter();
        revisions.find(|(code, _)| code == game).map(|(_, revision)| *revision)
    }

    /// The moment up to which changes are known.
    pub fn clock(&self) -> &FeedClock {
        &self.clock
    }

    /// Signals that a design changed, so that the changes are read at once.
    pub fn hurry(&self) {
        self.hurry.notify_one();
    }

    /// Completes after [`hurry`](Self::hurry) was called.
    pub async fn hurried(&self) {
        self.hurry.notified().await;
    }

    /// Drops everything.
    pub fn forget(&self) {
        self.clock.reset();
        let before = std::mem::take(&mut *self.write());
        drop(before);
    }

    /// Adds designs; returns the number of designs in memory.
    pub fn add(&self, listed: &[ListedName]) -> usize {
        let mut sorted = self.write();
        for design in listed {
            sorted.add(design);
        }
        sorted.by_id.len()
    }

    /// Adds banned accounts.
    pub fn add_banned(&self, accounts: Vec<AccountId>) {
        self.write().banned.extend(accounts);
    }

    /// Applies changes; returns the number of designs in memory.
    pub fn apply(&self, changes: &DesignChanges) -> usize {
        let mut sorted = self.write();
        let listed: HashSet<DesignId> = changes.listed.iter().map(|design| design.id).collect();
        let gone = changes.designs.iter().filter(|design| !listed.contains(design));
        gone.for_each(|design| sorted.remove(*design));
        changes.listed.iter().for_each(|design| sorted.add(design));
        for account in &changes.accounts {
            sorted.banned.remove(account);
        }
        sorted.banned.extend(&changes.banned);
        sorted.by_id.len()
    }

    /// Replaces the revisions of the effect texts.
    pub fn set_effect_texts(&self, revisions: Vec<(String, i64)>) {
        self.write().effect_texts = revisions;
    }

    /// Updates the metrics.
    pub fn measure(&self) {
        let designs = u32::try_from(self.read().by_id.len()).unwrap_or(u32::MAX);
        metrics::gauge!("listed_designs").set(f64::from(designs));
    }

    fn read(&self) -> RwLockReadGuard<'_, SortedDesigns> {
        self.sorted.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, SortedDesigns> {
        self.sorted.write().unwrap_or_else(PoisonError::into_inner)
    }
}
