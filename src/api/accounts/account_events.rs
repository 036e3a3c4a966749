//! What happens to the own account: to submissions, copies, trades and disputes, as pages and as a stream.
//!
//! Events hold ids and places, never what is on a card: that is behind the links, for whom may see it.

use std::time::Duration;

use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::catalogue::changes::known;
use crate::app::page::PageLimit;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::ending::CredentialEnd;
use crate::auth::permission::ReadOwnEvents;
use crate::http::extract::{Lasting, May, Params, cacheable};
use crate::http::sse;
use crate::memory::places::NoPlace;
use crate::memory::rendered::Freshness;
use crate::store::StoreResult;
use crate::store::accounts::account_events::{self, EventRow};
use crate::store::accounts::credentials;

use crate::memory::event_watch::{StreamEnd, TRUST, Watcher};

/// A silent stream says that it lives this often.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Most events that a stream reads at once, and holds while its client is slow.
const CHUNK: i64 = 100;
/// A read that failed is tried again after so long.
const AGAIN: Duration = Duration::from_millis(250);
/// A client that takes nothing for so long is given up.
const PATIENCE: Duration = Duration::from_mins(1);
/// A client that does not take the reason of the end for so long does without.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Something of one's own that an event is about.
#[derive(Serialize, ToSchema)]
pub struct EventSubject {
    /// Id.
    pub id: Uuid,
    /// Where it is.
    #[schema(example = "/v1/copies/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub href: String,
}

impl EventSubject {
    fn under(path: &str, id: Uuid) -> Self {
        Self { id, href: format!("{path}/{id}") }
    }
}

/// The card that an event is about: its place, which is no secret.
#[derive(Serialize, ToSchema)]
pub struct EventCard {
    /// Id.
    pub id: Uuid,
    /// Code of its game.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ttcg")]
    pub game: Option<String>,
    /// Code of its set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "veil")]
    pub set: Option<String>,
    /// Its number in the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "001")]
    pub number: Option<String>,
    /// Where the card is, for whom may see it.
    #[schema(example = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub href: String,
}

/// Something that happened to the account.
#[derive(Serialize, ToSchema)]
pub struct AccountEventResponse {
    /// Its place among the events of the account, from 1, without gaps.
    #[schema(example = 17, minimum = 1)]
    pub seq: i64,
    /// `submission.accepted` (the copy is registered to you), `submission.held` (it is, and a moderator must confirm it before it counts),
    /// `submission.confirmed`, `submission.refused` (by a moderator); `card.unlocked` (one that you had submitted); `trade.offered` (to
    /// you), `trade.countered` (an offer of yours: `trade` is the answer), `trade.accepted`, `trade.declined`, `trade.cancelled`,
    /// `trade.lapsed`, `trade.expired` (whichever side you are on); `copy.received`, `copy.given` (by a trade), `copy.frozen`,
    /// `copy.unfrozen`, `copy.voided` (by a moderator); `dispute.opened` (about a copy of yours), `dispute.decided`, `dispute.closed`
    /// (whichever side you are on). More may come.
    #[schema(example = "submission.accepted")]
    pub kind: String,
    /// The submission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission: Option<EventSubject>,
    /// The copy; of a dispute only if it is yours, or was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<EventSubject>,
    /// The card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<EventCard>,
    /// The trade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trade: Option<EventSubject>,
    /// The dispute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispute: Option<EventSubject>,
    /// What a dispute came to: `for_owner`, `for_claimant`, `withdrawn`, `settled` or `voided`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// When.
    pub at: DateTime<Utc>,
}

impl From<EventRow> for AccountEventResponse {
    fn from(row: EventRow) -> Self {
        fn subject<I: Into<Uuid>>(path: &str, id: Option<I>) -> Option<EventSubject> {
            id.map(|id| EventSubject::under(path, id.into()))
        }
        let card = row.card_id.map(|id| EventCard {
            id: id.0,
            game: row.game_code,
            set: row.set_code,
            number: row.number,
            href: format!("/v1/cards/{id}"),
        });
        Self {
            seq: row.seq,
            kind: row.kind,
            submission: subject("/v1/submissions", row.submission_id),
            copy: subject("/v1/copies", row.copy_id),
            card,
            trade: subject("/v1/trades", row.trade_id),
            dispute: subject("/v1/disputes", row.dispute_id),
            outcome: row.outcome,
            at: row.created_at,
        }
    }
}

/// A stretch of what happened to the account.
#[derive(Serialize, ToSchema)]
pub struct AccountEventsResponse {
    /// What happened, the oldest first.
    pub data: Vec<AccountEventResponse>,
    /// Everything up to this number is known now: `after` of the next request.
    #[schema(example = 17, minimum = 0)]
    pub next_after: i64,
    /// The newest number that there is. When `next_after` has reached it, there is no more for now.
    #[schema(example = 17, minimum = 0)]
    pub newest: i64,
}

/// Which part of the events.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AccountEventsQuery {
    /// The number after which to begin: the last `next_after`. Without it the list begins with the oldest event that is kept.
    #[param(minimum = 0, example = 0)]
    after: Option<u64>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
}

/// Lists what happened to your account after a number.
///
/// Read on from `next_after`. No event is left out and none comes twice, across restarts and instances. Events are kept for 90 days: if the
/// events after your number are gone, the answer is 410, and you begin again without `after`. A personal access token needs `events:read`.
#[utoipa::path(
    get, path = "/v1/me/events", tag = "accounts", security(("bearer" = [])), params(AccountEventsQuery),
    responses(
        (status = 200, body = AccountEventsResponse),
        (status = 304, description = "Not changed."),
        (status = 410, description = "`gone`: the events do not go back that far, or do not know that number. Begin again."),
    )
)]
pub async fn list_account_events(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnEvents>,
    query: Params<AccountEventsQuery>,
) -> Result<HttpResponse, Problem> {
    let extent = account_events::extent(&state.store, &by, state.clock.now()).await?;
    let after = match query.after {
        None => extent.oldest - 1,
        Some(after) => known(after).filter(|after| extent.continues(*after)).ok_or_else(gone)?,
    };
    let wanted = query.limit.rows();
    let mut conn = state.store.connection().await?;
    let mut rows = account_events::list(&mut conn, &by, after, wanted).await?;
    // One more than fits on the page was asked for.
    let more = i64::try_from(rows.len()).unwrap_or(i64::MAX) == wanted;
    if more {
        rows.pop();
    }
    let next_after = match rows.last() {
        Some(last) if more => last.seq,
        // What came after the extent was read belongs to the next page; what was swept since is not waited for.
        _ => extent.newest.max(rows.last().map_or(0, |last| last.seq)),
    };
    let newest = extent.newest.max(next_after);
    let data = rows.into_iter().map(Into::into).collect();
    let page = AccountEventsResponse { data, next_after, newest };
    cacheable(&req, Freshness::Private, None, &page)
}

/// Where a stream begins.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AccountStreamQuery {
    /// The number after which to begin; without it, what happens from now on. The `Last-Event-ID` of a reconnecting client goes first.
    #[param(minimum = 0, example = 0)]
    after: Option<u64>,
}

/// Streams what happens to your account, as server-sent events.
///
/// The id of each event is its number: a client that reconnects with `Last-Event-ID`, to whichever instance, misses nothing and gets nothing twice. A
/// comment every 15 seconds shows that the stream lives.
///
/// The stream ends with its token: when that expires, and within two seconds when the session or token is ended, the password or the role
/// changes or the account is banned. The last event is then `end`, without an id, and says why: `{"reason": "logged_out"}`. Reasons are `expired`,
/// `logged_out`, `revoked`, `password_changed`, `recovered`, `refresh_reused`, `role_changed`, `banned`, `password_change_due`,
/// `second_factor_changed`, `second_factor_due`; `shutdown` and `unavailable`
/// mean that you can connect again at once, or soon. A client that reads nothing for a minute is disconnected.
#[utoipa::path(
    get, path = "/v1/me/events/stream", tag = "accounts", security(("bearer" = [])),
    params(AccountStreamQuery, ("Last-Event-ID" = Option<u64>, Header, description = "Number of the last event that was received")),
    responses(
        (status = 200, description = "Events, until the token ends.", content((String = "text/event-stream",
            example = "id: 17\\nevent: trade.offered\\ndata: {\"seq\":17,\"kind\":\"trade.offered\",\"trade\":{\"id\":\"01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11\",\"href\":\"/v1/trades/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11\"},\"at\":\"2026-11-21T08:50:41.563424Z\"}\\n\\nevent: end\\ndata: {\"reason\":\"expired\"}\\n\\n"))),
        (status = 410, description = "`gone`: the events do not go back that far, or do not know that number."),
        (status = 429, description = "`too_many_streams`: the account holds as many as it may, 10 on each instance."),
        (status = 503, description = "`unavailable`: this instance serves as many streams as it can."),
    )
)]
pub async fn stream_account_events(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: Lasting<ReadOwnEvents>,
    query: Params<AccountStreamQuery>,
) -> Result<HttpResponse, Problem> {
    let last = sse::last_event_id(&req)?.or(query.after);
    let extent = account_events::extent(&state.store, &by.granted, state.clock.now()).await?;
    let after = match last {
        None => extent.newest,
        Some(last) => known(last).filter(|after| extent.continues(*after)).ok_or_else(gone)?,
    };
    let watcher = state.account_events.subscribe(&by.granted, by.until).map_err(refused)?;
    let (send, receive) = mpsc::channel(1);
    let reader = Reader { state, by, watcher, after, newest: extent.newest };
    actix_web::rt::spawn(feed(reader, send));
    let body = futures_util::stream::unfold(receive, |mut receive| async {
        let bytes: Bytes = receive.recv().await?;
        Some((bytes, receive))
    });
    Ok(sse::respond(body))
}

fn gone() -> Problem {
    Problem::new(ProblemCode::Gone)
        .detail("The events do not continue from this number: read what is yours anew.")
}

fn refused(refused: NoPlace) -> Problem {
    match refused {
        NoPlace::Holder => Problem::new(ProblemCode::TooManyStreams).retry_after(30),
        NoPlace::InAll => Problem::new(ProblemCode::Unavailable)
            .detail("This instance serves as many streams as it can.")
            .retry_after(30),
    }
}

/// Hands over what a reader has, one piece after the other, until it is over or the client is gone. It does not depend on the client
/// whether a stream ends: one that reads nothing holds one piece, and no place for longer than others.
async fn feed(mut reader: Reader, client: mpsc::Sender<Bytes>) {
    let mut bytes = sse::HELLO;
    loop {
        let sent = tokio::select! {
            biased;
            sent = tokio::time::timeout(PATIENCE, client.send(bytes)) => sent,
            end = reader.over() => return say_end(&reader, end, &client).await,
        };
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
        let next = tokio::select! {
            next = reader.next() => next,
            () = client.closed() => return,
        };
        match next {
            Ok(next) => bytes = next,
            Err(end) => return say_end(&reader, end, &client).await,
        }
    }
}

/// Tells the client why it is over, if it listens.
async fn say_end(reader: &Reader, end: StreamEnd, client: &mpsc::Sender<Bytes>) {
    let (account, reason) = (reader.by.granted.account(), end.as_str());
    metrics::counter!("account_event_stream_ends_total", "reason" => reason).increment(1);
    tracing::debug!(%account, reason, "a stream of events ends");
    let mut last = String::new();
    sse::write_event(&mut last, None, "end", &serde_json::json!({ "reason": reason }));
    let _ = tokio::time::timeout(LAST_WORDS, client.send(last.into())).await;
}

/// One stream.
struct Reader {
    state: web::Data<AppState>,
    by: Lasting<ReadOwnEvents>,
    watcher: Watcher,
    /// Everything up to here was handed over.
    after: i64,
    /// There is something up to here.
    newest: i64,
}

impl Reader {
    /// What to send next, or why it is over.
    async fn next(&mut self) -> Result<Bytes, StreamEnd> {
        loop {
            if let Some(end) = self.end() {
                return Err(end);
            }
            self.newest = self.newest.max(self.watcher.newest());
            if self.newest > self.after {
                // The client comes back with the number it has; that is better than a stream that lies.
                let read = tokio::time::timeout(TRUST, self.read_at_last()).await;
                return read.unwrap_or(Err(StreamEnd::Unavailable));
            }
            let wait = self.left().map_or(HEARTBEAT, |left| left.min(HEARTBEAT));
            if tokio::time::timeout(wait, self.watcher.changed()).await.is_err()
                && self.end().is_none()
            {
                return Ok(sse::ALIVE);
            }
        }
    }

    /// Completes when the stream is to end, whether or not there is something to send.
    async fn over(&mut self) -> StreamEnd {
        loop {
            if let Some(end) = self.end() {
                return end;
            }
            let wait = self.left().unwrap_or(HEARTBEAT);
            let _ = tokio::time::timeout(wait, self.watcher.changed()).await;
        }
    }

    fn end(&self) -> Option<StreamEnd> {
        let expired = self.left().is_some_and(|left| left.is_zero());
        let expired = expired.then_some(StreamEnd::Credential(CredentialEnd::Expired));
        self.watcher.end().or(expired)
    }

    /// How long the access token is still good, if it is one.
    fn left(&self) -> Option<Duration> {
        let left = self.by.until? - self.state.clock.now();
        Some(left.to_std().unwrap_or_default())
    }

    /// The next events, as soon as they can be read: one failure is no reason for all clients to come back at once.
    async fn read_at_last(&mut self) -> Result<Bytes, StreamEnd> {
        loop {
            match self.read().await {
                Ok(read) => return read,
                Err(error) => tracing::debug!(%error, "cannot read events for a stream"),
            }
            tokio::time::sleep(AGAIN).await;
            if let Some(end) = self.end() {
                return Err(end);
            }
        }
    }

    /// The next events, if their reader may have them at the moment when they were read.
    async fn read(&mut self) -> StoreResult<Result<Bytes, StreamEnd>> {
        let by = &self.by.granted;
        let _turn = self.state.account_events.turn().await;
        let mut conn = self.state.store.connection().await?;
        let rows = account_events::list(&mut conn, by, self.after, CHUNK).await?;
        let (demand, now) = (self.state.settings.second_factor_demand, self.state.clock.now());
        let ended = credentials::find_ended(&mut conn, &[by.credential()], demand, now).await?;
        drop(conn);
        if let Some((_, end)) = ended.first() {
            return Ok(Err(StreamEnd::Credential(*end)));
        }
        // The access token may have ended meanwhile: the database knows the session only.
        if let Some(end) = self.end() {
            return Ok(Err(end));
        }
        // Without rows, what was there has been swept.
        self.after = rows.last().map_or(self.newest, |row| row.seq);
        let mut text = String::new();
        for row in rows {
            let event = AccountEventResponse::from(row);
            sse::write_event(&mut text, Some(event.seq), &event.kind, &event);
        }
        Ok(Ok(text.into()))
    }
}
