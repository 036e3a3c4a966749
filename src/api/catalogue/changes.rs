//! The change feed: what happened to the catalogue, from any number on, as pages and as a stream.

use std::time::Duration;

use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::Stream;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::catalogue::changes::ChangeResponse;
use crate::app::catalogue::codes::Codes;
use crate::app::page::PageLimit;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::http::extract::{ClientNetwork, Params, cacheable};
use crate::http::sse;
use crate::memory::rendered::Freshness;
use crate::store::StoreResult;
use crate::store::catalogue::changes;

use crate::memory::catalogue::change_watch::Watcher;

/// A silent stream says that it lives this often.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Most events that a stream reads at once.
const CHUNK: i64 = 500;

/// A stretch of the feed.
#[derive(Serialize, ToSchema)]
pub struct ChangesResponse {
    /// What happened, the oldest first.
    pub data: Vec<ChangeResponse>,
    /// Everything up to this number is known now: `after` of the next request.
    #[schema(example = 174, minimum = 0)]
    pub next_after: i64,
    /// The newest number that there is. When `next_after` has reached it, there is no more for now.
    #[schema(example = 174, minimum = 0)]
    pub newest: i64,
}

/// Which part of the feed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ChangesQuery {
    /// What you know already: the last `next_after`, or 0.
    #[serde(default)]
    #[param(minimum = 0, default = 0, example = 0)]
    after: u64,
    /// Only what happened to this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
}

/// Lists what happened to the catalogue after a number.
///
/// For those who keep a copy: read on from `next_after`, fetch anew what is named. No event is left out and none comes twice, across
/// restarts and instances. Events are kept for 90 days: if the events after your number are gone, the answer is 410; then
/// load the bulk files. Of hidden cards the feed tells only what everybody may know: that they exist, and that they are unlocked.
#[utoipa::path(
    get, path = "/v1/changes", tag = "catalogue", params(ChangesQuery),
    responses(
        (status = 200, body = ChangesResponse),
        (status = 304, description = "Not changed."),
        (status = 410, description = "`gone`: the feed does not go back that far, or does not know that number. Begin again."),
    )
)]
pub async fn list_changes(
    req: HttpRequest,
    state: web::Data<AppState>,
    query: Params<ChangesQuery>,
) -> Result<HttpResponse, Problem> {
    let extent = changes::extent(&state.store).await?;
    let after = known(query.after).filter(|after| extent.continues(*after)).ok_or_else(gone)?;
    let codes = Codes { game: query.game.clone(), ..Codes::default() }.known(&state).await?;
    let mut conn = state.store.connection().await?;
    let wanted = query.limit.rows();
    let mut rows = changes::list(&mut conn, after, codes.game.as_deref(), wanted).await?;
    // One more than fits on the page was asked for.
    let more = i64::try_from(rows.len()).unwrap_or(i64::MAX) == wanted;
    if more {
        rows.pop();
    }
    let next_after = match rows.last() {
        Some(last) if more => last.seq,
        // What came after the extent was read belongs to the next page.
        _ => extent.newest.max(rows.last().map_or(0, |last| last.seq)),
    };
    let newest = extent.newest.max(next_after);
    let data = rows.into_iter().map(Into::into).collect();
    cacheable(&req, Freshness::Public(1), None, &ChangesResponse { data, next_after, newest })
}

/// Where a stream begins.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StreamQuery {
    /// The number after which to begin; without it, what happens from now on. The `Last-Event-ID` of a reconnecting client goes first.
    #[param(minimum = 0, example = 0)]
    after: Option<u64>,
    /// Only what happened to this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
}

/// Streams what happens to the catalogue, as server-sent events.
///
/// The id of each event is its number: a client that reconnects with `Last-Event-ID` misses nothing and gets nothing twice. A comment
/// every 15 seconds shows that the stream lives. It ends when the instance stops.
#[utoipa::path(
    get, path = "/v1/changes/stream", tag = "catalogue",
    params(StreamQuery, ("Last-Event-ID" = Option<u64>, Header, description = "Number of the last event that was received")),
    responses(
        (status = 200, description = "Events without end.", content((String = "text/event-stream",
            example = "id: 174\\nevent: card.unlocked\\ndata: {\"seq\":174,\"kind\":\"card.unlocked\",\"game\":\"ttcg\"}\\n\\n"))),
        (status = 410, description = "`gone`: the feed does not go back that far, or does not know that number."),
        (status = 429, description = "`too_many_streams`: your network holds as many as it may."),
    )
)]
pub async fn stream_changes(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
    query: Params<StreamQuery>,
) -> Result<HttpResponse, Problem> {
    let last = sse::last_event_id(&req)?.or(query.after);
    let codes = Codes { game: query.game.clone(), ..Codes::default() }.known(&state).await?;
    let extent = changes::extent(&state.store).await?;
    let after = match last {
        None => extent.newest,
        Some(last) => known(last).filter(|after| extent.continues(*after)).ok_or_else(gone)?,
    };
    let too_many = || Problem::new(ProblemCode::TooManyStreams).retry_after(30);
    let watcher = state.changes.subscribe(&state.store, network.0).ok_or_else(too_many)?;
    let game = codes.game.map(Code::into_string);
    let reader = Reader { state, watcher, game, after, failed: false };
    Ok(sse::respond(events(reader)))
}

fn gone() -> Problem {
    Problem::new(ProblemCode::Gone)
        .detail("The feed does not continue from this number: read the catalogue anew.")
}

/// A number of the feed; `None`: none that it can ever have.
pub(in crate::api) fn known(seq: u64) -> Option<i64> {
    i64::try_from(seq).ok()
}

/// One client of the stream.
struct Reader {
    state: web::Data<AppState>,
    watcher: Watcher,
    game: Option<String>,
    /// Everything up to here was sent.
    after: i64,
    failed: bool,
}

impl Reader {
    /// What to send next; `None`: it is over.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.state.is_draining() || self.failed {
                return None;
            }
            if self.watcher.newest() > self.after {
                // The client comes back with the number it has; that is better than a stream that lies.
                let Ok(text) = self.read().await else { return None };
                if text.is_empty() {
                    continue;
                }
                return Some(text.into());
            }
            match tokio::time::timeout(HEARTBEAT, self.watcher.changed()).await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(_) => return Some(sse::ALIVE),
            }
        }
    }

    async fn read(&mut self) -> StoreResult<String> {
        let newest = self.watcher.newest();
        let mut conn = self.state.store.connection().await?;
        let rows = changes::list(&mut conn, self.after, self.game.as_deref(), CHUNK).await?;
        drop(conn);
        let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) == CHUNK;
        let last = rows.last().map_or(self.after, |row| row.seq);
        self.after = if full { last } else { newest.max(last) };
        let mut text = String::new();
        for row in rows {
            let change = ChangeResponse::from(row);
            sse::write_event(&mut text, Some(change.seq), &change.kind, &change);
        }
        Ok(text)
    }
}

fn events(reader: Reader) -> impl Stream<Item = Bytes> {
    let hello = futures_util::stream::once(async { sse::HELLO });
    let rest = futures_util::stream::unfold(reader, |mut reader| async move {
        let bytes = reader.next().await?;
        Some((bytes, reader))
    });
    futures_util::StreamExt::chain(hello, rest)
}
