//! Authors of designs and decks, as everybody sees them.

use chrono::{DateTime, Utc};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::design_ratings::decimal;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::text::AccountName;
use crate::store::designs::authors::{self, AuthorRow};

/// A badge that an author was awarded.
#[derive(Serialize, ToSchema)]
pub struct BadgeResponse {
    /// Code of the badge: `card_designer` (for designs that became cards).
    #[schema(example = "card_designer")]
    pub badge: &'static str,
    /// How often it was earned: for `card_designer`, the number of these cards that everybody can see.
    #[schema(example = 2, minimum = 1)]
    pub count: i64,
    /// When it was awarded: for `card_designer`, when the first of these cards became visible to everybody.
    pub awarded_at: DateTime<Utc>,
}

/// An author of public designs or decks. Designs and decks that are not public are not counted.
#[derive(Serialize, ToSchema)]
pub struct AuthorResponse {
    /// Id of the account.
    pub account_id: Uuid,
    /// Name of the account.
    #[schema(example = "ada")]
    pub name: String,
    /// Number of designs in the gallery.
    #[schema(example = 14, minimum = 0)]
    pub designs: i64,
    /// Number of these designs that became cards of their games.
    #[schema(example = 2, minimum = 0)]
    pub official: i64,
    /// Number of comments on these designs that everybody sees.
    #[schema(example = 40, minimum = 0)]
    pub comment_count: i64,
    /// Number of ratings of these designs that count.
    #[schema(example = 96, minimum = 0)]
    pub rating_count: i64,
    /// Mean of all points in these ratings, with two decimals; absent: there are no ratings.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 4.12, minimum = 1, maximum = 5)]
    pub mean_rating: Option<f64>,
    /// Badges of the author. They are permanent.
    pub badges: Vec<BadgeResponse>,
    /// Number of public decks.
    #[schema(example = 3, minimum = 0)]
    pub decks: i64,
    /// Number of accounts that follow the author, except banned accounts and those that the author has blocked.
    #[schema(example = 25, minimum = 0)]
    pub followers: i64,
    /// When the first of these designs and decks was shared; without any, when the first card with the badge became visible to everybody.
    pub first_shared_at: DateTime<Utc>,
    /// Path of the list of these designs.
    #[schema(example = "/v1/designs?author=ada")]
    pub designs_url: String,
    /// Path of the list of these decks.
    #[schema(example = "/v1/authors/ada/decks")]
    pub decks_url: String,
}

impl From<AuthorRow> for AuthorResponse {
    fn from(row: AuthorRow) -> Self {
        let name = utf8_percent_encode(&row.name, NON_ALPHANUMERIC);
        Self {
            designs_url: format!("/v1/designs?author={name}"),
            decks_url: format!("/v1/authors/{name}/decks"),
            decks: row.decks,
            followers: row.followers,
            account_id: row.account_id.0,
            name: row.name,
            designs: row.designs,
            official: row.official,
            comment_count: row.comments,
            rating_count: row.ratings,
            mean_rating: row.rating.map(decimal),
            badges: designer_badge(row.cards, row.first_card_at).into_iter().collect(),
            first_shared_at: row.first_shared_at,
        }
    }
}

/// The badge of an author of released cards that everybody may see.
fn designer_badge(cards: i64, first: Option<DateTime<Utc>>) -> Option<BadgeResponse> {
    first.map(|awarded_at| BadgeResponse { badge: "card_designer", count: cards, awarded_at })
}

/// Finds the author with that name; 404 when no account of that name has designs in the gallery, public decks or badges.
pub async fn find(app: &AppState, name: &str) -> Result<AuthorResponse, Problem> {
    let Ok(name) = AccountName::parse(name) else { return Err(Problem::not_found()) };
    let mut conn = app.store.connection().await?;
    let found = authors::find(&mut conn, &name).await?;
    found.map(Into::into).ok_or_else(Problem::not_found)
}

/// Whether [`find`] finds the author with that name.
pub async fn is_shown(app: &AppState, name: &str) -> Result<bool, Problem> {
    let Ok(name) = AccountName::parse(name) else { return Ok(false) };
    let mut conn = app.store.connection().await?;
    Ok(authors::find_id(&mut conn, &name).await?.is_some())
}
