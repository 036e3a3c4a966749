//! Pages: the matching entries in list order, from a position on until there are enough.
//!
//! Cards are stored in the order of their places. Other orders go from one value to the next, because the cards with a
//! value are a set.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use chrono::{Datelike as _, NaiveDate};
use roaring::RoaringBitmap;

use super::super::answer::Listed;
use super::super::judge::Entry;
use super::super::naive;
use super::super::position::{After, Bound, SortValue};
use super::super::record::CardRecord;
use super::Segment;
use super::document::Scalar;
use super::lists::{Keyed, Lists, Set, place, set_of};
use super::plan::{Plan, Steps, WHOLE_CARD, numbers};
use crate::{SortKey, SumOf, Unique};

/// If there are no more cards than this, they are read and sorted, regardless of the order.
pub(in crate::index) const FEW: u64 = if cfg!(test) { 3 } else { 64 };
/// When fewer than one in this many cards match, they are sorted by name or time; otherwise all names or times are read in their order.
const SPARSE: u64 = if cfg!(test) { 4 } else { 200 };

/// The entries of a segment on a page.
pub(in crate::index) struct SegmentPage {
    /// The entries, in order.
    pub(in crate::index) found: Vec<Listed>,
    /// The place in the list of the card whose test used up the budget: all entries up to it were found. `None`: the
    /// budget sufficed, or the cards were not tested in the order of the list.
    pub(in crate::index) last_tested: Option<Listed>,
    /// Whether the budget was used up while the cards were tested in another order: entries may be missing, and no later
    /// page has them.
    pub(in crate::index) cut: bool,
}

/// A page of a segment under construction.
struct PageBuilder<'p, 's> {
    plan: &'p Plan<'s>,
    segment: &'s Segment,
    after: Option<&'p After<'p>>,
    limit: usize,
    steps: &'p Steps,
    /// The cards that may be on it.
    cards: RoaringBitmap,
    found: Vec<Listed>,
    last_tested: Option<Listed>,
    cut: bool,
}

/// The cards that have a value.
enum Members<'s> {
    Set(Set<'s>),
    Owned(RoaringBitmap),
}

impl Plan<'_> {
    /// The entries after a position, in order, at most `limit`; only for cards that were not deleted.
    pub(in crate::index) fn page(
        &self,
        live: &RoaringBitmap,
        after: Option<&After<'_>>,
        limit: usize,
        steps: &Steps,
    ) -> SegmentPage {
        let cards = self.possible() & live;
        let segment = self.segment();
        let mut page = PageBuilder {
            plan: self,
            segment,
            after,
            limit,
            steps,
            cards,
            found: Vec::new(),
            last_tested: None,
            cut: false,
        };
        page.fill();
        SegmentPage { found: page.found, last_tested: page.last_tested, cut: page.cut }
    }

    /// The number of matching entries, up to one more than `at_most`.
    pub(in crate::index) fn count(&self, live: &RoaringBitmap, at_most: u64, steps: &Steps) -> u64 {
        let judge = self.judge();
        let uncertain = |known: &RoaringBitmap| &(self.possible() & live) - known;
        if judge.query.unique == Unique::Cards {
            let sure = self.sure() & live;
            let mut count = sure.len();
            if !self.is_exact() {
                for at in &uncertain(&sure) {
                    if count > at_most || steps.are_used_up() {
                        break;
                    }
                    count += u64::from(self.fits(at, steps));
                }
            }
            return count;
        }
        let mut count = 0;
        for at in &uncertain(&RoaringBitmap::new()) {
            if count > at_most || !steps.take(WHOLE_CARD) {
                break;
            }
            count += judge.entries(&self.record(at)).len() as u64;
        }
        count
    }
}

impl<'s> PageBuilder<'_, 's> {
    fn is_over(&self) -> bool {
        self.found.len() >= self.limit || self.steps.are_used_up()
    }

    fn fill(&mut self) {
        let query = self.plan.judge().query;
        // Costly tests may use up the budget. Then the next page can go on only if the cards are tested in order.
        let is_in_order = query.sort == SortKey::Place || query.predicate.is_costly();
        if !is_in_order && self.cards.len() <= FEW {
            return self.read_all();
        }
        match &query.sort {
            SortKey::Place => self.by_place(query.descending),
            SortKey::Submissions => match self.plan.progress() {
                Some(counts) => self.by_numbers(counts),
                None => self.without_key(&RoaringBitmap::new()),
            },
            SortKey::Name => self.by_name(),
            SortKey::Number => self.by_numbers(&self.segment.number_values),
            SortKey::Rarity if query.unique == Unique::Printings => {
                self.by_numbers(&self.segment.tiers);
            }
            SortKey::Rarity => self.by_numbers(&self.segment.lowest_tiers),
            SortKey::Kind => {
                let kinds = &self.segment.kinds;
                let value = |kind: &String| SortValue::Text(kind.clone());
                self.by_groups(groups(kinds, 0..kinds.keys().len(), value));
                self.without_key(&self.segment.open);
            }
            SortKey::Unlocked => self.by_unlocking(),
            SortKey::Year => self.by_release(|day| day.year()),
            SortKey::Released => self.by_release(|day| day.num_days_from_ce()),
            SortKey::Choice { attribute, values } => self.by_choice(attribute, values),
            SortKey::Sum(sums) => self.by_sum(sums),
        }
    }

    /// Reads every card, and sorts the matching entries.
    fn read_all(&mut self) {
        let (cards, judge) = (std::mem::take(&mut self.cards), self.plan.judge());
        for at in &cards {
            if self.steps.are_used_up() {
                self.cut = true;
                break;
            }
            let is_printings = judge.query.unique == Unique::Printings;
            if !is_printings && !self.plan.fits(at, self.steps) {
                continue;
            }
            self.steps.take(WHOLE_CARD);
            let record = self.plan.record(at);
            let entries = if is_printings {
                judge.entries(&record)
            } else {
                vec![Entry { card: &record, printing: None }]
            };
            for entry in entries {
                let listed = self.listed(at, entry.tier(), judge.sort_value(entry), &record);
                self.found.extend(listed);
            }
        }
        naive::sort(&mut self.found, judge);
        self.found.truncate(self.limit);
    }

    /// The entry, if it comes after the position.
    fn listed(
        &self,
        at: u32,
        tier: i16,
        key: Option<SortValue>,
        card: &CardRecord,
    ) -> Option<Listed> {
        let place = super::PlaceKey { tier, ..naive::place(card) };
        self.entry(at, place, key)
    }

    fn entry(&self, at: u32, place: super::PlaceKey<'_>, key: Option<SortValue>) -> Option<Listed> {
        let query = self.plan.judge().query;
        let is_after = self.after.is_none_or(|after| after.precedes(query, key.as_ref(), place));
        is_after.then(|| self.listed_at(at, place, key))
    }

    fn listed_at(&self, at: u32, place: super::PlaceKey<'_>, key: Option<SortValue>) -> Listed {
        let set = self.segment.set_of(at);
        Listed {
            card: self.segment.id(at),
            game: set.game.clone(),
            set: set.set.clone(),
            number: place.number.to_owned(),
            tier: place.tier,
            key,
            is_hidden: !self.segment.open.contains(at),
        }
    }

    /// Adds the matching entries of a card with that key.
    fn offer(&mut self, at: u32, key: Option<&SortValue>) {
        let (query, place) = (self.plan.judge().query, self.segment.place(at));
        let is_printings = query.unique == Unique::Printings;
        let is_backwards = query.sort == SortKey::Place && query.descending;
        // The last place that an entry of this card may have.
        let tier = if is_printings && !is_backwards { i16::MAX } else { 0 };
        let last = super::PlaceKey { tier, ..place };
        if self.after.is_some_and(|after| !after.precedes(query, key, last)) {
            return;
        }
        if is_printings {
            self.offer_printings(at, key);
        } else if self.plan.sure().contains(at) || self.plan.fits(at, self.steps) {
            self.found.push(self.listed_at(at, place, key.cloned()));
        }
        if self.steps.are_used_up() {
            self.last_tested = Some(self.listed_at(at, last, key.cloned()));
        }
    }

    fn offer_printings(&mut self, at: u32, key: Option<&SortValue>) {
        let (plan, judge) = (self.plan, self.plan.judge());
        self.steps.take(WHOLE_CARD);
        let record = plan.record(at);
        let mut entries = judge.entries(&record);
        if judge.query.sort == SortKey::Place && judge.query.descending {
            entries.reverse();
        }
        for entry in entries {
            let own = judge.sort_value(entry);
            if own.as_ref() == key {
                let listed = self.listed(at, entry.tier(), own, &record);
                self.found.extend(listed);
            }
        }
        self.found.truncate(self.limit);
    }

    /// The first card that may come after the position, among those with its key.
    fn start(&self) -> u32 {
        self.after.map_or(0, |after| self.segment.first_from(after.place))
    }

    fn by_place(&mut self, descending: bool) {
        let cards = std::mem::take(&mut self.cards);
        let offered: Box<dyn Iterator<Item = u32>> = match (descending, self.after) {
            (false, _) => Box::new(cards.range(self.start()..)),
            (true, Some(_)) => Box::new(cards.range(..=self.start()).rev()),
            (true, None) => Box::new(cards.iter().rev()),
        };
        for at in offered {
            if self.is_over() {
                break;
            }
            self.offer(at, None);
        }
    }

    /// Groups of cards by value, in ascending order of the values.
    fn by_groups<'g>(
        &mut self,
        mut groups: impl DoubleEndedIterator<Item = (SortValue, Members<'g>)>,
    ) {
        let descending = self.plan.judge().query.descending;
        while !self.is_over()
            && let Some((key, members)) =
                if descending { groups.next_back() } else { groups.next() }
        {
            self.by_group(&key, &members);
        }
    }

    fn by_group(&mut self, key: &SortValue, members: &Members<'_>) {
        if self.is_over() {
            return;
        }
        let query = self.plan.judge().query;
        let mut from = 0;
        if let Some(after) = self.after {
            let Some(bound) = &after.key else { return };
            let order = bound.compare(key);
            match if query.descending { order.reverse() } else { order } {
                std::cmp::Ordering::Less => return,
                std::cmp::Ordering::Equal => from = self.start(),
                std::cmp::Ordering::Greater => {}
            }
        }
        let cards = std::mem::take(&mut self.cards);
        let set = match members {
            Members::Set(set) => *set,
            Members::Owned(bitmap) => Set::Bitmap(bitmap),
        };
        for at in set.both(&cards, from) {
            if self.is_over() {
                break;
            }
            self.offer(at, Some(key));
        }
        self.cards = cards;
    }

    /// Adds cards without a value: they come last, by place.
    fn without_key(&mut self, with_key: &RoaringBitmap) {
        if self.is_over() {
            return;
        }
        let from = match self.after {
            Some(After { key: None, .. }) => self.start(),
            _ => 0,
        };
        let rest = &self.cards - with_key;
        for at in rest.range(from..) {
            if self.is_over() {
                break;
            }
            self.offer(at, None);
        }
    }

    fn by_numbers(&mut self, keyed: &'s Keyed<i128>) {
        let all = 0..keyed.keys().len();
        self.by_groups(groups(keyed, all.clone(), |number| SortValue::Number(*number)));
        if !self.is_over() {
            self.without_key(&keyed.lists().range(all, self.plan.window()));
        }
    }

    fn by_choice(&mut self, attribute: &str, values: &[String]) {
        let Some(index) = self.segment.attributes.get(attribute) else {
            return self.without_key(&RoaringBitmap::new());
        };
        if !index.has_all {
            return self.read_all();
        }
        let window = self.plan.window();
        let is_printings = self.plan.judge().query.unique == Unique::Printings;
        let own = index.printing.as_ref().filter(|_| is_printings).unwrap_or(&index.card);
        let union = |keyed: &Keyed<Scalar>, value: &str| {
            let mut keys = vec![Scalar::Text(value.into())];
            keys.extend(value.parse().ok().map(Scalar::Bool));
            let number: Option<i64> = value.parse().ok();
            keys.extend(number.filter(|number| number.to_string() == value).map(Scalar::Number));
            keyed.any_of(&keys, window)
        };
        let mut known = BTreeSet::new();
        let firsts = values.iter().enumerate().filter(|(_, value)| known.insert(*value));
        let mut with_key = RoaringBitmap::new();
        let mut groups = Vec::new();
        for (at, value) in firsts {
            // Where printings differ, a printing may be missing in the list although its card is in it.
            if !is_printings || index.printing.is_none() {
                with_key |= union(&index.card, value);
            }
            groups.push((SortValue::Number(at as i128 + 1), Members::Owned(union(own, value))));
        }
        self.by_groups(groups.into_iter());
        self.without_key(&with_key);
    }

    fn by_sum(&mut self, sums: &'s [SumOf]) {
        let segment = self.segment;
        let is_printings = self.plan.judge().query.unique == Unique::Printings;
        let mut rest = self.plan.everything();
        // Positions of cards that have a value themselves, whatever their printings have.
        let mut with_key: Vec<(&'s Lists, Range<usize>, usize)> = Vec::new();
        // A value, and the cards that have it.
        let mut found: Vec<(i128, Set<'s>, usize)> = Vec::new();
        let mut parts: Vec<RoaringBitmap> = Vec::new();
        for SumOf { of, attributes } in sums {
            let part = match of {
                None => rest.clone(),
                Some((game, kind)) => {
                    let mut of_game = self.plan.of_sets(|set| *set.game == **game);
                    of_game &= segment.kinds.any_of([kind], self.plan.window());
                    of_game & &rest
                }
            };
            rest -= &part;
            if part.is_disjoint(&self.cards) {
                continue;
            }
            let at = parts.len();
            match attributes.as_slice() {
                [code] => {
                    let Some(index) = segment.attributes.get(code) else { continue };
                    let (start, end) = numbers(&index.card);
                    with_key.push((index.card.lists(), start..end, at));
                    let own = index.printing.as_ref().filter(|_| is_printings);
                    let own = own.unwrap_or(&index.card);
                    let (start, end) = numbers(own);
                    for place in start..end {
                        if let Scalar::Number(number) = own.keys()[place] {
                            found.push((number.into(), own.lists().get(place), at));
                        }
                    }
                }
                several => {
                    let Some(sum) = segment.sums.get(several) else { return self.read_all() };
                    with_key.push((sum.card.lists(), 0..sum.card.keys().len(), at));
                    let own = if is_printings { &sum.printing } else { &sum.card };
                    for (place, number) in own.keys().iter().enumerate() {
                        found.push((*number, own.lists().get(place), at));
                    }
                }
            }
            parts.push(part);
        }
        if let [part] = parts.as_slice() {
            let all = std::mem::take(&mut self.cards);
            self.cards = &all & part;
            let group = |(number, set, _)| (SortValue::Number(number), Members::Set(set));
            self.by_groups(found.into_iter().map(group));
            self.cards = all;
        } else {
            found.sort_by_key(|(number, _, _)| *number);
            let group = |same: &[(i128, Set<'s>, usize)]| {
                let mut cards = RoaringBitmap::new();
                for (_, set, part) in same {
                    cards |= set.both(&parts[*part], 0).collect::<RoaringBitmap>();
                }
                (SortValue::Number(same[0].0), Members::Owned(cards))
            };
            self.by_groups(found.chunk_by(|one, other| one.0 == other.0).map(group));
        }
        if self.is_over() {
            return;
        }
        let mut all = RoaringBitmap::new();
        for (lists, range, part) in with_key {
            all |= lists.range(range, self.plan.window()) & &parts[part];
        }
        self.without_key(&all);
    }

    fn by_unlocking(&mut self) {
        let (segment, query) = (self.segment, self.plan.judge().query);
        let unlocked = |at: u32| segment.unlocked[at as usize];
        let key = |at: u32| SortValue::Time(unlocked(at).1);
        // Of few cards each is looked up: all others may be those of another, much larger game.
        let times: Cow<'_, [u32]> = if self.cards.len() * SPARSE < segment.unlocked.len() as u64 {
            let at = |card: u32| segment.unlocked.binary_search_by_key(&card, |(card, _)| *card);
            let found = self.cards.iter().filter_map(|card| at(card).ok());
            let mut few: Vec<u32> = found.map(place).collect();
            few.sort_by_key(|at| unlocked(*at).1);
            Cow::Owned(few)
        } else {
            Cow::Borrowed(segment.in_time.as_slice())
        };
        // The part that may come after the position: pages are few entries of a long list.
        let left: &[u32] = match self.after.map(|after| after.key.as_ref()) {
            None => &times[..],
            Some(None) => &[],
            Some(Some(bound)) if query.descending => {
                &times[..times.partition_point(|at| bound.compare(&key(*at)).is_le())]
            }
            Some(Some(bound)) => {
                &times[times.partition_point(|at| bound.compare(&key(*at)).is_lt())..]
            }
        };
        let mut groups = left.chunk_by(|one, other| unlocked(*one).1 == unlocked(*other).1);
        while !self.is_over()
            && let Some(same) = if query.descending { groups.next_back() } else { groups.next() }
        {
            let cards = same.iter().map(|at| unlocked(*at).0);
            let cards: RoaringBitmap = cards.filter(|card| self.cards.contains(*card)).collect();
            if !cards.is_empty() {
                self.by_group(&key(same[0]), &Members::Owned(cards));
            }
        }
        if !self.is_over() {
            self.without_key(&set_of(times.iter().map(|at| unlocked(*at).0).collect()));
        }
    }

    fn by_release(&mut self, key: impl Fn(NaiveDate) -> i32) {
        let (segment, judge) = (self.segment, self.plan.judge());
        let mut releases: BTreeMap<i32, RoaringBitmap> = BTreeMap::new();
        let mut with_key = RoaringBitmap::new();
        for set in &segment.sets {
            if let Some(day) = judge.release_of(&set.game, &set.set) {
                let cards = super::plan::range(set.start..set.end) & &segment.open;
                with_key |= &cards;
                *releases.entry(key(day)).or_default() |= cards;
            }
        }
        let group = |(key, cards): (i32, _)| (SortValue::Number(key.into()), Members::Owned(cards));
        self.by_groups(releases.into_iter().map(group));
        self.without_key(&with_key);
    }

    fn by_name(&mut self) {
        let (segment, query) = (self.segment, self.plan.judge().query);
        let cards = std::mem::take(&mut self.cards);
        let fitting = &cards & &segment.open;
        let bound = match self.after {
            None => None,
            Some(After { key: None, .. }) => {
                self.cards = cards;
                return self.without_key(&segment.open);
            }
            Some(After { key: Some(Bound::Value(SortValue::Text(key))), .. }) => Some(key.as_str()),
            Some(After { key: Some(_), .. }) => Some(""),
        };
        let all = &segment.names.by_key;
        let key_of = |at: u32| segment.search_key(at);
        // The part of the alphabet that may come after the position.
        let left = match bound {
            None => 0..all.len(),
            Some(bound) if query.descending => {
                0..all.partition_point(|at| key_of(*at).as_str() <= bound)
            }
            Some(bound) => all.partition_point(|at| key_of(*at).as_str() < bound)..all.len(),
        };
        let walk: Box<dyn DoubleEndedIterator<Item = u32>> =
            if fitting.len() * SPARSE < segment.open.len() {
                let places = fitting.iter().map(|at| segment.names.places[at as usize] as usize);
                let mut places: Vec<usize> = places.filter(|at| left.contains(at)).collect();
                places.sort_unstable();
                Box::new(places.into_iter().map(|place| all[place]))
            } else {
                Box::new(all[left].iter().copied().filter(|at| fitting.contains(*at)))
            };
        let named = |at: u32| (key_of(at), at);
        self.by_keys(if query.descending {
            Box::new(in_runs(walk.rev().map(named)))
        } else {
            Box::new(walk.map(named))
        });
        self.cards = cards;
        self.without_key(&segment.open);
    }

    fn by_keys(&mut self, named: Box<dyn Iterator<Item = (String, u32)> + '_>) {
        for (key, at) in named {
            if self.is_over() {
                break;
            }
            self.offer(at, Some(&SortValue::Text(key)));
        }
    }
}

/// Reverses runs of cards with the same key, which come in the wrong order when keys are read backwards.
fn in_runs(named: impl Iterator<Item = (String, u32)>) -> impl Iterator<Item = (String, u32)> {
    let mut named = named.peekable();
    let mut run: Vec<(String, u32)> = Vec::new();
    std::iter::from_fn(move || {
        if run.is_empty() {
            run.extend(named.next());
            while let Some(next) = named.next_if(|(key, _)| *key == run[0].0) {
                run.push(next);
            }
        }
        run.pop()
    })
}

fn groups<'s, K: Ord>(
    keyed: &'s Keyed<K>,
    places: Range<usize>,
    value: impl Fn(&K) -> SortValue + 's,
) -> impl DoubleEndedIterator<Item = (SortValue, Members<'s>)> {
    places.map(move |at| (value(&keyed.keys()[at]), Members::Set(keyed.lists().get(at))))
}
