//! Artwork for designs: uploaded, shown, listed, deleted.

use actix_web::body::SizedStream;
use actix_web::http::header::{self, HeaderMap, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::designs::artwork_files::{self, ShownArtwork};
use crate::app::designs::artworks::{
    self, ArtworkKey, ArtworkResponse, OwnArtworksResponse, UploadedArtwork,
};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ReadOwnDesigns, WriteOwnDesigns};
use crate::domain::designs::artwork::{ArtworkId, RenditionSize};
use crate::http::extract::{
    Caller, ClientNetwork, Condition, ImageFile, May, PageQuery, Params, cacheable, linked,
};
use crate::memory::rendered::Freshness;

/// Content-Security-Policy of an artwork that is opened as a document: it must not load or run anything.
const POLICY: &str = "default-src 'none'; sandbox";

/// Which file of an artwork.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ArtworkQuery {
    /// Which file: `full` (at most 1536 pixels along a side) or `small` (at most 500); absent: `full`.
    #[serde(default)]
    #[param(inline)]
    size: RenditionSize,
}

fn artwork_id(typed: &str) -> Result<ArtworkId, Problem> {
    ArtworkId::parse(typed).map_err(|_| Problem::not_found())
}

/// Uploads a picture for your designs.
///
/// The file must be a still PNG, JPEG or WebP picture of at most 10 MiB and 16 megapixels, each side at least 200 pixels and at most four times as long as the
/// other. The format is detected from the file itself, not from its media type. Two sizes are stored, upright and in sRGB. They contain only pixels: position,
/// time, camera and all other data are removed. Uploading the same picture again returns the same artwork with 200. Nobody else sees it until you share a design
/// that shows it; moderators see it when you submit such a design.
#[utoipa::path(
    post, path = "/v1/artworks", tag = "designs", security(("bearer" = [])),
    request_body(content(
        (String = "image/png", example = "(PNG)"),
        (String = "image/jpeg", example = "(JPEG)"),
        (String = "image/webp", example = "(WebP)"),
    )),
    responses(
        (status = 201, body = ArtworkResponse, headers(("Location" = String, description = "The artwork"))),
        (status = 200, body = ArtworkResponse, description = "You have uploaded it before.", headers(("Location" = String, description = "The artwork"))),
        (status = 409, description = "`artwork_quota_reached`"),
        (status = 410, description = "`gone`: this picture was taken down."),
        (status = 413, description = "`body_too_large`"),
        (status = 415, description = "`unsupported_media_type`"),
        (status = 422, description = "`unreadable_artwork`, with the `reason`"),
        (status = 429, description = "`daily_limit_reached`, `too_many_imports`"),
        (status = 503, description = "`unavailable`: the service is already reading as many pictures as fit into its memory."),
    )
)]
pub async fn upload_artwork(
    state: web::Data<AppState>,
    by: May<WriteOwnDesigns>,
    network: ClientNetwork,
    req: HttpRequest,
    body: web::Payload,
) -> Result<HttpResponse, Problem> {
    let expected = artworks::expect(&state, &by, network.0)?;
    let ImageFile(raw) = ImageFile::receive(&req, body).await?;
    let UploadedArtwork { is_new, artwork } = expected.store(&state, &by, raw).await?;
    let mut answer = if is_new { HttpResponse::Created() } else { HttpResponse::Ok() };
    Ok(answer
        .insert_header((header::LOCATION, artwork.full.uri.as_str()))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(artwork))
}

/// Shows an artwork: of a design that was shared, of a card that you may see, or one of yours.
///
/// Moderators also see the artwork of designs that were submitted or taken down, and of a design as it was when it was reported. The bytes of an id never change, but it can change who may see them: keep them
/// only as long as `Cache-Control` allows, then ask again with `If-None-Match`.
#[utoipa::path(
    get, path = "/v1/artworks/{artwork}", tag = "designs", security((), ("bearer" = [])),
    params(
        ("artwork" = String, Path, description = "Id of the artwork"),
        ArtworkQuery,
        ("If-Match" = Option<String>, Header, description = "Send the file only if it still has this `ETag`"),
    ),
    responses(
        (status = 200, content((String = "image/jpeg", example = "(JPEG)"), (String = "image/png", example = "(PNG)"))),
        (status = 304, description = "Not changed."),
        (status = 410, description = "`gone`: it was taken down."),
        (status = 412, description = "`precondition_failed`: the file does not have the `ETag` of `If-Match`."),
    )
)]
pub async fn download_artwork(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    artwork: web::Path<String>,
    query: Params<ArtworkQuery>,
) -> Result<HttpResponse, Problem> {
    let (reader, reviewer, id) = (caller.may(), caller.may(), artwork_id(&artwork)?);
    let (reader, reviewer) = (reader.as_ref(), reviewer.as_ref());
    let viewer = caller.viewer();
    let shown = artwork_files::find(&state, viewer, reader, reviewer, id, query.size).await?;
    let headers = FileHeaders::of(&shown)?;
    let mut response = match Condition::of(&req, &shown.tag) {
        Condition::Another => return Err(Problem::new(ProblemCode::PreconditionFailed)),
        Condition::Known => HttpResponse::NotModified().finish(),
        Condition::Holds => {
            let (length, mut answer) = (shown.size()?, HttpResponse::Ok());
            answer.content_type(shown.media_type());
            let bytes = shown.stream(state.as_ref().clone());
            answer.body(SizedStream::new(length, Box::pin(bytes)))
        }
    };
    headers.write(response.headers_mut());
    Ok(response)
}

/// Data for the headers of a file, for GET and HEAD.
struct FileHeaders {
    tag: HeaderValue,
    cache_control: HeaderValue,
}

impl FileHeaders {
    fn of(shown: &ShownArtwork) -> Result<Self, Problem> {
        let value = |text: String| HeaderValue::try_from(text).map_err(Problem::internal);
        let tag = value(format!("\"{}\"", shown.tag))?;
        Ok(Self { tag, cache_control: value(shown.freshness.header())? })
    }

    fn write(self, headers: &mut HeaderMap) {
        headers.insert(header::ETAG, self.tag);
        headers.insert(header::CACHE_CONTROL, self.cache_control);
        headers.insert(header::VARY, HeaderValue::from_static("Authorization"));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        // The file is compressed already.
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("identity"));
    }
}

/// Lists the artwork that you have uploaded, the newest first, and the bytes that it uses.
#[utoipa::path(
    get, path = "/v1/me/artworks", tag = "designs", security(("bearer" = [])), params(PageQuery),
    responses((status = 200, body = OwnArtworksResponse), (status = 304, description = "Not changed."))
)]
pub async fn list_own_artworks(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDesigns>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let before: Option<ArtworkKey> = query.after()?;
    let page = artworks::list_own(&state, &by, before, query.limit).await?;
    let answer = cacheable(&req, Freshness::Private, None, &page)?;
    Ok(linked(&req, page.next_cursor.as_deref(), answer))
}

/// Deletes an artwork that you have uploaded, if no revision of your designs shows it.
#[utoipa::path(
    delete, path = "/v1/me/artworks/{artwork}", tag = "designs", security(("bearer" = [])),
    params(("artwork" = String, Path, description = "Id of the artwork")),
    responses(
        (status = 204, description = "Deleted."),
        (status = 409, description = "`artwork_in_use`"),
    )
)]
pub async fn delete_artwork(
    state: web::Data<AppState>,
    by: May<WriteOwnDesigns>,
    artwork: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    artworks::delete(&state, &by, artwork_id(&artwork)?).await?;
    Ok(HttpResponse::NoContent().finish())
}
