//! Decks in the dialects of other programs, and as share codes.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::decks::deck_exports::{self, DeckExportResponse, ExportedDeck, read_dialect};
use crate::app::decks::deck_input::DeckDialectWord;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::ids::DeckId;
use crate::http::disposition::named_export;
use crate::http::extract::{AnswerForm, Caller, ClientNetwork, Params, cacheable, cacheable_text};
use crate::memory::rendered::Freshness;

/// In which dialect.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExportQuery {
    /// The dialect; `share_code` writes the deck as one short word, for links and messages.
    #[param(inline, value_type = DeckDialectWord, required = true, example = "arena")]
    dialect: Option<String>,
}

/// Writes a deck as text in a dialect.
///
/// The deck must be public, unlisted or yours. `losses` lists what the dialect cannot express. With `Accept: text/plain` the answer is the text
/// alone, and `Content-Disposition` names a file for it.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/export", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), ExportQuery),
    responses(
        (status = 200, content((DeckExportResponse = "application/json"), (String = "text/plain", example = "Deck\n2 Kettle Imp (HEARTH) 001\n")),
            headers(("Content-Disposition" = String, description = "Of the text: the name under which to store it, made from the name of the deck"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn export_deck(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    form: AnswerForm,
    deck: web::Path<Uuid>,
    query: Params<ExportQuery>,
) -> Result<HttpResponse, Problem> {
    let (reads, requester) = (caller.may(), (caller.viewer(), network.0));
    let dialect = read_dialect(query.dialect.as_deref())?;
    let exported =
        deck_exports::export(&state, reads.as_ref(), requester, DeckId(*deck), dialect).await?;
    let ExportedDeck { name, dialect, written, .. } = exported;
    let answer = match form {
        AnswerForm::Text => {
            let answer = cacheable_text(&req, Freshness::Private, None, written.text);
            named_export(answer, &name, dialect)
        }
        AnswerForm::Json => cacheable(&req, Freshness::Private, None, &written)?,
    };
    Ok(form.vary_by_accept(answer))
}
