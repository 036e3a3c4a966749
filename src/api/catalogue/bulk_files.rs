//! Bulk files: the whole catalogue of a game as downloads, for clients that keep a copy.

use actix_web::body::SizedStream;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::app::catalogue::bulk_files::{self, BulkFilesResponse, GZIP};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::hex::hex;
use crate::http::extract::{ClientNetwork, Condition, Part, cacheable};
use crate::memory::rendered::Freshness;
use crate::store::catalogue::bulk_files::BulkFile;

/// Short, so that a new version is seen soon.
const FRESHNESS: Freshness = Freshness::Public(5);

/// Lists the bulk files: three for each game.
///
/// They contain what an anonymous client may see, and are rebuilt when that changes: about a minute after the change, for large games less often. The
/// files of cards and printings of a game are from the same moment. Shortly after the first start of the service, the list may still be empty.
#[utoipa::path(
    get, path = "/v1/bulk-files", tag = "catalogue",
    responses((status = 200, body = BulkFilesResponse), (status = 304, description = "Not changed."))
)]
pub async fn list_bulk_files(
    req: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, Problem> {
    cacheable(&req, FRESHNESS, None, &bulk_files::list(&state).await?)
}

/// Downloads a bulk file, or a part of it.
///
/// The bytes are gzip, whatever `Accept-Encoding` is. A download reads one version to its end, even if the file is replaced in the meantime; replaced
/// versions are kept for an hour. To continue after an interruption, send `Range`, and the `ETag` in `If-Range`: if the file was replaced, the answer
/// is the whole new file. If several ranges are requested, the answer is the whole file, too.
#[utoipa::path(
    get, path = "/v1/bulk-files/{name}", tag = "catalogue",
    params(
        ("name" = String, Path, description = "Name of the file", example = "ttcg-cards.ndjson.gz"),
        ("Range" = Option<String>, Header, description = "A part of the file: `bytes=0-99`, `bytes=100-` or `bytes=-100`", example = "bytes=0-99"),
        ("If-Range" = Option<String>, Header, description = "Send the part only if the file still has this `ETag`, otherwise the whole file"),
        ("If-Match" = Option<String>, Header, description = "Send the file only if it still has this `ETag`"),
    ),
    responses(
        (status = 200, description = "The whole file.", content((String = "application/gzip", example = "(gzip)")), headers(
            ("Accept-Ranges" = String, description = "`bytes`"),
            ("Last-Modified" = String, description = "When the file last changed"),
            ("Content-Disposition" = String, description = "File name under which to store it"),
            ("Repr-Digest" = String, description = "SHA-256 of the whole file (RFC 9530)"),
        )),
        (status = 206, description = "A part of the file.", content((String = "application/gzip", example = "(a part of gzip)")), headers(
            ("Content-Range" = String, description = "Which part it is, and the size of the whole file in bytes: `bytes 0-99/9482`"),
            ("ETag" = String, description = "Version of the file, for `If-Range`"),
        )),
        (status = 304, description = "Not changed."),
        (status = 412, description = "`precondition_failed`: the file does not have the `ETag` of `If-Match` any more."),
        (status = 416, description = "`range_not_satisfiable`: the file ends before the range begins.", headers(
            ("Content-Range" = String, description = "Size of the file in bytes: `bytes */9482`"),
        )),
        (status = 429, description = "`too_many_streams`: your network already has the largest allowed number of downloads."),
    )
)]
pub async fn download_bulk_file(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
    name: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let file = bulk_files::find(&state, &name).await?;
    let tag = hex(&file.sha256);
    match Condition::of(&req, &tag) {
        Condition::Another => {
            return Err(Problem::new(ProblemCode::PreconditionFailed).detail(
                "The file was replaced: see GET /v1/bulk-files for the one there is now.",
            ));
        }
        Condition::Known => {
            let mut response = HttpResponse::NotModified().finish();
            name_version(response.headers_mut(), &file, &tag)?;
            return Ok(response);
        }
        Condition::Holds => {}
    }
    let size = u64::try_from(file.size).map_err(Problem::internal)?;
    let (status, left) = match Part::of(&req, &tag, size) {
        Part::Whole => (StatusCode::OK, 0..size),
        Part::Bytes(part) => (StatusCode::PARTIAL_CONTENT, part),
        Part::Nothing => return Err(Problem::new(ProblemCode::RangeNotSatisfiable).length(size)),
    };
    let mut response = HttpResponse::build(status);
    response.content_type(GZIP);
    // The file is compressed already.
    response.insert_header((header::CONTENT_ENCODING, HeaderValue::from_static("identity")));
    if status == StatusCode::PARTIAL_CONTENT {
        let part = format!("bytes {}-{}/{size}", left.start, left.end - 1);
        response.insert_header((header::CONTENT_RANGE, part));
    }
    let length = left.end - left.start;
    let mut response = if req.method() == Method::HEAD {
        // HEAD reports the length without reading the file.
        let nothing = futures_util::stream::empty::<Result<Bytes, std::io::Error>>();
        response.body(SizedStream::new(length, nothing))
    } else {
        let download = bulk_files::download(&state, network.0, &file, left)?;
        response.body(SizedStream::new(length, Box::pin(download.stream())))
    };
    name_version(response.headers_mut(), &file, &tag)?;
    Ok(response)
}

/// Adds headers that identify the file and its version.
fn name_version(headers: &mut HeaderMap, file: &BulkFile, tag: &str) -> Result<(), Problem> {
    let digest = STANDARD.encode(&file.sha256);
    let values = [
        (header::ETAG, format!("\"{tag}\"")),
        (header::CACHE_CONTROL, FRESHNESS.header()),
        (header::LAST_MODIFIED, httpdate::fmt_http_date(file.created_at.into())),
        (header::ACCEPT_RANGES, "bytes".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", file.name)),
        (HeaderName::from_static("repr-digest"), format!("sha-256=:{digest}:")),
    ];
    for (name, value) in values {
        headers.insert(name, HeaderValue::from_str(&value).map_err(Problem::internal)?);
    }
    Ok(())
}
