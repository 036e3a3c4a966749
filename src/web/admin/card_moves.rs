//! Moves a card to another number, and merges a card into another one.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::cards::edit_path;
use super::catalogue_words;
use super::merged_cards::follow_merge;
use super::parts::{Area, Nav, faults_of};
use super::stored_card::{StoredCard, find_card};
use super::words as admin_words;
use crate::app::answer_form::AnswerForm;
use crate::app::catalogue::card_migrations::{
    self, Destination, Located, NewPlace, read_move, read_note,
};
use crate::app::catalogue::cards::{self, CardRequest};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, Viewer, WriteCatalogue};
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::http::extract::{Form, claim_of_form};
use crate::web::forms::{Choice, Faults, next_key, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::set_choices::{is_among, sets_of_game};
use crate::web::words;

/// The target set and number, and the reason, as they were typed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct TypedPlace {
    set: String,
    number: String,
    note: String,
    /// Idempotency key: recognises a form that is sent twice.
    key: String,
    /// Of a merge that was confirmed: the id of the card that stays.
    into: String,
}

impl TypedPlace {
    fn note(&self) -> Option<&str> {
        Some(self.note.as_str()).filter(|note| !note.trim().is_empty())
    }
}

#[derive(Template)]
#[template(path = "web/admin/card_move.html")]
struct MovePage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    heading: String,
    about: &'static str,
    button: &'static str,
    /// The page of the card, and the path that the form is sent to.
    path: String,
    action: String,
    place: String,
    number_label: &'static str,
    sets: Vec<Choice>,
    /// Whether the game has more sets than are listed: then the code of the set is typed.
    has_more_sets: bool,
    typed: TypedPlace,
    /// Whether the form has a note. A hidden card has none, because everybody could read the note.
    has_note: bool,
}

/// Which of the two forms is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ShownForm {
    Move,
    Merge,
}

async fn show(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    status: PageStatus,
    (way, card): (ShownForm, &StoredCard),
    mut typed: TypedPlace,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    typed.key = next_key(status, &typed.key);
    let game = Code::try_from(card.game.as_str()).map_err(Problem::internal)?;
    if typed.set.is_empty() {
        typed.set.clone_from(&card.set);
    }
    let (mut sets, has_more_sets) = sets_of_game(app, &game, &typed.set).await?;
    if !is_among(&sets) {
        // The typed set does not exist. Without a selected choice, the browser would select the first set.
        sets = sets_of_game(app, &game, &card.set).await?.0;
    }
    let path = edit_path(card.id);
    let (heading, about, button, way_on) = match way {
        ShownForm::Move => (
            catalogue_words::move_of(&card.name),
            catalogue_words::MOVE_ABOUT,
            catalogue_words::MOVE_NOW,
            "move",
        ),
        ShownForm::Merge => (
            catalogue_words::merge_of(&card.name),
            catalogue_words::MERGE_ABOUT,
            catalogue_words::GO_ON,
            "merge",
        ),
    };
    let page = MovePage {
        frame: Frame::new(&heading).at(Place::Account),
        nav: Nav::new(by.role(), Area::Cards),
        faults,
        heading,
        about,
        button,
        action: format!("{path}/{way_on}"),
        path,
        place: card.place(),
        number_label: match way {
            ShownForm::Move => catalogue_words::NEW_NUMBER,
            ShownForm::Merge => catalogue_words::NUMBER_OF_OTHER,
        },
        sets,
        has_more_sets,
        has_note: way == ShownForm::Move && !card.hidden,
        typed,
    };
    private(status, &page)
}

/// The form before anything was typed.
async fn show_empty(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    way: ShownForm,
    id: CardId,
) -> Result<HttpResponse, Problem> {
    let card = find_card(app, by, id).await?;
    show(app, by, PageStatus::OK, (way, &card), TypedPlace::default(), Faults::none()).await
}

/// Shows the form for the new number of a card.
pub(in crate::web) async fn show_move(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    card: web::Path<Uuid>,
    req: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = CardId(*card);
    let shown = show_empty(&state, &by, ShownForm::Move, id).await;
    follow_merge(&state, &by, &req, id, shown).await
}

/// Fields of the form, with the names that the API uses.
const FIELDS: [&str; 3] = ["set", "number", "note"];

/// Moves a card to another number.
pub(in crate::web) async fn move_card(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    card: web::Path<Uuid>,
    req: HttpRequest,
    Form(typed): Form<TypedPlace>,
) -> Result<HttpResponse, Problem> {
    let id = CardId(*card);
    let moved = move_or_show(&state, &by, id, typed).await;
    follow_merge(&state, &by, &req, id, moved).await
}

async fn move_or_show(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    id: CardId,
    typed: TypedPlace,
) -> Result<HttpResponse, Problem> {
    let (status, faults) = match read_place(&typed) {
        Err(faults) => (PageStatus::INVALID_FORM, faults),
        Ok(place) => match run_move(app, by, id, &typed, place).await {
            Ok(()) => return Ok(see_other(&format!("{}?done=moved", edit_path(id.0)))),
            Err(problem) => {
                let faults = faults_of(&problem, &FIELDS);
                let Some(faults) = faults else { return Err(problem) };
                (PageStatus::of(&problem), faults)
            }
        },
    };
    let card = find_card(app, by, id).await?;
    show(app, by, status, (ShownForm::Move, &card), typed, faults).await
}

/// The target and the note, or all faults of the form.
fn read_place(typed: &TypedPlace) -> Result<(Destination, Option<String>), Faults> {
    let mut faults = Faults::none();
    let set = Code::try_from(typed.set.trim());
    if set.is_err() {
        faults.add("set", catalogue_words::NO_SUCH_SET);
    }
    let read = read_move(&typed.number, typed.note());
    let wrong = read.as_ref().err().and_then(|problem| faults_of(problem, &FIELDS));
    for fault in wrong.iter().flat_map(Faults::all) {
        faults.add(fault.field, fault.text.clone());
    }
    match (set, read) {
        (Ok(set), Ok((number, note))) => Ok((Destination { set: Some(set), number }, note)),
        _ => Err(faults),
    }
}

async fn run_move(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    id: CardId,
    typed: &TypedPlace,
    (to, note): (Destination, Option<String>),
) -> Result<(), Problem> {
    let of_card = id.0.to_string();
    let fields = [&*of_card, &typed.set, &typed.number, &typed.note];
    let key = claim_of_form(app, by.account(), "page_move_card", &typed.key, &fields);
    card_migrations::move_card(app, by, id, to, note.as_deref(), key.as_ref()).await.map(drop)
}

/// Shows the form for the card to merge into.
pub(in crate::web) async fn show_merge(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    card: web::Path<Uuid>,
    req: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = CardId(*card);
    let shown = show_empty(&state, &by, ShownForm::Merge, id).await;
    follow_merge(&state, &by, &req, id, shown).await
}

/// Two cards that are to be merged.
#[derive(Template)]
#[template(path = "web/admin/card_merge.html")]
struct MergePage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    heading: String,
    path: String,
    goes: String,
    goes_place: String,
    goes_path: String,
    stays: String,
    stays_place: String,
    stays_path: String,
    points: Vec<String>,
    typed: TypedPlace,
}

/// Merges a card into another one, after a page that asks for confirmation.
pub(in crate::web) async fn merge_card(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    card: web::Path<Uuid>,
    req: HttpRequest,
    Form(typed): Form<TypedPlace>,
) -> Result<HttpResponse, Problem> {
    let id = CardId(*card);
    let other = typed.into.parse().ok().map(CardId);
    let merged = merge_or_show(&state, &by, id, typed).await;
    let merged = follow_merge(&state, &by, &req, id, merged).await;
    // The card that was to stay can be gone as well.
    let Some(other) = other else { return merged };
    follow_merge(&state, &by, &req, other, merged).await
}

async fn merge_or_show(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    id: CardId,
    typed: TypedPlace,
) -> Result<HttpResponse, Problem> {
    if typed.into.is_empty() {
        let card = find_card(app, by, id).await?;
        return match find_other(app, by, &card, &typed).await? {
            Ok(other) => confirm(by, PageStatus::OK, &card, &other, typed, Faults::none()),
            Err(faults) => {
                show(app, by, PageStatus::INVALID_FORM, (ShownForm::Merge, &card), typed, faults)
                    .await
            }
        };
    }
    let into = typed.into.parse().map_err(|_| Problem::new(ProblemCode::InvalidBody))?;
    let into = CardId(into);
    let problem = match run_merge(app, by, (id, into), &typed).await {
        Ok(()) => return Ok(see_other(&format!("{}?done=merged", edit_path(into.0)))),
        Err(problem) => problem,
    };
    let Some(faults) = faults_of(&problem, &["note"]) else { return Err(problem) };
    let card = find_card(app, by, id).await?;
    let other = find_card(app, by, into).await?;
    confirm(by, PageStatus::of(&problem), &card, &other, typed, faults)
}

/// Finds the card at the typed place, which must be another card.
async fn find_other(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    card: &StoredCard,
    typed: &TypedPlace,
) -> Result<Result<StoredCard, Faults>, Problem> {
    let code = |text: &str| Code::try_from(text.trim()).ok();
    let nothing = || Ok(Err(Faults::one("number", catalogue_words::NO_SUCH_CARD)));
    let Some(set) = code(&typed.set) else {
        return Ok(Err(Faults::one("set", catalogue_words::NO_SUCH_SET)));
    };
    let (Some(game), Some(number)) = (code(&card.game), code(&typed.number)) else {
        return nothing();
    };
    let request =
        CardRequest { viewer: Viewer::from(by), form: AnswerForm::Json, legalities: false };
    let found = match cards::find_by_number(app, request, (&game, &set, &number)).await {
        Ok(Located::Here(found)) => {
            serde_json::from_slice(found.body()).map_err(Problem::internal)?
        }
        Ok(Located::Moved(NewPlace::Id(id))) => find_card(app, by, id).await?,
        Ok(Located::Moved(NewPlace::Number(place))) => find_card(app, by, place.id).await?,
        Err(problem) if problem.code() == ProblemCode::NotFound => return nothing(),
        Err(problem) => return Err(problem),
    };
    if found.id == card.id {
        return Ok(Err(Faults::one("number", catalogue_words::SAME_CARD)));
    }
    Ok(Ok(found))
}

fn confirm(
    by: &Granted<WriteCatalogue>,
    status: PageStatus,
    card: &StoredCard,
    other: &StoredCard,
    mut typed: TypedPlace,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    typed.key = next_key(status, &typed.key);
    typed.into = other.id.to_string();
    let heading = catalogue_words::merge_of(&card.name);
    let page = MergePage {
        frame: Frame::new(&heading).at(Place::Account),
        nav: Nav::new(by.role(), Area::Cards),
        faults,
        heading,
        path: edit_path(card.id),
        goes: card.name.clone(),
        goes_place: card.place(),
        goes_path: card.public_path(),
        stays: other.name.clone(),
        stays_place: other.place(),
        stays_path: other.public_path(),
        points: catalogue_words::merge_points(&card.name, &card.place(), &other.name),
        typed,
    };
    private(status, &page)
}

async fn run_merge(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    (id, into): (CardId, CardId),
    typed: &TypedPlace,
) -> Result<(), Problem> {
    let note = read_note(typed.note())?;
    let of_card = id.0.to_string();
    let fields = [&*of_card, &typed.into, &typed.note];
    let key = claim_of_form(app, by.account(), "page_merge_card", &typed.key, &fields);
    card_migrations::merge_card(app, by, id, into, note.as_deref(), key.as_ref()).await.map(drop)
}
