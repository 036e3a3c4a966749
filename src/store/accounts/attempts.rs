//! The shared counts behind attempt limits.

use std::cmp::Reverse;

use chrono::{DateTime, TimeDelta, Utc};
use diesel::sql_types::{Binary, Int4, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel::{QueryResult, QueryableByName};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::domain::accounts::attempts::{AttemptLimit, AttemptScope};
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// The subject of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptSubject {
    /// The limited activity.
    pub scope: AttemptScope,
    /// Keyed hash of account, network or both.
    pub mac: [u8; 16],
    pub limit: AttemptLimit,
}

/// How long after the last reservation reserved units may still be released. After its reservation, a request waits for
/// less than three seconds for the database, and for about one for each password that it checks or hashes; and clocks of
/// instances differ a little. Later, what is reserved belongs to requests that were broken off.
pub(super) const IN_FLIGHT: TimeDelta = TimeDelta::seconds(10);

/// A limit that left fewer units than a request wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The subject whose limit is reached.
    pub subject: AttemptSubject,
    /// All subjects without a unit have some that are reserved for attempts which are not decided yet: they may be
    /// released in a moment.
    pub may_end: bool,
}

/// A subject whose limit leaves too few units.
#[derive(Clone, Copy)]
pub(super) struct FullSubject {
    pub subject: AttemptSubject,
    /// Whether some of its units may be released in a moment.
    pub is_in_flight: bool,
}

impl Shortage {
    /// The shortage of a request at this time that these subjects refuse; `None`: there are none.
    ///
    /// A limit that is used up decides, whatever may be released of others. Of several, the one whose window ends last
    /// decides: before that, the request would be refused again.
    pub(super) fn of(full: &[FullSubject], at: DateTime<Utc>) -> Option<Self> {
        let may_end = full.iter().all(|full| full.is_in_flight);
        let deciding = full.iter().filter(|full| full.is_in_flight == may_end);
        let last = deciding.min_by_key(|full| Reverse(full.subject.limit.retry_after(at)))?;
        Some(Self { subject: last.subject, may_end })
    }
}

/// Whether reserved units may be released soon after `at`; `since`: when units were reserved last, if some are reserved.
pub(super) fn is_in_flight(since: Option<DateTime<Utc>>, at: DateTime<Utc>) -> bool {
    since.is_some_and(|since| (at - since).abs() < IN_FLIGHT)
}

/// Subjects as columns for Postgres: scope, hash, start of the window, limit, and how many of `units` are reserved.
struct Columns {
    scopes: Vec<&'static str>,
    macs: Vec<Vec<u8>>,
    starts: Vec<DateTime<Utc>>,
    limits: Vec<i32>,
    reserved: Vec<i32>,
}

impl Columns {
    fn of(subjects: &[AttemptSubject], units: u32, now: DateTime<Utc>) -> Self {
        let of = |subject: &AttemptSubject| subject.limit.window_start(now);
        let reserved =
            |subject: &AttemptSubject| if subject.scope.is_returned() { number(units) } else { 0 };
        Self {
            scopes: subjects.iter().map(|subject| subject.scope.as_str()).collect(),
            macs: subjects.iter().map(|subject| subject.mac.to_vec()).collect(),
            starts: subjects.iter().map(of).collect(),
            limits: subjects.iter().map(|subject| number(subject.limit.limit)).collect(),
            reserved: subjects.iter().map(reserved).collect(),
        }
    }
}

/// Reserves `units` of each of the distinct subjects, or of none; committed when this returns. `Some`: why there were
/// too few.
///
/// The units are also counted as reserved until they are released or decided ([`release`], [`decide`]), except those of
/// scopes that return none. `now` is the time that settles the units, which decides about their windows; `at` is the
/// present time.
///
/// Must not run inside a transaction that may be rolled back later: a guess would then cost nothing.
pub async fn reserve(
    conn: &mut Connection,
    subjects: &[AttemptSubject],
    units: u32,
    now: DateTime<Utc>,
    at: DateTime<Utc>,
) -> StoreResult<Option<Shortage>> {
    if units == 0 {
        return Ok(None);
    }
    let Columns { scopes, macs, starts, limits, reserved } = Columns::of(subjects, units, now);
    // A refused request reserves nothing; otherwise a flood of refused requests would use up the units that others
    // share. The condition on each row enforces the limit, because it sees the newest count. Rows are always locked in
    // the same order, here and on release.
    let taken: Vec<UsedUnits> = sql(
        "WITH wanted AS ( \
             SELECT * FROM unnest((SELECT $scopes), (SELECT $macs), (SELECT $starts), (SELECT $limits), (SELECT $reserved)) AS w (scope, mac, start, most, reserved) \
         ) \
         INSERT INTO attempts AS a (scope, subject_mac, window_start, used, reserved, reserved_at) \
         SELECT scope, mac, start, $units, reserved, $at FROM wanted \
         WHERE $units <= (SELECT min(most) FROM wanted) AND NOT EXISTS ( \
             SELECT FROM wanted w JOIN attempts b ON (b.scope, b.subject_mac, b.window_start) = (w.scope, w.mac, w.start) \
             WHERE b.used + $units > w.most) \
         ORDER BY scope, mac \
         ON CONFLICT (scope, subject_mac, window_start) DO UPDATE SET used = a.used + $units, reserved = a.reserved + excluded.reserved, reserved_at = greatest(a.reserved_at, excluded.reserved_at) \
         WHERE a.used + $units <= (SELECT most FROM wanted w WHERE (w.scope, w.mac) = (a.scope, a.subject_mac)) \
         RETURNING scope, subject_mac, used",
    )
    .bind("scopes", scopes)
    .bind("macs", macs)
    .bind("starts", starts)
    .bind("limits", limits)
    .bind("reserved", reserved)
    .bind("units", number(units))
    .bind("at", at)
    .load(conn)
    .await?;
    if taken.len() == subjects.len() {
        return Ok(None);
    }
    // Another request reserved the last unit of one subject in the meantime: release the units of the others.
    let is_taken = |subject: &&AttemptSubject| taken.iter().any(|row| row.is_of(subject));
    let taken: Vec<AttemptSubject> = subjects.iter().filter(is_taken).copied().collect();
    release(conn, &taken, units, now).await?;
    let full = full_subjects(conn, subjects, units, now, at).await?;
    // If none is full any more, units were released meanwhile: the request may ask again.
    let released = |subject: &AttemptSubject| Shortage { subject: *subject, may_end: true };
    Ok(Shortage::of(&full, now).or_else(|| subjects.first().map(released)))
}

/// The subjects whose limits leave fewer than `units` in the window of `now`, in their order. `at` is the present time.
async fn full_subjects(
    conn: &mut Connection,
    subjects: &[AttemptSubject],
    units: u32,
    now: DateTime<Utc>,
    at: DateTime<Utc>,
) -> StoreResult<Vec<FullSubject>> {
    let Columns { scopes, macs, starts, .. } = Columns::of(subjects, units, now);
    let rows: Vec<UnitsInFlight> = sql(
        "SELECT a.scope, a.subject_mac, a.used, CASE WHEN a.reserved > 0 THEN a.reserved_at END AS in_flight_since \
         FROM unnest((SELECT $scopes), (SELECT $macs), (SELECT $starts)) AS w (scope, mac, start) \
         JOIN attempts a ON (a.scope, a.subject_mac, a.window_start) = (w.scope, w.mac, w.start)",
    )
    .bind("scopes", scopes)
    .bind("macs", macs)
    .bind("starts", starts)
    .load(conn)
    .await?;
    let full = |subject: &AttemptSubject| {
        let row = rows.iter().find(|row| row.units.is_of(subject));
        let used = row.map_or(0, |row| u32::try_from(row.units.used).unwrap_or_default());
        let since = row.and_then(|row| row.in_flight_since);
        let is_full = subject.limit.limit.saturating_sub(used) < units;
        is_full.then(|| FullSubject { subject: *subject, is_in_flight: is_in_flight(since, at) })
    };
    Ok(subjects.iter().filter_map(full).collect())
}

/// Records that reserved units of each subject stay used, because their attempts were wrong. The units are used already:
/// this only shows to other requests that they will not be released. `reserved_at` is the `now` given to [`reserve`].
///
/// A statement that is a transaction by itself: its commit does not wait for the disk.
pub async fn decide(
    conn: &mut Connection,
    subjects: &[AttemptSubject],
    units: u32,
    reserved_at: DateTime<Utc>,
) -> StoreResult<()> {
    let row = |subject: &AttemptSubject| AttemptRow {
        scope: subject.scope.as_str(),
        mac: subject.mac,
        start: subject.limit.window_start(reserved_at),
        units: 0,
        decided: units,
    };
    let rows: Vec<AttemptRow> = subjects.iter().map(row).collect();
    Ok(settle_rows(conn, &rows, Release::Reserved, Flush::Later).await?)
}

/// Releases `units` of each subject, after correct attempts. `reserved_at` is the `now` given to [`reserve`].
pub async fn release(
    conn: &mut Connection,
    subjects: &[AttemptSubject],
    units: u32,
    reserved_at: DateTime<Utc>,
) -> StoreResult<()> {
    if units == 0 || subjects.is_empty() {
        return Ok(());
    }
    let row = |subject: &AttemptSubject| AttemptRow {
        scope: subject.scope.as_str(),
        mac: subject.mac,
        start: subject.limit.window_start(reserved_at),
        units,
        decided: 0,
    };
    let rows: Vec<AttemptRow> = subjects.iter().map(row).collect();
    Ok(settle_rows(conn, &rows, Release::All, Flush::AsBegun).await?)
}

/// Units of one subject in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct AttemptRow {
    /// The scope of the limit.
    pub scope: &'static str,
    /// The hash of the subject.
    pub mac: [u8; 16],
    /// Start of the window.
    pub start: DateTime<Utc>,
    /// Number of units that are taken or released.
    pub units: u32,
    /// Reserved units that stay used, because their attempts are decided.
    pub decided: u32,
}

/// Rows as columns for Postgres.
struct RowColumns {
    scopes: Vec<&'static str>,
    macs: Vec<Vec<u8>>,
    starts: Vec<DateTime<Utc>>,
    units: Vec<i32>,
    decided: Vec<i32>,
}

impl RowColumns {
    fn of<'a>(rows: impl Iterator<Item = &'a AttemptRow> + Clone) -> Self {
        Self {
            scopes: rows.clone().map(|row| row.scope).collect(),
            macs: rows.clone().map(|row| row.mac.to_vec()).collect(),
            starts: rows.clone().map(|row| row.start).collect(),
            units: rows.clone().map(|row| number(row.units)).collect(),
            decided: rows.map(|row| number(row.decided)).collect(),
        }
    }
}

/// Which units a statement releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Release {
    /// All of them.
    All,
    /// Of each row no more than it counts as reserved. A reservation that was lost when Postgres crashed is not
    /// released: otherwise guesses of earlier requests would be forgotten.
    Reserved,
    /// Like `Reserved`, if this is the present epoch; else nothing is written.
    ReservedIn(Epoch),
}

/// Whether a commit waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Flush {
    /// As the transaction decides.
    AsBegun,
    /// The commit may be lost when Postgres or the machine fails within a fraction of a second. Only for a statement
    /// that is a transaction by itself.
    Later,
}

/// Releases units, and records which reserved ones stay used, in a statement that locks the rows in the common order.
///
/// If a release is lost in a crash, the subject has one attempt too few, never one too many. So no request has to wait
/// for the disk.
pub(super) async fn settle_rows(
    conn: &mut Connection,
    rows: &[AttemptRow],
    release: Release,
    flush: Flush,
) -> QueryResult<()> {
    let RowColumns { scopes, macs, starts, units, decided } = RowColumns::of(rows.iter());
    let epoch = match release {
        Release::ReservedIn(epoch) => Some(epoch.0),
        Release::All | Release::Reserved => None,
    };
    sql("WITH setting AS MATERIALIZED ( \
             SELECT CASE WHEN $later THEN set_config('synchronous_commit', 'off', true) END \
             WHERE $epoch IS NULL OR EXISTS (SELECT FROM attempt_epochs e WHERE e.epoch = $epoch) \
         ), given AS ( \
             SELECT a.scope, a.subject_mac, a.window_start, w.units, w.decided FROM unnest((SELECT $scopes), (SELECT $macs), (SELECT $starts), (SELECT $units), (SELECT $decided)) AS w (scope, mac, start, units, decided) \
             JOIN attempts a ON (a.scope, a.subject_mac, a.window_start) = (w.scope, w.mac, w.start) JOIN setting ON true \
             ORDER BY a.scope, a.subject_mac, a.window_start FOR UPDATE OF a \
         ) \
         UPDATE attempts a SET used = greatest(a.used - CASE WHEN $all THEN given.units ELSE least(given.units, a.reserved) END, 0), reserved = greatest(a.reserved - given.units - given.decided, 0) FROM given \
         WHERE (a.scope, a.subject_mac, a.window_start) = (given.scope, given.subject_mac, given.window_start)")
    .bind("scopes", scopes)
    .bind("macs", macs)
    .bind("starts", starts)
    .bind("units", units)
    .bind("decided", decided)
    .bind("all", release == Release::All)
    .bind("epoch", epoch)
    .bind("later", flush == Flush::Later)
    .execute(conn)
    .await?;
    Ok(())
}

/// Units to take of a row.
pub(super) struct WantedUnits {
    pub row: AttemptRow,
    /// If fewer units than this were used before, some are taken now or are passed on from one request to another: the
    /// time of the last reservation changes. A request that finds no unit must not change it; otherwise units of an
    /// instance that crashed would look reserved for as long as anybody asks.
    pub below: u32,
}

/// The time between two crashes of Postgres. A reservation does not wait for the disk, so a crash may lose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(pub(super) Uuid);

#[derive(QueryableByName)]
struct EpochRow {
    #[diesel(sql_type = SqlUuid)]
    epoch: Uuid,
}

/// The present epoch; `None`: Postgres has crashed since the last reservation.
pub(super) async fn find_epoch(conn: &mut Connection) -> StoreResult<Option<Epoch>> {
    let rows: Vec<EpochRow> = sql("SELECT epoch FROM attempt_epochs").load(conn).await?;
    Ok(rows.into_iter().next().map(|row| Epoch(row.epoch)))
}

/// Begins an epoch after a crash, unless another transaction has begun one: then returns that one.
pub(super) async fn begin_epoch(conn: &mut Connection) -> StoreResult<Epoch> {
    let present: EpochRow = sql("INSERT INTO attempt_epochs AS e (epoch) VALUES ($epoch) \
         ON CONFLICT (only_row) DO UPDATE SET epoch = e.epoch RETURNING epoch")
    .bind("epoch", Uuid::now_v7())
    .get_result(conn)
    .await?;
    Ok(Epoch(present.epoch))
}

/// A row after units were taken of it.
#[derive(Clone, Copy)]
pub(super) struct RowState {
    /// The used units, the reserved ones included.
    pub used: u32,
    /// The units that are reserved for attempts which are not decided yet.
    pub reserved: u32,
    /// When units were reserved last.
    pub reserved_at: Option<DateTime<Utc>>,
    /// The epoch of the reservation.
    pub epoch: Option<Epoch>,
}

/// Takes units regardless of the limits, and returns the state of each row, in the order of `wanted`, which must be
/// sorted and distinct. The transaction must release what exceeds the limits before it commits. `at` is the time of the
/// reservation.
///
/// The units are also counted as reserved, until they are released or decided ([`settle_rows`]). This is information
/// only: no unit is released because of it.
///
/// Its commit does not wait for the disk. The transaction that decides about the code does: it locks the row of the
/// credential, also for a guess, so that its commit has something to write. Postgres writes its log in order, so an attempt is on
/// the disk before its result is known to a client (docs/decisions/0203-flush-attempts-with-their-result.md).
pub(super) async fn take_rows(
    conn: &mut Connection,
    wanted: &[WantedUnits],
    at: DateTime<Utc>,
) -> StoreResult<Vec<RowState>> {
    #[derive(QueryableByName)]
    struct TakenRow {
        #[diesel(sql_type = Text)]
        scope: String,
        #[diesel(sql_type = Binary)]
        subject_mac: Vec<u8>,
        #[diesel(sql_type = Timestamptz)]
        window_start: DateTime<Utc>,
        #[diesel(sql_type = Int4)]
        used: i32,
        #[diesel(sql_type = Int4)]
        reserved: i32,
        #[diesel(sql_type = Nullable<Timestamptz>)]
        reserved_at: Option<DateTime<Utc>>,
        #[diesel(sql_type = Nullable<SqlUuid>)]
        epoch: Option<Uuid>,
    }
    let rows = wanted.iter().map(|wanted| &wanted.row);
    let RowColumns { scopes, macs, starts, units, decided } = RowColumns::of(rows.clone());
    let below: Vec<i32> = wanted.iter().map(|wanted| number(wanted.below)).collect();
    let taken: Vec<TakenRow> = sql(
        "WITH setting AS MATERIALIZED ( \
             SELECT set_config('synchronous_commit', 'off', true) \
         ), wanted AS MATERIALIZED ( \
             SELECT w.* FROM setting \
             CROSS JOIN unnest((SELECT $scopes), (SELECT $macs), (SELECT $starts), (SELECT $units), (SELECT $decided), (SELECT $below)) AS w (scope, mac, start, units, decided, below) \
         ) \
         INSERT INTO attempts AS a (scope, subject_mac, window_start, used, reserved, reserved_at) \
         SELECT scope, mac, start, units, greatest(units - decided, 0), $at FROM wanted ORDER BY scope, mac, start \
         ON CONFLICT (scope, subject_mac, window_start) DO UPDATE SET (used, reserved, reserved_at) = ( \
             SELECT a.used + w.units, greatest(a.reserved + w.units - w.decided, 0), \
                    CASE WHEN a.used < w.below THEN greatest(a.reserved_at, $at) ELSE a.reserved_at END \
             FROM wanted w WHERE (w.scope, w.mac, w.start) = (a.scope, a.subject_mac, a.window_start)) \
         RETURNING scope, subject_mac, window_start, used, reserved, reserved_at, (SELECT e.epoch FROM attempt_epochs e) AS epoch",
    )
    .bind("scopes", scopes)
    .bind("macs", macs)
    .bind("starts", starts)
    .bind("units", units)
    .bind("decided", decided)
    .bind("below", below)
    .bind("at", at)
    .load(conn)
    .await?;
    let of = |row: &AttemptRow| {
        let found = taken.iter().find(|taken| {
            taken.scope == row.scope
                && taken.subject_mac == row.mac
                && taken.window_start == row.start
        });
        let units = |count: i32| u32::try_from(count).unwrap_or(u32::MAX);
        // The statement returns a row for each written one; if a row were missing, its request would get nothing.
        let nothing = RowState { used: u32::MAX, reserved: 0, reserved_at: None, epoch: None };
        found.map_or(nothing, |taken| RowState {
            used: units(taken.used),
            reserved: units(taken.reserved),
            reserved_at: taken.reserved_at,
            epoch: taken.epoch.map(Epoch),
        })
    };
    Ok(rows.map(of).collect())
}

/// Counts an event without a limit; returns how often it happened in this window, over all instances.
pub async fn count(
    conn: &mut Connection,
    subject: AttemptSubject,
    units: u32,
    now: DateTime<Utc>,
) -> StoreResult<u32> {
    let row: UsedUnits = sql(
        "INSERT INTO attempts AS a (scope, subject_mac, window_start, used) VALUES ($scope, $mac, $start, $units) \
         ON CONFLICT (scope, subject_mac, window_start) DO UPDATE SET used = a.used + $units \
         RETURNING scope, subject_mac, used",
    )
    .bind("scope", subject.scope)
    .bind("mac", subject.mac.to_vec())
    .bind("start", subject.limit.window_start(now))
    .bind("units", number(units))
    .get_result(conn)
    .await?;
    Ok(u32::try_from(row.used).unwrap_or_default())
}

#[derive(QueryableByName)]
struct UsedUnits {
    #[diesel(sql_type = Text)]
    scope: String,
    #[diesel(sql_type = Binary)]
    subject_mac: Vec<u8>,
    #[diesel(sql_type = Int4)]
    used: i32,
}

impl UsedUnits {
    fn is_of(&self, subject: &AttemptSubject) -> bool {
        self.scope == subject.scope.as_str() && self.subject_mac == subject.mac
    }
}

#[derive(QueryableByName)]
struct UnitsInFlight {
    #[diesel(embed)]
    units: UsedUnits,
    /// When units were reserved last, if some are reserved for attempts that are not decided yet.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    in_flight_since: Option<DateTime<Utc>>,
}

fn number(units: u32) -> i32 {
    i32::try_from(units).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who waits for the first of several limits only would be refused again.
    #[test]
    fn of_several_full_limits_the_one_that_ends_last_decides() {
        let at = DateTime::UNIX_EPOCH;
        let full = |hours, is_in_flight| {
            let limit = AttemptLimit { limit: 1, window: TimeDelta::hours(hours) };
            let scope = AttemptScope::SecondFactorNetwork;
            FullSubject { subject: AttemptSubject { scope, mac: [0; 16], limit }, is_in_flight }
        };
        let shortage = |full: &[FullSubject]| {
            let shortage = Shortage::of(full, at)?;
            Some((shortage.subject.limit.window.num_hours(), shortage.may_end))
        };
        assert_eq!(shortage(&[]), None);
        assert_eq!(shortage(&[full(1, false), full(24, false), full(2, false)]), Some((24, false)));
        // What may be released in a moment is not waited for until the end of its window.
        assert_eq!(shortage(&[full(1, false), full(24, true)]), Some((1, false)));
        assert_eq!(shortage(&[full(1, true), full(24, true)]), Some((24, true)));
    }

    #[test]
    fn units_are_in_flight_for_some_seconds() {
        let at = DateTime::UNIX_EPOCH;
        assert!(!is_in_flight(None, at));
        for (seconds, expected) in [(0, true), (-9, true), (9, true), (10, false), (-10, false)] {
            let since = at + TimeDelta::seconds(seconds);
            assert_eq!(is_in_flight(Some(since), at), expected, "{seconds}");
        }
    }
}
