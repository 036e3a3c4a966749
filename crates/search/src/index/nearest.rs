//! The best of the cards that a name may mean. Of the many similar cards, only as many names are read as the best ones
//! need.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use cardscape_engine::name_key;

use super::names::{Fit, MAX_ALIKE, MAX_NAMED, NamedCard};
use super::position::PlaceKey;
use super::record::CardRecord;
use super::segment::Segment;

/// A candidate, before its name is read.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) fit: Fit,
    pub(super) card: CandidateCard<'a>,
}

/// The location of the card.
#[derive(Clone, Copy)]
pub(super) enum CandidateCard<'a> {
    /// In a segment, with its ordinal.
    Of(&'a Segment, u32),
    /// Among the cards that only the requester sees. It has content.
    Own(&'a CardRecord),
}

struct RankedCandidate<'a> {
    candidate: Candidate<'a>,
    id: u128,
    place: PlaceKey<'a>,
    name: &'a str,
    name_key: String,
}

impl<'a> Candidate<'a> {
    fn read(self) -> RankedCandidate<'a> {
        let (id, place, name) = match self.card {
            CandidateCard::Of(segment, at) => (segment.id(at), segment.place(at), segment.name(at)),
            CandidateCard::Own(card) => {
                let CardRecord { game, set, number, .. } = card;
                let name = card.content.as_ref().map_or("", |content| &content.name);
                (card.id, PlaceKey { game, set, number, tier: 0 }, name)
            }
        };
        RankedCandidate { candidate: self, id, place, name, name_key: name_key(name) }
    }
}

impl RankedCandidate<'_> {
    /// The most similar first; cards with the same game and key only if their matches differ.
    fn order(&self, other: &Self) -> Ordering {
        let fit = self.candidate.fit.order(other.candidate.fit);
        fit.then_with(|| self.name_key.cmp(&other.name_key))
            .then_with(|| self.place.game.cmp(other.place.game))
    }

    /// The order that decides which [`MAX_ALIKE`] cards are ranked.
    fn order_of_all(&self, other: &Self) -> Ordering {
        self.order(other).then_with(|| self.id.cmp(&other.id))
    }

    fn into_named(self) -> NamedCard {
        let PlaceKey { game, set, number, .. } = self.place;
        NamedCard {
            id: self.id,
            game: game.to_owned(),
            set: set.to_owned(),
            number: number.to_owned(),
            name: self.name.to_owned(),
            has_words: self.candidate.fit.has_words,
        }
    }
}

/// The best [`MAX_NAMED`] of the first [`MAX_ALIKE`]; of several cards of a game with one name, the first by set and
/// number represents all.
pub(super) fn nearest(mut all: Vec<Candidate<'_>>) -> Vec<NamedCard> {
    // Some candidates after the limit may match as well as the last one before it. Then their names decide.
    let end = move_best_forward(&mut all, MAX_ALIKE);
    all.truncate(end);
    let mut excess = end.saturating_sub(MAX_ALIKE);
    let last = (excess > 0).then(|| all[MAX_ALIKE - 1].fit);
    // For very long names, the similarity of cards in a segment is less exact than that of the requester's own cards, so cards
    // with the same name could get different ranks.
    let has_own = all.iter().any(|one| matches!(one.card, CandidateCard::Own(_)));
    let mut wanted = if has_own { MAX_ALIKE } else { 2 * MAX_NAMED };
    loop {
        let end = move_best_forward(&mut all, wanted);
        let reach = all[..end].last().map(|one| one.fit);
        let end = end + move_namesakes_forward(&mut all, end);
        let is_last = |one: &Candidate<'_>| last.is_some_and(|last| one.fit.order(last).is_eq());
        if excess > 0 && all[..end].iter().any(is_last) {
            drop_last(&mut all, is_last, std::mem::take(&mut excess));
            continue;
        }
        let firsts = firsts_by_place(all[..end].iter().map(|one| one.read()).collect());
        // Candidates that match worse than the last of the read ones are uncertain: an unread one may come before them.
        let is_sure = |one: &RankedCandidate<'_>| {
            reach.is_some_and(|reach| one.candidate.fit.order(reach).is_le())
        };
        let sure = firsts.iter().take_while(|one| is_sure(one)).count();
        if sure >= MAX_NAMED || wanted >= all.len() {
            return firsts.into_iter().take(MAX_NAMED).map(RankedCandidate::into_named).collect();
        }
        wanted *= 4;
    }
}

/// Moves the best `wanted` candidates to the front, followed by those that match as well as the worst of them; returns
/// the number of moved candidates.
fn move_best_forward(all: &mut [Candidate<'_>], wanted: usize) -> usize {
    if wanted >= all.len() {
        return all.len();
    }
    let (_, worst, _) =
        all.select_nth_unstable_by(wanted - 1, |one, other| one.fit.order(other.fit));
    let worst = worst.fit;
    wanted + move_forward(&mut all[wanted..], |one| one.fit.order(worst).is_eq())
}

/// Moves the candidates that pass to the front; returns their number.
fn move_forward<'a>(all: &mut [Candidate<'a>], passes: impl Fn(&Candidate<'a>) -> bool) -> usize {
    let mut many = 0;
    for at in 0..all.len() {
        if passes(&all[at]) {
            all.swap(at, many);
            many += 1;
        }
    }
    many
}

/// Moves the candidates that may have the same name as one of the first `end` directly behind these: two spellings of a
/// name have the same trigrams, but one of them may lack the typed words. Returns the number of moved candidates.
fn move_namesakes_forward(all: &mut [Candidate<'_>], end: usize) -> usize {
    let (first, rest) = all.split_at_mut(end);
    if rest.is_empty() {
        return 0;
    }
    let looks = |one: &Candidate<'_>| (one.fit.is_same, one.fit.likeness.to_bits());
    let with_words: BTreeSet<(bool, u32)> =
        first.iter().filter(|one| one.fit.has_words).map(looks).collect();
    if with_words.is_empty() {
        return 0;
    }
    move_forward(rest, |one| !one.fit.has_words && with_words.contains(&looks(one)))
}

/// Drops `many` of the candidates that pass: those that come last in [`RankedCandidate::order_of_all`].
fn drop_last<'a>(
    all: &mut Vec<Candidate<'a>>,
    passes: impl Fn(&Candidate<'a>) -> bool,
    many: usize,
) {
    let end = move_forward(all, passes);
    let mut read: Vec<RankedCandidate<'_>> = all.drain(..end).map(Candidate::read).collect();
    read.sort_unstable_by(RankedCandidate::order_of_all);
    read.truncate(end.saturating_sub(many));
    all.extend(read.into_iter().map(|one| one.candidate));
}

/// For each game and name the first card by set and number, the most similar first.
fn firsts_by_place(mut alike: Vec<RankedCandidate<'_>>) -> Vec<RankedCandidate<'_>> {
    fn name<'n>(one: &'n RankedCandidate<'_>) -> (&'n str, &'n str) {
        (&one.name_key, one.place.game)
    }
    alike.sort_unstable_by(|one, other| {
        let names = name(one).cmp(&name(other));
        names.then_with(|| one.place.cmp(&other.place)).then_with(|| one.order_of_all(other))
    });
    alike.dedup_by(|later, first| name(later) == name(first));
    alike.sort_unstable_by(RankedCandidate::order);
    alike
}
