//! Facets of the gallery: the values of the designs of a game, and the number of designs with each.

use cardscape_engine::Game;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::gallery::{Gallery, GalleryRequest};
use crate::app::catalogue::card_query::too_slow;
use crate::app::catalogue::codes::Codes;
use crate::app::catalogue::facets::{
    Counts, FacetAttribute, FacetResponse, FacetValueResponse, attributes, facets,
};
use crate::app::catalogue::query_warning::QueryWarning;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::designs::status::DesignStatus;
use crate::domain::network::Network;
use crate::memory::rendered::{Freshness, Rendered};
use crate::search::index::{FacetCount, FacetSource};
use crate::store::designs::gallery::{self, TermCount};

/// As for community statistics: a response is cached for 20 s ([`crate::app::state::ApiSettings::statistics_ttl`]), and
/// the rest is time for counting.
const FRESHNESS: Freshness = Freshness::Public(30);
/// Most designs that are counted.
const MAX_COUNTED: i64 = 20_000;

/// The facets of a game's designs.
#[derive(Serialize, ToSchema)]
pub struct DesignFacetsResponse {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Number of designs that are counted.
    #[schema(example = 158, minimum = 0)]
    pub designs: u64,
    /// `false`: there are more designs, and only the 20,000 that were shared last are counted. Absent: all are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = false)]
    pub designs_are_all: Option<bool>,
    /// Facets: kind and status; rarity, style and slot of effects, where the game has them; then all attributes except free text and the ids that other programs use.
    pub facets: Vec<DesignFacetResponse>,
    /// Terms of the query that could not be used, and terms that were tested on only some of the designs, because testing all would take too long.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<QueryWarning>,
}

/// A property of designs: the values that it can have, and the number of designs with each. A design may have several values.
#[derive(Debug, Serialize, ToSchema)]
pub struct DesignFacetResponse {
    /// What the facet is about: `design`, `effect` or `attribute`.
    #[schema(example = "attribute")]
    pub of: &'static str,
    /// `kind`, `status` or `rarity` of designs, `style` or `slot` of effects, or the code of an attribute.
    #[schema(example = "subtypes")]
    pub code: String,
    /// Name of the facet.
    #[schema(example = "Subtypes")]
    pub name: String,
    /// Codes of the kinds of cards that have it.
    #[schema(example = json!(["unit"]))]
    pub kinds: Vec<String>,
    /// Values in the order of the game's manifest, numbers in ascending order. Values that the manifest lists are included even if no design has them.
    pub values: Vec<DesignFacetValueResponse>,
}

/// A value of a facet.
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!({ "value": "reptile", "name": "Reptile", "designs": 7 }))]
pub struct DesignFacetValueResponse {
    /// The value as designs have it: a code, a number, `true` or `false`.
    pub value: Value,
    /// Name of the value; absent: it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Reptile")]
    pub name: Option<String>,
    /// Number of designs with this value.
    #[schema(example = 7, minimum = 0)]
    pub designs: u64,
}

impl From<FacetResponse> for DesignFacetResponse {
    fn from(FacetResponse { of, code, name, kinds, values }: FacetResponse) -> Self {
        let value = |value: FacetValueResponse| DesignFacetValueResponse {
            value: value.value,
            name: value.name,
            designs: value.cards,
        };
        let of = if of == "card" { "design" } else { of };
        Self { of, code, name, kinds, values: values.into_iter().map(value).collect() }
    }
}

/// Counts the designs of a game by value: designs that everybody may see and that match `query`. The response is a
/// [`DesignFacetsResponse`].
pub async fn count(
    app: &AppState,
    network: Network,
    game: &Code,
    query: &str,
) -> Result<Rendered, Problem> {
    let games = app.all_games().await?;
    let loaded = games.iter().find(|loaded| loaded.game.code() == game.as_str());
    let loaded = loaded.ok_or_else(Problem::not_found)?;
    let revisions = games.iter().map(|loaded| loaded.revision).collect();
    let key = (game.clone(), revisions, query.to_owned());
    let request = GalleryRequest {
        codes: Codes::of_game(Some(game.clone())),
        text: query.to_owned(),
        ..GalleryRequest::default()
    };
    let counted = async {
        let gallery = request.check(app).await?;
        let body = count_anew(app, network, &loaded.game, gallery).await?;
        Ok::<_, Problem>(Rendered::new(FRESHNESS, None, &body)?.into_cached())
    };
    // A network whose searches are refused must not have those of others refused.
    let is_refused = |problem: &Problem| problem.code() == ProblemCode::SearchBusy;
    app.design_facets.find_or_make_own(key, Box::pin(counted), is_refused).await
}

async fn count_anew(
    app: &AppState,
    network: Network,
    game: &Game,
    mut gallery: Gallery,
) -> Result<DesignFacetsResponse, Problem> {
    let filter = gallery.filter(app);
    let mut conn = app.searches.connection(network).await?;
    let counted = gallery::count_terms(&mut conn, &filter, MAX_COUNTED).await;
    let cut = gallery::is_truncated(&mut conn, &filter).await.map_err(too_slow)?;
    drop(conn);
    let attributes = attributes(game);
    let (mut counts, mut statuses) = (Vec::new(), Vec::new());
    for TermCount { term, designs } in counted.map_err(too_slow)? {
        let designs = u64::try_from(designs).unwrap_or_default();
        match term.split_once('=') {
            Some(("status", status)) => statuses.push((status.to_owned(), designs)),
            _ => counts.extend(facet_count(&term, designs, &attributes)),
        }
    }
    let mut counts = Counts::of(counts);
    let most = u64::try_from(MAX_COUNTED).unwrap_or(u64::MAX);
    let mut found: Vec<DesignFacetResponse> =
        facets(game, &attributes, &mut counts).into_iter().map(Into::into).collect();
    found.insert(1, status_facet(game, &statuses));
    let mut warnings = std::mem::take(&mut gallery.warnings);
    warnings.extend(cut.then(|| gallery.cut_warning(app)));
    Ok(DesignFacetsResponse {
        game: game.code().to_owned(),
        designs: counts.cards().min(most),
        designs_are_all: (counts.cards() > most).then_some(false),
        facets: found,
        warnings,
    })
}

/// Converts the count of a term; `None`: the term is no facet.
fn facet_count(term: &str, cards: u64, attributes: &[FacetAttribute<'_>]) -> Option<FacetCount> {
    let (of, text) = term.split_once('=').unwrap_or((term, ""));
    let (source, attribute, value) = match of {
        "" => (FacetSource::Card, "", Value::Null),
        "kind" => (FacetSource::Kind, "", text.into()),
        "rarity" => (FacetSource::Rarity, "", text.into()),
        "style" => (FacetSource::Style, "", text.into()),
        "slot" => (FacetSource::Slot, "", text.into()),
        _ => {
            let code = of.strip_prefix("a.")?;
            let attribute = attributes.iter().find(|attribute| attribute.code == code)?;
            let listed = attribute.listed.iter().find(|value| match value {
                Value::String(listed) => listed == text,
                Value::Bool(listed) => text == if *listed { "true" } else { "false" },
                _ => false,
            });
            // Values that are not listed are numbers.
            let value = listed.cloned().or_else(|| text.parse::<i64>().ok().map(Value::from))?;
            (FacetSource::Attribute, code, value)
        }
    };
    Some(FacetCount { source, attribute: attribute.to_owned(), value, cards })
}

/// The facet of the statuses that others may see.
fn status_facet(game: &Game, counted: &[(String, u64)]) -> DesignFacetResponse {
    let values = DesignStatus::ALL.into_iter().filter(|status| status.is_listed()).map(|status| {
        let count = counted.iter().find(|(name, _)| name == status.as_str());
        DesignFacetValueResponse {
            value: status.as_str().into(),
            name: None,
            designs: count.map_or(0, |(_, designs)| *designs),
        }
    });
    DesignFacetResponse {
        of: "design",
        code: "status".to_owned(),
        name: "Status".to_owned(),
        kinds: game.kinds().iter().map(|kind| kind.code.clone()).collect(),
        values: values.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::DESIGN_STATUSES;

    #[test]
    fn the_query_language_knows_every_status_that_others_see() {
        let listed = DesignStatus::ALL.into_iter().filter(|status| status.is_listed());
        assert_eq!(listed.map(DesignStatus::as_str).collect::<Vec<_>>(), DESIGN_STATUSES);
    }
}
