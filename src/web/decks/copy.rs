//! Copies a deck into a new private deck of the visitor.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::deck_path;
use super::faults::faults_of;
use super::words as deck_words;
use crate::app::decks::{deck_lists, deck_revisions};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDecks, WriteOwnDecks};
use crate::domain::decks::deck::DeckName;
use crate::domain::ids::DeckId;
use crate::http::extract::{Form, claim_of_form};
use crate::web::forms::{Faults, new_key, next_key, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

#[derive(Template)]
#[template(path = "web/decks/copy.html")]
struct CopyPage {
    frame: Frame,
    heading: String,
    faults: Faults,
    /// The page of the source.
    deck: String,
    source: String,
    name: String,
    key: String,
}

/// The fields of the form.
#[derive(Deserialize)]
pub(in crate::web) struct TypedCopy {
    name: String,
    #[serde(default)]
    key: String,
}

/// Shows the form.
pub(in crate::web) async fn show_copy(
    state: web::Data<AppState>,
    by: Player<WriteOwnDecks>,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    show(&state, &by.visitor, DeckId(*deck), (PageStatus::OK, Faults::none()), None).await
}

/// The form; without typed fields, with the name of the source.
async fn show(
    app: &AppState,
    visitor: &Visitor,
    id: DeckId,
    (status, faults): (PageStatus, Faults),
    typed: Option<TypedCopy>,
) -> Result<HttpResponse, Problem> {
    let reads: Granted<ReadOwnDecks> = visitor.must()?;
    let source = deck_lists::find(app, (visitor.viewer(), Some(&reads)), id).await?;
    let source = source.deck.summary.name;
    let typed = typed.unwrap_or_else(|| TypedCopy { name: source.clone(), key: new_key() });
    let heading = deck_words::copy_of(&source);
    let page = CopyPage {
        frame: Frame::new(&heading).at(Place::Decks),
        heading,
        faults,
        deck: deck_path(id.0),
        source,
        name: typed.name,
        key: typed.key,
    };
    private(status, &page)
}

/// Stores the copy.
pub(in crate::web) async fn copy(
    state: web::Data<AppState>,
    by: Player<WriteOwnDecks>,
    deck: web::Path<Uuid>,
    Form(typed): Form<TypedCopy>,
) -> Result<HttpResponse, Problem> {
    let id = DeckId(*deck);
    let reads: Granted<ReadOwnDecks> = by.visitor.must()?;
    let source = id.to_string();
    let fields = [source.as_str(), typed.name.as_str()];
    let key = claim_of_form(&state, by.account(), "clone_deck", &typed.key, &fields);
    let stored = async {
        let name = DeckName::parse(&typed.name)
            .map_err(|error| Problem::invalid(vec![InputFault::at("/name", error)]))?;
        let reader = (by.visitor.viewer(), Some(&reads));
        deck_revisions::clone(&state, &by, reader, (id, Some(name)), key.as_ref()).await
    };
    match stored.await {
        Ok(stored) => Ok(see_other(&deck_path(stored.deck.summary.id))),
        Err(problem) => {
            let Some(faults) = faults_of(&problem) else { return Err(problem) };
            let status = PageStatus::of(&problem);
            let typed = TypedCopy { key: next_key(status, &typed.key), ..typed };
            show(&state, &by.visitor, id, (status, faults), Some(typed)).await
        }
    }
}
