//! What the caller has done with a deck.

use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::ids::{AccountId, DeckId};
use crate::store::decks::{deck_likes, deck_watches, followed_authors};

/// What the caller has done with a deck. Nobody else sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnFeedback {
    /// Whether the caller likes the deck.
    pub likes: bool,
    /// Whether the caller watches the deck.
    pub watches: bool,
    /// Whether the caller follows its author.
    pub follows_author: bool,
}

/// Finds what the caller has done with a deck; `author`: its owner, if the caller may know whose deck it is.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    deck: DeckId,
    author: Option<AccountId>,
) -> Result<OwnFeedback, Problem> {
    let mut conn = app.store.connection().await?;
    let follows_author = match author.filter(|author| *author != by.account()) {
        Some(author) => followed_authors::is_followed(&mut conn, by, author).await?,
        None => false,
    };
    Ok(OwnFeedback {
        likes: deck_likes::likes(&mut conn, by, deck).await?,
        watches: deck_watches::watches(&mut conn, by, deck).await?,
        follows_author,
    })
}
