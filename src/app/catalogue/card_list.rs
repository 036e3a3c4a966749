//! Lists of cards and of printings.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::openapi::schema::{AnyOfBuilder, Object, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::card_bodies::{load_bodies, render_entries, write_page};
use super::card_query::List;
use super::card_search::{Listed, Part, card_id, list_in_database, list_in_memory, load_cards};
use super::card_text::list_text;
use super::cards::{CardResponse, OpenCardResponse, PrintingResponse, freshness};
use super::image_uris::Scans;
use super::query_warning::{QueryWarning, WarningReason};
use crate::app::answer_form::AnswerForm;
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::ids::CardId;
use crate::domain::network::Network;
use crate::memory::rendered::Rendered;
use crate::search::Unique;
use crate::search::index::Hit;
use crate::store::catalogue::cards::CardHit;

/// Which page of a list to return, and which members of its entries.
#[derive(Clone, Copy)]
pub struct ListPage<'a> {
    /// Cursor from the previous page; `None`: the first page.
    pub cursor: Option<&'a Cursor>,
    /// Most entries of the page.
    pub limit: PageLimit,
    /// Whether to count all entries of the list.
    pub total: bool,
    /// Which members of the cards to return; `None`: all.
    pub members: Option<&'a CardMembers>,
}

/// A rendered page of a list.
pub struct ListedCards {
    /// A [`CardsPage`], or a deck list as text.
    pub answer: Rendered,
    /// Cursor of the next page; `None`: this is the last page.
    pub next_cursor: Option<String>,
    /// The warnings in the answer.
    pub warnings: Vec<QueryWarning>,
}

/// Lists cards, or their printings, that the viewer may see. In the text form, a page is a deck list with one copy of
/// each card.
pub async fn list(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    form: AnswerForm,
    list: List,
    page: ListPage<'_>,
) -> Result<ListedCards, Problem> {
    let part = Part {
        after: page.cursor.map(|cursor| list.position(cursor)).transpose()?,
        limit: page.limit,
        total: page.total,
    };
    let mut found = match list_in_memory(app, network, viewer, &list, &part).await? {
        Some(hits) if form == AnswerForm::Json => {
            return render_hits(app, viewer, list, hits, page.members).await;
        }
        Some(hits) => load_cards(app, viewer, &list.query, hits).await?,
        None => list_in_database(app, network, viewer, &list, &part).await?,
    };
    let warnings = collect_warnings(list, &mut found);
    let Listed { entries, next_cursor, total, .. } = found;
    let freshness = freshness(viewer, true);
    let answer = match form {
        AnswerForm::Text => Rendered::text(freshness, None, list_text(&entries, &warnings)),
        AnswerForm::Json => {
            let scans = Scans::read(app).await?;
            let entry = |found| CardEntry::new(found, &scans, page.members);
            let entries = entries.into_iter().map(entry);
            let data = entries.collect::<Result<_, _>>().map_err(Problem::internal)?;
            let page = Page { data, next_cursor: next_cursor.clone(), total: None };
            Rendered::list(freshness, None, &CardsPage::new(page, total, warnings.clone()))?
        }
    };
    Ok(ListedCards { answer, next_cursor, warnings })
}

/// Renders a page of hits from the index, by joining serialised card bodies.
async fn render_hits(
    app: &AppState,
    viewer: Viewer,
    list: List,
    mut hits: Listed<Hit>,
    members: Option<&CardMembers>,
) -> Result<ListedCards, Problem> {
    let are_plain_cards = members.is_none() && list.query.unique == Unique::Cards;
    let bodies = if are_plain_cards {
        let ids: Vec<CardId> = hits.entries.iter().map(card_id).collect();
        load_bodies(app, viewer, &ids).await?
    } else {
        render_entries(app, viewer, &list.query, &hits.entries, members).await?
    };
    let warnings = collect_warnings(list, &mut hits);
    let (next_cursor, total) = (hits.next_cursor, hits.total);
    let body = write_page(&bodies, next_cursor.as_deref(), total, &warnings);
    let body = body.map_err(Problem::internal)?;
    let answer = Rendered::from_json(freshness(viewer, true), body);
    Ok(ListedCards { answer, next_cursor, warnings })
}

/// Collects the warnings of a list.
fn collect_warnings<T>(list: List, found: &mut Listed<T>) -> Vec<QueryWarning> {
    let mut warnings = list.warnings;
    warnings.extend(found.cut.take());
    if found.uncounted {
        warnings.push(QueryWarning::of_all(&list.text, WarningReason::Uncounted));
    }
    warnings
}

/// The members of a card that a client requested.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct CardMembers(Vec<String>);

const MEMBERS: [&str; 15] = [
    "id",
    "game",
    "set",
    "number",
    "hidden",
    "unlock",
    "name",
    "kind",
    "attributes",
    "effects",
    "lore",
    "designed_by",
    "image_uris",
    "updated_at",
    "printing",
];

impl CardMembers {
    /// Whether a member was requested; the id is always included.
    pub(super) fn includes(&self, member: &str) -> bool {
        member == "id" || self.0.iter().any(|name| name == member)
    }
}

impl TryFrom<String> for CardMembers {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let names = text.split(',').map(|name| name.trim().to_owned());
        let names: Vec<String> = names.collect();
        match names.iter().find(|name| !MEMBERS.contains(&name.as_str())) {
            None => Ok(Self(names)),
            Some(unknown) => Err(format!("{unknown:?} is not one of {}", MEMBERS.join(", "))),
        }
    }
}

/// Most entries of a list that are counted.
pub(super) const MAX_TOTAL: u64 = 10_000;

/// How many entries a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Total {
    /// At most [`MAX_TOTAL`].
    pub(super) total: u64,
    /// Whether there are no more.
    pub(super) is_exact: bool,
}

impl Total {
    /// The member `total_is_exact` of the response: `false` when there are more entries, else absent.
    pub(super) fn exactness(self) -> Option<bool> {
        (!self.is_exact).then_some(false)
    }

    /// A total, which is exact or a lower bound.
    pub(super) fn new(total: u64, is_exact: bool) -> Self {
        Self { total, is_exact }
    }
}

/// A page of a list of cards or printings.
#[derive(Serialize, ToSchema)]
pub struct CardsPage {
    /// The entries.
    #[serde(flatten)]
    pub page: Page<CardEntry>,
    /// `false` if `total` is not exact: the list has more than 10,000 entries, which is the most that are counted, or expensive terms were not tested
    /// on all cards, which a warning reports. Absent if `total` is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = false)]
    pub total_is_exact: Option<bool>,
    /// Terms of the query that cannot be used, and were therefore left out; and terms that were not tested on all cards, because that would have read
    /// too much.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<QueryWarning>,
}

impl CardsPage {
    /// A page of a list with its total.
    pub(super) fn new(
        page: Page<CardEntry>,
        total: Option<Total>,
        warnings: Vec<QueryWarning>,
    ) -> Self {
        let count = total.and_then(|total| i64::try_from(total.total).ok());
        let page = Page { total: count, ..page };
        Self { page, total_is_exact: total.and_then(Total::exactness), warnings }
    }
}

/// An entry of a list of cards.
#[derive(Serialize)]
#[serde(untagged)]
#[expect(
    clippy::large_enum_variant,
    reason = "a block of memory for each card costs more than the room"
)]
pub enum CardEntry {
    /// A card as the caller may see it.
    Card(CardResponse),
    /// A card with one printing, or with chosen members only.
    Members(Map<String, Value>),
}

impl CardEntry {
    /// An entry with all members, or with the requested ones.
    pub(super) fn new(
        found: CardHit,
        scans: &Scans,
        members: Option<&CardMembers>,
    ) -> serde_json::Result<Self> {
        let (place, hidden) = (found.card.place(), found.card.is_hidden());
        let scan = scans.template(&place.game);
        let printing = found.printing;
        let printing =
            printing.map(|printing| PrintingResponse::new(printing, place, hidden, scan));
        let card = CardResponse::new(found.card, scans);
        if members.is_none() && printing.is_none() {
            return Ok(Self::Card(card));
        }
        let Value::Object(mut entry) = serde_json::to_value(&card)? else {
            return Ok(Self::Card(card));
        };
        if let Some(printing) = printing {
            entry.insert("printing".to_owned(), serde_json::to_value(printing)?);
        }
        if let Some(members) = members {
            entry.retain(|member, _| members.includes(member));
        }
        Ok(Self::Members(entry))
    }
}

/// Stands in the OpenAPI document for a map with some members of a card.
struct CardMembersResponse;

impl PartialSchema for CardMembersResponse {
    fn schema() -> RefOr<Schema> {
        let mut members = match OpenCardResponse::schema() {
            RefOr::T(Schema::Object(card)) => card,
            _ => Object::new(),
        };
        members.description = Some(
            "Members of a card. A member is absent if it was not requested, or if the card is hidden from the caller."
                .to_owned(),
        );
        members.example = None;
        members.required = vec!["id".to_owned()];
        members.properties.retain(|name, _| MEMBERS.contains(&name.as_str()));
        let printing = Ref::builder()
            .ref_location_from_schema_name(PrintingResponse::name())
            .description(Some("The printing; only in lists of printings."));
        members.properties.insert("printing".to_owned(), printing.into());
        RefOr::T(Schema::Object(members))
    }
}

impl ToSchema for CardMembersResponse {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        OpenCardResponse::schemas(schemas);
        schemas.push((PrintingResponse::name().into_owned(), PrintingResponse::schema()));
        PrintingResponse::schemas(schemas);
    }
}

impl PartialSchema for CardEntry {
    fn schema() -> RefOr<Schema> {
        let one_of = AnyOfBuilder::new()
            .item(Ref::from_schema_name(CardResponse::name()))
            .item(Ref::from_schema_name(CardMembersResponse::name()))
            .description(Some(
                "A card; with one printing in lists of printings (`unique=printings`), or with only the requested members (`fields`).",
            ));
        Schema::AnyOf(one_of.build()).into()
    }
}

impl ToSchema for CardEntry {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((CardResponse::name().into_owned(), CardResponse::schema()));
        CardResponse::schemas(schemas);
        schemas.push((CardMembersResponse::name().into_owned(), CardMembersResponse::schema()));
        CardMembersResponse::schemas(schemas);
    }
}
