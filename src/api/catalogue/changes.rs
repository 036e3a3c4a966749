//! The change feed: events of the catalogue from any sequence number on, as pages and as a stream.

use std::time::Duration;

use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::Stream;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::catalogue::changes::{self, ChangesResponse, FeedStep, Follower};
use crate::app::catalogue::codes::Codes;
use crate::app::page::PageLimit;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::http::extract::{ClientNetwork, LooseParams, cacheable};
use crate::http::sse;
use crate::memory::rendered::Freshness;

/// How often a stream without changes sends a comment.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Which part of the feed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ChangesQuery {
    /// List the events after this number: `next_after` of the previous answer, or 0.
    #[serde(default)]
    #[param(minimum = 0, default = 0, example = 0)]
    after: u64,
    /// Only events of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
}

/// Lists what happened to the catalogue after a number.
///
/// For programs that keep a copy of the catalogue: fetch again what an event names, and send the next request with `after` set to `next_after`. No
/// event is left out and none is listed twice, across restarts and instances. Events are kept for 90 days: if the events after your number were
/// deleted, the answer is 410; then load the bulk files. Of hidden cards, the feed only reports that they exist, that their number changed, and that
/// they are unlocked.
#[utoipa::path(
    get, path = "/v1/changes", tag = "catalogue", params(ChangesQuery),
    responses(
        (status = 200, body = ChangesResponse),
        (status = 304, description = "Not changed."),
        (status = 410, description = "`gone`: the events after this number are no longer kept, or the number was never used. Load the bulk files."),
    )
)]
pub async fn list_changes(
    req: HttpRequest,
    state: web::Data<AppState>,
    query: LooseParams<ChangesQuery>,
) -> Result<HttpResponse, Problem> {
    let check =
        async |query: &ChangesQuery| Codes::of_game(query.game.clone()).resolve(&state).await;
    let (query, codes) = query.checked(check).await?;
    let changes = changes::list(&state, query.after, codes.game, query.limit).await?;
    cacheable(&req, Freshness::Public(1), None, &changes)
}

/// Where a stream begins.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StreamQuery {
    /// Send the events after this number. Without it, the stream begins with new events. The `Last-Event-ID` of a client that reconnects takes
    /// precedence.
    #[param(minimum = 0, example = 0)]
    after: Option<u64>,
    /// Only events of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
}

/// Streams what happens to the catalogue, as server-sent events.
///
/// The id of each event is its number: a client that reconnects with `Last-Event-ID` misses no event and gets none twice. A comment at the beginning,
/// and every 15 seconds without an event, shows that the stream is open. It has an `id` without data, which is no event: the number up to which the
/// stream has sent everything, from which a client continues when it reconnects. The stream ends when the instance stops or its database does not answer.
#[utoipa::path(
    get, path = "/v1/changes/stream", tag = "catalogue",
    params(StreamQuery, ("Last-Event-ID" = Option<u64>, Header, description = "The last `id` that the client received")),
    responses(
        (status = 200, description = "The events, without end.", content((String = "text/event-stream",
            example = "id: 174\nevent: card.unlocked\ndata: {\"seq\":174,\"kind\":\"card.unlocked\",\"game\":\"ttcg\"}\n\n"))),
        (status = 410, description = "`gone`: the events after this number are no longer kept, or the number was never used."),
        (status = 429, description = "`too_many_streams`: your network already has the largest allowed number of open streams."),
    )
)]
pub async fn stream_changes(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
    query: LooseParams<StreamQuery>,
) -> Result<HttpResponse, Problem> {
    let check =
        async |query: &StreamQuery| Codes::of_game(query.game.clone()).resolve(&state).await;
    let (query, codes) = query.checked(check).await?;
    let last = sse::last_event_id(&req)?.or(query.after);
    let follower = changes::follow(&state, network.0, last, codes.game).await?;
    Ok(sse::respond(events(follower)))
}

fn events(follower: Follower) -> impl Stream<Item = Bytes> {
    let hello = sse::hello(follower.reached());
    let hello = futures_util::stream::once(async move { hello });
    let rest = futures_util::stream::unfold(follower, |mut follower| async move {
        let bytes = match follower.next(HEARTBEAT).await? {
            FeedStep::Silence => sse::alive(follower.reached()),
            FeedStep::Changes(changes) => {
                let mut text = String::new();
                for change in changes {
                    sse::write_event(&mut text, Some(change.seq), &change.kind, &change);
                }
                text.into()
            }
        };
        Some((bytes, follower))
    });
    futures_util::StreamExt::chain(hello, rest)
}
