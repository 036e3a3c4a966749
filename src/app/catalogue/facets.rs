//! Facets: the values that the cards of a game have, and the number of cards with each value.

use std::collections::BTreeMap;

use cardscape_engine::{Attribute, AttributeValue, Game};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::card_query::{List, ListRequest, too_slow};
use super::card_search::{find_index, run_on_index};
use super::cards::freshness;
use super::codes::Codes;
use super::query_warning::{QueryWarning, WarningReason};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::domain::network::Network;
use crate::memory::catalogue::index::FacetsKey;
use crate::memory::rendered::Rendered;
use crate::search::CardFilter;
use crate::search::index::{self, FacetCount, FacetSource, needs_progress};
use crate::store::catalogue::cards;

/// The facets of a game, or of one of its sets.
#[derive(Serialize, ToSchema)]
pub struct FacetsResponse {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of the set, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "hearth")]
    pub set: Option<String>,
    /// Number of cards that are counted: those that the caller may see and that match the query.
    #[schema(example = 158, minimum = 0)]
    pub cards: u64,
    /// The facets: kind and rarity, then style and slot of effects if the game has them, then all attributes except free text, the ids that other programs use, and those of which these cards have more than 20,000 values.
    pub facets: Vec<FacetResponse>,
    /// Terms of the query that cannot be used; terms that were not tested on all cards, because that would have read too much; and attributes with too many values to be counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<QueryWarning>,
}

/// A facet: a property of which cards have one or several values.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct FacetResponse {
    /// What has the value: `card`, `effect` or `attribute`.
    #[schema(example = "attribute")]
    pub of: &'static str,
    /// `kind` or `rarity` of cards, `style` or `slot` of effects, or the code of an attribute.
    #[schema(example = "subtypes")]
    pub code: String,
    /// Its name.
    #[schema(example = "Subtypes")]
    pub name: String,
    /// Codes of the kinds of cards that have this facet.
    #[schema(example = json!(["unit"]))]
    pub kinds: Vec<String>,
    /// The values: first those that the manifest of the game lists, in its order, even if no card has them; then others, numbers from low to high.
    pub values: Vec<FacetValueResponse>,
}

/// A value of a facet.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[schema(example = json!({ "value": "reptile", "name": "Reptile", "cards": 7 }))]
pub struct FacetValueResponse {
    /// The value as cards have it: a code, a number, `true` or `false`.
    pub value: Value,
    /// Its name; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Reptile")]
    pub name: Option<String>,
    /// Number of cards that have it, in at least one printing.
    #[schema(example = 7, minimum = 0)]
    pub cards: u64,
}

/// Counts the cards of a game, or of one of its sets, by value: cards that the viewer may see and that match `query`.
/// The response is a [`FacetsResponse`].
pub async fn count(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    game: &Code,
    set: Option<Code>,
    query: &str,
) -> Result<Rendered, Problem> {
    let games = app.all_games().await?;
    let loaded = games.iter().find(|loaded| loaded.game.code() == game.as_str());
    let loaded = loaded.ok_or_else(Problem::not_found)?;
    let key = FacetsKey {
        game: game.clone(),
        revisions: games.iter().map(|loaded| loaded.revision).collect(),
        set: set.clone(),
        q: query.to_owned(),
        today: app.today()?,
    };
    if viewer.is_stranger()
        && let Some(kept) = app.catalogue.facets(&key)
    {
        return Ok(kept);
    }
    if set.is_some() {
        Codes::of_set(Some(game.clone()), set.clone()).resolve(app).await?;
    }
    let filter = CardFilter {
        game: Some(game.as_str().to_owned()),
        set: set.clone().map(Code::into_string),
        ..CardFilter::default()
    };
    let request = ListRequest { filter, text: key.q.clone(), ..ListRequest::default() };
    let list = request.check(app).await?;
    let mut attributes = attributes(&loaded.game);
    let version = app.catalogue.version();
    let found = count_values(app, network, viewer, &list, &attributes).await?;
    let mut counts = Counts::of(found.counts);
    let is_lasting = found.from_memory && !needs_progress(&list.query);
    let too_long = counts.remove_too_long();
    attributes.retain(|attribute| !too_long.iter().any(|code| code == attribute.code));
    let mut warnings = list.warnings;
    warnings.extend(found.cut);
    warnings.extend(too_long.into_iter().map(|attribute| {
        QueryWarning::of_all(&list.text, WarningReason::TooManyValues { attribute })
    }));
    let body = FacetsResponse {
        game: loaded.game.code().to_owned(),
        set: set.map(Code::into_string),
        cards: counts.cards,
        facets: facets(&loaded.game, &attributes, &mut counts),
        warnings,
    };
    let answer = Rendered::new(freshness(viewer, true), None, &body)?;
    // The number of submissions changes without a change of the cards.
    if viewer.is_stranger() && is_lasting {
        app.catalogue.cache_facets(key, version, answer.clone().into_cached());
    }
    Ok(answer)
}

/// Counts of cards by value.
struct Counted {
    counts: Vec<FacetCount>,
    /// The warning that costly terms were tested on only some of the cards, if so.
    cut: Option<QueryWarning>,
    /// Whether the counts are from the index, not from the database.
    from_memory: bool,
}

async fn count_values(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    list: &List,
    attributes: &[FacetAttribute<'_>],
) -> Result<Counted, Problem> {
    let wanted: Vec<index::FacetAttribute<'_>> =
        attributes.iter().map(FacetAttribute::to_count).collect();
    if let Some((all, view)) = find_index(app, viewer, &list.query).await? {
        let predicate = list.query.predicate.clone();
        let owned: Vec<(String, bool)> =
            wanted.iter().map(|one| (one.code.to_owned(), one.per_printing)).collect();
        let count = move || {
            let wanted = owned.iter().map(|(code, per_printing)| index::FacetAttribute {
                code,
                per_printing: *per_printing,
            });
            all.facets(&predicate, &view, &wanted.collect::<Vec<_>>())
        };
        let facets = run_on_index(app, network, &list.query, count).await?;
        let cut = facets.cut.then(|| QueryWarning::of_all(&list.text, WarningReason::Unfinished));
        return Ok(Counted { counts: facets.counts, cut, from_memory: true });
    }
    let most = app.settings.search_candidates.into();
    let mut conn = app.searches.connection(network).await?;
    let predicate = &list.query.predicate;
    let counted = cards::count_facets(&mut conn, viewer, predicate, most, &wanted).await;
    let cut = cards::is_truncated(&mut conn, viewer, &list.query, most).await.map_err(too_slow)?;
    let cut = cut.then(|| {
        QueryWarning::of_all(
            &list.text,
            WarningReason::Cut { candidates: app.settings.search_candidates },
        )
    });
    Ok(Counted { counts: counted.map_err(too_slow)?, cut, from_memory: false })
}

/// Counts of cards by value, for each facet.
pub(crate) struct Counts {
    cards: u64,
    by_facet: BTreeMap<(FacetSource, String), Vec<(Value, u64)>>,
}

impl Counts {
    pub(crate) fn of(counts: Vec<FacetCount>) -> Self {
        let mut sorted = Self { cards: 0, by_facet: BTreeMap::new() };
        for FacetCount { source, attribute, value, cards } in counts {
            if source == FacetSource::Card {
                sorted.cards = cards;
            } else {
                sorted.by_facet.entry((source, attribute)).or_default().push((value, cards));
            }
        }
        sorted
    }

    /// Removes the attributes with more values than are counted ([`index::MAX_FACET_VALUES`]), and returns their codes.
    fn remove_too_long(&mut self) -> Vec<String> {
        let mut removed = Vec::new();
        self.by_facet.retain(|(source, code), values| {
            let is_too_long =
                *source == FacetSource::Attribute && values.len() > index::MAX_FACET_VALUES;
            if is_too_long {
                removed.push(code.clone());
            }
            !is_too_long
        });
        removed
    }

    /// Number of all counted cards.
    pub(crate) fn cards(&self) -> u64 {
        self.cards
    }

    /// The listed values with their counts, followed by other values that cards have: numbers in ascending order, then
    /// texts.
    fn values(
        &mut self,
        source: FacetSource,
        attribute: &str,
        listed: Vec<(Value, Option<String>)>,
    ) -> Vec<FacetValueResponse> {
        let mut counted = self.by_facet.remove(&(source, attribute.to_owned())).unwrap_or_default();
        let mut values: Vec<FacetValueResponse> = Vec::with_capacity(listed.len());
        for (value, name) in listed {
            let at = counted.iter().position(|(other, _)| *other == value);
            let cards = at.map_or(0, |at| counted.swap_remove(at).1);
            values.push(FacetValueResponse { value, name, cards });
        }
        counted.sort_by(|(left, _), (right, _)| {
            let number = |value: &Value| value.as_i64().unwrap_or(i64::MAX);
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (number(left), text(left)).cmp(&(number(right), text(right)))
        });
        let others = counted.into_iter();
        values.extend(others.map(|(value, cards)| FacetValueResponse { value, name: None, cards }));
        values
    }
}

/// An attribute that is a facet, and all kinds that have it.
pub(crate) struct FacetAttribute<'a> {
    pub(crate) code: &'a str,
    name: &'a str,
    kinds: Vec<String>,
    /// The values that the manifest lists; empty for numbers.
    pub(crate) listed: Vec<Value>,
    /// Whether printings may differ in it, in one of the kinds.
    pub(crate) per_printing: bool,
}

impl FacetAttribute<'_> {
    fn to_count(&self) -> index::FacetAttribute<'_> {
        index::FacetAttribute { code: self.code, per_printing: self.per_printing }
    }
}

/// The attributes of a game's cards in the order of its kinds, except those of which nearly every card has its own value: free text and the ids that other
/// programs use.
pub(crate) fn attributes(game: &Game) -> Vec<FacetAttribute<'_>> {
    let mut found: Vec<FacetAttribute<'_>> = Vec::new();
    for kind in game.kinds() {
        for (code, attribute) in &kind.attributes {
            if game.external_id() == Some(code.as_str()) {
                continue;
            }
            let Some(listed) = listed_values(attribute) else { continue };
            let at = found.iter().position(|known| known.code == code).unwrap_or_else(|| {
                let (kinds, listed) = (Vec::new(), Vec::new());
                let (name, per_printing) = (&attribute.name, false);
                found.push(FacetAttribute { code, name, kinds, listed, per_printing });
                found.len() - 1
            });
            let known = &mut found[at];
            known.per_printing |= attribute.per_printing;
            known.kinds.push(kind.code.clone());
            let new: Vec<Value> =
                listed.into_iter().filter(|value| !known.listed.contains(value)).collect();
            known.listed.extend(new);
        }
    }
    found
}

/// The values that the manifest lists; `None` for free text, where nearly every card has its own value.
fn listed_values(attribute: &Attribute) -> Option<Vec<Value>> {
    match &attribute.value {
        AttributeValue::Choice { values } | AttributeValue::Choices { values, .. } => {
            Some(values.iter().cloned().map(Value::from).collect())
        }
        AttributeValue::Boolean => Some(vec![false.into(), true.into()]),
        AttributeValue::Integer { .. } => Some(Vec::new()),
        _ => None,
    }
}

/// The facets of a game, in display order.
pub(crate) fn facets(
    game: &Game,
    attributes: &[FacetAttribute<'_>],
    counts: &mut Counts,
) -> Vec<FacetResponse> {
    let all_kinds = || game.kinds().iter().map(|kind| kind.code.clone()).collect();
    let kinds =
        game.kinds().iter().map(|kind| (kind.code.as_str().into(), Some(kind.name.clone())));
    let rarities = game
        .rarities()
        .iter()
        .map(|rarity| (rarity.code.as_str().into(), Some(rarity.name.clone())));
    let mut facets = vec![
        FacetResponse {
            of: "card",
            code: "kind".to_owned(),
            name: "Kind".to_owned(),
            kinds: all_kinds(),
            values: counts.values(FacetSource::Kind, "", kinds.collect()),
        },
        FacetResponse {
            of: "card",
            code: "rarity".to_owned(),
            name: "Rarity".to_owned(),
            kinds: all_kinds(),
            values: counts.values(FacetSource::Rarity, "", rarities.collect()),
        },
    ];
    facets.extend(effect_facets(game, counts));
    facets.extend(attributes.iter().map(|attribute| {
        let listed = attribute.listed.iter().map(|value| (value.clone(), None)).collect();
        FacetResponse {
            of: "attribute",
            code: attribute.code.to_owned(),
            name: attribute.name.to_owned(),
            kinds: attribute.kinds.clone(),
            values: counts.values(FacetSource::Attribute, attribute.code, listed),
        }
    }));
    facets
}

/// The facets for style and slot, if any kind has effects with them.
fn effect_facets(game: &Game, counts: &mut Counts) -> Vec<FacetResponse> {
    let mut facets = Vec::new();
    for (source, code, name) in
        [(FacetSource::Style, "style", "Style"), (FacetSource::Slot, "slot", "Slot")]
    {
        let (mut kinds, mut listed) = (Vec::new(), Vec::<(Value, Option<String>)>::new());
        for kind in game.kinds() {
            let schemas = kind.effects.iter();
            let codes: Vec<&str> = match source {
                FacetSource::Style => {
                    schemas.flat_map(|schema| &schema.styles).map(String::as_str).collect()
                }
                _ => schemas
                    .flat_map(|schema| &schema.slots)
                    .map(|slot| slot.code.as_str())
                    .collect(),
            };
            if !codes.is_empty() {
                kinds.push(kind.code.clone());
            }
            for code in codes {
                let value = Value::from(code);
                if !listed.iter().any(|(known, _)| *known == value) {
                    listed.push((value, None));
                }
            }
        }
        if !kinds.is_empty() {
            let values = counts.values(source, "", listed);
            facets.push(FacetResponse {
                of: "effect",
                code: code.to_owned(),
                name: name.to_owned(),
                kinds,
                values,
            });
        }
    }
    facets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_with_too_many_values_is_removed() {
        let count = |attribute: &str, value: usize| FacetCount {
            source: FacetSource::Attribute,
            attribute: attribute.to_owned(),
            value: value.into(),
            cards: 1,
        };
        let many = (0..=index::MAX_FACET_VALUES).map(|value| count("many", value));
        let most = (1..=index::MAX_FACET_VALUES).map(|value| count("most", value));
        let mut counts = Counts::of(many.chain(most).collect());
        assert_eq!(counts.remove_too_long(), ["many"]);
        let mut shown = |code: &str| counts.values(FacetSource::Attribute, code, Vec::new()).len();
        assert_eq!((shown("many"), shown("most")), (0, index::MAX_FACET_VALUES));
    }
}
