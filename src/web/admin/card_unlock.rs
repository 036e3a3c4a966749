//! Unlocks a hidden card by hand.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::cards::edit_path;
use super::catalogue_words;
use super::merged_cards::follow_merge;
use super::moderation_words;
use super::parts::{Area, Nav, faults_of};
use super::stored_card::{StoredCard, find_card};
use super::words as admin_words;
use crate::app::copies::copy_moderation::reason;
use crate::app::problem::Problem;
use crate::app::serials::unlocks;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, UnlockCards, WriteCatalogue};
use crate::domain::ids::CardId;
use crate::http::extract::Form;
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

#[derive(Template)]
#[template(path = "web/admin/card_unlock.html")]
struct UnlockPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    heading: String,
    path: String,
    reason: String,
}

/// Shows the form for the reason, and what the unlock does.
pub(in crate::web) async fn show_unlock(
    state: web::Data<AppState>,
    by: Player<UnlockCards>,
    card: web::Path<Uuid>,
    req: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let (id, reads) = (CardId(*card), by.visitor.must::<WriteCatalogue>()?);
    let shown = async {
        let card = find_card(&state, &reads, id).await?;
        show(&by, PageStatus::OK, &card, String::new(), Faults::none())
    };
    follow_merge(&state, &reads, &req, id, shown.await).await
}

fn show(
    by: &Granted<UnlockCards>,
    status: PageStatus,
    card: &StoredCard,
    reason: String,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    let heading = catalogue_words::unlock_of(&card.name);
    let page = UnlockPage {
        frame: Frame::new(&heading).at(Place::Account),
        nav: Nav::new(by.role(), Area::Cards),
        faults,
        heading,
        path: edit_path(card.id),
        reason,
    };
    private(status, &page)
}

/// The reason of the unlock.
#[derive(Deserialize)]
pub(in crate::web) struct UnlockForm {
    reason: String,
}

/// Unlocks a card.
pub(in crate::web) async fn unlock(
    state: web::Data<AppState>,
    by: Player<UnlockCards>,
    card: web::Path<Uuid>,
    req: HttpRequest,
    Form(form): Form<UnlockForm>,
) -> Result<HttpResponse, Problem> {
    let (id, reads) = (CardId(*card), by.visitor.must::<WriteCatalogue>()?);
    let unlocked = unlock_or_show(&state, &by, &reads, id, form).await;
    follow_merge(&state, &reads, &req, id, unlocked).await
}

async fn unlock_or_show(
    app: &AppState,
    by: &Granted<UnlockCards>,
    reads: &Granted<WriteCatalogue>,
    id: CardId,
    form: UnlockForm,
) -> Result<HttpResponse, Problem> {
    let unlocked = match reason(&form.reason) {
        Ok(why) => unlocks::unlock_card(app, by, id, &why).await,
        Err(problem) => Err(problem),
    };
    match unlocked {
        Ok(_) => Ok(see_other(&format!("{}?done=unlocked", edit_path(id.0)))),
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &["reason"]) else { return Err(problem) };
            let card = find_card(app, reads, id).await?;
            show(by, PageStatus::of(&problem), &card, form.reason, faults)
        }
    }
}
