//! Deck lists: storing, reading and changing them.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use cardscape_engine::{TextEncoding, parse_deck_text};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::catalogue::codes::Codes;
use crate::app::decks::deck_input::DeckDialectWord;
use crate::app::decks::deck_lists::{
    self, DeckFoldersResponse, DeckListRequest, OwnDeckConditions,
};
use crate::app::decks::deck_requests::DeckRequest;
use crate::app::decks::deck_responses::{DeckResponse, DeckSummaryResponse, VersionedDeck};
use crate::app::decks::deck_writes;
use crate::app::decks::own_decks::OwnDeckCursor;
use crate::app::fault_reason::FaultReason;
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem, both};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::app::words::Word as _;
use crate::auth::permission::{ReadOwnDecks, WriteOwnDecks};
use crate::domain::code::Code;
use crate::domain::decks::deck::{DeckName, FormatName};
use crate::domain::decks::details::{
    DeckDescription, DeckFolder, DeckTag, DeckVisibility, MAX_TAGS,
};
use crate::domain::decks::own::OwnDeckSort;
use crate::domain::ids::DeckId;
use crate::http::extract::{
    AnswerForm, Caller, ClientNetwork, IdempotencyKey, Judge, ListBody, ListUpload, LooseParams,
    May, cacheable,
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
    /// Only decks in this folder.
    #[param(example = "Friday", max_length = 100)]
    folder: Option<String>,
    /// Only decks with this tag.
    #[param(example = "aggro", max_length = 30)]
    tag: Option<String>,
    /// Only decks of this format: `game/format`, or `game/format:variant`. A format without a variant is the same as its default variant.
    #[param(example = "ttcg/standard")]
    format: Option<String>,
    /// Only decks with this visibility; of deleted decks, the one before the deletion.
    #[param(inline, value_type = Option<DeckVisibility>)]
    visibility: Option<String>,
    /// Only decks whose name contains this text: 1 to 100 characters. Case does not matter.
    #[param(example = "embers", min_length = 1, max_length = 100)]
    name: Option<String>,
    /// `true`: your deleted decks instead of the others.
    #[serde(default)]
    #[param(default = false)]
    deleted: bool,
    /// Order of the list; `created` if absent. If a deck is changed while you read the list by the changed value, it can be on two pages, or on none.
    #[serde(default)]
    #[param(inline, value_type = Option<OwnDeckSort>)]
    sort: OwnDeckSort,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page, in the same order.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists your decks, by default the last created first.
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
        let codes = both(read_conditions(query), codes.resolve(&state).await);
        both(OwnDeckCursor::read(query.cursor.as_ref()), codes)
    };
    let (query, (cursor, (conditions, codes))) = query.checked(check).await?;
    let after = cursor.map(|cursor| cursor.position(query.sort)).transpose()?;
    let DecksQuery { deleted, sort, limit, .. } = query;
    let request = DeckListRequest { codes: &codes, conditions, deleted, sort, after, limit };
    let page = deck_lists::list(&state, &by, &request).await?;
    page.answer(&req, Freshness::Private)
}

/// The conditions of a query besides the game, or all that is wrong with them.
fn read_conditions(query: &DecksQuery) -> Result<OwnDeckConditions, Problem> {
    let mut faults = Vec::new();
    let conditions = OwnDeckConditions {
        folder: sound(
            &mut faults,
            "?folder",
            query.folder.as_deref().map(DeckFolder::parse_filter),
        ),
        tag: sound(&mut faults, "?tag", query.tag.as_deref().map(DeckTag::parse_filter)),
        format: sound(&mut faults, "?format", query.format.as_deref().map(FormatName::parse)),
        visibility: sound(
            &mut faults,
            "?visibility",
            query.visibility.as_deref().map(DeckVisibility::read),
        ),
        name: sound(&mut faults, "?name", query.name.as_deref().map(DeckName::parse_filter)),
    };
    if faults.is_empty() { Ok(conditions) } else { Err(Problem::of_query(faults)) }
}

/// The value of a parameter, if it has one; otherwise its fault is added.
fn sound<T, E: Into<FaultReason>>(
    faults: &mut Vec<InputFault>,
    parameter: &str,
    value: Option<Result<T, E>>,
) -> Option<T> {
    value?.map_err(|error| faults.push(InputFault::at(parameter, error))).ok()
}

/// The values that accompany a list that is sent as text.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UploadedDeckQuery {
    /// For a list as the body: name of the deck, 1 to 100 characters; absent: the name that the list states, cut after 100 characters; if it states none, a new deck
    /// is called `Deck`, and a replaced deck keeps its name. A line above a share code names only a new deck, unless it is a comment `// name: …`.
    #[param(min_length = 1, max_length = 100)]
    name: Option<String>,
    /// For a list as the body: format of the deck. It may only be absent if the list states its format.
    format: Option<String>,
    /// For a list as the body: who may read the deck. Absent: a new deck is `private`, and nothing changes for a replaced deck.
    #[param(inline, value_type = Option<DeckVisibility>)]
    visibility: Option<String>,
    /// For a list as the body: folder of the deck, 1 to 100 characters. Only you see it. Absent: a new deck is in no folder, and a replaced deck stays in its folder.
    #[param(min_length = 1, max_length = 100)]
    folder: Option<String>,
    /// For a list as the body: dialect of the list; absent: the dialect is recognised.
    #[param(inline, value_type = Option<DeckDialectWord>)]
    dialect: Option<String>,
}

impl ListUpload for DeckRequest {
    type Query = UploadedDeckQuery;

    fn of_list(
        query: UploadedDeckQuery,
        list: String,
        encoding: TextEncoding,
    ) -> Result<Self, Problem> {
        // A file that was lost on the way must not empty a deck.
        if list.trim_start_matches('\u{feff}').trim().is_empty() {
            let detail = "must not be empty: an empty deck is sent as JSON, with \"entries\": []";
            return Err(Problem::invalid(vec![InputFault::at("/list", detail)]));
        }
        let format = query.format.or_else(|| parse_deck_text(&list).notes.remove("format"));
        let format = format.ok_or_else(|| {
            let detail = "is needed, because the list does not say its format";
            Problem::of_query(vec![InputFault::at("?format", detail)])
        })?;
        Ok(Self {
            // Without a name here, the deck gets the one that the list states.
            name: query.name,
            format,
            visibility: query.visibility,
            description: None,
            tags: Vec::new(),
            folder: query.folder,
            entries: None,
            list: Some(list),
            dialect: query.dialect,
            encoding,
            default_name: Some("Deck".to_owned()),
            replaced_name: None,
        })
    }
}

/// Stores a deck.
///
/// Any list can be stored, also an unfinished or illegal one: `GET /v1/decks/{deck}/report` shows what is wrong with it. The body is JSON, or the
/// list itself, in UTF-8, UTF-16 or Windows-1252: as `text/plain`, as a table or as a file. Its dialect and encoding are recognised, whatever its media type is.
#[utoipa::path(
    post, path = "/v1/decks", tag = "decks", security(("bearer" = [])),
    request_body(content((DeckRequest = "application/json"), (String = "text/plain", example = "// format: ttcg/standard\n2 Kettle Imp\n1 Bellows Smith\n"),
        (String = "text/csv", example = "Quantity,Name\n2,Kettle Imp\n1,Bellows Smith\n"),
        (String = "text/tab-separated-values", example = "Quantity\tName\n2\tKettle Imp\n1\tBellows Smith\n"),
        (String = "application/octet-stream", example = "2 Kettle Imp\n1 Bellows Smith\n"))),
    params(UploadedDeckQuery, ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 201, body = DeckResponse, headers(
            ("Location" = String, description = "The deck"),
            ("ETag" = String, description = "Its version, for `If-Match`"),
        )),
        (status = 409, description = "`too_many_decks`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request was sent before, and the deck that it created was deleted."),
        (status = 422, description = "`invalid_body`, `unreadable_deck_list`, `unknown_format`, `idempotency_key_reused`"),
    )
)]
pub async fn create_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    caller: Caller,
    network: ClientNetwork,
    key: IdempotencyKey,
    request: ListBody<DeckRequest>,
) -> Result<HttpResponse, Problem> {
    let (is_list, body) = (request.is_list(), request.body);
    let key = key.claim(&state, by.account(), "create_deck", &body);
    let requester = (caller.viewer(), network.0);
    let stored = deck_writes::create(&state, &by, requester, body.value, key.as_ref()).await;
    Ok(created(stored.map_err(|problem| ListBody::<DeckRequest>::problem(is_list, problem))?))
}

/// The answer to a request that has stored a deck.
pub(super) fn created(VersionedDeck { version, deck, .. }: VersionedDeck) -> HttpResponse {
    HttpResponse::Created()
        .insert_header((header::LOCATION, format!("/v1/decks/{}", deck.summary.id)))
        .insert_header(version.header())
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(deck)
}

/// The answer to a request that has changed a deck.
pub(super) fn changed(VersionedDeck { version, deck, .. }: VersionedDeck) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(version.header())
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        .json(deck)
}

/// Shows a deck.
///
/// The deck must be public, unlisted or yours. With `Accept: text/plain` the answer is a text with one entry in each line, which the field `list`
/// accepts. Cards that are hidden from you have a set and a number in it, but no name.
#[utoipa::path(
    get, path = "/v1/decks/{deck}", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, content((DeckResponse = "application/json"), (String = "text/plain", example = "2 Kettle Imp\n")),
            headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_deck(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    form: AnswerForm,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (reads, id) = (caller.may(), DeckId(*deck));
    let reader = (caller.viewer(), reads.as_ref());
    let answer = match form {
        AnswerForm::Text => {
            let (version, seen, text) = deck_lists::find_text(&state, reader, id).await?;
            version.answer_text(&req, &seen, text)
        }
        AnswerForm::Json => {
            let found = deck_lists::find(&state, reader, id).await?;
            found.version.answer_counted(&req, Freshness::Private, &found.counts, &found.deck)?
        }
    };
    Ok(form.vary_by_accept(answer))
}

/// Replaces one of your decks.
///
/// If nothing changes, there is no new version: the answer is the deck as it is, with the same `ETag`. Entries that are sent as they were read, as JSON or as
/// text, are no change: those that are stored without a name, or with an old number of their card, stay so. The body is JSON, or the list itself, as in
/// `POST /v1/decks`. A list as the body does not change what it cannot state: description, tags and the named copies of unchanged entries. It must not be
/// empty: a deck is emptied by JSON with `entries: []`. JSON replaces the folder, too, so with JSON the `ETag` of the text form does not name a deck in a folder:
/// send that of the JSON form.
#[utoipa::path(
    put, path = "/v1/decks/{deck}", tag = "decks", security(("bearer" = [])),
    request_body(content((DeckRequest = "application/json"), (String = "text/plain", example = "// format: ttcg/standard\n2 Kettle Imp\n1 Bellows Smith\n"),
        (String = "text/csv", example = "Quantity,Name\n2,Kettle Imp\n1,Bellows Smith\n"),
        (String = "text/tab-separated-values", example = "Quantity\tName\n2\tKettle Imp\n1\tBellows Smith\n"),
        (String = "application/octet-stream", example = "2 Kettle Imp\n1 Bellows Smith\n"))),
    params(
        UploadedDeckQuery,
        ("deck" = Uuid, Path, description = "Id of the deck"),
        ("If-Match" = String, Header, description = "ETag of the version to replace", example = "\"r1\""),
    ),
    responses(
        (status = 200, body = DeckResponse, headers(("ETag" = String, description = "Its version now"))),
        (status = 409, description = "`deck_taken_down`: a moderator took the deck down, or the deck of which it is an unchanged copy, so it stays private."),
        (status = 412, description = "`precondition_failed`: since that version, the deck was changed, or a moderator took it down or ended the takedown; nothing is overwritten."),
        (status = 422, description = "`invalid_body`, `unreadable_deck_list`, `unknown_format`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    if_match: Result<IfMatch, Problem>,
    request: ListBody<DeckRequest>,
) -> Result<HttpResponse, Problem> {
    let (requester, id, if_match) = ((caller.viewer(), network.0), DeckId(*deck), if_match?);
    let (is_list, request) = (request.is_list(), request.body.value);
    let replaced = if is_list {
        deck_writes::replace_by_upload(&state, &by, requester, id, &if_match, request).await
    } else {
        deck_writes::replace(&state, &by, requester, id, &if_match, request).await
    };
    Ok(changed(replaced.map_err(|problem| ListBody::<DeckRequest>::problem(is_list, problem))?))
}

/// Lists the folders of your decks by name, with the number of decks in each.
#[utoipa::path(
    get, path = "/v1/deck-folders", tag = "decks", security(("bearer" = [])),
    responses((status = 200, body = DeckFoldersResponse), (status = 304, description = "Not changed."))
)]
pub async fn list_deck_folders(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDecks>,
) -> Result<HttpResponse, Problem> {
    cacheable(&req, Freshness::Private, None, &deck_lists::list_folders(&state, &by).await?)
}

/// What the games decide is left to the use case.
impl Judge for DeckRequest {
    fn judge(&self) -> Result<(), Problem> {
        let name = self.name.as_deref().and_then(|name| DeckName::parse(name).err());
        let name = name.map(|error| InputFault::at("/name", error));
        let format = FormatName::parse(&self.format).err();
        let format = format.map(|error| InputFault::at("/format", error));
        let description = self.description.as_deref().map(DeckDescription::parse);
        let description = description.and_then(Result::err);
        let description = description.map(|error| InputFault::at("/description", error));
        let folder = self.folder.as_deref().map(DeckFolder::parse).and_then(Result::err);
        let folder = folder.map(|error| InputFault::at("/folder", error));
        let tags = self.tags.iter().take(MAX_TAGS).enumerate().filter_map(|(at, tag)| {
            let error = DeckTag::parse(tag).err()?;
            Some(InputFault::at(format!("/tags/{at}"), error))
        });
        let of_texts = name.into_iter().chain(format).chain(description).chain(folder);
        let faults: Vec<InputFault> = of_texts.chain(tags).collect();
        if faults.is_empty() { Ok(()) } else { Err(Problem::invalid(faults)) }
    }
}
