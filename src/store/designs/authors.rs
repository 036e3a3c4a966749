//! Authors of public designs and decks.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::domain::ids::AccountId;
use crate::domain::text::AccountName;
use crate::store::db::statement::sql;
use crate::store::decks::IS_PUBLIC;
use crate::store::{Connection, StoreResult};

/// An author as the gallery shows it.
#[derive(Clone, Debug, QueryableByName)]
pub struct AuthorRow {
    #[diesel(sql_type = SqlUuid)]
    pub account_id: AccountId,
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Designs in the gallery.
    #[diesel(sql_type = BigInt)]
    pub designs: i64,
    /// Number of those that are official cards.
    #[diesel(sql_type = BigInt)]
    pub official: i64,
    /// Comments on them.
    #[diesel(sql_type = BigInt)]
    pub comments: i64,
    /// Ratings of them.
    #[diesel(sql_type = BigInt)]
    pub ratings: i64,
    /// Mean rating, in hundredths of a point; `None`: there are no ratings.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub rating: Option<i64>,
    /// Public cards that were made from the author's designs, including designs that are no longer in the gallery.
    #[diesel(sql_type = BigInt)]
    pub cards: i64,
    /// When the first of these cards became public.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub first_card_at: Option<chrono::DateTime<chrono::Utc>>,
    /// When the first of these designs or decks was shared; without any, when the first card became public.
    #[diesel(sql_type = Timestamptz)]
    pub first_shared_at: chrono::DateTime<chrono::Utc>,
    /// Public decks.
    #[diesel(sql_type = BigInt)]
    pub decks: i64,
    /// Number of followers that count.
    #[diesel(sql_type = BigInt)]
    pub followers: i64,
}

/// Finds an author with designs in the gallery, public decks, or public cards that were made from designs. `None`: there
/// is no such account, it is banned, or nothing of it is public. Rewards are rows of public cards only: a card that is
/// hidden does not reveal who designed it.
pub async fn find(conn: &mut Connection, name: &AccountName) -> StoreResult<Option<AuthorRow>> {
    let found = sql(format!(
        "SELECT a.id AS account_id, a.name, own.*, shown.decks, rewarded.*, \
          coalesce(least(own.first_design_at, shown.first_deck_at), rewarded.first_card_at) AS first_shared_at, \
          coalesce((SELECT f.followers FROM author_followers f WHERE f.author_id = a.id), 0) AS followers \
         FROM accounts a CROSS JOIN LATERAL (\
          SELECT count(*) AS designs, count(*) FILTER (WHERE d.status = 'official') AS official, coalesce(sum(d.comment_count), 0)::bigint AS comments, \
           coalesce(sum(d.rating_count), 0)::bigint AS ratings, round(25.0 * sum(d.rating_points) / nullif(sum(d.rating_count), 0))::bigint AS rating, \
           min(d.shared_at) AS first_design_at FROM designs d WHERE d.account_id = a.id AND d.listed) own \
         CROSS JOIN LATERAL (\
          SELECT count(*) AS decks, min(coalesce(d.published_at, d.created_at)) AS first_deck_at FROM decks d WHERE d.account_id = a.id AND {IS_PUBLIC}) shown \
         CROSS JOIN LATERAL (\
          SELECT count(*) AS cards, min(w.earned_at) AS first_card_at FROM designer_rewards w WHERE w.account_id = a.id) rewarded \
         WHERE a.name_key = $name AND a.banned_at IS NULL AND (own.designs > 0 OR shown.decks > 0 OR rewarded.cards > 0)"
    ))
    .bind("name", name.key())
    .get_result(conn)
    .await
    .optional()?;
    Ok(found)
}

/// The account of an author that [`find`] finds.
pub async fn find_id(conn: &mut Connection, name: &AccountName) -> StoreResult<Option<AccountId>> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = SqlUuid)]
        id: AccountId,
    }
    let found: Option<Found> = sql(format!(
        "SELECT a.id FROM accounts a WHERE a.name_key = $name AND a.banned_at IS NULL \
         AND (EXISTS (SELECT FROM designs d WHERE d.account_id = a.id AND d.listed) OR EXISTS (SELECT FROM decks d WHERE d.account_id = a.id AND {IS_PUBLIC}) \
          OR EXISTS (SELECT FROM designer_rewards w WHERE w.account_id = a.id))"
    ))
    .bind("name", name.key())
    .get_result(conn)
    .await
    .optional()?;
    Ok(found.map(|found| found.id))
}
