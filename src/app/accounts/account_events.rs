//! Events of the caller's own account (submissions, copies, trades, disputes, designs and decks), as pages and as a
//! stream.
//!
//! An event contains ids and positions, never the content of a card. Readers follow the links, which check what they may
//! see.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::page::{FeedPosition, PageLimit, cut_feed};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::ending::CredentialEnd;
use crate::auth::permission::{Granted, ReadOwnEvents};
use crate::memory::event_watch::{MAX_SILENCE, StreamEnd, Watcher};
use crate::memory::places::NoPlace;
use crate::store::StoreResult;
use crate::store::accounts::account_events::{self, EventRow};
use crate::store::accounts::credentials;
use crate::store::catalogue::changes::Extent;

/// How often a stream without events sends a heartbeat.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Most events that one read of a stream returns.
const CHUNK: i64 = 100;
/// How long a stream waits before it repeats a failed read.
const RETRY_AFTER: Duration = Duration::from_millis(250);

/// A resource that an event is about.
#[derive(Serialize, ToSchema)]
pub struct EventSubject {
    /// Its id.
    pub id: Uuid,
    /// Its path. Absent: you cannot read it now: a deck of somebody else that is private or deleted, a comment that is hidden or deleted, or on a deck or design that others cannot read, or a suggested change that is hidden, or of a design that was taken down.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "/v1/copies/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub href: Option<String>,
}

impl EventSubject {
    fn under(path: &str, id: Uuid) -> Self {
        Self { id, href: Some(format!("{path}/{id}")) }
    }
}

/// The card that an event is about: its set and number, never its contents.
#[derive(Serialize, ToSchema)]
pub struct EventCard {
    /// Its id.
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
    /// Its path. A card that is hidden from you has no contents there.
    #[schema(example = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub href: String,
}

/// The design that an event is about.
#[derive(Serialize, ToSchema)]
pub struct EventDesign {
    /// Its identifier.
    #[schema(example = "D-7KQ2X0FM9F")]
    pub id: String,
    /// Its path. Absent: you cannot read it now: a design of somebody else that was taken down, or whose author is banned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "/v1/designs/D-7KQ2X0FM9F")]
    pub href: Option<String>,
}

/// An event of your account.
#[derive(Serialize, ToSchema)]
pub struct AccountEventResponse {
    /// Number of the event among the events of the account: from 1, without gaps.
    #[schema(example = 17, minimum = 1)]
    pub seq: i64,
    /// Kind of the event. Submissions: `submission.accepted` (the copy is registered to you), `submission.held` (it is registered to you, but a
    /// moderator must confirm the submission before it counts), `submission.confirmed`, `submission.refused` (by a moderator). Cards: `card.unlocked`
    /// (you had submitted a copy of the card). Trades: `trade.offered` (to you), `trade.countered` (an offer of yours was answered with a
    /// counter-offer: `trade`), `trade.accepted`, `trade.declined`, `trade.cancelled`, `trade.lapsed`, `trade.expired` (for both sides). Copies:
    /// `copy.received`, `copy.given` (by a trade), `copy.frozen`, `copy.unfrozen`, `copy.voided` (by a moderator). Disputes: `dispute.opened` (about
    /// a copy of yours; also for each claim that is open when a copy comes to you by a trade or by the decision of a dispute), `dispute.decided`, `dispute.closed` (for both sides). Designs: `design.commented` (on a design of yours), `design.replied`
    /// (to a comment of yours), `design.suggested` (a change of a design of yours), `design.suggestion_taken`, `design.suggestion_declined` (a change
    /// that you had suggested), `design.approved`, `design.declined` (by a moderator), `design.official` (it is a card that everybody sees),
    /// `design.taken_down`, `design.reinstated` (by a moderator, after a report), `design.name_lost` (it was withdrawn, because somebody else shared a
    /// design under its name while you were banned). Decks: `deck.commented` (on a deck of yours), `deck.replied` (to a
    /// comment of yours), `deck.taken_down`, `deck.reinstated` (by a moderator, after a report), `deck.became_illegal` (a deck that you watch is no
    /// longer legal, or was incomplete and is illegal: see `outcome`), `deck.became_legal`. Reports: `report.decided` (a report of yours was decided: see `outcome`). More kinds may be added later.
    #[schema(example = "submission.accepted")]
    pub kind: String,
    /// The submission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission: Option<EventSubject>,
    /// The copy. In events about disputes it is present only if the copy is yours, or was.
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
    /// The design.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub design: Option<EventDesign>,
    /// The deck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deck: Option<EventSubject>,
    /// The comment on the design or the deck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<EventSubject>,
    /// The suggested change of the design.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<EventSubject>,
    /// Id of your report, as `POST /v1/abuse-reports` returned it. The other members name what you reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Uuid>,
    /// How the dispute ended: `for_owner`, `for_claimant`, `withdrawn`, `settled` or `voided`. Of a watched deck, its status: `legal`, `illegal` or
    /// `incomplete` (only cards are missing). Of a report, the decision: `upheld` or `dismissed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// When it happened.
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
        let design = row.design.map_or_else(String::new, |code| format!("/v1/designs/{code}"));
        let deck = row.deck_id.map(|id| format!("/v1/decks/{id}"));
        let commented = deck.as_ref().unwrap_or(&design);
        let if_readable = |subject: EventSubject, is_readable: bool| EventSubject {
            href: subject.href.filter(|_| is_readable),
            ..subject
        };
        Self {
            seq: row.seq,
            kind: row.kind,
            submission: subject("/v1/submissions", row.submission_id),
            copy: subject("/v1/copies", row.copy_id),
            card,
            trade: subject("/v1/trades", row.trade_id),
            dispute: subject("/v1/disputes", row.dispute_id),
            comment: subject(&format!("{commented}/comments"), row.comment_id)
                .map(|comment| if_readable(comment, row.part_is_readable)),
            suggestion: subject(&format!("{design}/suggestions"), row.suggestion_id)
                .map(|suggestion| if_readable(suggestion, row.part_is_readable)),
            deck: subject("/v1/decks", row.deck_id)
                .map(|deck| if_readable(deck, row.deck_is_readable)),
            design: row.design.map(|code| EventDesign {
                id: code.to_string(),
                href: row.design_is_readable.then_some(design),
            }),
            report: row.report_id.map(|report| report.0),
            outcome: row.outcome,
            at: row.created_at,
        }
    }
}

/// A part of the events of your account.
#[derive(Serialize, ToSchema)]
pub struct AccountEventsResponse {
    /// The events, the oldest first.
    pub data: Vec<AccountEventResponse>,
    /// Number to send as `after` in the next request: no event up to it is missing.
    #[schema(example = 17, minimum = 0)]
    pub next_after: i64,
    /// Number of the newest event. When `next_after` has reached it, there are no further events at this moment.
    #[schema(example = 17, minimum = 0)]
    pub newest: i64,
}

/// Lists the events of the caller's account after the sequence number `after`; `None`: from the oldest event that is
/// still kept.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnEvents>,
    after: Option<u64>,
    limit: PageLimit,
) -> Result<AccountEventsResponse, Problem> {
    let extent = account_events::extent(&app.store, by, app.clock.now()).await?;
    let after = match after {
        None => extent.oldest - 1,
        Some(after) => checked_position(extent, after)?,
    };
    let mut conn = app.store.connection().await?;
    let mut rows = account_events::list(&mut conn, by, after, limit.rows()).await?;
    let FeedPosition { next_after, newest } =
        cut_feed(&mut rows, limit, extent.newest, |row| row.seq);
    let data = rows.into_iter().map(Into::into).collect();
    Ok(AccountEventsResponse { data, next_after, newest })
}

/// The last events of the account before a number.
pub struct LastEvents {
    /// The events, the oldest first.
    pub data: Vec<AccountEventResponse>,
    /// The lowest of their numbers, if there are older events.
    pub before: Option<i64>,
    /// The highest number of all; 0: nothing has happened yet.
    pub newest: i64,
}

/// Lists the last events of the caller's account before the sequence number `before`; `None`: the newest. The numbers of an account have no gaps, so
/// the number of the first event is computed and not searched.
pub async fn list_last(
    app: &AppState,
    by: &Granted<ReadOwnEvents>,
    before: Option<i64>,
    limit: u16,
) -> Result<LastEvents, Problem> {
    let Extent { oldest, newest } = account_events::extent(&app.store, by, app.clock.now()).await?;
    let end = before.unwrap_or(i64::MAX).clamp(oldest, newest + 1);
    let begin = (end - i64::from(limit)).max(oldest);
    if begin == end {
        return Ok(LastEvents { data: Vec::new(), before: None, newest });
    }
    let mut conn = app.store.connection().await?;
    let mut rows = account_events::list(&mut conn, by, begin - 1, end - begin).await?;
    // If old events were deleted since `extent` was read, the list continues with events at or after `end`.
    rows.retain(|row| row.seq < end);
    let data = rows.into_iter().map(Into::into).collect();
    Ok(LastEvents { data, before: (begin > oldest).then_some(begin), newest })
}

/// The highest number of an event of the caller's account; 0: nothing has happened yet.
pub async fn newest(app: &AppState, by: &Granted<ReadOwnEvents>) -> Result<i64, Problem> {
    let (account, now) = (by.account(), app.clock.now());
    let newest = account_events::newest(&app.store, &[account], now).await?;
    Ok(newest.get(&account).copied().unwrap_or_default())
}

/// Opens a stream of events of the caller's account after the sequence number `after`; `None`: only events from now on.
/// `until`: when the caller's access token expires; `None` for credentials that are no access tokens.
pub async fn open_stream(
    app: &AppState,
    by: &Granted<ReadOwnEvents>,
    until: Option<DateTime<Utc>>,
    after: Option<u64>,
) -> Result<EventStream, Problem> {
    let extent = account_events::extent(&app.store, by, app.clock.now()).await?;
    let after = match after {
        None => extent.newest,
        Some(after) => checked_position(extent, after)?,
    };
    let watcher = app.account_events.subscribe(by, until).map_err(stream_refused)?;
    let (app, by) = (app.clone(), by.clone());
    Ok(EventStream { app, by, until, watcher, after, newest: extent.newest })
}

/// Converts the client's sequence number; 410 when events after it are no longer kept, or when the service never issued the number.
fn checked_position(extent: Extent, after: u64) -> Result<i64, Problem> {
    let after = i64::try_from(after).ok().filter(|after| extent.continues(*after));
    after.ok_or_else(|| {
        Problem::new(ProblemCode::Gone)
            .detail("The events do not continue from this number: read all your data again.")
    })
}

fn stream_refused(refused: NoPlace) -> Problem {
    match refused {
        NoPlace::Holder => Problem::new(ProblemCode::TooManyStreams).retry_after(30),
        NoPlace::InAll => Problem::new(ProblemCode::Unavailable)
            .detail("This instance serves as many streams as it can.")
            .retry_after(30),
    }
}

/// One stream of events. It ends with the credential that it was opened with.
pub struct EventStream {
    app: AppState,
    by: Granted<ReadOwnEvents>,
    /// When the access token expires; `None`: the credential is no access token.
    until: Option<DateTime<Utc>>,
    watcher: Watcher,
    /// Sequence number up to which all events were returned.
    after: i64,
    /// Highest sequence number that is known to exist.
    newest: i64,
}

/// What a stream sends.
pub enum Streamed {
    /// New events.
    Events(Vec<AccountEventResponse>),
    /// No event for the time of a heartbeat.
    Silence,
}

impl EventStream {
    /// The sequence number up to which all events were returned.
    pub fn reached(&self) -> i64 {
        self.after
    }

    /// Waits for the next thing to send, or for the reason why the stream ends.
    pub async fn next(&mut self) -> Result<Streamed, StreamEnd> {
        loop {
            if let Some(end) = self.end() {
                return Err(end);
            }
            self.newest = self.newest.max(self.watcher.newest());
            if self.newest > self.after {
                // After the end, the client reconnects with its last sequence number. A stream that stays open without
                // reading would hide events.
                let read = tokio::time::timeout(MAX_SILENCE, self.read_with_retries()).await;
                return read.unwrap_or(Err(StreamEnd::Unavailable)).map(Streamed::Events);
            }
            let wait = self.time_left().map_or(HEARTBEAT, |left| left.min(HEARTBEAT));
            if tokio::time::timeout(wait, self.watcher.changed()).await.is_err()
                && self.end().is_none()
            {
                return Ok(Streamed::Silence);
            }
        }
    }

    /// Completes when the stream has to end, even while there is something to send.
    pub async fn wait_for_end(&mut self) -> StreamEnd {
        loop {
            if let Some(end) = self.end() {
                return end;
            }
            let wait = self.time_left().unwrap_or(HEARTBEAT);
            let _ = tokio::time::timeout(wait, self.watcher.changed()).await;
        }
    }

    /// Counts the end of the stream in the metrics and logs the reason.
    pub fn record_end(&self, end: StreamEnd) {
        let (account, reason) = (self.by.account(), end.as_str());
        metrics::counter!("account_event_stream_ends_total", "reason" => reason).increment(1);
        tracing::debug!(%account, reason, "a stream of events ends");
    }

    fn end(&self) -> Option<StreamEnd> {
        let expired = self.time_left().is_some_and(|left| left.is_zero());
        let expired = expired.then_some(StreamEnd::Credential(CredentialEnd::Expired));
        self.watcher.end().or(expired)
    }

    /// How long the access token is still valid; `None`: the credential is no access token.
    fn time_left(&self) -> Option<Duration> {
        let left = self.until? - self.app.clock.now();
        Some(left.to_std().unwrap_or_default())
    }

    /// Reads the next events, and repeats the read when it fails: if the stream ended instead, all clients would
    /// reconnect at the same time.
    async fn read_with_retries(&mut self) -> Result<Vec<AccountEventResponse>, StreamEnd> {
        loop {
            match self.read().await {
                Ok(read) => return read,
                Err(error) => tracing::debug!(%error, "cannot read events for a stream"),
            }
            tokio::time::sleep(RETRY_AFTER).await;
            if let Some(end) = self.end() {
                return Err(end);
            }
        }
    }

    /// Reads the next events, and checks after the read that the credential is still valid.
    async fn read(&mut self) -> StoreResult<Result<Vec<AccountEventResponse>, StreamEnd>> {
        let _permit = self.app.account_events.acquire_read().await;
        let mut conn = self.app.store.connection().await?;
        let rows = account_events::list(&mut conn, &self.by, self.after, CHUNK).await?;
        let (demand, now) = (self.app.settings.second_factor_demand, self.app.clock.now());
        let credential = self.by.credential();
        let ended = credentials::find_ended(&mut conn, &[credential], demand, now).await?;
        drop(conn);
        if let Some((_, end)) = ended.first() {
            return Ok(Err(StreamEnd::Credential(*end)));
        }
        // The access token may have expired during the read. The database knows only whether its session is valid.
        if let Some(end) = self.end() {
            return Ok(Err(end));
        }
        // There are no rows when housekeeping deleted the events.
        self.after = rows.last().map_or(self.newest, |row| row.seq);
        Ok(Ok(rows.into_iter().map(Into::into).collect()))
    }
}
