//! Creates decks from pasted lists, changes them as lists, deletes and restores them.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::check::builder_frame;
use super::deck_path;
use super::faults::faults_of;
use super::formats::{FormatGroup, choices, choices_of_deck, dialects};
use super::own::show_deleted;
use super::typed_deck::TypedDeck;
use super::words as deck_words;
use crate::app::decks::deck_deletions;
use crate::app::decks::deck_overviews::{self, EditedDeck};
use crate::app::decks::deck_writes;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{ReadOwnDecks, WriteOwnDecks};
use crate::domain::decks::details::DeckVisibility;
use crate::domain::ids::DeckId;
use crate::http::extract::{ClientNetwork, Form, claim_of_form};
use crate::web::forms::{Choice, Faults, next_key, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// The page of a new deck.
const NEW: &str = "/my/decks/new";
/// The page of the deleted decks.
const DELETED: &str = "/my/decks?deleted=true";

/// The form of a deck.
#[derive(Template)]
#[template(path = "web/decks/edit.html")]
struct EditPage<'a> {
    frame: Frame,
    heading: String,
    faults: Faults,
    /// The path that the form is sent to.
    path: &'a str,
    /// The page of the deck; `None`: the deck is new.
    deck: Option<&'a str>,
    typed: &'a TypedDeck,
    formats: Vec<FormatGroup>,
    dialects: Vec<Choice>,
    visibilities: Vec<Choice>,
    /// Help for the choice of who may read it; empty: none is needed.
    visibility_help: &'static str,
    /// Whether the form has input that is not saved.
    is_unsaved: bool,
    /// Whether the list of a file was just read into the form.
    is_file_read: bool,
    /// Whether the deck is bound to certain copies, which the list does not show.
    names_copies: bool,
    /// The path of the deleted decks, if the form was sent for a deck that is not there any more.
    deleted: Option<&'static str>,
    /// The stored version, if it differs from the version that the form was loaded with.
    saved: Option<SavedDeck>,
}

/// The stored version of a deck.
struct SavedDeck {
    /// Labels and stored values of the fields that differ from the form; the name is always included.
    facts: Vec<(&'static str, String)>,
    list: String,
    day: String,
    at: String,
}

impl SavedDeck {
    /// `formats`: the existing formats, including the stored one.
    fn new(edited: &EditedDeck, typed: &TypedDeck, formats: &[FormatGroup]) -> Self {
        let stored = TypedDeck::of(edited);
        let format = |code: &str| {
            let mut all = formats.iter().flat_map(|game| &game.formats);
            all.find(|format| format.value == code).map_or(code, |format| &format.name).to_owned()
        };
        let visibility = |code: &str| {
            let named = deck_words::VISIBILITIES.iter().find(|(value, _)| *value == code);
            named.map_or(code, |(_, name)| *name).to_owned()
        };
        let fields = [
            (deck_words::DESCRIPTION, &stored.description, &typed.description),
            (deck_words::TAGS, &stored.tags, &typed.tags),
            (deck_words::FOLDER, &stored.folder, &typed.folder),
        ];
        let mut facts = vec![(deck_words::DECK_NAME, stored.name.clone())];
        if stored.format != typed.format {
            facts.push((deck_words::FORMAT, format(&stored.format)));
        }
        if stored.visibility != typed.visibility {
            facts.push((deck_words::VISIBILITY, visibility(&stored.visibility)));
        }
        // Browsers end lines with CR LF.
        let differs = |one: &str, other: &str| !one.lines().eq(other.lines());
        let differing = fields.iter().filter(|(_, stored, typed)| differs(stored, typed));
        facts.extend(differing.map(|(name, stored, _)| (*name, value_or_empty(stored))));
        let summary = &edited.deck.deck.summary;
        Self {
            facts,
            list: edited.list.clone(),
            day: words::day_of(summary.updated_at),
            at: summary.updated_at.to_rfc3339(),
        }
    }
}

/// The value of a field, or the text for an empty field.
fn value_or_empty(value: &str) -> String {
    if value.is_empty() { deck_words::EMPTY_FIELD.to_owned() } else { value.to_owned() }
}

/// Shows the form of a new deck.
pub(in crate::web) async fn show_new(
    state: web::Data<AppState>,
    _by: Player<WriteOwnDecks>,
) -> Result<HttpResponse, Problem> {
    show_form_of_new(&state, PageStatus::OK, TypedDeck::default(), Faults::none(), false).await
}

/// The form of a new deck.
pub(super) async fn show_form_of_new(
    app: &AppState,
    status: PageStatus,
    typed: TypedDeck,
    faults: Faults,
    is_file_read: bool,
) -> Result<HttpResponse, Problem> {
    show_new_form(app, status, (typed, None), faults, is_file_read).await
}

/// The form of a new deck with the input for a deck that is not there any more, because it was deleted in another tab: nothing that was typed is lost.
pub(super) async fn show_form_of_deleted(
    app: &AppState,
    typed: TypedDeck,
    faults: Faults,
    is_file_read: bool,
) -> Result<HttpResponse, Problem> {
    let faults = Faults::one("", deck_words::DECK_GONE).and(faults);
    show_new_form(app, PageStatus::NOT_FOUND, (typed, Some(DELETED)), faults, is_file_read).await
}

/// The form of a new deck. `deleted`: the path of the deleted decks, if the input was for one of them.
async fn show_new_form(
    app: &AppState,
    status: PageStatus,
    (typed, deleted): (TypedDeck, Option<&'static str>),
    faults: Faults,
    is_file_read: bool,
) -> Result<HttpResponse, Problem> {
    let typed = TypedDeck { key: next_key(status, &typed.key), ..typed };
    let page = EditPage {
        frame: builder_frame(deck_words::NEW_DECK),
        heading: deck_words::NEW_DECK.to_owned(),
        faults,
        path: NEW,
        deck: None,
        formats: choices(app, &typed.format).await?,
        dialects: dialects(&typed.dialect),
        visibilities: visibilities(&typed.visibility, false),
        visibility_help: "",
        typed: &typed,
        is_unsaved: status != PageStatus::OK || is_file_read,
        is_file_read,
        names_copies: false,
        deleted,
        saved: None,
    };
    private(status, &page)
}

/// The visibilities that the owner can choose. A deck that is taken down stays private.
fn visibilities(chosen: &str, is_taken_down: bool) -> Vec<Choice> {
    let is_possible = |value: &str| !is_taken_down || value == DeckVisibility::Private.as_str();
    let choice = |(value, name): (&str, &str)| Choice {
        value: value.to_owned(),
        name: name.to_owned(),
        is_chosen: value == chosen,
    };
    deck_words::VISIBILITIES
        .into_iter()
        .filter(|(value, _)| is_possible(value))
        .map(choice)
        .collect()
}

/// Stores a new deck.
pub(in crate::web) async fn create(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDecks>,
    Form(typed): Form<TypedDeck>,
) -> Result<HttpResponse, Problem> {
    if let Some(faults) = typed.form_fault() {
        return show_form_of_new(&state, PageStatus::INVALID_FORM, typed, faults, false).await;
    }
    let TypedDeck {
        name, format, visibility, folder, tags, description, list, dialect, key, ..
    } = &typed;
    let fields = [name, format, visibility, folder, tags, description, list, dialect];
    let fields = fields.map(String::as_str);
    let key = claim_of_form(&state, by.account(), "create_deck", key, &fields);
    let requester = (by.visitor.viewer(), network.0);
    match deck_writes::create(&state, &by, requester, typed.request(), key.as_ref()).await {
        Ok(stored) => Ok(see_other(&deck_path(stored.deck.summary.id))),
        Err(problem) => {
            let Some(faults) = faults_of(&problem) else { return Err(problem) };
            show_form_of_new(&state, PageStatus::of(&problem), typed, faults, false).await
        }
    }
}

/// Shows the form of one of the visitor's own decks, with its cards as a list.
pub(in crate::web) async fn show_edit(
    state: web::Data<AppState>,
    by: Player<ReadOwnDecks>,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let viewer = by.visitor.viewer();
    let edited = deck_overviews::find_edited(&state, &by, viewer, DeckId(*deck)).await?;
    let typed = TypedDeck::of(&edited);
    show_form_of(&state, PageStatus::OK, (&edited, &typed), Faults::none(), Beside::Nothing).await
}

/// Finds the deck that a form was sent for. `None`: it is not there any more.
pub(super) async fn find_unless_deleted(
    app: &AppState,
    by: &Player<WriteOwnDecks>,
    id: DeckId,
) -> Result<Option<EditedDeck>, Problem> {
    let reads = by.visitor.must::<ReadOwnDecks>()?;
    match deck_overviews::find_edited(app, &reads, by.visitor.viewer(), id).await {
        Ok(edited) => Ok(Some(edited)),
        Err(problem) if problem.code() == ProblemCode::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// What the form of a stored deck is shown with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    Nothing,
    /// The stored version, below the form.
    SavedVersion,
    /// The message that the list of a file was read into the form.
    FileRead,
}

/// The form of a stored deck.
pub(super) async fn show_form_of(
    app: &AppState,
    status: PageStatus,
    (edited, typed): (&EditedDeck, &TypedDeck),
    faults: Faults,
    beside: Beside,
) -> Result<HttpResponse, Problem> {
    let summary = &edited.deck.deck.summary;
    let deck = deck_path(summary.id);
    let path = format!("{deck}/edit");
    let heading = deck_words::change_of(&summary.name);
    let saved = if beside == Beside::SavedVersion {
        Some(SavedDeck::new(edited, typed, &choices_of_deck(app, &summary.format).await?))
    } else {
        None
    };
    let page = EditPage {
        frame: builder_frame(&heading),
        heading,
        faults,
        path: &path,
        deck: Some(&deck),
        typed,
        formats: choices_of_deck(app, &typed.format).await?,
        dialects: dialects(&typed.dialect),
        visibilities: visibilities(&typed.visibility, summary.takedown.is_some()),
        visibility_help: if summary.takedown.is_some() { deck_words::STAYS_PRIVATE } else { "" },
        is_unsaved: *typed != TypedDeck::of(edited),
        is_file_read: beside == Beside::FileRead,
        names_copies: edited.names_copies,
        deleted: None,
        saved,
    };
    private(status, &page)
}

/// Changes one of the visitor's own decks, if the stored version is still the version that the form was loaded with.
pub(in crate::web) async fn save(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDecks>,
    deck: web::Path<Uuid>,
    Form(typed): Form<TypedDeck>,
) -> Result<HttpResponse, Problem> {
    let id = DeckId(*deck);
    if let Some(faults) = typed.form_fault() {
        let typed = TypedDeck { file: String::new(), ..typed };
        let Some(edited) = find_unless_deleted(&state, &by, id).await? else {
            return show_form_of_deleted(&state, typed, faults, false).await;
        };
        return show_form_of(
            &state,
            PageStatus::INVALID_FORM,
            (&edited, &typed),
            faults,
            Beside::Nothing,
        )
        .await;
    }
    let meant = typed.if_match();
    let requester = (by.visitor.viewer(), network.0);
    let replaced =
        deck_writes::replace_by_list(&state, &by, requester, id, &meant, typed.request()).await;
    let Err(problem) = replaced else { return Ok(see_other(&deck_path(id.0))) };
    let is_stale = problem.code() == ProblemCode::PreconditionFailed;
    // A double click, or a form that is sent again because its answer was lost.
    if is_stale
        && deck_writes::is_replaced_by_list(&state, &by, requester, id, typed.request())
            .await
            .unwrap_or_default()
    {
        return Ok(see_other(&deck_path(id.0)));
    }
    let faults = match faults_of(&problem) {
        Some(faults) => faults,
        None if problem.code() == ProblemCode::NotFound => Faults::none(),
        None => return Err(problem),
    };
    let Some(edited) = find_unless_deleted(&state, &by, id).await? else {
        return show_form_of_deleted(&state, typed, faults, false).await;
    };
    // The answer shows both versions, so the form gets the stored version: sent again, it overwrites it.
    let current = edited.deck.version;
    let typed = if is_stale {
        let (revision, folder_version) = (current.in_form(), current.folder_in_form());
        TypedDeck { revision, folder_version, ..typed }
    } else {
        typed
    };
    let beside = if is_stale { Beside::SavedVersion } else { Beside::Nothing };
    show_form_of(&state, PageStatus::of(&problem), (&edited, &typed), faults, beside).await
}

/// The version of the object when the page with the button was loaded.
#[derive(Deserialize)]
pub(in crate::web) struct MeantVersion {
    revision: String,
}

/// Deletes one of the visitor's own decks. The page that follows has a button that restores it.
pub(in crate::web) async fn delete(
    state: web::Data<AppState>,
    by: Player<WriteOwnDecks>,
    deck: web::Path<Uuid>,
    Form(meant): Form<MeantVersion>,
) -> Result<HttpResponse, Problem> {
    let id = DeckId(*deck);
    let version = IfMatch::of_form(&meant.revision);
    let problem = match deck_deletions::delete(&state, &by, id, &version).await {
        Ok(()) => return Ok(see_other(DELETED)),
        // The deck was deleted before, for example by a double click. A deck of another owner gets the same answer.
        Err(problem) if problem.code() == ProblemCode::NotFound => return Ok(see_other(DELETED)),
        Err(problem) if problem.code() == ProblemCode::PreconditionFailed => problem,
        Err(problem) => return Err(problem),
    };
    let reads = by.visitor.must::<ReadOwnDecks>()?;
    let edited = deck_overviews::find_edited(&state, &reads, by.visitor.viewer(), id).await?;
    let faults = Faults::one("", deck_words::CHANGED_BEFORE_DELETING);
    let typed = TypedDeck::of(&edited);
    let status = PageStatus::of(&problem);
    show_form_of(&state, status, (&edited, &typed), faults, Beside::Nothing).await
}

/// Restores a deleted deck.
pub(in crate::web) async fn undelete(
    state: web::Data<AppState>,
    by: Player<WriteOwnDecks>,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let id = DeckId(*deck);
    match deck_deletions::undelete(&state, &by, by.visitor.viewer(), id).await {
        Ok(_) => Ok(see_other(&deck_path(id.0))),
        Err(problem) => {
            let Some(faults) = faults_of(&problem) else { return Err(problem) };
            let reads = by.visitor.must::<ReadOwnDecks>()?;
            show_deleted(&state, &reads, PageStatus::of(&problem), faults).await
        }
    }
}
