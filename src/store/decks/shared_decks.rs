//! Lists of decks for readers other than their owners: the decks of an author, and the new decks of the authors that an
//! account follows.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Timestamptz};
use diesel_async::RunQueryDsl;

use super::deck_records::{COLUMNS, DeckRow};
use super::{IS_PUBLIC, TELLS_SOURCE};
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::ids::{AccountId, DeckId};
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A deck as a list shows it to readers other than its owner.
#[derive(Clone, Debug, QueryableByName)]
pub struct SharedDeckRow {
    #[diesel(embed)]
    pub deck: DeckRow,
    /// Cards in all zones together.
    #[diesel(sql_type = BigInt)]
    pub cards: i64,
    /// The name of its owner; `None`: the deck is not public, so its owner is not shown.
    #[diesel(sql_type = Nullable<Text>)]
    pub author: Option<String>,
    /// Whether the deck that it was cloned from is public.
    #[diesel(sql_type = Bool)]
    pub shows_source: bool,
    /// When it was public for the first time; `None`: it is not public.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub published_at: Option<DateTime<Utc>>,
}

/// The columns of a [`SharedDeckRow`] besides those of the deck, from `decks d JOIN accounts a`.
pub(super) const SHARED: &str = "(SELECT coalesce(sum(e.quantity), 0)::bigint FROM deck_entries e WHERE e.deck_id = d.id) AS cards, CASE d.visibility WHEN 'public' THEN a.name END AS author, \
    CASE d.visibility WHEN 'public' THEN coalesce(d.published_at, d.created_at) END AS published_at";

/// The position of a deck among public ones: when it was published, and its id.
pub type PublishedPosition = (DateTime<Utc>, DeckId);

/// Lists the public decks of an author who is not banned, the last published first, before a position.
pub async fn list_of_author(
    conn: &mut Connection,
    author: AccountId,
    before: Option<PublishedPosition>,
    limit: i64,
) -> StoreResult<Vec<SharedDeckRow>> {
    let mut statement = sql(format!(
        "SELECT coalesce(d.published_at, d.created_at) AS at, {COLUMNS}, {SHARED}, {TELLS_SOURCE} FROM decks d JOIN accounts a ON a.id = d.account_id WHERE d.account_id = $author AND {IS_PUBLIC} AND a.banned_at IS NULL"
    ))
    .bind("author", author);
    if let Some((at, id)) = before {
        statement = statement
            .push(" AND (coalesce(d.published_at, d.created_at), d.id) < ($before_at, $before_id)")
            .bind("before_at", at)
            .bind("before_id", id);
    }
    Ok(push_page(statement, "at DESC, id DESC", limit).load(conn).await?)
}

/// Lists the public decks of the authors that the caller follows, the last published first, before a position.
///
/// A page with n places contains decks of at most n authors: those whose newest decks are the newest. So only the decks
/// of these authors are read, at most n of each.
pub async fn list_followed(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    before: Option<PublishedPosition>,
    limit: i64,
) -> StoreResult<Vec<SharedDeckRow>> {
    let place = match before {
        None => "",
        Some(_) => "AND (coalesce(d.published_at, d.created_at), d.id) < ($before_at, $before_id)",
    };
    let newest_of = |author: &str, limit: &str| {
        format!(
            "SELECT d.id, coalesce(d.published_at, d.created_at) AS at FROM decks d WHERE d.account_id = {author} AND {IS_PUBLIC} {place} \
             ORDER BY coalesce(d.published_at, d.created_at) DESC, d.id DESC LIMIT {limit}"
        )
    };
    let (of_each, of_some) = (newest_of("f.author_id", "1"), newest_of("few.author_id", "$limit"));
    let (at, id) = before.unzip();
    let rows = sql(format!(
        "SELECT {COLUMNS}, {SHARED}, {TELLS_SOURCE} FROM (\
          SELECT shown.id FROM (\
           SELECT f.author_id FROM followed_authors f JOIN accounts a ON a.id = f.author_id CROSS JOIN LATERAL ({of_each}) newest \
           WHERE f.account_id = $account AND a.banned_at IS NULL \
            AND NOT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = $account AND b.blocked_id = f.author_id) \
           ORDER BY newest.at DESC, newest.id DESC LIMIT $limit) few \
          CROSS JOIN LATERAL ({of_some}) shown ORDER BY shown.at DESC, shown.id DESC LIMIT $limit) page \
         JOIN decks d ON d.id = page.id JOIN accounts a ON a.id = d.account_id ORDER BY coalesce(d.published_at, d.created_at) DESC, d.id DESC"
    ))
    .bind("account", by.account())
    .bind_some("before_at", at)
    .bind_some("before_id", id)
    .bind("limit", limit)
    .load(conn)
    .await?;
    Ok(rows)
}
