//! What readers do with a deck by a click: like it, watch it, follow its author.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use uuid::Uuid;

use super::words as deck_words;
use super::{deck, deck_path};
use crate::app::decks::own_feedback::OwnFeedback;
use crate::app::decks::{deck_likes, deck_lists, deck_watches, followed_authors};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{GiveDeckFeedback, ReadOwnDecks};
use crate::domain::ids::DeckId;
use crate::domain::network::Network;
use crate::http::extract::{ClientNetwork, Form};
use crate::web::feedback::comments::RefusedComment;
use crate::web::feedback::words as feedback_words;
use crate::web::forms::Faults;
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};

/// A button that switches something on or off.
pub(super) struct Switch {
    /// The last part of the path of its form.
    pub(super) action: &'static str,
    pub(super) turns_on: bool,
    pub(super) label: String,
}

/// The buttons for a reader. `author`: the name of the owner, if the deck is public.
pub(super) fn switches(own: OwnFeedback, author: Option<&str>, is_own: bool) -> Vec<Switch> {
    let OwnFeedback { likes, watches, follows_author } = own;
    let label = |is_on: bool, on: &str, off: &str| if is_on { off } else { on }.to_owned();
    let watch = Switch {
        action: "watch",
        turns_on: !watches,
        label: label(watches, deck_words::WATCH, deck_words::UNWATCH),
    };
    if is_own {
        return vec![watch];
    }
    let like = Switch {
        action: "like",
        turns_on: !likes,
        label: label(likes, deck_words::LIKE, deck_words::UNLIKE),
    };
    let follow = author.map(|author| Switch {
        action: "follow",
        turns_on: !follows_author,
        label: deck_words::follow(author, follows_author),
    });
    [like, watch].into_iter().chain(follow).collect()
}

/// Whether it is switched on or off.
#[derive(Deserialize)]
pub(in crate::web) struct Switched {
    on: bool,
}

/// Likes a deck, or takes the like back.
pub(in crate::web) async fn like(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<GiveDeckFeedback>,
    deck: web::Path<Uuid>,
    Form(Switched { on }): Form<Switched>,
) -> Result<HttpResponse, Problem> {
    let id = DeckId(*deck);
    let done = if on {
        deck_likes::like(&state, &by, id).await.map(drop)
    } else {
        deck_likes::unlike(&state, &by, id).await
    };
    after(&state, (&by, network.0), id, done).await
}

/// Watches a deck, or watches it no more.
pub(in crate::web) async fn watch(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<GiveDeckFeedback>,
    deck: web::Path<Uuid>,
    Form(Switched { on }): Form<Switched>,
) -> Result<HttpResponse, Problem> {
    let id = DeckId(*deck);
    let done = if on {
        deck_watches::watch(&state, &by, id).await.map(drop)
    } else {
        deck_watches::unwatch(&state, &by, id).await
    };
    after(&state, (&by, network.0), id, done).await
}

/// Follows the author of a public deck, or follows them no more. Whose deck an unlisted one is stays unknown: it answers 404.
pub(in crate::web) async fn follow(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<GiveDeckFeedback>,
    deck: web::Path<Uuid>,
    Form(Switched { on }): Form<Switched>,
) -> Result<HttpResponse, Problem> {
    let id = DeckId(*deck);
    let reads = by.visitor.must::<ReadOwnDecks>()?;
    let found = deck_lists::find(&state, (by.visitor.viewer(), Some(&reads)), id).await?;
    let author = found.deck.author.ok_or_else(Problem::not_found)?;
    let done = if on {
        followed_authors::follow(&state, &by, &author).await
    } else {
        followed_authors::unfollow(&state, &by, &author).await
    };
    after(&state, (&by, network.0), id, done).await
}

/// Leads back to the deck, or shows its page with the reason of a refusal.
async fn after(
    app: &AppState,
    (by, network): (&Player<GiveDeckFeedback>, Network),
    id: DeckId,
    done: Result<(), Problem>,
) -> Result<HttpResponse, Problem> {
    let Err(problem) = done else { return Ok(see_other(&deck_path(id.0))) };
    let faults = Faults::of_problem(&problem, &[], feedback_words::fault);
    let Some(faults) = faults else { return Err(problem) };
    let refusal = (PageStatus::of(&problem), faults, RefusedComment::default());
    deck::show(app, (&by.visitor, network), id, refusal).await
}
