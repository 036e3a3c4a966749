//! Sets: their list with the form of a new one, and the page of a set, from which it is deleted while nothing depends on it.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::parts::{Area, Nav, game_choices, game_name, limit};
use super::set_words;
use super::words as admin_words;
use crate::app::catalogue::sets::{self, NewSetRequest, SetResponse};
use crate::app::page::Cursor;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, version_of};
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::code::Code;
use crate::domain::designs::identifier::DesignCode;
use crate::http::extract::{Form, claim_of_form};
use crate::web::catalogue::set_path;
use crate::web::fault_words;
use crate::web::forms::{Choice, Faults, new_key, next_key, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// The path of this page.
const PATH: &str = "/admin/sets";

/// Which page of the list, and where the form of a new set begins.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct SetsQuery {
    game: String,
    /// The design that is to be released into the new set.
    design: String,
    done: String,
    cursor: Option<Cursor>,
}

/// A new set as it was typed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct TypedSet {
    game: String,
    code: String,
    name: String,
    released_on: String,
    /// How its cards start: `hidden`, `open`, or empty: as the game says.
    start: String,
    unlock_threshold: String,
    /// The design that is to be released into the set; empty: none.
    design: String,
    /// Idempotency key, which recognises a form that is sent twice.
    key: String,
}

impl TypedSet {
    /// Whether the cards start in one of the ways that the form offers.
    fn has_known_start(&self) -> bool {
        set_words::STARTS.iter().any(|(value, _)| *value == self.start)
    }

    fn request(&self) -> NewSetRequest {
        let filled = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let threshold = filled(&self.unlock_threshold);
        NewSetRequest {
            code: self.code.trim().to_owned(),
            name: self.name.trim().to_owned(),
            released_on: filled(&self.released_on),
            cards_start_hidden: match self.start.as_str() {
                "hidden" => Some(true),
                "open" => Some(false),
                _ => None,
            },
            // No set has the threshold 0: a text that is no number is refused together with the other faults.
            unlock_threshold: threshold.map(|text| text.parse().unwrap_or_default()),
        }
    }
}

/// A set in the list.
struct SetRow {
    path: String,
    name: String,
    code: String,
    game: String,
    cards: String,
}

#[derive(Template)]
#[template(path = "web/admin/sets.html")]
struct SetsPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    done: &'static str,
    sets: Vec<SetRow>,
    first_path: Option<String>,
    next_path: Option<String>,
    games: Vec<Choice>,
    starts: Vec<Choice>,
    typed: TypedSet,
}

/// What is shown besides the list.
struct SetForm {
    status: PageStatus,
    faults: Faults,
    done: &'static str,
    typed: TypedSet,
}

/// Shows the sets of all games, and the form of a new one.
pub(in crate::web) async fn list_sets(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    query: web::Query<SetsQuery>,
) -> Result<HttpResponse, Problem> {
    let SetsQuery { game, design, done, cursor } = query.into_inner();
    let typed = TypedSet { game, design, key: new_key(), ..TypedSet::default() };
    let done = set_words::done(&done);
    let form = SetForm { status: PageStatus::OK, faults: Faults::none(), done, typed };
    show_list(&state, &by, cursor.as_ref(), form).await
}

async fn show_list(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    cursor: Option<&Cursor>,
    form: SetForm,
) -> Result<HttpResponse, Problem> {
    let SetForm { status, faults, done, typed } = form;
    let after: Option<(Code, Code)> = Cursor::key_of(cursor)?;
    let found = sets::list_all(app, after.as_ref(), limit(ENTRIES)?).await?;
    let games = app.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let row = |set: SetResponse| SetRow {
        path: page_of(&set.game, &set.code),
        game: game_name(&games, &set.game),
        cards: words::grouped(set.cards),
        name: set.name,
        code: set.code,
    };
    let mut choices = game_choices(&games, &typed.game);
    if !choices.iter().any(|choice| choice.is_chosen) {
        choices.insert(0, Choice::new("", set_words::CHOOSE_GAME, ""));
    }
    let starts = set_words::STARTS.map(|(value, name)| Choice::new(value, name, &typed.start));
    // The game and the design stay in the links, so that a new set leads back to the release from each page of the list.
    let path_at = |cursor: &str| {
        let fields = [("game", &*typed.game), ("design", &*typed.design), ("cursor", cursor)];
        path_of(PATH, &fields)
    };
    let first_path = cursor.map(|_| path_at(""));
    let next_path = found.next_cursor.as_ref().map(|cursor| path_at(cursor.as_str()));
    let page = SetsPage {
        frame: Frame::new(admin_words::SETS).at(Place::Account),
        nav: Nav::new(by.role(), Area::Sets),
        faults,
        done,
        sets: found.data.into_iter().map(row).collect(),
        first_path,
        next_path,
        games: choices,
        starts: starts.into(),
        typed,
    };
    private(status, &page)
}

/// Creates a set without cards.
pub(in crate::web) async fn create_set(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    Form(mut typed): Form<TypedSet>,
) -> Result<HttpResponse, Problem> {
    let games = state.all_games().await?;
    let has_game = games.iter().any(|loaded| loaded.game.code() == typed.game);
    if !has_game || !typed.has_known_start() {
        let mut faults = Faults::none();
        if !has_game {
            faults.add("game", set_words::CHOOSE_GAME);
        }
        add_faults(&mut faults, &typed.request().faults_without_game(&state).await?);
        if !typed.has_known_start() {
            faults.add("start", set_words::START_FAULT);
        }
        let status = PageStatus::INVALID_FORM;
        return show_list(&state, &by, None, SetForm { status, faults, done: "", typed }).await;
    }
    let fields = [
        &*typed.game,
        &typed.code,
        &typed.name,
        &typed.released_on,
        &typed.start,
        &typed.unlock_threshold,
    ];
    let key = claim_of_form(&state, by.account(), "page_create_set", &typed.key, &fields);
    let created = match Code::try_from(typed.game.as_str()) {
        Ok(game) => sets::create(&state, &by, &game, typed.request(), key.as_ref()).await,
        Err(_) => Err(Problem::not_found()),
    };
    match created {
        Ok(set) => Ok(see_other(&after_creation(&typed.design, &set))),
        Err(problem) => {
            let Some(faults) = faults_of_set(&problem) else { return Err(problem) };
            let status = match problem.code() {
                ProblemCode::NotFound => PageStatus::INVALID_FORM,
                _ => PageStatus::of(&problem),
            };
            typed.key = next_key(status, &typed.key);
            show_list(&state, &by, None, SetForm { status, faults, done: "", typed }).await
        }
    }
}

/// Where to go after a set was created: back to the release of the design from which the admin came, or else to the page of the set.
fn after_creation(design: &str, set: &SetResponse) -> String {
    match DesignCode::parse(design) {
        Ok(design) => format!("/reviews/designs/{design}/release?set={}", set.code),
        Err(_) => format!("{}?done=created", page_of(&set.game, &set.code)),
    }
}

/// The page of a set for admins.
fn page_of(game: &str, set: &str) -> String {
    format!("{PATH}/{game}/{set}")
}

/// The faults of a new set, beside its fields.
fn faults_of_set(problem: &Problem) -> Option<Faults> {
    match problem.code() {
        ProblemCode::NotFound => return Some(Faults::one("game", set_words::CHOOSE_GAME)),
        ProblemCode::SetCodeTaken => return Some(Faults::one("code", set_words::CODE_TAKEN)),
        ProblemCode::InvalidBody => {}
        code => return admin_words::fault(code).map(|text| Faults::one("", text)),
    }
    let mut faults = Faults::none();
    add_faults(&mut faults, problem.faults());
    Some(faults)
}

/// Adds the faults of fields. A field has one text, which says all that its value must be.
fn add_faults(faults: &mut Faults, found: &[InputFault]) {
    for fault in found {
        let field = set_words::FIELDS.iter().find(|(pointer, ..)| *pointer == fault.pointer);
        match field {
            Some((_, field, text)) if faults.of(field).is_none() => faults.add(field, *text),
            Some(_) => {}
            None => faults.add("", fault_words::reason(&fault.reason)),
        }
    }
}

#[derive(Template)]
#[template(path = "web/admin/set.html")]
struct SetPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    done: &'static str,
    name: String,
    code: String,
    game: String,
    released: Option<String>,
    start: &'static str,
    threshold: String,
    cards: String,
    /// Why it cannot be deleted; empty: it can.
    obstacle: &'static str,
    path: String,
    public_path: String,
    version: String,
}

/// Which action was just completed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct SetQuery {
    done: String,
}

pub(in crate::web) async fn show_set(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    path: web::Path<(Code, Code)>,
    query: web::Query<SetQuery>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    show_one(&state, &by, (&game, &set), None, set_words::done(&query.done)).await
}

/// Shows a set; `refusal`: why it was not deleted just now.
async fn show_one(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    (game, set): (&Code, &Code),
    refusal: Option<&Problem>,
    done: &'static str,
) -> Result<HttpResponse, Problem> {
    let stored = sets::find(app, game, set).await?;
    let used = sets::find_use(app, by, (game, set)).await?;
    let faults = refusal.map_or_else(Faults::none, |refusal| {
        Faults::one("", set_words::not_deleted(refusal.code(), used.is_some()))
    });
    let games = app.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let page = SetPage {
        frame: Frame::new(&stored.name).at(Place::Account),
        nav: Nav::new(by.role(), Area::Sets),
        faults,
        done,
        version: version_of(&stored)?,
        path: page_of(&stored.game, &stored.code),
        public_path: set_path(game, set),
        game: game_name(&games, &stored.game),
        released: stored.released_on.map(words::day),
        start: set_words::start(stored.cards_start_hidden),
        threshold: words::grouped(i64::from(stored.unlock_threshold)),
        cards: words::cards(stored.cards),
        obstacle: used.map_or("", set_words::obstacle),
        name: stored.name,
        code: stored.code,
    };
    private(refusal.map_or(PageStatus::OK, PageStatus::of), &page)
}

/// The version of the set when the page with the button was loaded.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct MeantSet {
    version: String,
}

/// Deletes a set on which nothing depends.
pub(in crate::web) async fn delete_set(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    path: web::Path<(Code, Code)>,
    Form(meant): Form<MeantSet>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let deleted = sets::delete(&state, &by, (&game, &set), &IfMatch::naming(&meant.version)).await;
    let Err(problem) = deleted else { return Ok(see_other(&format!("{PATH}?done=deleted"))) };
    match problem.code() {
        ProblemCode::PreconditionFailed | ProblemCode::SetInUse => {
            show_one(&state, &by, (&game, &set), Some(&problem), "").await
        }
        // The set was deleted before, for example by a double click.
        ProblemCode::NotFound => Ok(see_other(&format!("{PATH}?done=deleted"))),
        _ => Err(problem),
    }
}
