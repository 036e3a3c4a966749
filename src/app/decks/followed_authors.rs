//! Authors that the caller follows.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::feedback::problems::too_many_today;
use crate::app::page::{CursorTime, Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{GiveDeckFeedback, Granted, ReadOwnDecks};
use crate::domain::decks::follows::MAX_FOLLOWED_AUTHORS;
use crate::domain::ids::AccountId;
use crate::domain::text::AccountName;
use crate::store::decks::followed_authors::{self, FollowOutcome, FollowedAuthor};

/// An author that you follow.
#[derive(Serialize, ToSchema)]
pub struct FollowedAuthorResponse {
    /// Account of the author.
    pub account_id: Uuid,
    /// Name of the author.
    #[schema(example = "ada")]
    pub name: String,
    /// Since when you follow the author.
    pub followed_at: DateTime<Utc>,
}

impl From<FollowedAuthor> for FollowedAuthorResponse {
    fn from(FollowedAuthor { author_id, name, followed_at }: FollowedAuthor) -> Self {
        Self { account_id: author_id.0, name, followed_at }
    }
}

/// Where a page of followed authors begins: start of the following and account of the last author on the previous page.
pub type FollowedKey = (CursorTime, AccountId);

/// Lists the authors that the caller follows, the latest followed first.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    before: Option<FollowedKey>,
    limit: PageLimit,
) -> Result<Page<FollowedAuthorResponse>, Problem> {
    let before = before.map(|(CursorTime(at), id)| (at, id));
    let mut conn = app.store.connection().await?;
    let rows = followed_authors::list(&mut conn, by, before, limit.rows()).await?;
    let key = |row: &FollowedAuthor| (CursorTime(row.followed_at), row.author_id);
    Ok(paged(rows, limit, key, Into::into))
}

/// Whether the caller follows an author.
pub async fn is_followed(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    author: AccountId,
) -> Result<bool, Problem> {
    let mut conn = app.store.connection().await?;
    Ok(followed_authors::is_followed(&mut conn, by, author).await?)
}

/// Follows the author with that name. A repeated request changes nothing.
pub async fn follow(
    app: &AppState,
    by: &Granted<GiveDeckFeedback>,
    author: &str,
) -> Result<(), Problem> {
    let author = AccountName::parse(author).map_err(|_| Problem::not_found())?;
    let at = app.clock.now();
    let follow = async |conn: &mut _, by: &_| followed_authors::follow(conn, by, &author, at).await;
    match app.write(by, follow).await? {
        FollowOutcome::Done => {}
        FollowOutcome::Missing => return Err(Problem::not_found()),
        FollowOutcome::Oneself => {
            let detail = "Nobody can follow themselves.";
            return Err(Problem::new(ProblemCode::OwnAccount).detail(detail));
        }
        FollowOutcome::TooMany => {
            let detail = format!("An account can follow at most {MAX_FOLLOWED_AUTHORS} authors.");
            return Err(Problem::new(ProblemCode::TooManyFollowed).detail(detail));
        }
        FollowOutcome::TooManyToday(limit) => return Err(too_many_today(app, limit)),
    }
    tracing::info!(account = %by.account(), "author followed");
    Ok(())
}

/// Stops following the author with that name. A repeated request changes nothing.
pub async fn unfollow(
    app: &AppState,
    by: &Granted<GiveDeckFeedback>,
    author: &str,
) -> Result<(), Problem> {
    let author = AccountName::parse(author).map_err(|_| Problem::not_found())?;
    let unfollow = async |conn: &mut _, by: &_| followed_authors::unfollow(conn, by, &author).await;
    if !app.write(by, unfollow).await? {
        return Err(Problem::not_found());
    }
    tracing::info!(account = %by.account(), "author no longer followed");
    Ok(())
}
