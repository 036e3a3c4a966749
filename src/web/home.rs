//! The first page: sets with hidden cards, the newest unlocks, and the games.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;

use super::catalogue::{NewUnlock, SetWithHiddenCards, game_path, list_unlocks, list_walls};
use super::docs::find_directory;
use super::page::{Frame, LIVE, Place, Preview, answer, write};
use super::words;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::http::extract::{ClientNetwork, prefers_json};

#[derive(Template)]
#[template(path = "web/home.html")]
struct HomePage {
    frame: Frame,
    /// Sets that are shown with cards.
    walls: Vec<SetWithHiddenCards>,
    /// Further sets with hidden cards.
    others: Vec<SetWithHiddenCards>,
    /// Whether there may be more sets than are shown.
    has_more_sets: bool,
    unlocks: Vec<NewUnlock>,
    games: Vec<GameEntry>,
}

/// A game in the list of all.
struct GameEntry {
    name: String,
    path: String,
    about: String,
}

/// Answers the first page or, for programs that prefer JSON, the directory of the service.
pub(super) async fn find_home(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
) -> Result<HttpResponse, Problem> {
    let mut answer = if prefers_json(&req) {
        find_directory(&req)?
    } else {
        answer(&req, &write(&home(&state, network).await?, LIVE)?)
    };
    answer.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
    Ok(answer)
}

async fn home(app: &AppState, network: ClientNetwork) -> Result<HomePage, Problem> {
    let (mut walls, has_more_sets) = list_walls(app, network.0).await?;
    let unlocks = list_unlocks(app, network.0).await?;
    let games = app.all_games().await?;
    for wall in &mut walls {
        let game = games.iter().find(|loaded| loaded.game.code() == wall.game);
        if let Some(game) = game {
            game.game.name().clone_into(&mut wall.game);
        }
    }
    let with_cards = walls.iter().take_while(|wall| !wall.tiles.is_empty()).count();
    let others = walls.split_off(with_cards);
    let games = games.iter().map(|loaded| GameEntry {
        name: loaded.game.name().to_owned(),
        path: game_path(loaded.game.code()),
        about: loaded.game.description().to_owned(),
    });
    let public = app.settings.public_url.as_deref();
    let mut frame = Frame::new(words::NAME).at(Place::Home).of_address(public, "/");
    frame.script = (!walls.is_empty()).then_some(&*frame.assets.live_script);
    frame.preview = Some(Preview {
        title: words::NAME.to_owned(),
        text: words::ABOUT.to_owned(),
        picture: None,
    });
    Ok(HomePage { frame, walls, others, has_more_sets, unlocks, games: games.collect() })
}
