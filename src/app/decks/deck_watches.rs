//! Decks that an account watches: a report on each is kept, made anew when it is read after a change, and by a job, which tells the account when a deck
//! becomes illegal.
//!
//! Decks of others are judged with the eyes of a stranger. In the own ones the hidden cards count that entries with names are bound to and that the account
//! still holds, and no others: a typed name that is not bound stays a guess, also for who has a token that shows no hidden cards.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use cardscape_engine::{Catalogue, DeckMentions, Format, Game, Severity, legalities};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_cards::{self, StepConnection};
use super::deck_lists::{SeenDeck, bound_cards, see};
use super::masks::hidden_cards;
use crate::app::page::{CursorTime, Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{GiveDeckFeedback, Granted, ReadOwnDecks, Viewer};
use crate::domain::decks::content::DeckContent;
use crate::domain::decks::follows::MAX_WATCHED_DECKS;
use crate::domain::ids::{AccountId, CardId, DeckId};
use crate::domain::network::Network;
use crate::store::catalogue::changes;
use crate::store::decks::deck_lists;
use crate::store::decks::deck_pool;
use crate::store::decks::deck_watches::{
    self, DueWatch, KeptReport, WatchOutcome, WatchReport, WatchedDeck,
};

/// Reports that are made before others have a turn.
const BATCH: i64 = 100;
/// How long such a turn takes at most, beside its last report: Postgres ends a transaction that does nothing for five seconds.
const BATCH_TIME: Duration = Duration::from_secs(2);
/// Time until a report that cannot be made is tried again, unless the deck is saved.
const RETRY_DELAY: TimeDelta = TimeDelta::hours(1);
/// What is wrong with a deck whose game has no such format, or not on this day.
const UNKNOWN_FORMAT: &str = "UNKNOWN_FORMAT";

/// What a report was made from.
#[derive(Serialize, ToSchema)]
pub struct ReportSourceResponse {
    /// The revision of the deck.
    #[schema(example = 3, minimum = 1)]
    pub deck_revision: i64,
    /// The day by whose rules and limit lists it was judged.
    #[schema(value_type = String, format = Date, example = "2026-11-01")]
    pub on: NaiveDate,
    /// The revision of the game's manifest.
    #[schema(example = 1, minimum = 1)]
    pub manifest_revision: i64,
    /// The cards as they were after this event of the change feed.
    #[schema(example = 1042, minimum = 0)]
    pub events_up_to: i64,
}

/// The report on a deck that is watched, as it is kept.
#[derive(Serialize, ToSchema)]
pub struct KeptReportResponse {
    /// `legal`, `incomplete` (only cards are missing) or `illegal`.
    #[schema(example = "illegal")]
    pub status: String,
    /// Codes of what is wrong, each once, or `UNKNOWN_FORMAT`: the game has no such format on this day. `GET /v1/decks/{deck}/report` has all of it.
    #[schema(example = json!(["COPY_LIMIT_EXCEEDED"]))]
    pub violations: Vec<String>,
    /// What it was made from.
    pub made_from: ReportSourceResponse,
    /// When it was made.
    pub made_at: DateTime<Utc>,
}

impl From<&KeptReport> for KeptReportResponse {
    fn from(kept: &KeptReport) -> Self {
        let source = ReportSourceResponse {
            deck_revision: kept.deck_revision,
            on: kept.judged_on,
            manifest_revision: kept.game_revision,
            events_up_to: kept.events_seq,
        };
        Self {
            status: kept.status.clone(),
            violations: kept.violations.clone(),
            made_from: source,
            made_at: kept.judged_at,
        }
    }
}

/// A deck that you watch.
#[derive(Serialize, ToSchema)]
pub struct WatchedDeckResponse {
    /// Id of the deck.
    pub deck_id: Uuid,
    /// What its owner calls it.
    #[schema(example = "Embers and Bones")]
    pub name: String,
    /// The format that it is meant for, in which it is judged: `game/format`, or `game/format:variant`.
    #[schema(example = "ttcg/standard")]
    pub format: String,
    /// Since when you watch it.
    pub watched_at: DateTime<Utc>,
    /// Whether nothing has happened since the report that could make another of it. In lists only: a report that is read by itself is made anew first.
    #[schema(example = true)]
    pub is_current: bool,
    /// The report; absent: it is not made yet.
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
            report: watched.report().map(Into::into),
            name: watched.name,
        }
    }
}

/// Watches a deck that the account may read. Done again, it changes nothing.
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
    bring_up_to_date(app, by.account(), watched).await
}

/// Watches a deck no more. Done again, it changes nothing.
pub async fn unwatch(
    app: &AppState,
    by: &Granted<GiveDeckFeedback>,
    deck: DeckId,
) -> Result<(), Problem> {
    let found = app.write(by, async |conn, by| deck_watches::unwatch(conn, by, deck).await).await?;
    if !found {
        return Err(Problem::not_found());
    }
    tracing::info!(account = %by.account(), %deck, "deck watched no more");
    Ok(())
}

/// Finds a deck that the account watches, with its report, which is made anew if something has changed.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    deck: DeckId,
) -> Result<WatchedDeckResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let found = deck_watches::find(&mut conn, by, deck).await?;
    drop(conn);
    bring_up_to_date(app, by.account(), found.ok_or_else(Problem::not_found)?).await
}

/// Where a page of watched decks begins: since when the last one of the page before is watched, and its id.
pub type WatchedKey = (CursorTime, DeckId);

/// Lists the decks that the own account watches, with their reports as they are kept, those that it watches since last first.
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

/// The deck with a report that is right now.
async fn bring_up_to_date(
    app: &AppState,
    account: AccountId,
    watched: WatchedDeck,
) -> Result<WatchedDeckResponse, Problem> {
    let now = app.clock.now();
    if watched.is_current(now) {
        return Ok(WatchedDeckResponse::new(watched, now));
    }
    app.keep_up().await;
    let kept = make(app, account, watched.deck_id, watched.due_at).await?;
    let kept = kept.ok_or_else(Problem::not_found)?;
    let report = Some(KeptReportResponse::from(&kept));
    Ok(WatchedDeckResponse { report, is_current: true, ..WatchedDeckResponse::new(watched, now) })
}

/// Makes reports that are due, some of them, for a moment, and tells accounts what changed. How many were made; `None`: another process makes them.
pub async fn make_due(app: &AppState, now: DateTime<Utc>) -> Result<Option<usize>, Problem> {
    let made = deck_watches::with_due(&app.store, now, BATCH, async |due| {
        // Cards that were changed just now may be behind in memory.
        app.keep_up().await;
        let began = Instant::now();
        let mut made = 0;
        for watch in due {
            if began.elapsed() > BATCH_TIME {
                break;
            }
            make_one(app, &watch, now).await?;
            made += 1;
        }
        Ok(made)
    });
    made.await?.transpose()
}

async fn make_one(app: &AppState, due: &DueWatch, now: DateTime<Utc>) -> Result<(), Problem> {
    let until = match make(app, due.account_id, due.deck_id, due.due_at).await {
        Ok(Some(_)) => return Ok(()),
        // The account may not read it now: perhaps later.
        Ok(None) => now + TimeDelta::days(1),
        // The database is away, or busy: nothing is wrong with the deck.
        Err(problem) if problem.code() == ProblemCode::Unavailable => return Err(problem),
        Err(problem) => {
            tracing::error!(deck = %due.deck_id, code = ?problem.code(), "a watched deck cannot be judged");
            now + RETRY_DELAY
        }
    };
    let mut conn = app.store.connection().await?;
    Ok(deck_watches::postpone(&mut conn, due, until).await?)
}

/// Makes the reports due whose cards are named by the change feed after `since`: some hundred events at once. The place after which to go on; `None`: nothing is
/// watched yet.
pub async fn mark_changed(
    app: &AppState,
    since: Option<i64>,
    now: DateTime<Utc>,
) -> Result<Option<i64>, Problem> {
    /// Events that are compared with watched decks at once.
    const EVENTS: i64 = 1_000;
    // Those without a number get one.
    changes::extent(&app.store).await?;
    let mut conn = app.store.connection().await?;
    let since = match since {
        Some(since) => since,
        None => match deck_watches::oldest_place(&mut conn).await? {
            Some(since) => since,
            None => return Ok(None),
        },
    };
    let last = deck_watches::mark_changed(&mut conn, since, EVENTS, now).await?;
    Ok(Some(last.unwrap_or(since)))
}

/// Judges a deck for who watches it, and keeps the report. `None`: the account may not read the deck.
async fn make(
    app: &AppState,
    account: AccountId,
    deck: DeckId,
    due_at: DateTime<Utc>,
) -> Result<Option<KeptReport>, Problem> {
    // Before anything is read: what happens meanwhile makes the report due again.
    let events_seq = changes::extent(&app.store).await?.newest;
    let mut conn = app.store.connection().await?;
    let stored = deck_lists::find_for_watcher(&mut conn, account, deck).await?;
    drop(conn);
    let Some(stored) = stored else { return Ok(None) };
    let now = app.clock.now();
    let is_own = stored.row.account_id == account;
    let reader = is_own.then_some(account);
    let SeenDeck { row, content, masks, .. } =
        see(app, (Viewer::stranger(), reader), stored).await?;
    let loaded = app.named_game(content.format.game()).await?.map_err(Problem::internal)?;
    let day = app.today()?;
    let format = content.format.find_in(&loaded.game, day).ok();
    let game = &loaded.game;
    let catalogue = find_cards(app, reader, game, format.as_slice(), &content).await?;
    let (status, violations) = match &format {
        Some(format) => verdict(&content, &catalogue, format)?,
        None => ("illegal", BTreeSet::from([UNKNOWN_FORMAT.to_owned()])),
    };
    let mut cards: BTreeSet<CardId> = content.cards.iter().flatten().copied().collect();
    cards.extend(bound_cards(&content.deck, &catalogue).into_iter().flatten());
    cards.extend(masks.hidden.into_values());
    let kept = KeptReport {
        status: status.to_owned(),
        violations: violations.into_iter().collect(),
        deck_revision: row.revision,
        judged_on: now.date_naive(),
        game_revision: loaded.revision,
        events_seq,
        judged_at: now,
    };
    let report = WatchReport {
        account,
        deck,
        due_at,
        game: row.game().to_owned(),
        cards: cards.into_iter().collect(),
        report: kept.clone(),
    };
    let mut conn = app.store.connection().await?;
    deck_watches::keep(&mut conn, report).await?;
    Ok(Some(kept))
}

/// The verdict, and codes of what is wrong.
fn verdict(
    content: &DeckContent,
    catalogue: &Catalogue,
    format: &Format,
) -> Result<(&'static str, BTreeSet<String>), Problem> {
    let judged = legalities(&content.deck, catalogue, std::slice::from_ref(format));
    let report = judged.reports.into_iter().next();
    let report = report.ok_or_else(|| Problem::internal("no report for a format"))?;
    let wrong = report.violations.iter().filter(|found| found.severity != Severity::Warning);
    Ok((report.status.as_str(), wrong.map(|found| found.code.as_str().to_owned()).collect()))
}

/// The cards that a deck is judged by; `owner`: the watcher, if it is their own deck.
async fn find_cards(
    app: &AppState,
    owner: Option<AccountId>,
    game: &Game,
    formats: &[Format],
    content: &DeckContent,
) -> Result<Catalogue, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let stranger = (Viewer::stranger(), Network::UNKNOWN);
    let mentions = DeckMentions::of_deck(&content.deck);
    let found = deck_cards::find(app, &mut conn, stranger, game, formats, &mentions);
    let (mut pool, _) = found.await?;
    conn.give_back();
    if let Some(owner) = owner {
        let bound =
            content.bound_entries().map(|(entry, card)| (!entry.card.name.is_empty(), card));
        let named: Vec<Option<CardId>> =
            bound.map(|(is_named, card)| card.filter(|_| is_named)).collect();
        let hidden = hidden_cards(app, &named).await?;
        if !hidden.is_empty() {
            let hidden: Vec<CardId> = hidden.into_iter().collect();
            let viewer = Viewer::on_behalf_of(owner);
            let held = deck_pool::by_ids(conn.get().await?, viewer, game, &hidden).await?;
            pool.extend(held.into_iter().map(|(_, card)| card));
        }
    }
    Ok(pool.catalogue())
}
