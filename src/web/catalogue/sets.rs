//! The page of a set: its cards by number, the progress of its hidden cards, and the printed copies.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::answers::{game_path, set_path};
use super::lists::{Part, list, of_set};
use super::policy_words::conditions;
use super::printed::{Printed, find_printed};
use super::tiles::Tile;
use crate::app::catalogue::{games, sets};
use crate::app::page::Cursor;
use crate::app::problem::Problem;
use crate::app::serials::unlock_policies;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::network::Network;
use crate::http::extract::ClientNetwork;
use crate::web::page::{ENTRIES, Frame, LIVE, Place, Preview, answer, write};
use crate::web::words;

/// Which page of the cards.
#[derive(Deserialize)]
pub(in crate::web) struct SetQuery {
    cursor: Option<Cursor>,
}

#[derive(Template)]
#[template(path = "web/catalogue/set.html")]
struct SetPage {
    frame: Frame,
    name: String,
    game_name: String,
    game_path: String,
    released: Option<String>,
    cards: String,
    /// Cards that started hidden: their number, how many are unlocked, and both as text.
    progress: Option<(i64, i64, String)>,
    /// What unlocks its hidden cards beside the number of submissions, if there is anything.
    conditions: Option<String>,
    search_path: String,
    tiles: Vec<Tile>,
    first_path: Option<String>,
    next_path: Option<String>,
    /// Only on the first page.
    printed: Option<Printed>,
}

/// Shows a set.
pub(in crate::web) async fn find_set(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
    path: web::Path<(Code, Code)>,
    query: web::Query<SetQuery>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let page = page(&state, network.0, (&game, &set), query.cursor.as_ref()).await?;
    Ok(answer(&req, &write(&page, LIVE)?))
}

async fn page(
    app: &AppState,
    network: Network,
    (game, set): (&Code, &Code),
    cursor: Option<&Cursor>,
) -> Result<SetPage, Problem> {
    let part = Part { cursor, limit: ENTRIES, total: false };
    let loaded = games::find(app, game).await?;
    let found = sets::find(app, game, set).await?;
    let conditions = match found.hidden_cards {
        0 => None,
        _ => conditions(&unlock_policies::find_of_set(app, game, set).await?.0.policy),
    };
    let cards = list(app, network, of_set(game, set), part).await?;
    let printed = match cursor {
        None => find_printed(app, &loaded.game, (game, set)).await?,
        Some(_) => None,
    };
    let path = set_path(game, set);
    let public = app.settings.public_url.as_deref();
    let title = words::set_of(&found.name, loaded.game.name());
    let mut frame = Frame::new(&title);
    frame.script = (found.hidden_cards > 0).then_some(&*frame.assets.live_script);
    let started_hidden = found.hidden_cards + found.unlocked_cards;
    let progress = (started_hidden > 0).then(|| {
        let text = words::unlocked_of(found.unlocked_cards, started_hidden);
        (started_hidden, found.unlocked_cards, text)
    });
    if cursor.is_none() {
        frame = frame.of_address(public, &path);
        frame.preview = Some(Preview {
            title,
            text: progress.as_ref().map_or_else(|| words::cards(found.cards), |of| of.2.clone()),
            picture: None,
        });
    }
    let next_path = cards.next_cursor.map(|cursor| format!("{path}?cursor={cursor}"));
    frame.next.clone_from(&next_path);
    Ok(SetPage {
        frame,
        game_name: loaded.game.name().to_owned(),
        game_path: game_path(game),
        released: found.released_on.map(words::day),
        cards: words::cards(found.cards),
        progress,
        conditions,
        search_path: format!("/search?game={game}&q=set%3A{set}"),
        tiles: cards.data.iter().map(Tile::of).collect(),
        first_path: cursor.map(|_| path),
        next_path,
        printed,
        name: found.name,
    })
}
