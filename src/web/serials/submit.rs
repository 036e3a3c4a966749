//! Registers a copy by its serial code and the name of the card.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::claim::Claim;
use super::newcomer::join_and_submit;
use super::typed::{Marked, TypedCode};
use super::words as serial_words;
use crate::app::problem::Problem;
use crate::app::serials::submission_answers::AcceptedResponse;
use crate::app::serials::submissions::{self, NamedSerial};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, SubmitSerials, Viewer};
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::domain::network::Network;
use crate::http::extract::{ClientNetwork, Form};
use crate::web::accounts::words as account_words;
use crate::web::accounts::{LogInPage, TypedNewcomer, Welcome};
use crate::web::catalogue::{Progress, card_path, rarity_name};
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::Visitor;
use crate::web::words;

#[derive(Template)]
#[template(path = "web/serials/submit.html")]
pub(super) struct SubmitPage<'a> {
    frame: Frame,
    faults: Faults,
    /// What the visitor can do about the faults.
    advice: &'static [&'static str],
    typed: &'a TypedCode,
    marked: Option<Marked>,
    /// The claim to a copy of another player, with the dispute in which it is recorded.
    claim: Option<Claim>,
    /// The name of a new account, if nobody is logged in.
    newcomer: Option<&'a str>,
    /// Password and recovery codes that are shown once, if the form has created an account.
    pub(super) welcome: Option<Welcome>,
}

impl<'a> SubmitPage<'a> {
    pub(super) fn new(typed: &'a TypedCode, faults: Faults, newcomer: Option<&'a str>) -> Self {
        let mut frame = Frame::new(serial_words::SUBMIT).at(Place::Submit);
        frame.script = Some(&frame.assets.submit_script);
        let marked = typed.marked();
        Self { frame, faults, advice: &[], typed, marked, claim: None, newcomer, welcome: None }
    }

    /// Whether the page shows a secret that is not shown again.
    fn shows_secrets(&self) -> bool {
        self.welcome.as_ref().is_some_and(Welcome::is_secret)
    }

    /// The form again for a player, with the fault and advice. `None`: the problem is shown on a page of its own.
    pub(super) fn not_registered(typed: &'a TypedCode, problem: &Problem) -> Option<Self> {
        let (_, advice) = serial_words::submission_fault(problem.code())?;
        let message_of = |code| serial_words::submission_fault(code).map(|(text, _)| text);
        let faults = Faults::of_problem(problem, &[], message_of).unwrap_or_default();
        let claim = Claim::of(problem.members());
        let is_closed = claim.as_ref().is_some_and(|claim| !claim.is_open);
        let advice = if is_closed { serial_words::CLAIM_CLOSED } else { advice };
        Some(Self { advice, claim, ..Self::new(typed, faults, None) })
    }
}

/// The page after a registration.
#[derive(Template)]
#[template(path = "web/serials/submitted.html")]
pub(super) struct SubmittedPage {
    frame: Frame,
    heading: &'static str,
    name: String,
    path: String,
    picture: String,
    alt: String,
    place: String,
    rarity: String,
    standing: String,
    /// The progress of the card; `None`: the card is not hidden.
    progress: Option<Progress>,
    /// Password and recovery codes that are shown once, if the form has created an account.
    pub(super) welcome: Option<Welcome>,
}

/// Shows the form. Strangers may open it, too: they create an account in it, or log in after it.
pub(in crate::web) async fn show_submit(visitor: Visitor) -> Result<HttpResponse, Problem> {
    let newcomer = visitor.is_stranger().then_some("");
    private(PageStatus::OK, &SubmitPage::new(&TypedCode::default(), Faults::none(), newcomer))
}

/// The fields of the form.
#[derive(Deserialize)]
pub(in crate::web) struct SubmitForm {
    #[serde(flatten)]
    typed: TypedCode,
    #[serde(flatten)]
    newcomer: TypedNewcomer,
}

/// Registers a copy. A stranger creates an account with the same form, or logs in first; the form of the log-in carries the serial code, because the code must
/// not be part of an address.
pub(in crate::web) async fn submit(
    state: web::Data<AppState>,
    network: ClientNetwork,
    visitor: Visitor,
    Form(form): Form<SubmitForm>,
) -> Result<HttpResponse, Problem> {
    let SubmitForm { typed, newcomer } = form;
    if newcomer.is_joining(visitor.is_stranger()) {
        return join_and_submit(&state, network, &typed, &newcomer, &visitor).await;
    }
    if !visitor.is_stranger() {
        return submitted(&state, &visitor.must()?, visitor.viewer(), network.0, &typed).await;
    }
    match typed.read() {
        Ok(_) => private(PageStatus::OK, &LogInPage::before_submitting(&typed, &newcomer.name)),
        Err(faults) => refused(&typed, faults, Some(&newcomer.name)),
    }
}

/// Registers a copy for a player, and shows the result.
pub(in crate::web) async fn submitted(
    app: &AppState,
    by: &Granted<SubmitSerials>,
    viewer: Viewer,
    network: Network,
    typed: &TypedCode,
) -> Result<HttpResponse, Problem> {
    let serial = match typed.read() {
        Ok(serial) => serial,
        Err(faults) => return refused(typed, faults, None),
    };
    match register(app, by, viewer, network, serial).await {
        Ok(page) => private(PageStatus::OK, &page),
        Err(problem) => match SubmitPage::not_registered(typed, &problem) {
            Some(page) => private(PageStatus::of(&problem), &page),
            None => Err(problem),
        },
    }
}

/// The form again with the faults of the input. `newcomer`: the name of a new account, if nobody is logged in.
pub(super) fn refused(
    typed: &TypedCode,
    faults: Faults,
    newcomer: Option<&str>,
) -> Result<HttpResponse, Problem> {
    let status = PageStatus::INVALID_FORM;
    private(status, &SubmitPage::new(typed, faults, newcomer))
}

/// Registers a copy for a player. The same code of the same player is the same submission, so a repeated form needs no idempotency key.
pub(super) async fn register(
    app: &AppState,
    by: &Granted<SubmitSerials>,
    viewer: Viewer,
    network: Network,
    serial: NamedSerial,
) -> Result<SubmittedPage, Problem> {
    let accepted = submissions::submit(app, by, network, &serial, None).await?;
    let card = CardId(accepted.of.card.id);
    let name = names_of_cards(app, viewer, vec![card]).await.remove(&card);
    accepted_page(app, name.unwrap_or(serial.name), accepted).await
}

/// The names of cards of registered copies, as they are printed. If they cannot be read, there are none: the copies are registered nevertheless, and what was
/// typed is shown.
pub(super) async fn names_of_cards(
    app: &AppState,
    viewer: Viewer,
    cards: Vec<CardId>,
) -> BTreeMap<CardId, String> {
    submissions::card_names(app, viewer, cards).await.unwrap_or_else(|problem| {
        tracing::warn!(code = problem.code().code(), "cannot read the names of registered cards");
        BTreeMap::new()
    })
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
        welcome: None,
    })
}
