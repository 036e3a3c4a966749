//! The page of a game: its sets, formats and rarities.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use cardscape_engine::{Date, Format};
use serde::Deserialize;

use super::answers::{game_path, set_path};
use super::rules::RuleList;
use crate::app::catalogue::games::{self, GameResponse};
use crate::app::catalogue::sets::{self, SetResponse};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::memory::rendered::Rendered;
use crate::web::headers::protected;
use crate::web::page::{ENTRIES, Frame, LIVE, Place, Preview, answer, write};
use crate::web::words;

/// Which page of the sets.
#[derive(Deserialize)]
pub(in crate::web) struct GameQuery {
    cursor: Option<Cursor>,
}

#[derive(Template)]
#[template(path = "web/catalogue/game.html")]
struct GamePage {
    frame: Frame,
    name: String,
    about: String,
    rules_version: String,
    search_path: String,
    sets: Vec<SetEntry>,
    first_path: Option<String>,
    next_path: Option<String>,
    formats: Vec<FormatEntry>,
    rarities: Vec<String>,
}

/// A set in the list of a game.
struct SetEntry {
    name: String,
    path: String,
    cards: String,
    released: String,
    /// Cards that started hidden: their number, how many are unlocked, and both as text.
    progress: Option<(i64, i64, String)>,
}

/// A format in the list of a game.
struct FormatEntry {
    name: String,
    about: String,
    rules: Vec<RuleList>,
}

/// Shows a game.
pub(in crate::web) async fn find_game(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
    query: web::Query<GameQuery>,
) -> Result<HttpResponse, Problem> {
    let (cursor, today) = (query.cursor.as_ref(), state.today()?);
    let built = page(&state, &game, cursor, today);
    if cursor.is_some() {
        // Every code is a possible cursor, so pages with a cursor are not cached: they would push all other answers out of the cache.
        return Ok(answer(&req, &built.await?));
    }
    // The path without a query is the key of the cache: other sites add arbitrary parameters. The cached page is dropped when a card of the game is unlocked.
    // The key has the day, because the page shows the rules of today.
    let key = format!("{} {today}", game_path(&game));
    let page = state.cached_answers.answer_as(&key, &req, built).await?;
    Ok(protected(page))
}

async fn page(
    app: &AppState,
    code: &Code,
    cursor: Option<&Cursor>,
    today: Date,
) -> Result<Rendered, Problem> {
    let after: Option<Code> = Cursor::key_of(cursor)?;
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let loaded = games::find(app, code).await?;
    let sets = sets::list(app, code, after.as_ref(), limit).await?;
    let game = GameResponse::from(&loaded.game);
    let codes = loaded.game.formats().iter().map(|format| &format.code);
    let formats = codes.filter_map(|code| loaded.game.format_shown_on(code, today));
    let path = game_path(code);
    let public = app.settings.public_url.as_deref();
    let mut frame = Frame::new(game.name);
    if cursor.is_none() {
        frame = frame.of_address(public, &path);
        frame.preview = Some(Preview {
            title: game.name.to_owned(),
            text: game.description.to_owned(),
            picture: None,
        });
    }
    let next_path = sets.next_cursor.map(|cursor| format!("{path}?cursor={cursor}"));
    frame.next.clone_from(&next_path);
    let page = GamePage {
        frame,
        name: game.name.to_owned(),
        about: game.description.to_owned(),
        rules_version: game.rules_version.to_owned(),
        search_path: format!("/search?game={code}"),
        sets: sets.data.into_iter().map(SetEntry::from).collect(),
        first_path: cursor.map(|_| path),
        next_path,
        formats: formats.map(|format| FormatEntry::from(&*format)).collect(),
        rarities: game.rarities.iter().map(|rarity| rarity.name.clone()).collect(),
    };
    write(&page, LIVE)
}

impl From<SetResponse> for SetEntry {
    fn from(set: SetResponse) -> Self {
        let started_hidden = set.hidden_cards + set.unlocked_cards;
        let progress = (started_hidden > 0).then(|| {
            let text = words::unlocked_of(set.unlocked_cards, started_hidden);
            (started_hidden, set.unlocked_cards, text)
        });
        Self {
            path: set_path(&set.game, &set.code),
            cards: words::grouped(set.cards),
            released: set.released_on.map_or_else(|| words::NOTHING.to_owned(), words::day),
            progress,
            name: set.name,
        }
    }
}

impl From<&Format> for FormatEntry {
    fn from(format: &Format) -> Self {
        Self {
            name: format.name.clone(),
            about: format.description.clone(),
            rules: RuleList::all_of(format),
        }
    }
}
