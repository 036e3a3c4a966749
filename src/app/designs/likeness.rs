//! What a design is like: open cards, shared designs and the asker's own, of a name that is the same or near, or with effects that do the same.
//!
//! Whoever asks, hidden cards are left out, also those that the asker sees: an answer that depended on them would tell of them.

use std::collections::BTreeSet;

use cardscape_engine::{name_key, name_similarity};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::catalogue::card_lookups::find_candidates;
use crate::app::catalogue::card_search::find_cards;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, Permission, Viewer};
use crate::domain::catalogue::card_name::{SIMILARITY_MIN, TypedName};
use crate::domain::designs::content::DesignContent;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::likeness::{effects_key, fixed_words};
use crate::domain::network::Network;
use crate::domain::text::name_skeleton;
use crate::search::{CardQuery, KnownTest, Place, Predicate, SortKey, Test, Unique, words};
use crate::store::catalogue::cards::{CardView, NamePlace, NamedCard};
use crate::store::designs::SeesOwnDesigns;
use crate::store::designs::likeness::{self, AlikeDesign, LikenessQuery};

/// Most cards that have the words of all effects and are compared.
const MAX_CANDIDATES: usize = 50;
/// Most words by which such cards are looked for: more would hardly leave out any.
const MAX_WORDS: usize = 16;

/// How a name is like another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NameLikeness {
    /// The same, but for case, punctuation, spaces and accents.
    Same,
    /// Other letters that look the same (UTS 39).
    LooksTheSame,
    /// One could be taken for a misspelling of the other.
    Near,
}

/// A card or a design that a design is like.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AlikeResponse {
    /// Its name.
    #[schema(example = "Lantern Crane")]
    pub name: String,
    /// Id of the card; absent: it is a design.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<Uuid>,
    /// Identifier of the design; absent: it is a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "D-7KQ2X0FM9F")]
    pub design_id: Option<String>,
    /// Code of the card's set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "hearth")]
    pub set: Option<String>,
    /// Number of the card in its set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "001")]
    pub number: Option<String>,
    /// Whether it is a design of your own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
}

impl From<NamedCard> for AlikeResponse {
    fn from(card: NamedCard) -> Self {
        Self {
            name: card.name,
            card_id: Some(card.id.0),
            design_id: None,
            set: Some(card.set_code),
            number: Some(card.number),
            own: false,
        }
    }
}

impl From<&AlikeDesign> for AlikeResponse {
    fn from(design: &AlikeDesign) -> Self {
        Self {
            name: design.name.clone(),
            card_id: None,
            design_id: Some(design.code.to_string()),
            set: None,
            number: None,
            own: design.own,
        }
    }
}

/// A card or a design of a like name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AlikeNameResponse {
    /// How the name is like it: `same`, `looks_the_same` or `near`.
    pub likeness: NameLikeness,
    /// Which.
    #[serde(flatten)]
    pub alike: AlikeResponse,
    /// Whether it keeps its name from others: a card, or a design that is shared.
    #[serde(skip)]
    pub(super) keeps_name: bool,
}

/// What a design is like.
pub(super) struct Likenesses {
    /// By name, the most alike first.
    pub(super) names: Vec<AlikeNameResponse>,
    /// By what they do.
    pub(super) effects: Vec<AlikeResponse>,
}

/// Open cards whose name is the same or looks the same, or is near.
pub(super) async fn cards_of_like_name(
    app: &AppState,
    network: Network,
    game: &str,
    name: &str,
) -> Result<Vec<(NameLikeness, NamedCard)>, Problem> {
    let place = NamePlace { game: Some(game.to_owned()), set: None };
    let (key, skeleton) = (name_key(name), name_skeleton(name));
    let mut found: Vec<(NameLikeness, NamedCard)> = Vec::new();
    // The key, without invisible characters; and what the name looks like, with which letters of other scripts share nothing.
    for written in BTreeSet::from([key.as_str(), skeleton.as_str()]) {
        let Ok(typed) = TypedName::parse(written) else { continue };
        for card in find_candidates(app, network, Viewer::stranger(), &place, &typed, true).await? {
            let likeness = likeness_of(name, &key, &skeleton, &card.name);
            if let Some(likeness) = likeness
                && !found.iter().any(|(_, known)| known.id == card.id)
            {
                found.push((likeness, card));
            }
        }
    }
    found.sort_by_key(|(likeness, _)| *likeness);
    Ok(found)
}

fn likeness_of(name: &str, key: &str, skeleton: &str, other: &str) -> Option<NameLikeness> {
    if name_key(other) == key {
        Some(NameLikeness::Same)
    } else if name_skeleton(other) == skeleton {
        Some(NameLikeness::LooksTheSame)
    } else {
        let similarity = name_similarity(name, other);
        (similarity >= SIMILARITY_MIN).then_some(if similarity >= 1.0 {
            NameLikeness::Same
        } else {
            NameLikeness::Near
        })
    }
}

/// What a design of a game is like.
pub(super) async fn find<P: Permission + SeesOwnDesigns>(
    app: &AppState,
    network: Network,
    asker: Option<&Granted<P>>,
    game: &str,
    content: &DesignContent,
    except: Option<DesignCode>,
) -> Result<Likenesses, Problem> {
    let key = content.name_key();
    let cards = if key.is_empty() {
        Vec::new()
    } else {
        cards_of_like_name(app, network, game, &content.name).await?
    };
    let same_effects = cards_of_same_effects(app, network, game, content).await?;
    let skeleton = if key.is_empty() { String::new() } else { content.name_skeleton() };
    let query = LikenessQuery {
        game,
        name_key: &key,
        name_skeleton: &skeleton,
        effects_key: effects_key(&content.kind, &content.effects),
        except,
    };
    let designs = {
        let mut conn = app.store.connection().await?;
        likeness::find_alike(&mut conn, asker, &query).await?
    };
    let card_name = |(likeness, card)| AlikeNameResponse {
        likeness,
        alike: AlikeResponse::from(card),
        keeps_name: true,
    };
    let mut names: Vec<AlikeNameResponse> = cards.into_iter().map(card_name).collect();
    for design in &designs {
        let likeness = if key.is_empty() {
            None
        } else {
            likeness_of(&content.name, &key, &skeleton, &design.name)
        };
        names.extend(likeness.map(|likeness| AlikeNameResponse {
            likeness,
            alike: design.into(),
            keeps_name: design.listed,
        }));
    }
    names.sort_by_key(|name| name.likeness);
    let designs = designs.iter().filter(|design| design.same_effects).map(AlikeResponse::from);
    Ok(Likenesses { names, effects: same_effects.into_iter().chain(designs).collect() })
}

/// Open cards of the same kind with effects that do the same, in the order of the catalogue: the first of those that have the same words but for numbers.
async fn cards_of_same_effects(
    app: &AppState,
    network: Network,
    game: &str,
    content: &DesignContent,
) -> Result<Vec<AlikeResponse>, Problem> {
    let Some(key) = effects_key(&content.kind, &content.effects) else { return Ok(Vec::new()) };
    let sentences = content.effects.iter().map(|effect| effect.text.as_str());
    let wanted: BTreeSet<String> = sentences.flat_map(indexed_words).collect();
    let mut wanted: Vec<String> = wanted.into_iter().collect();
    // The longest are the rarest.
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
    let mut alike = Vec::new();
    for view in find_cards(app, network, Viewer::stranger(), &query, MAX_CANDIDATES).await? {
        let CardView::Open(card) = view else { continue };
        let effects = card.effects.read().map_err(Problem::internal)?;
        if effects_key(card.kind.as_str(), &effects) == Some(key) {
            alike.push(AlikeResponse {
                card_id: Some(card.place.id.0),
                design_id: None,
                set: Some(card.place.set.to_string()),
                number: Some(card.place.number.to_string()),
                name: card.name,
                own: false,
            });
        }
    }
    Ok(alike)
}

/// The beginnings of words of a sentence by which the index of cards finds every sentence that does the same. The index folds words in its own way: what it would
/// not find here it would not find there.
fn indexed_words(sentence: &str) -> impl Iterator<Item = String> {
    let indexed = words(sentence);
    let finds = move |word: &String| {
        word.len() > 1 && indexed.iter().any(|known| known.starts_with(word.as_str()))
    };
    fixed_words(sentence).into_iter().filter(finds)
}
