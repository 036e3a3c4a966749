//! Rulings and errata of cards.

use cardscape_engine::{Date, DateError};
use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::card_migrations::{Located, follow_id};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{Granted, Viewer, WriteCatalogue};
use crate::domain::catalogue::ruling::{RulingContent, RulingKind};
use crate::domain::ids::{CardId, RulingId};
use crate::domain::text;
use crate::store::catalogue::cards;
use crate::store::catalogue::rulings::{self, RulingCreated, RulingEdited, RulingRow};
use crate::store::operations::idempotency::IdempotencyClaim;
use crate::store::{Connection, StoreResult};

/// Longest text, in characters.
const MAX_TEXT: usize = 2000;
/// Longest source, in characters.
const MAX_SOURCE: usize = 300;

/// Checks what an admin writes of a card, or reports every fault. `published_on` is a day as `2026-11-21`.
pub fn read(
    kind: RulingKind,
    text: &str,
    published_on: &str,
    source: Option<&str>,
) -> Result<RulingContent, Problem> {
    let mut faults = Vec::new();
    let text = text::lines(text, 1, MAX_TEXT)
        .and_then(text::without_serial)
        .map_err(|error| faults.push(InputFault::at("/text", error)));
    let source = source
        .map(|source| text::line(source, 1, MAX_SOURCE).and_then(text::without_serial))
        .transpose();
    let source = source.map_err(|error| faults.push(InputFault::at("/source", error)));
    let day = published_on
        .parse::<Date>()
        .and_then(|_| published_on.parse::<NaiveDate>().map_err(|_| DateError))
        .map_err(|error| faults.push(InputFault::at("/published_on", error)));
    let (Ok(text), Ok(source), Ok(published_on)) = (text, source, day) else {
        return Err(Problem::invalid(faults));
    };
    Ok(RulingContent { kind, text, published_on, source })
}

/// A ruling or an erratum of a card.
#[derive(Serialize, ToSchema)]
pub struct RulingResponse {
    /// Its id.
    pub id: Uuid,
    /// Id of the card.
    pub card: Uuid,
    /// `ruling`: how the card is to be read; `erratum`: what it should say.
    #[schema(example = "ruling")]
    pub kind: String,
    /// The text; line feeds separate paragraphs.
    #[schema(example = "The effect counts the card itself.")]
    pub text: String,
    /// The day from which it applies.
    pub published_on: NaiveDate,
    /// Who published it, and where.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Rules team, November 2026")]
    pub source: Option<String>,
}

impl From<RulingRow> for RulingResponse {
    fn from(row: RulingRow) -> Self {
        Self {
            id: row.id.0,
            card: row.card_id.0,
            kind: row.kind.as_str().to_owned(),
            text: row.text,
            published_on: row.published_on,
            source: row.source,
        }
    }
}

impl RulingResponse {
    /// Whether the ruling has this content already.
    pub fn has_content(&self, content: &RulingContent) -> bool {
        let RulingContent { kind, text, published_on, source } = content;
        self.kind == kind.as_str()
            && self.text == *text
            && self.published_on == *published_on
            && self.source == *source
    }
}

/// The rulings and errata of a card.
#[derive(Serialize, ToSchema)]
pub struct RulingsResponse {
    /// The rulings and errata, the oldest day first; empty while the card is hidden from the caller.
    pub data: Vec<RulingResponse>,
    /// Whether the card is hidden from the public: only holders of a registered copy, moderators and admins see its contents.
    pub hidden: bool,
}

/// Lists the rulings and errata of a card, the oldest first; empty while the card is hidden from the viewer.
pub async fn list(
    app: &AppState,
    viewer: Viewer,
    card: CardId,
) -> Result<Located<RulingsResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let Some(found) = cards::find(&conn, viewer, card).await? else {
        return follow_id(&mut conn, card).await;
    };
    let data = load(&mut conn, viewer, card).await?;
    Ok(Located::Here(RulingsResponse { data, hidden: found.is_hidden() }))
}

/// The rulings and errata of a card, the oldest first; empty while the card is hidden from the viewer.
pub(super) async fn load(
    conn: &mut Connection,
    viewer: Viewer,
    card: CardId,
) -> StoreResult<Vec<RulingResponse>> {
    Ok(rulings::list(conn, viewer, card).await?.into_iter().map(Into::into).collect())
}

/// Finds a ruling of a card that the viewer may see.
pub async fn find(
    app: &AppState,
    viewer: Viewer,
    ruling: RulingId,
) -> Result<RulingResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let row = rulings::find(&mut conn, viewer, ruling).await?;
    Ok(row.ok_or_else(Problem::not_found)?.into())
}

/// Writes a ruling or an erratum of a card.
pub async fn create(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    card: CardId,
    content: &RulingContent,
    key: Option<&IdempotencyClaim>,
) -> Result<RulingResponse, Problem> {
    let (id, at) = (RulingId::generate(), app.clock.now());
    let created = app
        .write(by, async |conn, by| rulings::create(conn, by, id, card, content, key, at).await)
        .await?;
    match created {
        RulingCreated::New(row) => {
            tracing::info!(account = %by.account(), %card, ruling = %id, "ruling written");
            Ok(row.into())
        }
        RulingCreated::Repeat(Some(row)) => Ok(row.into()),
        RulingCreated::Repeat(None) => Err(Problem::new(ProblemCode::Gone)),
        RulingCreated::NoCard => Err(Problem::not_found()),
        RulingCreated::TooMany => Err(Problem::new(ProblemCode::TooManyRulings)),
    }
}

/// Replaces a ruling if it is still the version that the editor has read.
pub async fn replace(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    ruling: RulingId,
    if_match: &IfMatch,
    content: &RulingContent,
) -> Result<RulingResponse, Problem> {
    let row = edit(app, by, ruling, if_match, Some(content)).await?;
    tracing::info!(account = %by.account(), %ruling, "ruling changed");
    Ok(row.into())
}

/// Deletes a ruling if it is still the version that the editor has read.
pub async fn delete(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    ruling: RulingId,
    if_match: &IfMatch,
) -> Result<(), Problem> {
    edit(app, by, ruling, if_match, None).await?;
    tracing::info!(account = %by.account(), %ruling, "ruling deleted");
    Ok(())
}

async fn edit(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    id: RulingId,
    if_match: &IfMatch,
    content: Option<&RulingContent>,
) -> Result<RulingRow, Problem> {
    let at = app.clock.now();
    let is_current = |row: &RulingRow| if_match.has_seen(&RulingResponse::from(row.clone()));
    let edited = app
        .write(by, async |conn, by| rulings::edit(conn, by, id, is_current, content, at).await)
        .await?;
    match edited {
        RulingEdited::Done(row) => Ok(row),
        RulingEdited::Stale => Err(Problem::new(ProblemCode::PreconditionFailed)),
        RulingEdited::Missing => Err(Problem::not_found()),
    }
}
