//! Changes a card as a whole, as a JSON document like in a set file: also attributes, printings and kind. Faults are shown beside their lines.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::card::edit;
use super::cards::edit_path;
use super::catalogue_words;
use super::import_file::FaultRow;
use super::merged_cards::follow_merge;
use super::parts::{Area, Nav};
use super::stored_card::{StoredCard, find_card, patch_between};
use super::words as admin_words;
use crate::app::catalogue::card_migrations::Located;
use crate::app::catalogue::cards;
use crate::app::catalogue::import_faults::locate;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::version_of;
use crate::auth::permission::{Granted, Viewer, WriteCatalogue};
use crate::domain::catalogue::card_edit::MergePatch;
use crate::domain::ids::CardId;
use crate::domain::json_errors;
use crate::http::extract::Form;
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

#[derive(Template)]
#[template(path = "web/admin/card_document.html")]
struct DocumentPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    heading: String,
    path: String,
    typed: TypedDocument,
    located: Vec<FaultRow>,
    /// The stored document, if it differs from the version that the form was loaded with.
    saved: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(in crate::web) struct TypedDocument {
    document: String,
    version: String,
}

/// The messages beside the form.
#[derive(Default)]
struct FormMessages {
    faults: Faults,
    located: Vec<FaultRow>,
    saved: Option<String>,
}

/// A card with its stored document.
struct Stored {
    card: StoredCard,
    document: Map<String, Value>,
}

impl Stored {
    /// The version of what the form changes: the unlock progress is no part of it.
    fn version(&self) -> Result<String, Problem> {
        version_of(&self.document)
    }

    fn text(&self) -> Result<String, Problem> {
        serde_json::to_string_pretty(&self.document).map_err(Problem::internal)
    }
}

async fn find(app: &AppState, by: &Granted<WriteCatalogue>, id: CardId) -> Result<Stored, Problem> {
    let card = find_card(app, by, id).await?;
    let printings = match cards::list_printings(app, Viewer::from(by), id).await? {
        Located::Here(found) => found.data,
        Located::Moved(_) => return Err(Problem::not_found()),
    };
    let document = card.document(&printings);
    Ok(Stored { card, document })
}

/// Shows the document of a card.
pub(in crate::web) async fn show_document(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    card: web::Path<Uuid>,
    req: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = CardId(*card);
    let shown = async {
        let stored = find(&state, &by, id).await?;
        let typed = TypedDocument { document: stored.text()?, version: stored.version()? };
        show(&by, PageStatus::OK, &stored, typed, FormMessages::default())
    };
    follow_merge(&state, &by, &req, id, shown.await).await
}

fn show(
    by: &Granted<WriteCatalogue>,
    status: PageStatus,
    stored: &Stored,
    typed: TypedDocument,
    messages: FormMessages,
) -> Result<HttpResponse, Problem> {
    let heading = catalogue_words::all_of(&stored.card.name);
    let frame = Frame::new(&heading).at(Place::Account);
    let script = (!messages.located.is_empty()).then_some(&*frame.assets.fault_script);
    let page = DocumentPage {
        frame: Frame { script, ..frame },
        nav: Nav::new(by.role(), Area::Cards),
        faults: messages.faults,
        heading,
        path: edit_path(stored.card.id),
        typed,
        located: messages.located,
        saved: messages.saved,
    };
    private(status, &page)
}

/// The merge patch from the stored document to the text, or why the text cannot be read.
fn read(before: &Map<String, Value>, text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    // `MergePatch` refuses duplicate members; a plain `Value` would keep one of them silently.
    serde_json::from_str::<MergePatch>(text)?;
    let after: Map<String, Value> = serde_json::from_str(text)?;
    Ok(patch_between(before, &after))
}

/// The fault of a text that cannot be read, with its place.
fn syntax_fault(text: &str, error: &serde_json::Error) -> InputFault {
    let position = json_errors::position_of(text.as_bytes(), error);
    InputFault::at("", json_errors::in_words(error)).at_position(position)
}

/// Changes the document of a card, if the stored version is still the version that the form was loaded with.
pub(in crate::web) async fn change_document(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    card: web::Path<Uuid>,
    req: HttpRequest,
    Form(typed): Form<TypedDocument>,
) -> Result<HttpResponse, Problem> {
    let id = CardId(*card);
    let changed = run_change(&state, &by, id, typed).await;
    follow_merge(&state, &by, &req, id, changed).await
}

async fn run_change(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    id: CardId,
    mut typed: TypedDocument,
) -> Result<HttpResponse, Problem> {
    typed.document = typed.document.replace("\r\n", "\n");
    let stored = find(app, by, id).await?;
    let patch = match read(&stored.document, &typed.document) {
        Ok(patch) => patch,
        Err(error) => {
            let fault = syntax_fault(&typed.document, &error);
            let messages = in_text(app, &typed.document, vec![fault]).await?;
            return show(by, PageStatus::INVALID_FORM, &stored, typed, messages);
        }
    };
    let edited = if typed.version != stored.version()? {
        Err(Problem::new(ProblemCode::PreconditionFailed))
    } else if patch.is_empty() {
        return Ok(see_other(&format!("{}?done=unchanged", edit_path(id.0))));
    } else {
        edit(app, by, &stored.card, patch).await
    };
    let problem = match edited {
        Ok(()) => return Ok(see_other(&format!("{}?done=changed", edit_path(id.0)))),
        Err(problem) => problem,
    };
    let status = PageStatus::of(&problem);
    let Some(text) = admin_words::fault(problem.code()) else { return Err(problem) };
    if problem.code() == ProblemCode::PreconditionFailed {
        let stored = find(app, by, id).await?;
        // A double click, or a form that is sent again because its answer was lost.
        if read(&stored.document, &typed.document).is_ok_and(|patch| patch.is_empty()) {
            return Ok(see_other(&format!("{}?done=changed", edit_path(id.0))));
        }
        typed.version = stored.version()?;
        let (faults, saved) = (Faults::one("", text), Some(stored.text()?));
        let messages = FormMessages { faults, saved, ..FormMessages::default() };
        return show(by, status, &stored, typed, messages);
    }
    let messages = match problem.faults() {
        [] => FormMessages { faults: Faults::one("", text), ..FormMessages::default() },
        faults => in_text(app, &typed.document, faults.to_vec()).await?,
    };
    show(by, status, &stored, typed, messages)
}

async fn in_text(
    app: &AppState,
    text: &str,
    faults: Vec<InputFault>,
) -> Result<FormMessages, Problem> {
    let message = catalogue_words::faults_in_file(faults.len());
    let located = locate(app, text.into(), faults, true).await?;
    let located = located.into_iter().map(FaultRow::from).collect();
    Ok(FormMessages { faults: Faults::one("faults-in-file", message), located, saved: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_syntax_error_counts_characters() {
        let text = "{\n\"name\": \"ÄÄÄÄ\" x}";
        let fault = syntax_fault(text, &read(&Map::new(), text).unwrap_err());
        assert_eq!((fault.line, fault.column), (Some(2), Some(16)));
        assert_eq!(fault.detail, "a `,` or `}` is missing here");
    }
}
