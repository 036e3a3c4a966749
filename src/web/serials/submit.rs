//! A code and a name are typed, and the copy is registered.

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;

use super::typed::{Marked, TypedCode};
use super::words as serial_words;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::serials::submission_answers::AcceptedResponse;
use crate::app::serials::submissions;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, SubmitSerials};
use crate::domain::code::Code;
use crate::domain::network::Network;
use crate::http::extract::{ClientNetwork, Form};
use crate::web::accounts::LogInPage;
use crate::web::catalogue::{Progress, card_path, rarity_name};
use crate::web::copies::dispute_path;
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::session::Visitor;
use crate::web::words;

#[derive(Template)]
#[template(path = "web/serials/submit.html")]
struct SubmitPage<'a> {
    frame: Frame,
    faults: Faults,
    /// What can be done about them.
    advice: &'static [&'static str],
    typed: &'a TypedCode,
    marked: Option<Marked>,
    /// The dispute that a claim is noted under.
    dispute: Option<String>,
}

impl<'a> SubmitPage<'a> {
    fn new(typed: &'a TypedCode, faults: Faults) -> Self {
        let mut frame = Frame::new(serial_words::SUBMIT).at(Place::Submit);
        frame.script = Some(&frame.assets.submit_script);
        Self { frame, faults, advice: &[], typed, marked: typed.marked(), dispute: None }
    }
}

/// What is registered now.
#[derive(Template)]
#[template(path = "web/serials/submitted.html")]
struct SubmittedPage {
    frame: Frame,
    heading: &'static str,
    name: String,
    path: String,
    picture: String,
    alt: String,
    place: String,
    rarity: String,
    standing: String,
    /// How far the card is; `None`: it is open.
    progress: Option<Progress>,
}

/// Shows the form, to strangers, too: they log in after it.
pub(in crate::web) async fn show_submit() -> Result<HttpResponse, Problem> {
    private(200, &SubmitPage::new(&TypedCode::default(), Faults::none()))
}

/// Registers a copy. A stranger is asked to log in first, with the code kept in that form: it must not be in an address.
pub(in crate::web) async fn submit(
    state: web::Data<AppState>,
    network: ClientNetwork,
    visitor: Visitor,
    Form(typed): Form<TypedCode>,
) -> Result<HttpResponse, Problem> {
    if visitor.is_stranger() && typed.read().is_ok() {
        return private(200, &LogInPage::before_submitting(&typed));
    }
    if visitor.is_stranger() {
        return refused(&typed, typed.read().err().unwrap_or_default());
    }
    submitted(&state, &visitor.must()?, network.0, &typed).await
}

/// Registers a copy to a player, and shows what became of it.
pub(in crate::web) async fn submitted(
    app: &AppState,
    by: &Granted<SubmitSerials>,
    network: Network,
    typed: &TypedCode,
) -> Result<HttpResponse, Problem> {
    let serial = match typed.read() {
        Ok(serial) => serial,
        Err(faults) => return refused(typed, faults),
    };
    // The same code of the same player is the same submission: it needs no key to be sent twice.
    match submissions::submit(app, by, network, &serial, None).await {
        Ok(accepted) => {
            let page = accepted_page(app, serial.name, accepted).await?;
            private(200, &page)
        }
        Err(problem) => not_registered(typed, problem),
    }
}

fn refused(typed: &TypedCode, faults: Faults) -> Result<HttpResponse, Problem> {
    private(ProblemCode::SerialMalformed.status(), &SubmitPage::new(typed, faults))
}

/// The form again, with what went wrong and what can be done.
fn not_registered(typed: &TypedCode, problem: Problem) -> Result<HttpResponse, Problem> {
    let code = problem.code();
    let Some((_, advice)) = serial_words::submission_fault(code) else { return Err(problem) };
    let said = |code| serial_words::submission_fault(code).map(|(text, _)| text);
    let faults = Faults::of_problem(&problem, &[], said).unwrap_or_default();
    let dispute = problem.members().get("dispute_id").and_then(|id| id.as_str());
    let dispute = dispute.map(dispute_path);
    private(code.status(), &SubmitPage { advice, dispute, ..SubmitPage::new(typed, faults) })
}

async fn accepted_page(
    app: &AppState,
    name: String,
    accepted: AcceptedResponse,
) -> Result<SubmittedPage, Problem> {
    let AcceptedResponse { of, standing, already_registered, .. } = accepted;
    let card = of.card;
    let code = Code::try_from(card.game.as_str()).map_err(Problem::internal)?;
    let game = app.named_game(&code).await?.ok();
    let rarity = match &game {
        Some(loaded) => rarity_name(&loaded.game as &Game, &of.rarity),
        None => words::titled(&of.rarity),
    };
    let heading =
        if already_registered { serial_words::REGISTERED_BEFORE } else { serial_words::REGISTERED };
    let hidden = of.unlock.filter(|unlock| unlock.unlocked_at.is_none());
    Ok(SubmittedPage {
        frame: Frame::new(heading).at(Place::Submit),
        heading,
        path: card_path(&card.game, &card.set, &card.number),
        picture: super::pictures::picture_path(card.id, &of.rarity),
        alt: words::picture_of(&name, Some(&rarity)),
        place: words::place(&card.set, &card.number),
        standing: serial_words::standing(standing.state, standing.held_for, standing.held_until),
        progress: hidden.map(|unlock| Progress::new(unlock.submissions, unlock.threshold)),
        rarity,
        name,
    })
}
