//! Revisions of decks, the differences between them, and copies of decks.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use super::deck_lists::{changed, created};
use crate::app::decks::deck_responses::DeckResponse;
use crate::app::decks::deck_revisions::{
    self, DeckDiffResponse, DeckRevisionResponse, DeckRevisionSummary, DiffRequest,
    RestoreDeckRequest,
};
use crate::app::page::Page;
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::WriteOwnDecks;
use crate::domain::decks::deck::DeckName;
use crate::domain::ids::DeckId;
use crate::http::extract::{
    Body, Caller, ClientNetwork, IdempotencyKey, May, OptionalBody, PageQuery, Params, cacheable,
};
use crate::memory::rendered::Freshness;

/// Lists the revisions of a deck, the newest first.
///
/// Of your own decks you see every revision, of other decks those that were not private when they were saved. At most the last 100 revisions are
/// kept, fewer for very large decks.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/revisions", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), PageQuery),
    responses((status = 200, body = Page<DeckRevisionSummary>), (status = 304, description = "Not changed."))
)]
pub async fn list_deck_revisions(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    deck: web::Path<Uuid>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let (reads, before) = (caller.may(), query.after()?);
    let page =
        deck_revisions::list(&state, reads.as_ref(), DeckId(*deck), before, query.limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Shows a revision of a deck.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/revisions/{revision}", tag = "decks", security((), ("bearer" = [])),
    params(
        ("deck" = Uuid, Path, description = "Id of the deck"),
        ("revision" = i64, Path, description = "Number of the revision, from 1", example = 1),
    ),
    responses((status = 200, body = DeckRevisionResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_deck_revision(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(Uuid, i64)>,
) -> Result<HttpResponse, Problem> {
    let (deck, revision) = path.into_inner();
    let reads = caller.may();
    let reader = (caller.viewer(), reads.as_ref());
    let found = deck_revisions::find(&state, reader, DeckId(deck), revision).await?;
    cacheable(&req, Freshness::Private, None, &found)
}

/// Resets one of your decks to an earlier revision, as a new revision.
///
/// Its visibility and its folder do not change.
#[utoipa::path(
    post, path = "/v1/decks/{deck}/restore", tag = "decks", security(("bearer" = [])), request_body = RestoreDeckRequest,
    params(
        ("deck" = Uuid, Path, description = "Id of the deck"),
        ("If-Match" = String, Header, description = "ETag of the version to replace", example = "\"r1\""),
    ),
    responses(
        (status = 200, body = DeckResponse, headers(("ETag" = String, description = "Its version now"))),
        (status = 404, description = "`not_found`: there is no such deck, or it has no such revision."),
        (status = 412, description = "`precondition_failed`: since that version, the deck was changed, or a moderator took it down or ended the takedown."),
        (status = 422, description = "`invalid_body`; also if others can read the deck, and the name, the description or a tag of the revision contains a serial code."),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn restore_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    if_match: Result<IfMatch, Problem>,
    body: Body<RestoreDeckRequest>,
) -> Result<HttpResponse, Problem> {
    let (requester, which) = ((caller.viewer(), network.0), (DeckId(*deck), body.value.revision));
    Ok(changed(deck_revisions::restore(&state, &by, requester, which, &if_match?).await?))
}

/// Which decks.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DeckDiffQuery {
    /// Number of the first revision to compare, of this deck; absent: the newest one if `with` is sent; otherwise the one before `to`, or `to` itself
    /// if there is none.
    #[param(minimum = 1, example = 1)]
    from: Option<i64>,
    /// Number of the second revision to compare; absent: the newest one.
    #[param(minimum = 1)]
    to: Option<i64>,
    /// Id of another deck, to which the second revision belongs; absent: both revisions belong to this deck.
    with: Option<Uuid>,
}

/// Compares two revisions of a deck, or two decks, card by card.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/diff", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), DeckDiffQuery),
    responses((status = 200, body = DeckDiffResponse), (status = 304, description = "Not changed."))
)]
pub async fn compare_decks(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    deck: web::Path<Uuid>,
    query: Params<DeckDiffQuery>,
) -> Result<HttpResponse, Problem> {
    let reads = caller.may();
    let reader = (caller.viewer(), reads.as_ref());
    let which = DiffRequest { from: query.from, to: query.to, with: query.with.map(DeckId) };
    let diff = deck_revisions::compare(&state, reader, DeckId(*deck), &which).await?;
    cacheable(&req, Freshness::Private, None, &diff)
}

/// What the copy is called; the body may also be left out.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CloneDeckRequest {
    /// Name of the copy: 1 to 100 characters; absent: the name of the source.
    #[schema(example = "Embers, with more bones", min_length = 1, max_length = 100)]
    name: Option<String>,
}

impl CloneDeckRequest {
    fn read_name(&self) -> Result<Option<DeckName>, Problem> {
        let name = self.name.as_deref().map(DeckName::parse).transpose();
        name.map_err(|error| Problem::invalid(vec![InputFault::at("/name", error)]))
    }
}

/// Copies a deck into a new private deck of yours, which names the source in `cloned_from`.
///
/// The deck must be public, unlisted or yours. Cards that are hidden from you are copied with set and number only; they get their names when you may
/// see them.
#[utoipa::path(
    post, path = "/v1/decks/{deck}/clones", tag = "decks", security(("bearer" = [])), request_body = Option<CloneDeckRequest>,
    params(
        ("deck" = Uuid, Path, description = "Id of the deck to copy"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 201, body = DeckResponse, headers(
            ("Location" = String, description = "The copy"),
            ("ETag" = String, description = "Its version, for `If-Match`"),
        )),
        (status = 409, description = "`too_many_decks`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request was sent before, and the deck that it created was deleted."),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn clone_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    caller: Caller,
    key: IdempotencyKey,
    deck: web::Path<Uuid>,
    OptionalBody(body): OptionalBody<CloneDeckRequest>,
) -> Result<HttpResponse, Problem> {
    let name = body.value.read_name()?;
    let key = key.claim_at(&state, by.account(), "clone_deck", *deck, &body);
    let reads = caller.may();
    let reader = (caller.viewer(), reads.as_ref());
    let source = (DeckId(*deck), name);
    let copy = deck_revisions::clone(&state, &by, reader, source, key.as_ref()).await?;
    Ok(created(copy))
}
