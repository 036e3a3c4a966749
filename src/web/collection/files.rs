//! Exports the collection as a file that an import reads back without loss.

use actix_web::http::header;
use actix_web::{HttpResponse, web};

use crate::app::collection::collection_export;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnCollection;
use crate::web::copies::Narrowing;
use crate::web::headers::protected;
use crate::web::session::Player;

/// Writes the visitor's own collection as CSV; with a game, only the entries of that game.
pub(in crate::web) async fn export(
    state: web::Data<AppState>,
    by: Player<ReadOwnCollection>,
    query: web::Query<Narrowing>,
) -> Result<HttpResponse, Problem> {
    let narrowing = Narrowing { game: query.game.clone(), ..Narrowing::default() };
    let codes =
        narrowing.codes(&state).await?.map_err(|_| Problem::new(ProblemCode::InvalidQuery))?;
    let viewer = by.visitor.viewer();
    let exported = collection_export::export(&state, &by, viewer, codes.game.as_ref()).await?;
    Ok(protected(
        HttpResponse::Ok()
            .content_type("text/csv; charset=utf-8")
            .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"collection.csv\""))
            .insert_header((header::CACHE_CONTROL, "private, no-store"))
            .body(exported.to_csv()?),
    ))
}
