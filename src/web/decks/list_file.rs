//! Reads the list of a file into the form of a deck. Nothing is stored: the player sees the list first, and then saves the deck.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use super::edit::{
    Beside, find_unless_deleted, show_form_of, show_form_of_deleted, show_form_of_new,
};
use super::typed_deck::TypedDeck;
use super::words as deck_words;
use crate::app::decks::list_files::{ListFileFault, MAX_FILE, MAX_LIST, decode};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::WriteOwnDecks;
use crate::domain::ids::DeckId;
use crate::http::extract::{UnreceivedForm, Upload};
use crate::web::forms::Faults;
use crate::web::page_status::PageStatus;
use crate::web::session::Player;

/// Largest form, in bytes: the file and, before it, the list that was typed, whose characters may have four bytes, and the other fields.
const MOST: usize = MAX_FILE + 4 * MAX_LIST + 64 * 1024;

/// A form that was received: its fields, and the status and faults if its file has no list.
struct Received {
    typed: TypedDeck,
    refusal: Option<(PageStatus, Faults)>,
}

/// Receives the form, and reads the file into the list. If there is none in it, the list stays as it was typed.
async fn receive(req: &HttpRequest, payload: web::Payload) -> Result<Received, Problem> {
    let mut upload = match Upload::receive_at(req, payload, MOST, || Ok(())).await {
        Ok(((), upload)) => upload,
        Err(unreceived) => {
            let UnreceivedForm { problem, mut sent, lost } = *unreceived;
            if problem.code() != ProblemCode::BodyTooLarge {
                return Err(problem);
            }
            let text = deck_words::list_file_fault(&ListFileFault::TooLarge);
            let mut faults = Faults::one("file", text);
            faults.add_lost(lost);
            let refusal = Some((PageStatus::of(&problem), faults));
            return Ok(Received { typed: TypedDeck::take(&mut sent), refusal });
        }
    };
    let (file, typed) = (upload.take_file("file"), TypedDeck::take(&mut upload));
    let Some(file) = file else {
        let faults = Faults::one("file", deck_words::NO_LIST_FILE);
        return Ok(Received { typed, refusal: Some((PageStatus::INVALID_FORM, faults)) });
    };
    Ok(match decode(&file.content) {
        Ok(list) => Received { typed: typed.with_list(list), refusal: None },
        Err(fault) => {
            let status = match fault {
                ListFileFault::TooLarge => PageStatus::TOO_LARGE,
                ListFileFault::Empty | ListFileFault::TooLong | ListFileFault::Unreadable(_) => {
                    PageStatus::INVALID_FORM
                }
            };
            let faults = Faults::one("file", deck_words::list_file_fault(&fault));
            Received { typed, refusal: Some((status, faults)) }
        }
    })
}

/// Shows the form of a new deck with the list of the file.
pub(in crate::web) async fn read_of_new(
    state: web::Data<AppState>,
    _by: Player<WriteOwnDecks>,
    req: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let Received { typed, refusal } = receive(&req, payload).await?;
    let is_read = refusal.is_none();
    let (status, faults) = refusal.unwrap_or_else(|| (PageStatus::OK, Faults::none()));
    show_form_of_new(&state, status, typed, faults, is_read).await
}

/// Shows the form of one of the visitor's own decks with the list of the file.
pub(in crate::web) async fn read_of_stored(
    state: web::Data<AppState>,
    by: Player<WriteOwnDecks>,
    deck: web::Path<Uuid>,
    req: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let edited = find_unless_deleted(&state, &by, DeckId(*deck)).await?;
    let received = receive(&req, payload).await;
    let Some(edited) = edited else {
        // If the deck was deleted meanwhile, the answer has what was typed.
        let Received { typed, refusal } = received.map_err(|_| Problem::not_found())?;
        let is_read = refusal.is_none();
        let faults = refusal.map_or_else(Faults::none, |(_, faults)| faults);
        return show_form_of_deleted(&state, typed, faults, is_read).await;
    };
    let Received { typed, refusal } = received?;
    let beside = if refusal.is_none() { Beside::FileRead } else { Beside::Nothing };
    let (status, faults) = refusal.unwrap_or_else(|| (PageStatus::OK, Faults::none()));
    show_form_of(&state, status, (&edited, &typed), faults, beside).await
}
