//! Builds bulk files when their game has changed.

use std::collections::BTreeMap;
use std::time::{Duration as Time, Instant};

use cardscape_engine::Game;
use chrono::{DateTime, Duration, NaiveTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Int4, Nullable, Text, Timestamptz};
use diesel_async::{AnsiTransactionManager, RunQueryDsl, TransactionManager as _};
use uuid::Uuid;

use super::packing::Packing;
use super::{discard_replaced, end};
use crate::domain::catalogue::bulk::{BulkKind, pause};
use crate::domain::clock::Clock;
use crate::store::catalogue::changes::{self, Extent};
use crate::store::catalogue::games::GameCache;
use crate::store::catalogue::import;
use crate::store::db::deadlines;
use crate::store::db::schema::{bulk_chunks, bulk_files};
use crate::store::db::statement::{CachePrepared as _, run_commands, sql};
use crate::store::{Connection, Store, StoreError, StoreResult};
use crate::work::back_off::BackOff;

/// After each batch, the build pauses this many times as long as the read took, so that it uses a quarter of a database
/// processor.
const REST: u32 = 3;
/// Longest pause, so that a slow database does not keep the snapshot for much longer than the reads take.
const LONGEST_REST: Time = Time::from_secs(2);
/// Shortest and longest time until a build that failed is tried again.
const RETRY_DELAYS: (Time, Time) = (Time::from_secs(30), Time::from_mins(10));
/// Builds wait while cards are imported or edited, but for no more than this many of the usual pauses.
const MOST_PAUSES: i32 = 10;
/// An older program does not replace a file with a newer layout before the file is this old: a newer program that runs
/// at the same time will build it, unless the upgrade was reverted.
const NEWER_LAYOUT: Duration = Duration::hours(1);

/// The source of files: the rows of a game, from one snapshot.
pub trait RowSource: Send + Sized {
    type Row: Send + 'static;
    /// The kinds of files that are built from these rows, always together.
    const KINDS: &'static [BulkKind];
    /// Which events of the change feed may concern these rows: a condition on `events e` that has an index for each
    /// game.
    const EVENTS: &'static str;
    /// Whether the rows may change with the date, without an event.
    const CHANGE_DAILY: bool;
    /// The advisory lock of these builds. Builds of other rows can run at the same time.
    const LOCK: i64;

    /// A source that begins with the first rows of a game.
    fn of_game(game: &str) -> Self;

    /// The next rows, in a batch that one statement can read in moderate time; empty at the end.
    fn next(
        &mut self,
        conn: &mut Connection,
    ) -> impl Future<Output = StoreResult<Vec<Self::Row>>> + Send;
}

/// How rows are written into files.
pub struct Layout<R> {
    /// Rises when rows are written differently: files of an older layout are rebuilt.
    pub version: i32,
    /// The files of a game.
    pub pages: fn(&Game) -> Pages<R>,
}

impl<R> Clone for Layout<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Layout<R> {}

/// File kinds with their formats.
pub type Pages<R> = Vec<(BulkKind, Box<dyn Page<R>>)>;

/// The format of a file.
pub trait Page<R>: Send + Sync {
    /// Writes the heading.
    fn heading(&self, out: &mut Vec<u8>);

    /// Writes a row; returns the number of lines.
    ///
    /// # Errors
    /// When the row cannot be serialised.
    fn write(&self, row: &R, out: &mut Vec<u8>) -> serde_json::Result<i64>;
}

/// State of a game's files.
#[derive(Debug, QueryableByName)]
struct BuildState {
    #[diesel(sql_type = Text)]
    game: String,
    #[diesel(sql_type = BigInt)]
    files: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    change_seq: Option<i64>,
    #[diesel(sql_type = Nullable<Int4>)]
    oldest_layout: Option<i32>,
    #[diesel(sql_type = Nullable<Int4>)]
    newest_layout: Option<i32>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    built_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<BigInt>)]
    build_millis: Option<i64>,
    #[diesel(sql_type = Bool)]
    has_news: bool,
}

/// Whether the files of a game are built now.
#[derive(Debug, PartialEq, Eq)]
enum Need {
    /// Build them now.
    Build,
    /// There was a change, but the build waits.
    Wait,
    /// There was no change of this game.
    Nothing,
}

impl BuildState {
    fn need(
        &self,
        (layout, kinds): (i32, usize),
        extent: Extent,
        now: DateTime<Utc>,
        interval: Duration,
    ) -> Need {
        let expected = i64::try_from(kinds).unwrap_or(i64::MAX);
        let (Some(seq), Some(oldest), Some(newest), Some(built_at)) =
            (self.change_seq, self.oldest_layout, self.newest_layout, self.built_at)
        else {
            return Need::Build;
        };
        let is_newer = newest > layout;
        if !is_newer && (oldest < layout || self.files < expected) {
            return Need::Build;
        }
        // Events are deleted after a time. Without them it is unknown what has changed.
        if !self.has_news && extent.continues(seq) {
            return Need::Nothing;
        }
        let took = Duration::milliseconds(self.build_millis.unwrap_or_default());
        let mut wait = pause(interval, took);
        if is_newer {
            wait = wait.max(NEWER_LAYOUT);
        }
        if now >= built_at + wait { Need::Build } else { Need::Wait }
    }

    /// Whether the files are so old that they are built even during an import; always true without an interval. Not for
    /// a game without files: its first import is probably running.
    fn is_overdue(&self, now: DateTime<Utc>, interval: Duration) -> bool {
        if interval.is_zero() {
            return true;
        }
        let took = Duration::milliseconds(self.build_millis.unwrap_or_default());
        let most = pause(interval, took) * MOST_PAUSES;
        self.built_at.is_some_and(|built_at| now >= built_at + most)
    }
}

/// The games whose last build failed in this process. Without it, a build that takes minutes and always fails would begin
/// again at once, because a failure leaves no trace in the database.
#[derive(Debug, Default)]
pub struct FailedBuilds(BTreeMap<String, FailedBuild>);

#[derive(Debug)]
struct FailedBuild {
    delays: BackOff,
    next_attempt: DateTime<Utc>,
}

impl FailedBuilds {
    fn must_wait(&self, game: &str, now: DateTime<Utc>) -> bool {
        self.0.get(game).is_some_and(|failed| now < failed.next_attempt)
    }

    /// Records how a build ended at the time `now`.
    fn record(&mut self, game: &str, outcome: &StoreResult<()>, now: DateTime<Utc>) {
        if outcome.is_ok() {
            self.0.remove(game);
            return;
        }
        let (first, longest) = RETRY_DELAYS;
        let failed = self.0.entry(game.to_owned()).or_insert_with(|| FailedBuild {
            delays: BackOff::new(first, longest),
            next_attempt: now,
        });
        failed.next_attempt = now + failed.delays.next_wait();
    }
}

/// Rebuilds the files of each game that has changed, each at most once per `interval`, and deletes versions that were
/// replaced long enough ago. Any number of instances may call this: one builds, and the others skip the game. `failed` is
/// that of the previous call.
pub async fn refresh<S: RowSource>(
    store: &Store,
    games: &GameCache,
    layout: Layout<S::Row>,
    clock: &Clock,
    interval: Duration,
    failed: &mut FailedBuilds,
) -> StoreResult<()> {
    let extent = changes::extent(store).await?;
    let mut outcome = Ok(());
    let is_being_imported = import::is_running(&mut *store.connection().await?).await?;
    for standing in standings::<S>(store, clock.now()).await? {
        let game = &standing.game;
        let form = (layout.version, S::KINDS.len());
        let done = match standing.need(form, extent, clock.now(), interval) {
            Need::Build if failed.must_wait(game, clock.now()) => Ok(()),
            Need::Build if is_being_imported && !standing.is_overdue(clock.now(), interval) => {
                tracing::debug!(%game, "the build of bulk files waits for the end of an import");
                Ok(())
            }
            Need::Build => {
                let built = build::<S>(store, games, game, layout, clock.now()).await;
                failed.record(game, &built, clock.now());
                built
            }
            Need::Nothing => catch_up(store, game, S::KINDS, extent.newest).await,
            Need::Wait => Ok(()),
        };
        // An error in one game does not stop the others.
        if let Err(error) = done {
            tracing::warn!(%error, %game, "cannot build bulk files");
            outcome = Err(error);
        }
    }
    let discarded = discard_replaced(store, clock.now()).await?;
    if discarded > 0 {
        tracing::debug!(versions = discarded, "replaced bulk files deleted");
    }
    outcome
}

async fn standings<S: RowSource>(
    store: &Store,
    now: DateTime<Utc>,
) -> StoreResult<Vec<BuildState>> {
    let mut conn = store.connection().await?;
    let newest = changes::newest_of_game("g.code", S::EVENTS);
    let kinds: Vec<&str> = S::KINDS.iter().map(|kind| kind.as_str()).collect();
    // A condition for any event that is newer than a given one would make Postgres read all of them.
    let query = sql(format!(
        "SELECT g.code AS game, f.*, coalesce(f.change_seq < {newest}, false) \
             OR $daily AND coalesce(f.built_at < $today, false) AS has_news \
         FROM games g CROSS JOIN LATERAL ( \
             SELECT count(*) AS files, min(change_seq) AS change_seq, min(layout) AS oldest_layout, \
                    max(layout) AS newest_layout, max(built_at) AS built_at, max(build_millis) AS build_millis \
             FROM bulk_files WHERE game_code = g.code AND is_current AND kind = ANY ($kinds)) f \
         ORDER BY g.code"
    ));
    let today = now.date_naive().and_time(NaiveTime::MIN).and_utc();
    let query = query.bind("daily", S::CHANGE_DAILY).bind("today", today).bind("kinds", kinds);
    Ok(query.load(&mut *conn).await?)
}

/// Records that the game did not change up to `seq`, so that mirrors need not read events of other games, and the
/// number stays within the kept events.
async fn catch_up(store: &Store, game: &str, kinds: &[BulkKind], seq: i64) -> StoreResult<()> {
    let mut conn = store.connection().await?;
    let behind = bulk_files::table
        .filter(bulk_files::game_code.eq(game))
        .filter(bulk_files::is_current)
        .filter(bulk_files::kind.eq_any(kinds))
        .filter(bulk_files::change_seq.lt(seq));
    diesel::update(behind).set(bulk_files::change_seq.eq(seq)).cached().execute(&mut *conn).await?;
    Ok(())
}

/// Builds the files of a game, unless another instance does.
async fn build<S: RowSource>(
    store: &Store,
    games: &GameCache,
    game: &str,
    layout: Layout<S::Row>,
    now: DateTime<Utc>,
) -> StoreResult<()> {
    // The number is read before the snapshot: numbered events were committed before, so the snapshot contains them.
    let seq = changes::extent(store).await?.newest;
    let began = Instant::now();
    let mut conn = store.with_deadline(deadlines::BATCH).connection().await?;
    AnsiTransactionManager::begin_transaction(&mut *conn).await?;
    let mut order = BuildOrder { game, seq, layout, now, began, rested: Time::ZERO };
    let files = order.make(&mut conn, games, S::of_game(game)).await;
    // If another instance changed the files during the build, this is an error like others: an older program that finds no news changes them again
    // and again, and a build that began again at once would be lost each time.
    let Some(files) = end(&mut conn, files).await? else {
        tracing::debug!(game, "another instance builds the bulk files");
        return Ok(());
    };
    let seconds = began.elapsed().as_secs_f64();
    metrics::histogram!("bulk_build_seconds", "game" => game.to_owned()).record(seconds);
    for BuiltFile { name, row_count, size, is_new } in files {
        #[allow(clippy::cast_precision_loss, reason = "a figure for a diagram")]
        metrics::gauge!("bulk_file_bytes", "name" => name.clone()).set(size as f64);
        tracing::info!(%name, change_seq = seq, rows = row_count, bytes = size, changed = is_new, seconds, "bulk file built");
    }
    Ok(())
}

struct BuiltFile {
    name: String,
    row_count: i64,
    size: i64,
    /// Whether it differs from the previous version.
    is_new: bool,
}

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = Bool)]
    locked: bool,
}

/// The files of a game to build.
struct BuildOrder<'a, R> {
    game: &'a str,
    seq: i64,
    layout: Layout<R>,
    now: DateTime<Utc>,
    began: Instant,
    /// How long the build has paused on purpose.
    rested: Time,
}

impl<R: Send + 'static> BuildOrder<'_, R> {
    /// Builds all files from one snapshot; `None`: another instance builds them.
    async fn make<S: RowSource<Row = R>>(
        &mut self,
        conn: &mut Connection,
        games: &GameCache,
        rows: S,
    ) -> StoreResult<Option<Vec<BuiltFile>>> {
        // Rows are serialised and compressed between the statements, on threads that get little time on a busy machine.
        run_commands(
            conn,
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SET LOCAL statement_timeout = '60s'; \
             SET LOCAL idle_in_transaction_session_timeout = '60s'",
        )
        .await?;
        let lock = sql("SELECT pg_try_advisory_xact_lock($lock) AS locked");
        let Locked { locked } = lock.bind("lock", S::LOCK).get_result(conn).await?;
        if !locked {
            return Ok(None);
        }
        let Some(loaded) = games.find(conn, self.game).await? else { return Ok(Some(Vec::new())) };
        let pages = (self.layout.pages)(&loaded.game);
        let files =
            pages.into_iter().map(|(kind, page)| (Uuid::now_v7(), Packing::new(kind, page)));
        let files = self.pack(conn, rows, files.collect()).await?;
        let mut built = Vec::with_capacity(files.len());
        for (id, file) in files {
            built.push(self.publish(conn, id, &file).await?);
        }
        Ok(Some(built))
    }

    /// Reads the rows batch by batch, and stores the chunks.
    async fn pack(
        &mut self,
        conn: &mut Connection,
        mut source: impl RowSource<Row = R>,
        mut files: Vec<(Uuid, Packing<R>)>,
    ) -> StoreResult<Vec<(Uuid, Packing<R>)>> {
        let mut next = vec![0; files.len()];
        loop {
            let started = Instant::now();
            let rows = source.next(conn).await?;
            let (took, is_last) = (started.elapsed(), rows.is_empty());
            let work = move || -> StoreResult<Vec<(Uuid, Packing<R>)>> {
                for (_, file) in &mut files {
                    file.add(&rows)?;
                    if is_last {
                        file.finish()?;
                    }
                }
                Ok(files)
            };
            files = tokio::task::spawn_blocking(work)
                .await
                .map_err(|error| StoreError::Unavailable(error.to_string()))??;
            for ((id, file), next) in files.iter_mut().zip(&mut next) {
                for chunk in file.take_chunks() {
                    store_chunk(conn, *id, *next, chunk).await?;
                    *next += 1;
                }
            }
            if is_last {
                return Ok(files);
            }
            let rest = (took * REST).min(LONGEST_REST);
            tokio::time::sleep(rest).await;
            self.rested += rest;
        }
    }

    /// Replaces the previous version of the file, unless both are equal.
    async fn publish(
        &self,
        conn: &mut Connection,
        id: Uuid,
        file: &Packing<R>,
    ) -> StoreResult<BuiltFile> {
        let name = file.kind.file_name(self.game);
        let (size, sha256) = file.seal();
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        let worked = self.began.elapsed().saturating_sub(self.rested);
        let millis = i64::try_from(worked.as_millis()).unwrap_or(i64::MAX);
        let current =
            bulk_files::table.filter(bulk_files::name.eq(&name)).filter(bulk_files::is_current);
        let columns = (bulk_files::id, bulk_files::sha256, bulk_files::change_seq);
        let before: Option<(Uuid, Vec<u8>, i64)> =
            current.select(columns).first(conn).await.optional()?;
        // Another instance may have published a higher number in the meantime: this snapshot is newer, so it contains
        // those changes, too.
        let seq = before.as_ref().map_or(self.seq, |(.., seq)| self.seq.max(*seq));
        let built = (
            bulk_files::layout.eq(self.layout.version),
            bulk_files::change_seq.eq(seq),
            bulk_files::built_at.eq(self.now),
            bulk_files::build_millis.eq(millis),
        );
        let published = BuiltFile { name, row_count: file.row_count, size, is_new: true };
        if let Some((before, ..)) = before.as_ref().filter(|(_, known, _)| *known == sha256) {
            diesel::update(bulk_files::table.find(before))
                .set(built)
                .cached()
                .execute(conn)
                .await?;
            diesel::delete(bulk_chunks::table.filter(bulk_chunks::file_id.eq(id)))
                .execute(conn)
                .await?;
            return Ok(BuiltFile { is_new: false, ..published });
        }
        if let Some((before, ..)) = before {
            diesel::update(bulk_files::table.find(before))
                .set(bulk_files::replaced_at.eq(self.now))
                .cached()
                .execute(conn)
                .await?;
        }
        diesel::insert_into(bulk_files::table)
            .values((
                bulk_files::id.eq(id),
                bulk_files::name.eq(&published.name),
                bulk_files::game_code.eq(self.game),
                bulk_files::kind.eq(file.kind),
                bulk_files::row_count.eq(file.row_count),
                bulk_files::size.eq(size),
                bulk_files::unpacked_size.eq(i64::try_from(file.unpacked_size).unwrap_or(i64::MAX)),
                bulk_files::sha256.eq(sha256),
                bulk_files::created_at.eq(self.now),
                built,
            ))
            .execute(conn)
            .await?;
        Ok(published)
    }
}

async fn store_chunk(
    conn: &mut Connection,
    file: Uuid,
    position: i32,
    data: Vec<u8>,
) -> StoreResult<()> {
    diesel::insert_into(bulk_chunks::table)
        .values((
            bulk_chunks::file_id.eq(file),
            bulk_chunks::position.eq(position),
            bulk_chunks::data.eq(data),
        ))
        .execute(conn)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::minutes(1);
    const EXTENT: Extent = Extent { oldest: 5, newest: 100 };

    fn standing() -> BuildState {
        BuildState {
            game: "g".to_owned(),
            files: 2,
            change_seq: Some(100),
            oldest_layout: Some(3),
            newest_layout: Some(3),
            built_at: Some(DateTime::UNIX_EPOCH),
            build_millis: Some(500),
            has_news: false,
        }
    }

    fn need(standing: &BuildState, after: Duration) -> Need {
        standing.need((3, 2), EXTENT, DateTime::UNIX_EPOCH + after, MINUTE)
    }

    #[test]
    fn changes_are_built_but_not_too_often() {
        assert_eq!(need(&standing(), MINUTE), Need::Nothing);
        let with_changes = BuildState { has_news: true, change_seq: Some(99), ..standing() };
        assert_eq!(need(&with_changes, Duration::seconds(59)), Need::Wait);
        assert_eq!(need(&with_changes, MINUTE), Need::Build);
        let slow = BuildState { build_millis: Some(60_000), ..with_changes };
        assert_eq!(need(&slow, Duration::minutes(9)), Need::Wait);
        assert_eq!(need(&slow, Duration::minutes(10)), Need::Build);
    }

    #[test]
    fn builds_wait_for_an_import_but_not_without_limit() {
        let is_overdue = |standing: &BuildState, after| {
            standing.is_overdue(DateTime::UNIX_EPOCH + after, MINUTE)
        };
        assert!(!is_overdue(&standing(), Duration::minutes(9)));
        assert!(is_overdue(&standing(), Duration::minutes(10)));
        let slow = BuildState { build_millis: Some(60_000), ..standing() };
        assert!(!is_overdue(&slow, Duration::minutes(99)));
        assert!(is_overdue(&slow, Duration::minutes(100)));
        let missing = BuildState { built_at: None, ..standing() };
        assert!(!is_overdue(&missing, Duration::weeks(9)));
        assert!(missing.is_overdue(DateTime::UNIX_EPOCH, Duration::zero()));
    }

    #[test]
    fn missing_files_and_older_layouts_are_built_at_once() {
        let none = BuildState {
            files: 0,
            change_seq: None,
            oldest_layout: None,
            newest_layout: None,
            built_at: None,
            build_millis: None,
            ..standing()
        };
        assert_eq!(need(&none, Duration::zero()), Need::Build);
        assert_eq!(need(&BuildState { files: 1, ..standing() }, Duration::zero()), Need::Build);
        let older = BuildState { oldest_layout: Some(2), ..standing() };
        assert_eq!(need(&older, Duration::zero()), Need::Build);
    }

    #[test]
    fn a_newer_program_goes_first() {
        let newer = BuildState { newest_layout: Some(4), has_news: true, ..standing() };
        assert_eq!(need(&newer, Duration::minutes(59)), Need::Wait);
        assert_eq!(need(&newer, Duration::minutes(60)), Need::Build);
    }

    #[test]
    fn files_older_than_the_feed_are_rebuilt() {
        let old = BuildState { change_seq: Some(3), ..standing() };
        assert_eq!(need(&old, MINUTE), Need::Build);
        let just = BuildState { change_seq: Some(4), ..standing() };
        assert_eq!(need(&just, MINUTE), Need::Nothing);
    }
}
