//! Watched decks. The service stores a report about each. A report is updated when a client reads it after a change, and by a background job, which sends
//! the account an event when a deck becomes legal or illegal.
//!
//! A deck is judged with the cards that an anonymous client may see, even if the watcher owns the deck. One report therefore serves all accounts that watch the
//! deck, and neither reports nor events reveal hidden cards to a client with a token of the account.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_lists::see;
use super::deck_reports::{Verdict, verdict_in};
use super::deck_responses::SeenDeck;
use crate::app::page::{CursorTime, Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::{GiveDeckFeedback, Granted, ReadOwnDecks, Viewer};
use crate::domain::decks::follows::MAX_WATCHED_DECKS;
use crate::domain::decks::judging::JUDGING_VERSION;
use crate::domain::ids::{CardId, DeckId};
use crate::domain::network::Network;
use crate::store::catalogue::changes;
use crate::store::decks::deck_lists;
use crate::store::decks::deck_watches::{self, WatchOutcome, WatchedDeck};
use crate::store::decks::watched_decks::{self, DueDeck, LatestReport, NewReport};

/// Most due reports that one query finds, for each reason why a report is due.
const BATCH: i64 = 50;
/// After this time, a turn begins no further report: Postgres ends a transaction that is idle for five seconds.
const BATCH_TIME: Duration = Duration::from_secs(2);
/// Delay before a failed report is tried again, unless the deck is saved earlier.
const RETRY_DELAY: TimeDelta = TimeDelta::hours(1);
/// The delay when the database was busy.
const SHORT_DELAY: TimeDelta = TimeDelta::minutes(1);
/// Most events of the change feed that one statement compares with watched decks, and most reports that it marks as due.
const MARKED: (i64, i64) = (1_000, 500);
/// Most watchers who are notified in one turn.
const REPORTED_AT_ONCE: i64 = 500;
/// The violation of a deck whose format does not exist, or is not in force on this day.
const UNKNOWN_FORMAT: &str = "UNKNOWN_FORMAT";

/// The versions of the data from which a report was made.
#[derive(Serialize, ToSchema)]
pub struct ReportSourceResponse {
    /// Number of the revision of the deck.
    #[schema(example = 3, minimum = 1)]
    pub deck_revision: i64,
    /// The day whose rules and limit lists were applied.
    #[schema(value_type = String, format = Date, example = "2026-11-01")]
    pub on: NaiveDate,
    /// Revision of the game's manifest.
    #[schema(example = 1, minimum = 1)]
    pub manifest_revision: i64,
    /// Position in the change feed: the report includes the changes of cards up to this event.
    #[schema(example = 1042, minimum = 0)]
    pub events_up_to: i64,
}

/// The stored report on a watched deck.
#[derive(Serialize, ToSchema)]
pub struct KeptReportResponse {
    /// Status of the deck: `legal`, `incomplete` (only cards are missing) or `illegal`.
    #[schema(example = "illegal")]
    pub status: String,
    /// Codes of the violations that are not warnings, each once; or `UNKNOWN_FORMAT`: the game has no such format on this day.
    /// `GET /v1/decks/{deck}/report` has the whole report.
    #[schema(example = json!(["COPY_LIMIT_EXCEEDED"]))]
    pub violations: Vec<String>,
    /// The versions of the data from which the report was made.
    pub made_from: ReportSourceResponse,
    /// When the report was made.
    pub made_at: DateTime<Utc>,
}

impl From<&LatestReport> for KeptReportResponse {
    fn from(latest: &LatestReport) -> Self {
        let source = ReportSourceResponse {
            deck_revision: latest.deck_revision,
            on: latest.judged_on,
            manifest_revision: latest.game_revision,
            events_up_to: latest.events_seq,
        };
        Self {
            status: latest.status.clone(),
            violations: latest.violations.clone(),
            made_from: source,
            made_at: latest.judged_at,
        }
    }
}

/// A deck that you watch.
#[derive(Serialize, ToSchema)]
pub struct WatchedDeckResponse {
    /// Id of the deck.
    pub deck_id: Uuid,
    /// Name of the deck, chosen by its owner.
    #[schema(example = "Embers and Bones")]
    pub name: String,
    /// The format of the deck, in which it is judged: `game/format`, or `game/format:variant`.
    #[schema(example = "ttcg/standard")]
    pub format: String,
    /// Since when you watch the deck.
    pub watched_at: DateTime<Utc>,
    /// Whether the deck, the day, the manifest and all cards of the game are the same as when the report was made, and no older version of the service made it; `false`: a new report may differ.
    /// It is `false` only in lists: the answer about a single deck always has a current report.
    #[schema(example = true)]
    pub is_current: bool,
    /// The report; absent: it has not been made yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<KeptReportResponse>,
}

impl WatchedDeckResponse {
    fn new(watched: WatchedDeck, now: DateTime<Utc>) -> Self {
        Self {
            deck_id: watched.deck_id.0,
            format: watched.format(),
            watched_at: watched.watched_at,
            is_current: watched.is_current(now),
            report: watched.report.as_ref().map(Into::into),
            name: watched.name,
        }
    }
}

/// Watches a deck that the account may read. A repeated request changes nothing.
pub async fn watch(
    app: &AppState,
    by: &Granted<GiveDeckFeedback>,
    deck: DeckId,
) -> Result<WatchedDeckResponse, Problem> {
    let at = app.clock.now();
    let outcome =
        app.write(by, async |conn, by| deck_watches::watch(conn, by, deck, at).await).await?;
    let watched = match outcome {
        WatchOutcome::Done(watched) => *watched,
        WatchOutcome::Missing => return Err(Problem::not_found()),
        WatchOutcome::TooMany => {
            let detail = format!("An account can watch at most {MAX_WATCHED_DECKS} decks.");
            return Err(Problem::new(ProblemCode::TooManyWatched).detail(detail));
        }
    };
    tracing::info!(account = %by.account(), %deck, "deck watched");
    bring_up_to_date(app, watched).await
}

/// Stops watching a deck. A repeated request changes nothing.
pub async fn unwatch(
    app: &AppState,
    by: &Granted<GiveDeckFeedback>,
    deck: DeckId,
) -> Result<(), Problem> {
    let found = app.write(by, async |conn, by| deck_watches::unwatch(conn, by, deck).await).await?;
    if !found {
        return Err(Problem::not_found());
    }
    tracing::info!(account = %by.account(), %deck, "deck no longer watched");
    Ok(())
}

/// Finds a deck that the account watches, with its report, which is updated if something has changed.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    deck: DeckId,
) -> Result<WatchedDeckResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let found = deck_watches::find(&mut conn, by, deck).await?;
    drop(conn);
    bring_up_to_date(app, found.ok_or_else(Problem::not_found)?).await
}

/// Where a page of watched decks begins: start of the watch and id of the last deck on the previous page.
pub type WatchedKey = (CursorTime, DeckId);

/// Lists the decks that the caller watches, with their stored reports, the latest watch first.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    before: Option<WatchedKey>,
    limit: PageLimit,
) -> Result<Page<WatchedDeckResponse>, Problem> {
    let before = before.map(|(CursorTime(at), id)| (at, id));
    let mut conn = app.store.connection().await?;
    let rows = deck_watches::list(&mut conn, by, before, limit.rows()).await?;
    let now = app.clock.now();
    let key = |row: &WatchedDeck| (CursorTime(row.watched_at), row.deck_id);
    Ok(paged(rows, limit, key, |row| WatchedDeckResponse::new(row, now)))
}

/// The deck with a current report, which is created now if necessary.
async fn bring_up_to_date(
    app: &AppState,
    watched: WatchedDeck,
) -> Result<WatchedDeckResponse, Problem> {
    let now = app.clock.now();
    if watched.is_current(now) {
        return Ok(WatchedDeckResponse::new(watched, now));
    }
    let events_seq = present_place(app).await?;
    let latest = make(app, watched.deck_id, watched.due_at, events_seq).await?;
    let latest = latest.ok_or_else(Problem::not_found)?;
    let report = Some(KeptReportResponse::from(&latest));
    Ok(WatchedDeckResponse { report, is_current: true, ..WatchedDeckResponse::new(watched, now) })
}

/// The newest number of the change feed. Cards that are read after this call include all events up to that number, because the call waits for the cards in
/// memory.
async fn present_place(app: &AppState) -> Result<i64, Problem> {
    let newest = changes::extent(&app.store).await?.newest;
    app.wait_until_current().await;
    Ok(newest)
}

/// Updates some of the due reports, for a short time. Returns how many; `None`: another process updates them.
pub async fn make_due(app: &AppState, now: DateTime<Utc>) -> Result<Option<usize>, Problem> {
    let judged = watched_decks::with_due(&app.store, now, BATCH, async |due| {
        if due.is_empty() {
            return Ok(0);
        }
        let events_seq = present_place(app).await?;
        let began = Instant::now();
        let mut judged = 0;
        for deck in due {
            if began.elapsed() > BATCH_TIME {
                break;
            }
            make_one(app, &deck, events_seq, now).await?;
            judged += 1;
        }
        Ok(judged)
    });
    judged.await?.transpose()
}

async fn make_one(
    app: &AppState,
    due: &DueDeck,
    events_seq: i64,
    now: DateTime<Utc>,
) -> Result<(), Problem> {
    let until = match make(app, due.deck_id, due.due_at, events_seq).await {
        Ok(Some(_)) => return Ok(()),
        // The deck is deleted, but its owner may restore it.
        Ok(None) => now + TimeDelta::days(1),
        Err(problem) if problem.code() == ProblemCode::Unavailable => now + SHORT_DELAY,
        Err(problem) => {
            tracing::error!(deck = %due.deck_id, code = ?problem.code(), "a watched deck cannot be judged");
            now + RETRY_DELAY
        }
    };
    // If this fails as well, the database is unavailable.
    let mut conn = app.store.connection().await?;
    Ok(watched_decks::postpone(&mut conn, due, until).await?)
}

/// Marks the reports as due whose cards the change feed names after `since`. Returns the number after which to continue; `None`: no watched deck was judged
/// today yet.
pub async fn mark_changed(
    app: &AppState,
    since: Option<i64>,
    now: DateTime<Utc>,
) -> Result<Option<i64>, Problem> {
    // This call gives numbers to new events that have none yet.
    changes::extent(&app.store).await?;
    let mut conn = app.store.connection().await?;
    let since = match since {
        Some(since) => since,
        None => match watched_decks::oldest_place(&mut conn, now.date_naive()).await? {
            Some(since) => since,
            None => return Ok(None),
        },
    };
    loop {
        let page = watched_decks::mark_changed(&mut conn, since, MARKED, now).await?;
        if page.is_done {
            return Ok(Some(page.last.unwrap_or(since)));
        }
    }
}

/// Sends events to some watchers of decks that became legal or illegal. Returns whether there were any.
pub async fn notify_watchers(app: &AppState, now: DateTime<Utc>) -> Result<bool, Problem> {
    Ok(deck_watches::notify(&app.store, now, REPORTED_AT_ONCE).await?)
}

/// Judges a deck with the cards that an anonymous client may see, as of event `events_seq` or later, and stores the report. `None`: the deck does not exist.
async fn make(
    app: &AppState,
    deck: DeckId,
    due_at: DateTime<Utc>,
    events_seq: i64,
) -> Result<Option<LatestReport>, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let stored = deck_lists::find_for_job(conn.get().await?, deck).await?;
    let Some(stored) = stored else { return Ok(None) };
    let (stranger, now) = (Viewer::stranger(), app.clock.now());
    let seen = see(app, &mut conn, (stranger, None), stored).await?;
    let SeenDeck { row, content, .. } = seen;
    let mut cards: BTreeSet<CardId> = content.cards.iter().flatten().copied().collect();
    let requester = (stranger, Network::UNKNOWN);
    let day = app.today()?;
    let judged = (content.deck, content.cards.as_slice());
    let verdict = verdict_in(app, &mut conn, requester, &content.format, judged, None, day).await?;
    let Verdict { game_revision, judged, cards: meant } = verdict;
    cards.extend(meant);
    let (status, violations) =
        judged.unwrap_or_else(|| ("illegal", BTreeSet::from([UNKNOWN_FORMAT.to_owned()])));
    let report = LatestReport {
        status: status.to_owned(),
        violations: violations.into_iter().collect(),
        deck_revision: row.revision,
        judged_on: now.date_naive(),
        game_revision,
        events_seq,
        judged_at: now,
        judged_by: JUDGING_VERSION,
    };
    let new = NewReport {
        deck,
        due_at,
        game: row.game().to_owned(),
        cards: cards.into_iter().collect(),
        report: report.clone(),
    };
    watched_decks::store_report(conn.get().await?, new).await?;
    Ok(Some(report))
}
