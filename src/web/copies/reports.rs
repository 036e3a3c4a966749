//! Reports of players, from their pages.

use actix_web::{HttpResponse, web};

use super::blocks::named;
use super::player_path;
use super::words as copy_words;
use crate::app::designs::abuse_reports::Reported;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReportAbuse;
use crate::http::extract::Form;
use crate::web::feedback::Origin;
use crate::web::feedback::reports::{self, ReportSubject, TypedReport};
use crate::web::feedback::words as feedback_words;
use crate::web::page::Place;
use crate::web::session::Player;

/// Shows the form of a report.
pub(in crate::web) async fn show_report(
    state: web::Data<AppState>,
    by: Player<ReportAbuse>,
    player: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let subject = subject(&state, &by, &player).await?;
    reports::show(&state, &by, subject).await
}

/// Stores a report.
pub(in crate::web) async fn report(
    state: web::Data<AppState>,
    by: Player<ReportAbuse>,
    player: web::Path<String>,
    Form(typed): Form<TypedReport>,
) -> Result<HttpResponse, Problem> {
    let subject = subject(&state, &by, &player).await?;
    reports::send(&state, &by, subject, &typed).await
}

async fn subject(
    app: &AppState,
    by: &Player<ReportAbuse>,
    player: &str,
) -> Result<ReportSubject, Problem> {
    let account = named(player)?.id(app, by.account()).await?;
    let origin = Origin {
        place: Place::Elsewhere,
        list: "/trades",
        list_name: copy_words::TRADES,
        path: player_path(player),
        name: player.to_owned(),
    };
    Ok(ReportSubject {
        origin,
        reported: Reported::Account(account),
        about: feedback_words::REPORT_PLAYER,
        back: copy_words::BACK_TO_PLAYER,
        part: None,
    })
}
