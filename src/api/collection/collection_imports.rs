//! Collection files: an import is read and shown first, and applied by a commit; an export writes a file.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::catalogue::codes::Codes;
use crate::app::collection::collection_export::{self, ExportedCollection};
use crate::app::collection::collection_imports::{self, ImportOptions};
use crate::app::collection::import_responses::{CollectionImportResponse, CommitResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ReadOwnCollection, WriteOwnCollection};
use crate::domain::code::Code;
use crate::domain::collection::ImportMode;
use crate::domain::ids::CollectionImportId;
use crate::http::extract::{Caller, ClientNetwork, LooseParams, May, OptionalBody, TableFile};

/// How lines without a rarity are read if their card has several.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WithoutRarity {
    /// The line is ambiguous.
    #[default]
    Ambiguous,
    /// The line means the most common printing.
    MostCommon,
}

/// How to read a file, and what to do with it.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ImportQuery {
    /// `add` (the default): the counts in the file are added to yours. `replace`: the content of the file replaces your collection; with `game`, only
    /// that game's part of it, and lines of other games are `invalid`.
    #[serde(default)]
    #[param(inline, value_type = Option<ImportMode>, example = "add")]
    mode: ImportMode,
    /// The game of lines that do not name one. With `replace` also the only game whose counts are replaced.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// How lines without a rarity are read if their card has several: they are `ambiguous` (the default), or mean the `most_common` printing.
    #[serde(default)]
    #[param(inline, value_type = Option<WithoutRarity>, example = "most_common")]
    without_rarity: WithoutRarity,
}

/// Reads a file of cards that you own, and shows what each line means. Your collection does not change yet.
///
/// The file is CSV with headings in the first line, as Moxfield, Archidekt, Deckbox, ManaBox, Dragon Shield, TCGplayer and this service write it:
/// separated by commas, semicolons or tabs, in UTF-8, UTF-16 or Windows-1252. Or it is JSON: a list of objects. It may have at most 16 MiB, 50,000 lines and
/// 1,000 headings. `POST /v1/collection/imports/{import}/commit` then applies exactly what was shown.
#[utoipa::path(
    post, path = "/v1/collection/imports", tag = "collection", security(("bearer" = [])), params(ImportQuery),
    request_body(content(
        (String = "text/csv", example = "Count,Name,Edition,Rarity,Condition\n4,Kettle Imp,hearth,common,NM\n"),
        (Object = "application/json", example = json!({ "entries": [{ "quantity": 4, "name": "Kettle Imp", "rarity": "common" }] })),
    )),
    responses(
        (status = 200, body = CollectionImportResponse),
        (status = 400, description = "`not_utf8`, `malformed_json`, `invalid_query`"),
        (status = 422, description = "`unreadable_collection`"),
        (status = 429, description = "`too_many_imports`: two files of your account, or of your network, are being read already"),
        (status = 503, description = "`unavailable`: as many files are being read as fit into memory"),
    )
)]
pub async fn read_import(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteOwnCollection>,
    network: ClientNetwork,
    query: LooseParams<ImportQuery>,
    req: HttpRequest,
    body: web::Payload,
) -> Result<HttpResponse, Problem> {
    let check =
        async |query: &ImportQuery| Codes::of_game(query.game.clone()).resolve(&state).await;
    let (query, codes) = query.checked(check).await?;
    let options = ImportOptions {
        mode: query.mode,
        game: codes.game,
        most_common: matches!(query.without_rarity, WithoutRarity::MostCommon),
    };
    let expected = collection_imports::expect(&state, &by, network.0, options)?;
    let TableFile { format, raw } = TableFile::receive(&req, body).await?;
    let read = expected.read(&state, &by, caller.viewer(), format, raw).await?;
    let mut answer = HttpResponse::Ok();
    answer.content_type("application/json").insert_header((header::CACHE_CONTROL, "no-store"));
    Ok(answer.body(read.into_json().await?))
}

/// How to apply an import.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitRequest {
    /// Whether to leave out lines that are not `ok`. If `false`, one such line prevents the import of the whole file.
    #[serde(default)]
    pub only_ok: bool,
}

/// Applies an import as it was shown, in one transaction.
///
/// Repeating the commit gets the same answer and changes nothing. If counts that an import would replace (`mode` was `replace`) have changed since the file
/// was shown, nothing is imported: send the file again. Quantities that are added apply to any counts. An import can be committed for 15 minutes, by the account that sent the file. It is
/// deleted earlier if five later imports wait for their commit.
#[utoipa::path(
    post, path = "/v1/collection/imports/{import}/commit", tag = "collection", security(("bearer" = [])),
    request_body = Option<CommitRequest>, params(("import" = Uuid, Path, description = "Id of the import")),
    responses(
        (status = 200, body = CommitResponse),
        (status = 409, description = "`count_out_of_range`, `collection_full`; `collection_changed`: counts that would be replaced have changed since; `edit_conflict`: the catalogue was changed since; in both cases send the file again"),
        (status = 422, description = "`import_has_faults`: `rejected` lists the lines that are not `ok`; `invalid_body`"),
    )
)]
pub async fn commit_import(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteOwnCollection>,
    import: web::Path<Uuid>,
    OptionalBody(body): OptionalBody<CommitRequest>,
) -> Result<HttpResponse, Problem> {
    let (id, only_ok) = (CollectionImportId(*import), body.value.only_ok);
    let body = collection_imports::commit(&state, &by, caller.viewer(), id, only_ok).await?;
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(body))
}

/// The format of the file.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// For spreadsheets and other programs.
    #[default]
    Csv,
    /// For programs.
    Json,
}

/// What to export.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExportQuery {
    /// `csv` (the default) or `json`.
    #[serde(default)]
    #[param(inline, value_type = Option<ExportFormat>, example = "csv")]
    format: ExportFormat,
    /// Only cards of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
}

/// Exports your collection as a file, which `POST /v1/collection/imports` restores exactly.
///
/// Cards that are hidden from you have no name and no rarity in it. The file does not contain registered copies.
#[utoipa::path(
    get, path = "/v1/collection/export", tag = "collection", security(("bearer" = [])), params(ExportQuery),
    responses((status = 200, content(
        (String = "text/csv", example = "Count,Name,Game,Set,Collector Number,Rarity,Condition,Printing ID\r\n\
            4,Kettle Imp,ttcg,hearth,016,common,near_mint,01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11\r\n"),
        (ExportedCollection = "application/json"),
    ), headers(("Content-Disposition" = String, description = "File name under which to store it"))))
)]
pub async fn export_collection(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCollection>,
    query: LooseParams<ExportQuery>,
) -> Result<HttpResponse, Problem> {
    let check =
        async |query: &ExportQuery| Codes::of_game(query.game.clone()).resolve(&state).await;
    let (query, codes) = query.checked(check).await?;
    let viewer = caller.viewer();
    let exported = collection_export::export(&state, &by, viewer, codes.game.as_ref()).await?;
    let (name, media_type, body) = match query.format {
        ExportFormat::Csv => ("collection.csv", "text/csv; charset=utf-8", exported.to_csv()?),
        ExportFormat::Json => ("collection.json", "application/json", exported.to_json()?),
    };
    let disposition = format!("attachment; filename=\"{name}\"");
    Ok(HttpResponse::Ok()
        .content_type(media_type)
        .insert_header((header::CONTENT_DISPOSITION, disposition))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(body))
}
