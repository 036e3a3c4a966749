//! Bulk files: the whole catalogue of a game and its public decks as downloads, for clients that keep a copy.

mod downloads;
mod pages;

use std::ops::Range;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::catalogue::bulk::{BulkKind, is_file_name};
use crate::domain::hex::hex;
use crate::domain::network::Network;
use crate::store::catalogue::bulk_files::{self, BulkFile};

pub use downloads::Download;
pub use pages::LAYOUT;

/// Media type of every download, whatever its content.
pub const GZIP: &str = "application/gzip";

/// A bulk file.
#[derive(Serialize, ToSchema)]
pub struct BulkFileResponse {
    /// Its name.
    #[schema(example = "ttcg-cards.ndjson.gz")]
    pub name: String,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Type of its contents: `cards`, `printings` or `decks`.
    #[schema(example = "cards")]
    pub r#type: String,
    /// A description of its contents.
    #[schema(example = "All cards of the game, one JSON object a line.")]
    pub description: &'static str,
    /// When its bytes last changed.
    pub updated_at: DateTime<Utc>,
    /// Size of the download in bytes.
    #[schema(example = 9482, minimum = 1)]
    pub size: i64,
    /// Size of the uncompressed contents in bytes.
    #[schema(example = 84120, minimum = 0)]
    pub uncompressed_size: i64,
    /// Number of cards, printings or decks in it.
    #[schema(example = 90, minimum = 0)]
    pub rows: i64,
    /// SHA-256 of the bytes of the download, in hexadecimal digits. In quotation marks it is the `ETag` of the download.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub sha256: String,
    /// Its path.
    #[schema(example = "/v1/bulk-files/ttcg-cards.ndjson.gz")]
    pub download_uri: String,
    /// Media type of the download.
    #[schema(example = "application/gzip")]
    pub content_type: &'static str,
    /// Media type of the uncompressed contents.
    #[schema(example = "application/x-ndjson")]
    pub uncompressed_content_type: &'static str,
    /// The file contains all events of its game in the change feed up to this number: continue with `GET /v1/changes`, with this number as `after`.
    /// It may also contain some later events.
    #[schema(example = 174, minimum = 0)]
    pub change_seq: i64,
}

/// All bulk files.
#[derive(Serialize, ToSchema)]
pub struct BulkFilesResponse {
    /// The files, sorted by name.
    pub data: Vec<BulkFileResponse>,
}

impl BulkFileResponse {
    fn of(file: BulkFile) -> Self {
        let (description, unpacked) = match file.kind {
            BulkKind::Cards => (
                "Every card of the game as GET /v1/cards/{card} shows it to a stranger, with its printings: a JSON object in each \
                 line. Hidden cards have their place, threshold and picture only.",
                "application/x-ndjson",
            ),
            BulkKind::Printings => (
                "Every printing of the game's open cards with all its values: CSV with a column for each attribute of the game.",
                "text/csv; charset=utf-8; header=present",
            ),
            BulkKind::Decks => (
                "Every public deck of the game as everybody sees it, with its entries: a JSON object in each line. Entries of hidden cards have their place only.",
                "application/x-ndjson",
            ),
        };
        Self {
            r#type: file.kind.as_str().to_owned(),
            description,
            updated_at: file.created_at,
            size: file.size,
            uncompressed_size: file.unpacked_size,
            rows: file.row_count,
            sha256: hex(&file.sha256),
            download_uri: format!("/v1/bulk-files/{}", file.name),
            content_type: GZIP,
            uncompressed_content_type: unpacked,
            change_seq: file.change_seq,
            game: file.game_code,
            name: file.name,
        }
    }
}

/// Lists the bulk files.
pub async fn list(app: &AppState) -> Result<BulkFilesResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let files = bulk_files::list(&mut conn).await?;
    Ok(BulkFilesResponse { data: files.into_iter().map(BulkFileResponse::of).collect() })
}

/// Finds the newest version of a file.
pub async fn find(app: &AppState, name: &str) -> Result<BulkFile, Problem> {
    if !is_file_name(name) {
        return Err(Problem::not_found());
    }
    let mut conn = app.store.connection().await?;
    bulk_files::find(&mut conn, name).await?.ok_or_else(Problem::not_found)
}

/// Starts a download of a byte range of a version.
pub fn download(
    app: &AppState,
    network: Network,
    file: &BulkFile,
    bytes: Range<u64>,
) -> Result<Download, Problem> {
    let too_many = || Problem::new(ProblemCode::TooManyStreams).retry_after(30);
    let place = app.downloads.begin(network).ok_or_else(too_many)?;
    Ok(Download::new(app.clone(), file.id, bytes, place))
}
