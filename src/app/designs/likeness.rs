//! Similar cards and designs: open cards, shared designs and the caller's own designs with the same or a similar name,
//! or with equivalent effects.
//!
//! Hidden cards are left out for every caller, even for those who may see them: a response that depended on hidden cards
//! would reveal them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use cardscape_engine::{WantedName, name_key};
use uuid::Uuid;

use super::alike::{AlikeNameResponse, AlikeResponse, CardsLike, NameLikeness};
use crate::app::catalogue::card_lookups::find_candidates;
use crate::app::catalogue::card_search::{find_ids_in_memory, find_in_database};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, Permission, Viewer};
use crate::domain::catalogue::card_name::{SIMILARITY_MIN, TypedName};
use crate::domain::designs::content::DesignContent;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::likeness::{effects_key, fixed_words};
use crate::domain::designs::name_looks::{Name, NameClash, NameLooks};
use crate::domain::ids::CardId;
use crate::domain::network::Network;
use crate::domain::text::name_skeleton;
use crate::memory::card_effects::KnownEffects;
use crate::memory::listed_designs::MayClash;
use crate::search::{CardQuery, KnownTest, Place, Predicate, SortKey, Test, Unique, words};
use crate::store::catalogue::cards::{self, CardView, NamePlace, NamedCard, OpenCard};
use crate::store::designs::SeesOwnDesigns;
use crate::store::designs::likeness::{self, AlikeDesign, LikenessQuery};

/// Most cards with the words of all effects that are compared in detail.
const MAX_CANDIDATES: usize = 50;
/// Most words in the search for such cards: more words would hardly narrow it.
const MAX_WORDS: usize = 16;

/// Cards and designs that are similar to a design.
pub(super) struct Likenesses {
    /// By name, the most similar first.
    pub(super) names: Vec<AlikeNameResponse>,
    /// By their effects.
    pub(super) effects: Vec<AlikeResponse>,
    /// Whether a card, or a design that reserves its name, has the name or one that looks the same. One of the caller's
    /// designs counts only if it is known that another design is compared.
    pub(super) name_is_taken: bool,
    /// The caller's listed design that has the name, if it may be the one that is compared.
    pub(super) own_namesake: Option<DesignCode>,
}

/// The stored design that is compared with others, but not with itself.
#[derive(Clone, Copy)]
pub struct StoredAs {
    /// Its identifier.
    pub design: DesignCode,
    /// The card that it became.
    pub card: Option<CardId>,
}

impl StoredAs {
    /// A design that is no card yet.
    pub fn design(design: DesignCode) -> Self {
        Self { design, card: None }
    }

    fn is_card(self, id: Uuid) -> bool {
        self.card.is_some_and(|card| card.0 == id)
    }
}

/// Open cards with the same name, one that looks the same, or a similar one.
pub(super) async fn cards_of_like_name(
    app: &AppState,
    network: Network,
    game: &str,
    name: &str,
) -> Result<Vec<(NameLikeness, NamedCard)>, Problem> {
    Ok(cards_like(app, network, game, &Probe::new(name)).await?.to_vec())
}

/// Open cards with similar names, the most similar first. They are cached, because an editor sends the same name with every change of the design.
async fn cards_like(
    app: &AppState,
    network: Network,
    game: &str,
    probe: &Probe,
) -> Result<CardsLike, Problem> {
    let key = (game.to_owned(), probe.name.clone());
    let search = search_cards_like(app, network, game, probe);
    app.catalogue.find_or(&app.like_names, key, search).await
}

async fn search_cards_like(
    app: &AppState,
    network: Network,
    game: &str,
    probe: &Probe,
) -> Result<CardsLike, Problem> {
    let place = NamePlace { game: Some(game.to_owned()), set: None };
    let mut found: Vec<(NameLikeness, NamedCard)> = Vec::new();
    let mut seen: HashSet<CardId> = HashSet::new();
    // Search for the key, which has no invisible characters, and for the skeleton: a name in look-alike letters of
    // another script shares no letter with the key. The same applies to small capitals, and to letters that are like
    // others only in capitals.
    let NameLooks { key, skeleton, letters, capital_look, .. } = &probe.looks;
    let mut searched = BTreeSet::from([key.as_str(), skeleton.as_str()]);
    if !probe.name.is_ascii() {
        searched.extend([letters.as_str(), capital_look.as_str()]);
    }
    for written in searched {
        let Ok(typed) = TypedName::parse(written) else { continue };
        for card in find_candidates(app, network, Viewer::stranger(), &place, &typed, true).await? {
            // The searches find mostly the same cards.
            if !seen.insert(card.id) {
                continue;
            }
            let (key, skeleton) = (name_key(&card.name), name_skeleton(&card.name));
            let name = Name { name: &card.name, key: &key, skeleton: &skeleton };
            if let Some(likeness) = probe.likeness(name) {
                found.push((likeness, card));
            }
        }
    }
    found.sort_by_key(|(likeness, _)| *likeness);
    Ok(found.into())
}

/// A name, prepared for comparison with other names.
struct Probe {
    name: String,
    looks: NameLooks,
    wanted: WantedName,
}

impl Probe {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), looks: NameLooks::of(name), wanted: WantedName::new(name) }
    }

    fn likeness(&self, other: Name<'_>) -> Option<NameLikeness> {
        match self.looks.likeness(other) {
            Some(NameClash::Same) => Some(NameLikeness::Same),
            Some(NameClash::LooksTheSame) => Some(NameLikeness::LooksTheSame),
            None => self.is_near(other).then_some(NameLikeness::Near),
        }
    }

    fn is_near(&self, other: Name<'_>) -> bool {
        self.wanted.similarity_of_key(other.key) >= SIMILARITY_MIN
    }
}

/// Finds cards and designs that are similar to a design.
pub(super) async fn find<P: Permission + SeesOwnDesigns>(
    app: &AppState,
    network: Network,
    requester: Option<&Granted<P>>,
    game: &str,
    content: &DesignContent,
    stored: Option<StoredAs>,
) -> Result<Likenesses, Problem> {
    // A name without letters cannot be compared.
    let probe = Some(Probe::new(&content.name)).filter(|probe| !probe.looks.key.is_empty());
    let cards = match &probe {
        Some(probe) => cards_like(app, network, game, probe).await?,
        None => Arc::default(),
    };
    let effects_key = effects_key(&content.kind, &content.effects);
    let same_effects = cards_of_same_effects(app, network, game, content, effects_key).await?;
    let looks = probe.as_ref().map(|probe| probe.looks.hashes(game));
    let query = LikenessQuery {
        game,
        looks: looks.as_ref(),
        name_key: probe.as_ref().map_or("", |probe| &probe.looks.key),
        name_skeleton: probe.as_ref().map_or("", |probe| &probe.looks.skeleton),
        effects_key,
        except: stored.map(|stored| stored.design),
    };
    let designs = find_designs(app, requester, &query, probe.as_ref()).await?;
    let card_name = |(likeness, card): &(NameLikeness, NamedCard)| AlikeNameResponse {
        likeness: *likeness,
        alike: AlikeResponse::from(card.clone()),
    };
    let is_itself = |id: Uuid| stored.is_some_and(|stored| stored.is_card(id));
    let mut names: Vec<AlikeNameResponse> =
        cards.iter().filter(|(_, card)| !is_itself(card.id.0)).map(card_name).collect();
    let mut own_namesake = None;
    let mut name_is_taken = names.iter().any(|name| name.likeness != NameLikeness::Near);
    for design in &designs {
        let likeness = probe.as_ref().and_then(|probe| probe.likeness(name_of(design)));
        let Some(likeness) = likeness else { continue };
        if design.reserves_name && likeness != NameLikeness::Near {
            if design.own && stored.is_none() {
                own_namesake = Some(design.code);
            } else {
                name_is_taken = true;
            }
        }
        if design.shown {
            names.push(AlikeNameResponse { likeness, alike: design.into() });
        }
    }
    names.sort_by_key(|name| name.likeness);
    let designs = designs.iter().filter(|design| design.same_effects).map(AlikeResponse::from);
    let is_other = |card: &&AlikeResponse| !card.card_id.is_some_and(is_itself);
    let effects = same_effects.iter().filter(is_other).cloned().chain(designs).collect();
    Ok(Likenesses { names, effects, name_is_taken, own_namesake })
}

fn name_of(design: &AlikeDesign) -> Name<'_> {
    let AlikeDesign { name, name_key, name_skeleton, .. } = design;
    Name { name, key: name_key, skeleton: name_skeleton }
}

/// Designs that may be similar, by id: listed designs come from memory if they are loaded.
async fn find_designs<P: Permission + SeesOwnDesigns>(
    app: &AppState,
    requester: Option<&Granted<P>>,
    query: &LikenessQuery<'_>,
    probe: Option<&Probe>,
) -> Result<Vec<AlikeDesign>, Problem> {
    if probe.is_none() && query.effects_key.is_none() {
        return Ok(Vec::new());
    }
    let account = requester.map(Granted::account);
    let has_like_name = |name: Name<'_>, may_clash: MayClash| {
        probe.is_some_and(|probe| match may_clash {
            MayClash::Yes => probe.likeness(name).is_some(),
            MayClash::No => probe.is_near(name),
        })
    };
    let Some(mut listed) = app.listed_designs.find_alike(account, query, has_like_name) else {
        let mut conn = app.store.connection().await?;
        return Ok(likeness::find_alike(&mut conn, requester, query).await?);
    };
    let Some(requester) = requester else { return Ok(listed) };
    let own =
        likeness::find_own_alike(&mut *app.store.connection().await?, requester, query).await?;
    // The caller's designs were read from the database, so they are newer than those from memory.
    listed.retain(|design| own.iter().all(|known| known.id != design.id));
    listed.extend(own);
    listed.sort_by_key(|design| design.id);
    Ok(listed)
}

/// Open cards of the same kind with equivalent effects, in catalogue order: among the first cards that have the same
/// words except numbers. They are cached, as cards of like names are.
async fn cards_of_same_effects(
    app: &AppState,
    network: Network,
    game: &str,
    content: &DesignContent,
    key: Option<[u8; 16]>,
) -> Result<Arc<[AlikeResponse]>, Problem> {
    let Some(key) = key else { return Ok(Arc::default()) };
    let search = search_cards_of_same_effects(app, network, game, content, key);
    app.catalogue.find_or(&app.same_effects, (game.to_owned(), key), search).await
}

async fn search_cards_of_same_effects(
    app: &AppState,
    network: Network,
    game: &str,
    content: &DesignContent,
    key: [u8; 16],
) -> Result<Arc<[AlikeResponse]>, Problem> {
    let sentences = content.effects.iter().map(|effect| effect.text.as_str());
    let wanted: BTreeSet<String> = sentences.flat_map(indexed_words).collect();
    let mut wanted: Vec<String> = wanted.into_iter().collect();
    // The longest words are the rarest.
    wanted.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    wanted.truncate(MAX_WORDS);
    let word = |word: String| Predicate::content(Test::Words(Place::Effects, vec![word]));
    let conditions = [
        Predicate::known(KnownTest::Game(game.to_owned())),
        Predicate::content(Test::Kinds(vec![content.kind.clone()])),
        Predicate::content(Test::HasEffect),
    ];
    let query = CardQuery {
        predicate: Predicate::All(
            conditions.into_iter().chain(wanted.into_iter().map(word)).collect(),
        ),
        sort: SortKey::Place,
        descending: false,
        unique: Unique::Cards,
    };
    let same = read_effects(app, network, &query).await?.into_iter();
    let same = same.filter(|(_, known)| known.key == Some(key));
    let alike = same.map(|(card, known)| AlikeResponse {
        card_id: Some(card.0),
        design_id: None,
        set: Some(known.set.clone()),
        number: Some(known.number.clone()),
        name: known.name.clone(),
        own: false,
    });
    Ok(alike.collect())
}

/// The effects of the first cards of a list, as an anonymous client may know them.
async fn read_effects(
    app: &AppState,
    network: Network,
    query: &CardQuery,
) -> Result<Vec<(CardId, Arc<KnownEffects>)>, Problem> {
    let viewer = Viewer::stranger();
    let kept = &app.card_effects.cards;
    let is_current = app.card_cache.clock().is_current();
    // Taken before the cards are read: effects that change after that are not cached.
    let ticket = kept.ticket();
    let Some(ids) = find_ids_in_memory(app, network, viewer, query, MAX_CANDIDATES).await? else {
        let found = find_in_database(app, network, viewer, query, MAX_CANDIDATES).await?;
        return found.iter().filter_map(open_card).map(known_effects).collect();
    };
    let find = |card: &CardId| is_current.then(|| kept.find(card)).flatten();
    let mut known: HashMap<CardId, Arc<KnownEffects>> =
        ids.iter().filter_map(|card| Some((*card, find(card)?))).collect();
    let unknown: Vec<CardId> =
        ids.iter().copied().filter(|card| !known.contains_key(card)).collect();
    if !unknown.is_empty() {
        let read = async |conn: &_| cards::find_many(conn, viewer, &unknown).await;
        for view in app.store.read(read).await? {
            let Some(card) = open_card(&view) else { continue };
            let (id, effects) = known_effects(card)?;
            kept.insert(ticket, id, effects.clone());
            known.insert(id, effects);
        }
    }
    Ok(ids.into_iter().filter_map(|card| known.remove_entry(&card)).collect())
}

fn open_card(view: &CardView) -> Option<&OpenCard> {
    match view {
        CardView::Open(card) => Some(card),
        CardView::Hidden(_) => None,
    }
}

fn known_effects(card: &OpenCard) -> Result<(CardId, Arc<KnownEffects>), Problem> {
    let effects = card.effects.read().map_err(Problem::internal)?;
    let known = KnownEffects {
        key: effects_key(card.kind.as_str(), &effects),
        set: card.place.set.to_string(),
        number: card.place.number.to_string(),
        name: card.name.clone(),
    };
    Ok((card.place.id, Arc::new(known)))
}

/// The prefixes of words with which the index of cards finds every sentence with equivalent effect. The index folds
/// words in its own way, so words that it would not find in this sentence are left out.
fn indexed_words(sentence: &str) -> impl Iterator<Item = String> {
    let indexed = words(sentence);
    let finds = move |word: &String| {
        word.len() > 1 && indexed.iter().any(|known| known.starts_with(word.as_str()))
    };
    fixed_words(sentence).into_iter().filter(finds)
}
