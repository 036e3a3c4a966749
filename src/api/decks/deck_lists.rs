//! Deck lists: store, read, change, delete.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::catalogue::codes::Codes;
use crate::app::decks::deck_lists::{
    self, DeckRequest, DeckResponse, DeckSummaryResponse, VersionedDeck,
};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem, both};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{ReadOwnDecks, WriteOwnDecks};
use crate::domain::code::Code;
use crate::domain::decks::deck::DeckName;
use crate::domain::ids::DeckId;
use crate::http::extract::{
    AnswerForm, Caller, IdempotencyKey, Judge, JudgedBody, LooseParams, May,
};
use crate::memory::rendered::Freshness;

/// Which of your decks.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DecksQuery {
    /// Only decks of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists your decks, the newest first.
#[utoipa::path(
    get, path = "/v1/decks", tag = "decks", security(("bearer" = [])), params(DecksQuery),
    responses((status = 200, body = Page<DeckSummaryResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_decks(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDecks>,
    query: LooseParams<DecksQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &DecksQuery| {
        let codes = Codes::of_game(query.game.clone());
        both(Cursor::key_of(query.cursor.as_ref()), codes.resolve(&state).await)
    };
    let (query, (before, codes)): (_, (Option<Uuid>, _)) = query.checked(check).await?;
    let page = deck_lists::list(&state, &by, &codes, before, query.limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Stores a deck.
///
/// Any list can be stored, also an unfinished or illegal one: `GET /v1/decks/{deck}/report` tells what is wrong with it.
#[utoipa::path(
    post, path = "/v1/decks", tag = "decks", security(("bearer" = [])), request_body = DeckRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 201, body = DeckResponse, headers(
            ("Location" = String, description = "The deck"),
            ("ETag" = String, description = "Its version, for `If-Match`"),
        )),
        (status = 409, description = "`too_many_decks`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request is a repeated one, and its deck was deleted since."),
        (status = 422, description = "`invalid_body`, `unreadable_deck_list`, `unknown_format`, `idempotency_key_reused`"),
    )
)]
pub async fn create_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    key: IdempotencyKey,
    JudgedBody(body): JudgedBody<DeckRequest>,
) -> Result<HttpResponse, Problem> {
    let key = key.claim(&state, by.account(), "create_deck", &body);
    let created = deck_lists::create(&state, &by, body.value, key.as_ref()).await?;
    let VersionedDeck { revision, deck } = created;
    Ok(HttpResponse::Created()
        .insert_header((header::LOCATION, format!("/v1/decks/{}", deck.summary.id)))
        .insert_header(revision.header())
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(deck))
}

/// Shows a deck: a public one, or one of yours.
///
/// With `Accept: text/plain` as text, one entry a line, that `list` takes back.
#[utoipa::path(
    get, path = "/v1/decks/{deck}", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, content((DeckResponse = "application/json"), (String = "text/plain", example = "2 Kettle Imp\n")),
            headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 304, description = "It is still the version that `If-None-Match` names."),
    )
)]
pub async fn find_deck(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    form: AnswerForm,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (reader, id) = (caller.may(), DeckId(*deck));
    let answer = match form {
        AnswerForm::Text => {
            let (revision, text) = deck_lists::find_text(&state, reader.as_ref(), id).await?;
            revision.answer_text(&req, text)
        }
        AnswerForm::Json => {
            let found = deck_lists::find(&state, reader.as_ref(), id).await?;
            found.revision.answer(&req, &found.deck)?
        }
    };
    Ok(form.told_apart(answer))
}

/// Replaces one of your decks.
#[utoipa::path(
    put, path = "/v1/decks/{deck}", tag = "decks", security(("bearer" = [])), request_body = DeckRequest,
    params(
        ("deck" = Uuid, Path, description = "Id of the deck"),
        ("If-Match" = String, Header, description = "ETag of the version to replace", example = "\"r1\""),
    ),
    responses(
        (status = 200, body = DeckResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 412, description = "`precondition_failed`: it was changed since; nothing is overwritten."),
        (status = 422, description = "`invalid_body`, `unreadable_deck_list`, `unknown_format`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    deck: web::Path<Uuid>,
    if_match: Result<IfMatch, Problem>,
    JudgedBody(body): JudgedBody<DeckRequest>,
) -> Result<HttpResponse, Problem> {
    let replaced = deck_lists::replace(&state, &by, DeckId(*deck), &if_match?, body.value).await?;
    Ok(HttpResponse::Ok()
        .insert_header(replaced.revision.header())
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        .json(replaced.deck))
}

/// Deletes one of your decks.
#[utoipa::path(
    delete, path = "/v1/decks/{deck}", tag = "decks", security(("bearer" = [])),
    params(
        ("deck" = Uuid, Path, description = "Id of the deck"),
        ("If-Match" = String, Header, description = "ETag of the version to delete", example = "\"r1\""),
    ),
    responses(
        (status = 204, description = "Deleted."),
        (status = 412, description = "`precondition_failed`: it was changed since."),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn delete_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    deck: web::Path<Uuid>,
    if_match: Result<IfMatch, Problem>,
) -> Result<HttpResponse, Problem> {
    deck_lists::delete(&state, &by, DeckId(*deck), &if_match?).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// What the games decide is left to the use case.
impl Judge for DeckRequest {
    fn judge(&self) -> Result<(), Problem> {
        let name = DeckName::parse(&self.name);
        name.map(drop).map_err(|error| Problem::invalid(vec![InputFault::at("/name", error)]))
    }
}
