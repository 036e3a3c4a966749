//! The keys of the key file that a database depends on.
//!
//! There is one row for each key that an instance with this database was started with. Rows are never removed, until
//! the operator declares keys as lost.

use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_async::RunQueryDsl;

use crate::auth::keys::KeyFingerprint;
use crate::auth::permission::Operator;
use crate::store::db::schema::{key_fingerprints, print_runs, sessions};
use crate::store::db::statement::{run_commands, sql};
use crate::store::printing::print_runs::RunStatus;
use crate::store::{Connection, Store, StoreResult};

#[derive(Clone, Copy, Debug)]
pub enum LostKeys<'a> {
    /// All keys: there is no key file.
    File,
    /// Only some keys.
    These {
        /// The keys that are missing.
        missing: &'a [MissingKey],
        /// The ids of the present keys that can decrypt secrets of second factors.
        opening: &'a [String],
    },
}

impl LostKeys<'_> {
    /// The names of the lost keys in this field of the key file, unless the whole file is lost.
    fn named_in(self, purpose: &str) -> Vec<String> {
        let Self::These { missing, .. } = self else { return Vec::new() };
        missing.iter().filter(|key| key.purpose == purpose).map(|key| key.key_id.clone()).collect()
    }

    /// The ids under which secrets of second factors can still be decrypted.
    fn opening(self) -> Vec<String> {
        let Self::These { missing, opening } = self else { return Vec::new() };
        // A key of this name is there, but it is another one.
        let is_other = |id: &String| {
            missing.iter().any(|key| key.is_other && key.purpose == "lookups" && key.key_id == *id)
        };
        opening.iter().filter(|id| !is_other(id)).cloned().collect()
    }
}

/// What depends on lost keys, and is lost with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dependents {
    /// Print runs whose codes are registered.
    pub print_runs: i64,
    /// The codes of these runs.
    pub codes: i64,
    /// Webhooks, each with a secret.
    pub webhooks: i64,
    /// Accounts with a second factor.
    pub second_factors: i64,
    /// Whether access tokens end. Their keys are not stored, so this is known only if the whole file is lost, or if keys of both other kinds are missing.
    pub access_tokens: bool,
    /// Whether attempt limits start from zero.
    pub attempts: bool,
}

#[derive(QueryableByName)]
struct DependentCounts {
    #[diesel(sql_type = BigInt)]
    print_runs: i64,
    #[diesel(sql_type = BigInt)]
    codes: i64,
    #[diesel(sql_type = BigInt)]
    webhooks: i64,
    #[diesel(sql_type = BigInt)]
    second_factors: i64,
}

/// Counts what depends on these keys.
pub async fn count_dependents(store: &Store, lost: LostKeys<'_>) -> StoreResult<Dependents> {
    let is_file = matches!(lost, LostKeys::File);
    let (serials, lookups) = (lost.named_in("serials"), lost.named_in("lookups"));
    let loses_lookups = is_file || !lookups.is_empty();
    let access_tokens = is_file || !(serials.is_empty() || lookups.is_empty());
    let mut conn = store.connection().await?;
    let counts: DependentCounts = sql("SELECT runs.print_runs, runs.codes, \
             (SELECT count(*) FROM webhooks WHERE deleted_at IS NULL AND $loses_lookups) AS webhooks, \
             (SELECT count(*) FROM second_factors WHERE last_step IS NOT NULL AND key_id <> ALL ($opening)) AS second_factors \
         FROM (SELECT count(*) AS print_runs, coalesce(sum(copy_count), 0)::bigint AS codes FROM print_runs \
               WHERE status = $active AND ($is_file OR key_id = ANY ($serials))) runs")
        .bind("active", RunStatus::Active)
        .bind("is_file", is_file)
        .bind("loses_lookups", loses_lookups)
        .bind("serials", serials)
        .bind("opening", lost.opening())
        .get_result(&mut *conn)
        .await?;
    let DependentCounts { print_runs, codes, webhooks, second_factors } = counts;
    let attempts = loses_lookups;
    Ok(Dependents { print_runs, codes, webhooks, second_factors, access_tokens, attempts })
}

/// Whether the database was ever used with keys: it has print runs, webhooks, a stored fingerprint, or a log-in.
pub async fn is_in_use(store: &Store) -> StoreResult<bool> {
    let mut conn = store.connection().await?;
    let has_fingerprints: bool =
        diesel::select(exists(key_fingerprints::table.select(key_fingerprints::key_id)))
            .get_result(&mut *conn)
            .await?;
    let has_sessions: bool =
        diesel::select(exists(sessions::table.select(sessions::id))).get_result(&mut *conn).await?;
    drop(conn);
    let Dependents { print_runs, webhooks, .. } = count_dependents(store, LostKeys::File).await?;
    Ok(has_fingerprints || has_sessions || print_runs > 0 || webhooks > 0)
}

/// A key that the database depends on and that is missing in the given ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingKey {
    /// The field of the key file where it belongs.
    pub purpose: String,
    /// Its name.
    pub key_id: String,
    /// Whether the ring has a key of this name with another secret.
    pub is_other: bool,
}

/// Compares the keys of an instance with those that the database depends on, and registers the new ones. `Err`: some are missing, and nothing is
/// registered. Of two instances that start on a new database with different key files, one is refused.
pub async fn check_and_register(
    store: &Store,
    ring: &[KeyFingerprint],
    at: DateTime<Utc>,
) -> StoreResult<Result<(), Vec<MissingKey>>> {
    store
        .transaction(async |conn| {
            lock(conn).await?;
            let missing = find_missing_in(conn, ring).await?;
            if !missing.is_empty() {
                return Ok(Err(missing));
            }
            register(conn, ring, at).await?;
            Ok(Ok(()))
        })
        .await
}

/// The keys that the database depends on and an instance lacks, because another instance was started with them since.
pub async fn find_missing(store: &Store, ring: &[KeyFingerprint]) -> StoreResult<Vec<MissingKey>> {
    find_missing_in(&mut *store.connection().await?, ring).await
}

/// Makes the database depend only on the keys of `ring`: the operator has declared all others as lost.
pub async fn replace(
    store: &Store,
    _by: &Operator,
    ring: &[KeyFingerprint],
    at: DateTime<Utc>,
) -> StoreResult<()> {
    store
        .transaction(async |conn| {
            lock(conn).await?;
            diesel::delete(key_fingerprints::table).execute(conn).await?;
            register(conn, ring, at).await
        })
        .await
}

/// Locks the table until the end of the transaction, so that instances check and register one after the other.
async fn lock(conn: &mut Connection) -> StoreResult<()> {
    run_commands(conn, "LOCK TABLE key_fingerprints IN SHARE ROW EXCLUSIVE MODE").await
}

async fn find_missing_in(
    conn: &mut Connection,
    ring: &[KeyFingerprint],
) -> StoreResult<Vec<MissingKey>> {
    let stored: Vec<(String, String, Vec<u8>)> = key_fingerprints::table
        .select((
            key_fingerprints::purpose,
            key_fingerprints::key_id,
            key_fingerprints::fingerprint,
        ))
        .order((key_fingerprints::purpose, key_fingerprints::key_id))
        .load(conn)
        .await?;
    if stored.is_empty() {
        return find_missing_by_print_runs(conn, ring).await;
    }
    let named =
        |key: &&KeyFingerprint, purpose: &str, id: &str| key.purpose == purpose && key.key_id == id;
    Ok(stored
        .into_iter()
        .filter(|(purpose, id, fingerprint)| {
            !ring.iter().any(|key| named(&key, purpose, id) && key.fingerprint[..] == **fingerprint)
        })
        .map(|(purpose, key_id, _)| {
            let is_other = ring.iter().any(|key| named(&key, &purpose, &key_id));
            MissingKey { purpose, key_id, is_other }
        })
        .collect())
}

/// For a database from before fingerprints were stored: its print runs contain the names of their keys.
async fn find_missing_by_print_runs(
    conn: &mut Connection,
    ring: &[KeyFingerprint],
) -> StoreResult<Vec<MissingKey>> {
    let known = ring.iter().filter(|key| key.purpose == "serials").map(|key| key.key_id.as_str());
    let unknown: Vec<String> = print_runs::table
        .filter(print_runs::status.eq(RunStatus::Active))
        .filter(print_runs::key_id.ne_all(known))
        .select(print_runs::key_id)
        .distinct()
        .order(print_runs::key_id)
        .load(conn)
        .await?;
    Ok(unknown
        .into_iter()
        .map(|key_id| MissingKey { purpose: "serials".to_owned(), key_id, is_other: false })
        .collect())
}

async fn register(
    conn: &mut Connection,
    ring: &[KeyFingerprint],
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let rows: Vec<_> = ring
        .iter()
        .map(|key| {
            (
                key_fingerprints::purpose.eq(key.purpose),
                key_fingerprints::key_id.eq(&key.key_id),
                key_fingerprints::fingerprint.eq(key.fingerprint.to_vec()),
                key_fingerprints::noted_at.eq(at),
            )
        })
        .collect();
    diesel::insert_into(key_fingerprints::table)
        .values(rows)
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    Ok(())
}
