//! Events of the caller's account (submissions, copies, trades, disputes and designs), as pages and as a stream.

use std::time::Duration;

use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use tokio::sync::mpsc;
use utoipa::IntoParams;

use crate::app::accounts::account_events::{self, AccountEventsResponse, EventStream, Streamed};
use crate::app::page::PageLimit;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnEvents;
use crate::http::extract::{May, Params, StreamPermission, cacheable};
use crate::http::sse;
use crate::memory::event_watch::StreamEnd;
use crate::memory::rendered::Freshness;

/// A stream ends when its client takes no data for this long.
const MAX_WAIT: Duration = Duration::from_mins(1);
/// How long the stream waits until the client has taken the final message.
const MAX_FINAL_WAIT: Duration = Duration::from_secs(2);

/// Which part of the events.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AccountEventsQuery {
    /// List the events after this number: `next_after` of the previous answer. Without it, the list begins with the oldest event that is kept.
    #[param(minimum = 0, example = 0)]
    after: Option<u64>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
}

/// Lists what happened to your account after a number.
///
/// Send the next request with `after` set to `next_after`. No event is left out and none is listed twice, across restarts and instances. Events are
/// kept for 90 days: if the events after your number were deleted, the answer is 410; then begin again without `after`. A personal access token needs
/// `events:read`.
#[utoipa::path(
    get, path = "/v1/me/events", tag = "accounts", security(("bearer" = [])), params(AccountEventsQuery),
    responses(
        (status = 200, body = AccountEventsResponse),
        (status = 304, description = "Not changed."),
        (status = 410, description = "`gone`: the events after this number are no longer kept, or the number was never used. Begin again without `after`."),
    )
)]
pub async fn list_account_events(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnEvents>,
    query: Params<AccountEventsQuery>,
) -> Result<HttpResponse, Problem> {
    let page = account_events::list(&state, &by, query.after, query.limit).await?;
    cacheable(&req, Freshness::Private, None, &page)
}

/// Where a stream begins.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AccountStreamQuery {
    /// Send the events after this number. Without it, the stream begins with new events. The `Last-Event-ID` of a client that reconnects takes
    /// precedence.
    #[param(minimum = 0, example = 0)]
    after: Option<u64>,
}

/// Streams what happens to your account, as server-sent events.
///
/// The id of each event is its number: a client that reconnects with `Last-Event-ID`, to any instance, misses no event and gets none twice. A comment
/// at the beginning, and every 15 seconds without an event, shows that the stream is open. It has an `id` without data, which is no event: the number
/// up to which the stream has sent everything, from which a client continues when it reconnects.
///
/// The stream ends with its token: when the token expires, and within two seconds when the session or token is ended, the password or the role
/// changes or the account is banned. The last event is then `end`, without an id, with the reason: `{"reason": "logged_out"}`. Reasons are `expired`,
/// `logged_out`, `revoked`, `password_changed`, `recovered`, `refresh_reused`, `role_changed`, `banned`, `password_change_due`,
/// `second_factor_changed`, `second_factor_due`; `shutdown` (connect again at once) and `unavailable` (connect again soon). A client that reads
/// nothing for a minute is disconnected.
#[utoipa::path(
    get, path = "/v1/me/events/stream", tag = "accounts", security(("bearer" = [])),
    params(AccountStreamQuery, ("Last-Event-ID" = Option<u64>, Header, description = "The last `id` that the client received")),
    responses(
        (status = 200, description = "The events, until the token ends.", content((String = "text/event-stream",
            example = "id: 17\nevent: trade.offered\ndata: {\"seq\":17,\"kind\":\"trade.offered\",\"trade\":{\"id\":\"01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11\",\"href\":\"/v1/trades/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11\"},\"at\":\"2026-11-21T08:50:41.563424Z\"}\n\nevent: end\ndata: {\"reason\":\"expired\"}\n\n"))),
        (status = 410, description = "`gone`: the events after this number are no longer kept, or the number was never used."),
        (status = 429, description = "`too_many_streams`: the account already has 10 open streams on this instance."),
        (status = 503, description = "`unavailable`: this instance already has the largest number of streams that it can serve."),
    )
)]
pub async fn stream_account_events(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: StreamPermission<ReadOwnEvents>,
    query: Params<AccountStreamQuery>,
) -> Result<HttpResponse, Problem> {
    let after = sse::last_event_id(&req)?.or(query.after);
    let StreamPermission { granted, until } = by;
    let stream = account_events::open_stream(&state, &granted, until, after).await?;
    let (send, receive) = mpsc::channel(1);
    actix_web::rt::spawn(feed(stream, send));
    let body = futures_util::stream::unfold(receive, |mut receive| async {
        let bytes: Bytes = receive.recv().await?;
        Some((bytes, receive))
    });
    Ok(sse::respond(body))
}

/// Passes the events of a stream to the client one by one, until the stream ends or the client disconnects. A client
/// that does not read cannot prevent the end: it has one event in memory, and its place no longer than other clients.
async fn feed(mut stream: EventStream, client: mpsc::Sender<Bytes>) {
    let mut bytes = sse::hello(stream.reached());
    loop {
        let sent = tokio::select! {
            biased;
            sent = tokio::time::timeout(MAX_WAIT, client.send(bytes)) => sent,
            end = stream.wait_for_end() => return say_end(&stream, end, &client).await,
        };
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
        let next = tokio::select! {
            next = stream.next() => next,
            () = client.closed() => return,
        };
        match next {
            Ok(streamed) => bytes = written(&streamed, stream.reached()),
            Err(end) => return say_end(&stream, end, &client).await,
        }
    }
}

/// A step of a stream as server-sent events. `reached`: the number that the stream has reached with it.
fn written(streamed: &Streamed, reached: i64) -> Bytes {
    match streamed {
        Streamed::Silence => sse::alive(reached),
        Streamed::Events(events) => {
            let mut text = String::new();
            for event in events {
                sse::write_event(&mut text, Some(event.seq), &event.kind, event);
            }
            text.into()
        }
    }
}

/// Sends the reason why the stream ends, if the client still reads.
async fn say_end(stream: &EventStream, end: StreamEnd, client: &mpsc::Sender<Bytes>) {
    stream.record_end(end);
    let mut last = String::new();
    sse::write_event(&mut last, None, "end", &serde_json::json!({ "reason": end.as_str() }));
    let _ = tokio::time::timeout(MAX_FINAL_WAIT, client.send(last.into())).await;
}
