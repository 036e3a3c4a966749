//! Forms of a card that was merged into another one while somebody filled them in: they lead to the card that remains, and what was typed is not lost.

use actix_web::http::Method;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use super::cards::edit_path;
use super::catalogue_words;
use super::parts::{Area, Nav};
use super::stored_card::{LookedUpCard, find_card, look_for};
use super::words as admin_words;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::ids::CardId;
use crate::web::errors::written_in;
use crate::web::forms::private;
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::see_other;
use crate::web::words;

#[derive(Template)]
#[template(path = "web/admin/card_merged.html")]
struct MergedPage {
    frame: Frame,
    nav: Nav,
    text: String,
    /// Path and label of the page on which the card that remains is changed.
    path: String,
    label: String,
    written: Vec<String>,
}

/// The answer to a request for a form of a card. If the card was merged into another one, a form that is opened redirects to the card that remains; a form that was
/// sent changes nothing, and its texts are shown to be copied: they were written about the other card.
pub(super) async fn follow_merge(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    req: &HttpRequest,
    id: CardId,
    answer: Result<HttpResponse, Problem>,
) -> Result<HttpResponse, Problem> {
    let problem = match answer {
        Err(problem) if problem.code() == ProblemCode::NotFound => problem,
        answer => return answer,
    };
    let LookedUpCard::Merged(into) = look_for(app, by, id).await? else { return Err(problem) };
    if req.method() != Method::POST {
        return Ok(see_other(&edit_path(into.0)));
    }
    let card = find_card(app, by, into).await?;
    let page = MergedPage {
        frame: Frame::new(catalogue_words::MERGED_MEANWHILE).at(Place::Account),
        nav: Nav::new(by.role(), Area::Cards),
        text: catalogue_words::merged_into(&card.name, &card.place()),
        path: edit_path(card.id),
        label: catalogue_words::to_remaining(&card.name),
        written: written_in(req),
    };
    private(PageStatus::CONFLICT, &page)
}
