//! The public page of an author: public facts, and the shared designs.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::design::author_path;
use super::faults::faults_of;
use super::tiles::DesignTile;
use super::words as design_words;
use crate::app::decks::followed_authors;
use crate::app::designs::authors::{self, AuthorResponse};
use crate::app::designs::design_lists::DesignSummaryResponse;
use crate::app::designs::gallery::{self, GalleryRequest, require_cursor};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{GiveDeckFeedback, Granted, ReadOwnDecks};
use crate::domain::ids::AccountId;
use crate::domain::network::Network;
use crate::domain::text::AccountName;
use crate::http::extract::{ClientNetwork, Form};
use crate::web::copies::BlockButton;
use crate::web::feedback::words as feedback_words;
use crate::web::forms::{Faults, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of, query_by};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor, log_in_path, see_other};
use crate::web::words;

/// The page of the list of designs.
#[derive(Debug, Default, Deserialize)]
pub(in crate::web) struct AuthorQuery {
    cursor: Option<Cursor>,
}

#[derive(Template)]
#[template(path = "web/designs/author.html")]
struct AuthorPage {
    frame: Frame,
    faults: Faults,
    name: String,
    path: String,
    badges: Vec<String>,
    /// Labels and numbers.
    facts: Vec<(&'static str, String)>,
    since: String,
    since_at: String,
    /// The path of the public decks; `None`: there are none.
    decks: Option<String>,
    tiles: Vec<DesignTile>,
    is_stranger: bool,
    is_self: bool,
    is_followed: bool,
    log_in: String,
    /// `None`: the reader is a stranger, or this author.
    block_button: Option<BlockButton>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// Shows the page of an author. An author without any public content answers 404.
pub(in crate::web) async fn find_author(
    state: web::Data<AppState>,
    visitor: Visitor,
    network: ClientNetwork,
    author: web::Path<String>,
    query: web::Query<AuthorQuery>,
) -> Result<HttpResponse, Problem> {
    let requester = (&visitor, network.0);
    show(&state, requester, &author, query.into_inner(), (PageStatus::OK, Faults::none())).await
}

async fn show(
    app: &AppState,
    (visitor, network): (&Visitor, Network),
    name: &str,
    query: AuthorQuery,
    (status, faults): (PageStatus, Faults),
) -> Result<HttpResponse, Problem> {
    let author = authors::find(app, name).await?;
    require_cursor(query.cursor.as_ref())?;
    let request = GalleryRequest {
        author: AccountName::parse(&author.name).ok(),
        ..GalleryRequest::default()
    };
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let request = request.check(app).await?;
    let designs = gallery::list(app, network, request, query.cursor.as_ref(), limit).await?.page;
    let games = app.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let tile = |design: DesignSummaryResponse| {
        let game = games.get(design.game.as_str()).copied();
        DesignTile { author: String::new(), ..DesignTile::new(game, design) }
    };
    let reads: Option<Granted<ReadOwnDecks>> = visitor.must().ok();
    let path = author_path(&author.name);
    let is_self = reads.as_ref().is_some_and(|reads| reads.account().0 == author.account_id);
    let block_button = match AccountName::parse(&author.name) {
        Ok(name) if !is_self => BlockButton::find(app, visitor, &name).await?,
        _ => None,
    };
    let page = AuthorPage {
        frame: Frame::new(&author.name).at(Place::Designs),
        faults,
        badges: author
            .badges
            .iter()
            .map(|badge| design_words::badge(badge.badge, badge.count))
            .collect(),
        facts: facts(&author),
        since: words::day_of(author.first_shared_at),
        since_at: author.first_shared_at.to_rfc3339(),
        decks: (author.decks > 0).then(|| decks_path(&author.name)),
        tiles: designs.data.into_iter().map(tile).collect(),
        is_stranger: visitor.is_stranger(),
        is_self,
        block_button,
        is_followed: match &reads {
            Some(reads) => {
                followed_authors::is_followed(app, reads, AccountId(author.account_id)).await?
            }
            None => false,
        },
        log_in: log_in_path(&path),
        first_path: query.cursor.as_ref().map(|_| path.clone()),
        next_path: designs.next_cursor.map(|cursor| format!("{path}?cursor={cursor}")),
        name: author.name,
        path,
    };
    private(status, &page)
}

fn facts(author: &AuthorResponse) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        (design_words::DESIGNS, words::grouped(author.designs)),
        (design_words::OFFICIAL, words::grouped(author.official)),
        (design_words::PUBLIC_DECKS, words::grouped(author.decks)),
        (design_words::FOLLOWERS, words::grouped(author.followers)),
    ];
    if let Some(mean) = author.mean_rating {
        facts.push((design_words::MEAN_RATING, design_words::mean(mean)));
    }
    facts
}

/// The path of the search for the public decks of an author.
fn decks_path(name: &str) -> String {
    path_of("/decks", &[("q", &query_by(name))])
}

/// Whether to follow or to unfollow.
#[derive(Deserialize)]
pub(in crate::web) struct Followed {
    follow: bool,
}

/// Follows or unfollows an author.
pub(in crate::web) async fn follow(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<GiveDeckFeedback>,
    author: web::Path<String>,
    Form(Followed { follow }): Form<Followed>,
) -> Result<HttpResponse, Problem> {
    let done = if follow {
        followed_authors::follow(&state, &by, &author).await
    } else {
        followed_authors::unfollow(&state, &by, &author).await
    };
    match done {
        Ok(()) => Ok(see_other(&author_path(&author))),
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &[]) else { return Err(problem) };
            let (requester, query) = ((&by.visitor, network.0), AuthorQuery::default());
            show(&state, requester, &author, query, (PageStatus::of(&problem), faults)).await
        }
    }
}
