//! Rulings and errata of cards, for viewers who may see the cards.

use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Date, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::{Value, json};
use uuid::Uuid;

use super::history::{self, Change};
use crate::auth::permission::{Acting, Viewer, WriteCatalogue};
use crate::domain::catalogue::ruling::{MAX_RULINGS, RulingContent, RulingKind};
use crate::domain::ids::{CardId, RulingId};
use crate::store::catalogue::changes;
use crate::store::db::schema::{card_rulings, cards};
use crate::store::db::statement::{CachePrepared as _, Statement, sql};
use crate::store::operations::audit;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreResult};

/// A ruling of a card that the viewer may see.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct RulingRow {
    #[diesel(sql_type = SqlUuid)]
    pub id: RulingId,
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    #[diesel(sql_type = Text)]
    pub kind: RulingKind,
    #[diesel(sql_type = Text)]
    pub text: String,
    /// The day from which it applies.
    #[diesel(sql_type = Date)]
    pub published_on: NaiveDate,
    #[diesel(sql_type = Nullable<Text>)]
    pub source: Option<String>,
    /// When it was created.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
}

impl RulingRow {
    /// The ruling as the card's history stores it.
    fn as_value(&self) -> Value {
        let mut value = json!({ "kind": self.kind.as_str(), "text": self.text, "published_on": self.published_on });
        if let Some(source) = &self.source {
            value["source"] = json!(source);
        }
        value
    }
}

/// Selects the rulings whose cards the viewer may see.
fn select_visible<'a>(viewer: Viewer) -> Statement<'a> {
    sql("SELECT r.id, r.card_id, r.kind, r.text, r.published_on, r.source, r.created_at \
         FROM card_rulings r JOIN card_content content ON content.card_id = r.card_id AND ")
    .push_is_visible(viewer)
    .push(" WHERE true")
}

/// The rulings of a card, the oldest day first; none when the viewer may not see it.
pub async fn list(
    conn: &mut Connection,
    viewer: Viewer,
    card: CardId,
) -> StoreResult<Vec<RulingRow>> {
    let sql = select_visible(viewer)
        .push(" AND r.card_id = ")
        .value(card)
        .push(" ORDER BY r.published_on, r.id");
    Ok(sql.load(conn).await?)
}

/// The ruling of that id, if the viewer may see its card.
pub async fn find(
    conn: &mut Connection,
    viewer: Viewer,
    id: RulingId,
) -> StoreResult<Option<RulingRow>> {
    let sql = select_visible(viewer).push(" AND r.id = ").value(id);
    Ok(sql.get_result(conn).await.optional()?)
}

/// Outcome of [`create`].
#[derive(Debug)]
pub enum RulingCreated {
    /// It is stored.
    New(RulingRow),
    /// A repeated request, which created this ruling; `None`: it was deleted since.
    Repeat(Option<RulingRow>),
    /// There is no such card.
    NoCard,
    /// The card has reached the limit of rulings.
    TooMany,
}

/// Stores a ruling of a card.
pub async fn create(
    conn: &mut Connection,
    by: &Acting<WriteCatalogue>,
    id: RulingId,
    card: CardId,
    content: &RulingContent,
    claim: Option<&IdempotencyClaim>,
    at: DateTime<Utc>,
) -> Result<RulingCreated, IdempotentError> {
    if let Some(before) = idempotency::begin(conn, claim, id).await? {
        return Ok(RulingCreated::Repeat(find(conn, Viewer::from(&**by), before).await?));
    }
    // Writers of one card's rulings wait for each other, so that they cannot exceed the limit.
    let known: Option<Uuid> = cards::table
        .find(card)
        .select(cards::id)
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?;
    if known.is_none() {
        idempotency::forget(conn, claim).await?;
        return Ok(RulingCreated::NoCard);
    }
    if count(conn, &[card]).await? >= MAX_RULINGS {
        idempotency::forget(conn, claim).await?;
        return Ok(RulingCreated::TooMany);
    }
    diesel::insert_into(card_rulings::table)
        .values((
            card_rulings::id.eq(id),
            card_rulings::card_id.eq(card),
            card_rulings::created_at.eq(at),
            columns(content),
        ))
        .execute(conn)
        .await?;
    let row = RulingRow {
        id,
        card_id: card,
        kind: content.kind,
        text: content.text.clone(),
        published_on: content.published_on,
        source: content.source.clone(),
        created_at: at,
    };
    record(conn, by, "ruling_added", None, Some(&row), at).await?;
    Ok(RulingCreated::New(row))
}

type Columns<'a> = (
    diesel::dsl::Eq<card_rulings::kind, RulingKind>,
    diesel::dsl::Eq<card_rulings::text, &'a str>,
    diesel::dsl::Eq<card_rulings::published_on, NaiveDate>,
    diesel::dsl::Eq<card_rulings::source, Option<&'a str>>,
);

fn columns(content: &RulingContent) -> Columns<'_> {
    (
        card_rulings::kind.eq(content.kind),
        card_rulings::text.eq(content.text.as_str()),
        card_rulings::published_on.eq(content.published_on),
        card_rulings::source.eq(content.source.as_deref()),
    )
}

/// The result of a change of a ruling.
#[derive(Debug)]
pub enum RulingEdited {
    /// The new state; if it was deleted, the last state.
    Done(RulingRow),
    /// It differs from the version that the editor has read.
    Stale,
    /// There is no such ruling.
    Missing,
}

/// Changes a ruling, or with `None` deletes it, if it is still the version that the editor has read. An edit without
/// changes is not recorded.
pub async fn edit(
    conn: &mut Connection,
    by: &Acting<WriteCatalogue>,
    id: RulingId,
    is_current: impl Fn(&RulingRow) -> bool,
    content: Option<&RulingContent>,
    at: DateTime<Utc>,
) -> StoreResult<RulingEdited> {
    // Its history refers to the card. A merge locks the card first, then its rulings.
    sql("SELECT FROM cards WHERE id = (SELECT card_id FROM card_rulings WHERE id = $id) FOR KEY SHARE")
        .bind("id", id)
        .execute(conn)
        .await?;
    let locked: Option<Uuid> = card_rulings::table
        .find(id)
        .select(card_rulings::id)
        .for_update()
        .first(conn)
        .await
        .optional()?;
    let before = match locked {
        Some(_) => find(conn, Viewer::from(&**by), id).await?,
        None => None,
    };
    let Some(before) = before else { return Ok(RulingEdited::Missing) };
    if !is_current(&before) {
        return Ok(RulingEdited::Stale);
    }
    let Some(content) = content else {
        diesel::delete(card_rulings::table.find(id)).execute(conn).await?;
        record(conn, by, "ruling_removed", Some(&before), None, at).await?;
        return Ok(RulingEdited::Done(before));
    };
    let now = RulingRow {
        kind: content.kind,
        text: content.text.clone(),
        published_on: content.published_on,
        source: content.source.clone(),
        ..before.clone()
    };
    if now == before {
        return Ok(RulingEdited::Done(now));
    }
    diesel::update(card_rulings::table.find(id))
        .set(columns(content))
        .cached()
        .execute(conn)
        .await?;
    record(conn, by, "ruling_changed", Some(&before), Some(&now), at).await?;
    Ok(RulingEdited::Done(now))
}

/// The number of rulings that these cards have together.
pub(in crate::store) async fn count(conn: &mut Connection, of: &[CardId]) -> StoreResult<i64> {
    let rulings = card_rulings::table.filter(card_rulings::card_id.eq_any(of.iter().copied()));
    Ok(rulings.count().get_result(conn).await?)
}

/// Moves all rulings of a card to another card.
pub(in crate::store) async fn move_to_card(
    conn: &mut Connection,
    from: CardId,
    to: CardId,
) -> StoreResult<()> {
    diesel::update(card_rulings::table.filter(card_rulings::card_id.eq(from)))
        .set(card_rulings::card_id.eq(to))
        .cached()
        .execute(conn)
        .await?;
    Ok(())
}

/// Records a change of a ruling in the card's history, the change feed and the audit log.
async fn record(
    conn: &mut Connection,
    by: &Acting<WriteCatalogue>,
    change: &'static str,
    before: Option<&RulingRow>,
    after: Option<&RulingRow>,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let (card, id) = (row.card_id, row.id);
    let change_of_ruling = Change {
        member: format!("/rulings/{id}"),
        before: before.map(RulingRow::as_value),
        after: after.map(RulingRow::as_value),
    };
    history::record(conn, card, change, &[change_of_ruling], at).await?;
    changes::cards_changed(conn, &[card], at).await?;
    let entry = audit::NewAuditEntry {
        actor: Some(by.account()),
        action: &change.replace("ruling_", "ruling."),
        target: format!("ruling:{id}"),
        details: json!({ "card": card }),
        at,
    };
    audit::write(conn, entry).await
}
