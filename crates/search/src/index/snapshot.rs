//! A snapshot of all cards, and the queries that it answers.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use roaring::RoaringBitmap;

use super::answer::{Count, FacetAttribute, Facets, Listed, Page};
use super::judge::Judge;
use super::naive;
use super::names::{self, Fit, NamePlace, NameQuery, NamedCard, Suggestion, trigrams};
use super::nearest::{Candidate, CandidateCard, nearest};
use super::pattern::Patterns;
use super::position::{After, PlaceKey, Position};
use super::progress::{Counts, Progress};
use super::record::{CardRecord, Unlock};
use super::releases::Releases;
use super::segment::{Plan, Segment, SegmentPage, Steps};
use crate::{CardQuery, KnownTest, Predicate, SortKey, Test, Unique};

/// Cards with content that only this requester may see. Each replaces the indexed card with the same id.
pub type View = [CardRecord];

/// An open card with its name and its place.
#[derive(Clone, Copy, Debug)]
pub struct OpenName<'a> {
    /// Id of the card.
    pub id: u128,
    /// Its name.
    pub name: &'a str,
    place: PlaceKey<'a>,
}

impl<'a> OpenName<'a> {
    /// Code of its set.
    pub fn set(&self) -> &'a str {
        self.place.set
    }

    /// Its number in the set.
    pub fn number(&self) -> &'a str {
        self.place.number
    }
}

/// Budget of one page or one count for testing cards one by one, in steps of about a nanosecond.
const MAX_STEPS: u64 = 60_000_000;

/// Whether a query uses counted submissions, which change without changes of the catalogue: the index answers it only
/// [with them](Snapshot::with_progress).
pub fn needs_progress(query: &CardQuery) -> bool {
    fn of(predicate: &Predicate) -> bool {
        match predicate {
            Predicate::All(parts) | Predicate::Any(parts) => parts.iter().any(of),
            Predicate::Known { test, .. } => matches!(test, KnownTest::Submissions(..)),
            Predicate::Content { .. } => false,
        }
    }
    query.sort == SortKey::Submissions || of(&query.predicate)
}

/// Whether a query uses a sum of attributes without an index, or a regular expression on each printing.
fn is_beyond(query: &CardQuery, is_sum: &dyn Fn(&[String]) -> bool) -> bool {
    let is_printings = query.unique == Unique::Printings;
    let unknown_sum = |sum: &[String]| sum.len() > 1 && !is_sum(sum);
    let beyond = |test: &Test| match test {
        Test::Number { sum, .. } => unknown_sum(sum),
        Test::Regex(..) => is_printings,
        _ => false,
    };
    let sorted = match &query.sort {
        SortKey::Sum(sums) => sums.iter().any(|sum| unknown_sum(&sum.attributes)),
        _ => false,
    };
    sorted || query.predicate.has(&beyond)
}

/// Immutable cards, with the set of those that were not deleted.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) segment: Arc<Segment>,
    pub(super) live: Arc<RoaringBitmap>,
}

/// All cards at one point in time.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub(super) parts: Vec<Part>,
    pub(super) releases: Arc<Releases>,
    pub(super) progress: Option<Arc<Progress>>,
}

struct PreparedQuery<'s> {
    judge: &'s Judge<'s>,
    steps: Steps,
    parts: Vec<(&'s Segment, Cow<'s, RoaringBitmap>)>,
}

impl Snapshot {
    /// The existing sets.
    pub fn sets(&self) -> Arc<Releases> {
        Arc::clone(&self.releases)
    }

    /// Number of cards, including hidden ones.
    pub fn cards(&self) -> usize {
        self.parts.iter().map(|part| usize::try_from(part.live.len()).unwrap_or_default()).sum()
    }

    /// Number of hidden cards.
    pub fn hidden(&self) -> usize {
        let hidden = |part: &Part| part.segment.hidden().intersection_len(&part.live);
        self.parts.iter().map(|part| usize::try_from(hidden(part)).unwrap_or_default()).sum()
    }

    /// For each number `n`, the hidden card with index `n` modulo the number of hidden cards, from 0, in an order that is
    /// not specified. Empty if no card is hidden.
    pub fn hidden_cards(&self, numbers: &[u64]) -> Vec<u128> {
        let parts = self.parts.iter().map(|part| (part, part.segment.hidden() & &*part.live));
        let parts: Vec<(&Part, RoaringBitmap)> = parts.collect();
        let all: u64 = parts.iter().map(|(_, hidden)| hidden.len()).sum();
        let card = |number: &u64| {
            let mut at = number.checked_rem(all)?;
            for (part, hidden) in &parts {
                if at < hidden.len() {
                    return Some(part.segment.id(hidden.select(u32::try_from(at).ok()?)?));
                }
                at -= hidden.len();
            }
            None
        };
        numbers.iter().filter_map(card).collect()
    }

    /// The same cards with their counted submissions, for queries that use these. Takes about 50 ns for each card that
    /// started hidden.
    #[must_use]
    pub fn with_progress(&self, counts: &Arc<Counts>) -> Self {
        let progress = Some(Arc::new(Progress::new(counts, self.parts.iter())));
        Self { progress, ..self.clone() }
    }

    /// Whether the snapshot can answer a query completely and in bounded time. If not, the database must be queried: for
    /// counted submissions that were not passed, for sums that were not declared before the cards were added
    /// ([`Builder::sum`](super::Builder::sum)), and for regular expressions in lists of printings.
    pub fn answers(&self, query: &CardQuery) -> bool {
        let is_sum = |sum: &[String]| self.parts.iter().all(|part| part.segment.knows_sum(sum));
        (self.progress.is_some() || !needs_progress(query)) && !is_beyond(query, &is_sum)
    }

    /// Heap size in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.parts.iter().map(|part| part.segment.total_bytes()).sum()
    }

    /// Heap size in bytes, by purpose.
    pub fn memory(&self) -> BTreeMap<&'static str, usize> {
        let mut all = BTreeMap::new();
        for part in &self.parts {
            for (name, bytes) in part.segment.bytes() {
                *all.entry(name).or_default() += bytes;
            }
        }
        all
    }

    /// The cards of a part that were not deleted, without those in the view.
    pub(super) fn indexed_cards<'p>(part: &'p Part, view: &View) -> Cow<'p, RoaringBitmap> {
        let mut live = Cow::Borrowed(&*part.live);
        for at in view.iter().filter_map(|card| part.segment.find(card.id)) {
            live.to_mut().remove(at);
        }
        live
    }

    fn judge<'s>(&'s self, query: &'s CardQuery, patterns: &'s Patterns) -> Judge<'s> {
        Judge { query, releases: &self.releases, patterns, progress: self.progress.as_deref() }
    }

    fn prepare<'s>(&'s self, judge: &'s Judge<'s>, view: &View) -> PreparedQuery<'s> {
        let seen = |part: &'s Part| (&*part.segment, Self::indexed_cards(part, view));
        // The smallest part first, so that the latest changes are tested even if the budget does not last for all.
        let parts = self.parts.iter().rev().map(seen).collect();
        PreparedQuery { judge, steps: Steps::new(MAX_STEPS), parts }
    }

    /// The entries of a list after a position, at most `limit`. There are fewer if the costly tests used up their budget;
    /// then the list goes on after [`Page::tested_to`], or entries are missing ([`Page::cut`]).
    pub fn search(
        &self,
        query: &CardQuery,
        view: &View,
        after: Option<&Position>,
        limit: usize,
    ) -> Page {
        self.search_within(MAX_STEPS, query, view, after, limit)
    }

    /// [`Self::search`] with another budget.
    pub(super) fn search_within(
        &self,
        budget: u64,
        query: &CardQuery,
        view: &View,
        after: Option<&Position>,
        limit: usize,
    ) -> Page {
        let patterns = Patterns::of(query);
        let judge = self.judge(query, &patterns);
        let after = after.map(|position| After::new(query, position));
        let prepared = self.prepare(&judge, view);
        let mut found = naive::list(view, &judge, after.as_ref(), limit);
        let mut tested_to: Option<Listed> = None;
        let mut cut = patterns.is_incomplete();
        // Each part has a share of the budget, so that each page goes on in all of them. The smallest parts come first, and
        // leave most of their shares to the largest.
        let (mut left, mut waiting) = (budget, prepared.parts.len() as u64);
        for (segment, live) in &prepared.parts {
            let share = left / waiting;
            let steps = Steps::new(share);
            let page = prepared.page(segment, live, after.as_ref(), limit, &steps);
            left -= share - steps.left();
            waiting -= 1;
            cut |= page.cut;
            if page.found.len() < limit {
                tested_to = [tested_to, page.last_tested]
                    .into_iter()
                    .flatten()
                    .min_by(|one, other| naive::compare(one, other, &judge));
            }
            found.extend(page.found);
        }
        naive::sort(&mut found, &judge);
        if let Some(last) = &tested_to {
            // The next page finds the others again, in their places among the entries that are not yet found.
            found.retain(|one| naive::compare(one, last, &judge).is_le());
        }
        found.truncate(limit);
        let tested_to = tested_to.filter(|_| found.len() < limit).map(Listed::into_position);
        Page { hits: found.into_iter().map(Listed::into_hit).collect(), cut, tested_to }
    }

    /// The number of entries in the whole list: exact up to `at_most`.
    pub fn count(&self, query: &CardQuery, view: &View, at_most: u64) -> Count {
        let patterns = Patterns::of(query);
        let judge = self.judge(query, &patterns);
        let prepared = self.prepare(&judge, view);
        let mut entries = naive::count(view, &judge);
        for (segment, live) in &prepared.parts {
            for window in segment.windows(&judge) {
                if entries > at_most || prepared.steps.are_used_up() {
                    break;
                }
                let plan = Plan::new(segment, &judge, window);
                entries += plan.count(live, at_most - entries, &prepared.steps);
            }
        }
        let is_more = entries > at_most;
        let cut = !is_more && prepared.is_cut();
        Count { entries: entries.min(at_most), is_exact: !is_more && !cut, cut }
    }

    /// One of the matching cards whose content the requester may see: the one with index `number`, modulo their number, in
    /// the order of places. The order and the printings of the query are ignored.
    pub fn random(&self, query: &CardQuery, view: &View, number: u64) -> Option<u128> {
        let query = &CardQuery {
            unique: Unique::Cards,
            sort: SortKey::Place,
            predicate: query.predicate.clone(),
            descending: false,
        };
        let patterns = Patterns::of(query);
        let judge = self.judge(query, &patterns);
        let prepared = self.prepare(&judge, view);
        let own = naive::open(view, &judge);
        let sets = prepared.open_cards();
        let all = sets.iter().map(|(_, cards)| cards.len()).sum::<u64>() + own.len() as u64;
        let wanted = number.checked_rem(all)?;
        Some(nth(&sets, &own, wanted))
    }

    /// Counts the matching cards whose content the requester may see by value: in total, by kind, rarity, style and slot of
    /// effects, and by each of `attributes`.
    pub fn facets(
        &self,
        predicate: &Predicate,
        view: &View,
        attributes: &[FacetAttribute<'_>],
    ) -> Facets {
        let query = &CardQuery {
            predicate: predicate.clone(),
            sort: SortKey::Place,
            descending: false,
            unique: Unique::Cards,
        };
        let patterns = Patterns::of(query);
        let judge = self.judge(query, &patterns);
        let prepared = self.prepare(&judge, view);
        let mut tally = naive::Tally::new();
        for card in naive::open(view, &judge) {
            naive::tally(card, attributes, &mut tally);
        }
        for (segment, cards) in prepared.open_cards() {
            segment.tally(&cards, attributes, &prepared.steps, &mut tally);
        }
        Facets { counts: naive::facet_counts(tally), cut: prepared.is_cut() }
    }

    /// Whether the requester may see a card of a part, and it is in that place.
    fn is_in(part: &Part, at: u32, place: NamePlace<'_>, view: &View) -> bool {
        let PlaceKey { game, set, .. } = part.segment.place(at);
        part.live.contains(at)
            && place.game.is_none_or(|wanted| wanted == game)
            && place.set.is_none_or(|wanted| wanted == set)
            && !view.iter().any(|card| card.id == part.segment.id(at))
    }

    /// The cards with content of a part that the requester may see, in a game and a set.
    fn open_in(part: &Part, place: NamePlace<'_>, view: &View) -> RoaringBitmap {
        let open = &*Self::indexed_cards(part, view) & part.segment.open();
        match part.segment.of_place(place) {
            Some(cards) => open & cards,
            None => open,
        }
    }

    /// Cards that a name may mean, the most similar first, at most [`MAX_NAMED`](super::MAX_NAMED): those with the same
    /// key, and, if the query asks for them, those that contain its words or have a similar name.
    pub fn named(&self, place: NamePlace<'_>, query: &NameQuery, view: &View) -> Vec<NamedCard> {
        let typed = trigrams(&query.search_key);
        let own = view.iter().filter(|card| place.holds(card)).filter_map(|card| {
            let fit = Fit::new(query, &typed, card.content.as_ref()?)?;
            Some(Candidate { fit, card: CandidateCard::Own(card) })
        });
        let mut found: Vec<Candidate<'_>> = own.collect();
        for part in &self.parts {
            let segment = &*part.segment;
            let alike = if query.near {
                let seen = Self::indexed_cards(part, view);
                // There are other cards between sets of several games with the same code.
                let set = place.set.filter(|_| place.game.is_none());
                let is_of_set = |at| set.is_none_or(|set| segment.place(at).set == set);
                let window = segment.window_of_place(place);
                segment.alike(query, &typed, window, |at| seen.contains(at) && is_of_set(at))
            } else {
                segment.exactly(query, &typed, |at| Self::is_in(part, at, place, view))
            };
            let of = |(at, fit)| Candidate { fit, card: CandidateCard::Of(segment, at) };
            found.extend(alike.into_iter().map(of));
        }
        nearest(found)
    }

    /// The cards of a game whose name has that key, by set and number.
    pub fn same_name(&self, game: &str, key: &str, view: &View) -> Vec<NamedCard> {
        let place = NamePlace { game: Some(game), set: None };
        let mut found: Vec<NamedCard> = Vec::new();
        for card in view.iter().filter(|card| place.holds(card)) {
            if let Some(content) = &card.content
                && cardscape_engine::search_key(&content.name) == key
            {
                found.push(NamedCard {
                    id: card.id,
                    game: card.game.clone(),
                    set: card.set.clone(),
                    number: card.number.clone(),
                    name: content.name.clone(),
                    has_words: false,
                });
            }
        }
        for part in &self.parts {
            let same = part.segment.with_key(key);
            let same = same.filter(|at| Self::is_in(part, *at, place, view));
            found.extend(same.map(|at| named_card(&part.segment, at, false)));
        }
        found.sort_by(|one, other| (&one.set, &one.number).cmp(&(&other.set, &other.number)));
        found
    }

    /// Whether a game has a card whose content everybody may see.
    pub fn has_open_cards(&self, game: &str) -> bool {
        let place = NamePlace { game: Some(game), set: None };
        self.parts.iter().any(|part| !Self::open_in(part, place, &[]).is_empty())
    }

    /// The open cards of a game whose name has that key, by set and number.
    pub fn open_with_name<'a>(&'a self, game: &str, key: &str) -> Vec<OpenName<'a>> {
        let place = NamePlace { game: Some(game), set: None };
        let mut found: Vec<OpenName<'a>> = Vec::new();
        for part in &self.parts {
            let same = part.segment.with_key(key);
            found.extend(same.filter(|at| Self::is_in(part, *at, place, &[])).map(|at| OpenName {
                id: part.segment.id(at),
                place: part.segment.place(at),
                name: part.segment.name(at),
            }));
        }
        found.sort_by_key(|card| (card.place.set, card.place.number));
        found
    }

    /// The card with an id, if it is open.
    pub fn open_card(&self, id: u128) -> Option<OpenName<'_>> {
        let (segment, at) = self.place_of(id)?;
        let is_open = segment.open().contains(at);
        is_open.then(|| OpenName { id, name: segment.name(at), place: segment.place(at) })
    }

    /// Completions of a typed name: first names that begin with it, then names with a word that begins with it, then,
    /// if the query asks for similar names, names that contain it; each in alphabetical order. A name of several cards
    /// is listed once.
    pub fn suggest_names(
        &self,
        game: Option<&str>,
        query: &NameQuery,
        view: &View,
        limit: usize,
    ) -> Vec<String> {
        let place = NamePlace { game, set: None };
        let own = view.iter().filter(|card| place.holds(card));
        let mut found: BTreeSet<Suggestion> =
            own.filter_map(|card| names::suggestion(query, card.content.as_ref()?)).collect();
        for part in &self.parts {
            let allowed = Self::open_in(part, place, view);
            part.segment.suggestions(query, &allowed, limit, &mut found);
        }
        found.into_iter().take(limit).map(|(_, _, name)| name).collect()
    }

    /// The card at a place.
    pub fn at(&self, game: &str, set: &str, number: &str) -> Option<u128> {
        let place = PlaceKey { game, set, number, tier: 0 };
        self.parts.iter().find_map(|part| {
            let at = part.segment.first_from(place);
            // A deleted card may have had the same place.
            let alike = (at..).take_while(|at| {
                (*at as usize) < part.segment.len() && part.segment.place(*at) == place
            });
            let mut alive = alike.filter(|at| part.live.contains(*at));
            alive.next().map(|at| part.segment.id(at))
        })
    }

    /// The card with an id, as it was added; for a hidden card only its place.
    pub fn card(&self, id: u128) -> Option<CardRecord> {
        self.place_of(id).map(|(segment, at)| segment.record(at))
    }

    /// Whether the card with an id is hidden; `None`: there is no such card.
    pub fn is_hidden(&self, id: u128) -> Option<bool> {
        self.place_of(id).map(|(segment, at)| segment.unlock(at) == Unlock::Hidden)
    }

    /// Where the card with an id is.
    fn place_of(&self, id: u128) -> Option<(&Segment, u32)> {
        self.parts.iter().find_map(|part| {
            let at = part.segment.find(id).filter(|at| part.live.contains(*at))?;
            Some((&*part.segment, at))
        })
    }
}

impl PreparedQuery<'_> {
    fn is_cut(&self) -> bool {
        self.steps.are_used_up() || self.judge.patterns.is_incomplete()
    }

    /// The entries of one part after a position, at most `limit`.
    fn page(
        &self,
        segment: &Segment,
        live: &RoaringBitmap,
        after: Option<&After<'_>>,
        limit: usize,
        steps: &Steps,
    ) -> SegmentPage {
        let mut all = SegmentPage { found: Vec::new(), last_tested: None, cut: false };
        for window in segment.windows_of_page(self.judge, after) {
            if all.found.len() >= limit || steps.are_used_up() {
                break;
            }
            let plan = Plan::new(segment, self.judge, window);
            let page = plan.page(live, after, limit - all.found.len(), steps);
            all.found.extend(page.found);
            all.last_tested = page.last_tested;
            all.cut |= page.cut;
        }
        all
    }

    /// The matching cards with content.
    fn open_cards(&self) -> Vec<(&Segment, RoaringBitmap)> {
        let fitting = |segment: &Segment, live: &RoaringBitmap| {
            let window = segment.window(self.judge);
            let open = &*window.within(live) & segment.open();
            Plan::new(segment, self.judge, window).all(&open, &self.steps)
        };
        self.parts.iter().map(|(segment, live)| (*segment, fitting(segment, live))).collect()
    }
}

fn named_card(segment: &Segment, at: u32, has_words: bool) -> NamedCard {
    let PlaceKey { game, set, number, .. } = segment.place(at);
    NamedCard {
        id: segment.id(at),
        game: game.to_owned(),
        set: set.to_owned(),
        number: number.to_owned(),
        name: segment.name(at).to_owned(),
        has_words,
    }
}

/// The card with this index, from 0, in the order of places. There must be that many.
fn nth(sets: &[(&Segment, RoaringBitmap)], own: &[&CardRecord], wanted: u64) -> u128 {
    let mut others: Vec<&(&Segment, RoaringBitmap)> = sets.iter().collect();
    others.sort_by_key(|(_, cards)| std::cmp::Reverse(cards.len()));
    let main = (!others.is_empty()).then(|| others.remove(0));
    let before = |place: PlaceKey<'_>| {
        let in_set = |(segment, cards): &&(&Segment, RoaringBitmap)| {
            cards.range_cardinality(..segment.first_from(place))
        };
        let own = own.iter().filter(|card| naive::place(card) < place).count() as u64;
        others.iter().map(in_set).sum::<u64>() + own
    };
    // How many cards of the largest set come before the wanted one, which may be the next of them.
    let (mut low, mut high) = (0, main.map_or(0, |(_, cards)| cards.len()));
    let main_card = |at: u64| {
        let (segment, cards) = main?;
        cards.select(u32::try_from(at).ok()?).map(|at| (*segment, at))
    };
    while low < high {
        let middle = low + (high - low) / 2;
        let rank = main_card(middle).map_or(0, |(segment, at)| middle + before(segment.place(at)));
        if rank < wanted {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let next = main_card(low);
    if let Some((segment, at)) = next
        && low + before(segment.place(at)) == wanted
    {
        return segment.id(at);
    }
    // Among the other sets, between two cards of the largest one.
    let last = low.checked_sub(1).and_then(main_card);
    let from = last.map(|(segment, at)| segment.place(at));
    let to = next.map(|(segment, at)| segment.place(at));
    let skipped = low + from.map_or(0, before);
    let is_between = |place: PlaceKey<'_>| {
        from.is_none_or(|from| place >= from) && to.is_none_or(|to| place < to)
    };
    let mut between: Vec<(PlaceKey<'_>, u128)> = Vec::new();
    for (segment, cards) in others {
        let start = from.map_or(0, |from| segment.first_from(from));
        let end = to.map_or(u32::MAX, |to| segment.first_from(to));
        between.extend(cards.range(start..end).map(|at| (segment.place(at), segment.id(at))));
    }
    let own = own.iter().map(|card| (naive::place(card), card.id));
    between.extend(own.filter(|(place, _)| is_between(*place)));
    between.sort_unstable();
    let at = usize::try_from(wanted.saturating_sub(skipped)).unwrap_or(usize::MAX);
    between.get(at).map_or(0, |(_, id)| *id)
}
