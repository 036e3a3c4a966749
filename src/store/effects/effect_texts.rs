//! Effect texts: the stored documents, and the cache of parsed libraries.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::result::Error as DieselError;
use diesel_async::RunQueryDsl;
use moka::future::Cache;
use moka::policy::EvictionPolicy;

use crate::auth::permission::Importer;
use crate::domain::effects::effect_texts::{EffectLibrary, EffectTexts};
use crate::store::db::schema::{effect_texts, games};
use crate::store::db::statement::CachePrepared as _;
use crate::store::operations::audit;
use crate::store::{Connection, Store, StoreError, StoreResult};

/// Most libraries in the cache. The largest document takes some 50 MB, including everything that is derived from it on
/// request; a usual one takes 5 MB.
const MAX_CACHED: u64 = 8;

/// Parsed effect texts.
#[derive(Debug)]
pub struct LoadedEffects {
    /// The parsed library.
    pub library: EffectLibrary,
    /// Rises with every change.
    pub revision: i64,
    /// Since when the game has had templates without interruption; `None`: it has none, or has had them since before this was recorded.
    pub templates_since: Option<DateTime<Utc>>,
}

impl LoadedEffects {
    /// Whether the game has templates. Its placeholders and phrase rules may be stored before the first template, and stay
    /// after the last one.
    pub fn has_templates(&self) -> bool {
        !self.library.texts().templates.is_empty()
    }
}

/// The parsed libraries of this process. A look-up reads the revision by key, so that changes by other instances are
/// seen at once.
#[derive(Clone, Debug)]
pub struct EffectCache(Cache<(String, i64), Arc<LoadedEffects>>);

impl Default for EffectCache {
    fn default() -> Self {
        // The newest revision must be cached, even if it was rarely requested before.
        let cache =
            Cache::builder().max_capacity(MAX_CACHED).eviction_policy(EvictionPolicy::lru());
        Self(cache.build())
    }
}

impl EffectCache {
    /// The library of a revision, if it is cached.
    pub async fn loaded(&self, game: &str, revision: i64) -> Option<Arc<LoadedEffects>> {
        self.0.get(&(game.to_owned(), revision)).await
    }

    /// The library of a game; `None`: there is no such game, or it has no effect texts.
    pub async fn find(&self, store: &Store, game: &str) -> StoreResult<Option<Arc<LoadedEffects>>> {
        let mut conn = store.connection().await?;
        let stored: Option<i64> = effect_texts::table
            .find(game)
            .select(effect_texts::revision)
            .first(&mut *conn)
            .await
            .optional()?;
        let Some(revision) = stored else { return Ok(None) };
        if let Some(loaded) = self.0.get(&(game.to_owned(), revision)).await {
            return Ok(Some(loaded));
        }
        let row: Option<(serde_json::Value, i64, Option<DateTime<Utc>>)> = effect_texts::table
            .find(game)
            .select((effect_texts::document, effect_texts::revision, effect_texts::templates_since))
            .first(&mut *conn)
            .await
            .optional()?;
        drop(conn);
        let Some((document, revision, templates_since)) = row else { return Ok(None) };
        // Concurrent requests wait for one load.
        let loading = load(game.to_owned(), document, revision, templates_since);
        let loaded = self.0.try_get_with((game.to_owned(), revision), loading);
        let loaded = loaded.await.map_err(|fault| unreadable(fault.as_str()))?;
        Ok(Some(loaded))
    }
}

/// Parses a document on a blocking thread. It was checked when it was written, but perhaps by another version of the
/// program.
async fn load(
    game: String,
    document: serde_json::Value,
    revision: i64,
    templates_since: Option<DateTime<Utc>>,
) -> Result<Arc<LoadedEffects>, String> {
    let read = move || {
        let texts: EffectTexts =
            serde_json::from_value(document).map_err(|error| error.to_string())?;
        let library = texts.stored().map_err(|faults| {
            let first = faults.into_iter().next();
            first.map_or_else(String::new, |fault| format!("effect texts: {fault}"))
        })?;
        if !library.applies_replacements() {
            tracing::warn!(
                %game, revision,
                "the stored replacements of phrases could make sentences too long: sentences are shown without them until they are changed"
            );
        }
        Ok(Arc::new(LoadedEffects { library, revision, templates_since }))
    };
    tokio::task::spawn_blocking(read).await.map_err(|error| error.to_string())?
}

fn unreadable(fault: &str) -> StoreError {
    StoreError::Fault(DieselError::DeserializationError(fault.into()))
}

/// Which version of a game's effect texts may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextsBase {
    /// Any version, or none.
    Whatever,
    /// The game must have none yet.
    Nothing,
    Revision(i64),
}

/// The result of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextsChange {
    /// It is stored.
    Done {
        /// Its version.
        revision: i64,
    },
    /// The stored version is not the expected one.
    Stale,
    /// There is no such game.
    Missing,
}

/// Stores checked effect texts of a game, if the stored version is still `base`. `details` goes to the audit log.
pub async fn change(
    conn: &mut Connection,
    by: &Importer,
    game: &str,
    texts: &EffectTexts,
    base: TextsBase,
    details: &serde_json::Value,
    at: DateTime<Utc>,
) -> StoreResult<TextsChange> {
    let stored: Option<i64> = effect_texts::table
        .find(game)
        .select(effect_texts::revision)
        .for_update()
        .first(conn)
        .await
        .optional()?;
    let document = serde_json::to_value(texts).map_err(|error| unreadable(&error.to_string()))?;
    let values = (effect_texts::document.eq(document), effect_texts::updated_at.eq(at));
    let revision = match (stored, base) {
        (Some(revision), TextsBase::Whatever) => revision + 1,
        (Some(revision), TextsBase::Revision(wanted)) if revision == wanted => revision + 1,
        (None, TextsBase::Whatever | TextsBase::Nothing) => 1,
        _ => return Ok(TextsChange::Stale),
    };
    if stored.is_some() {
        diesel::update(effect_texts::table.find(game))
            .set((values, effect_texts::revision.eq(revision)))
            .cached()
            .execute(conn)
            .await?;
    } else {
        let known: Option<String> =
            games::table.find(game).select(games::code).first(conn).await.optional()?;
        if known.is_none() {
            return Ok(TextsChange::Missing);
        }
        let key = (effect_texts::game_code.eq(game), effect_texts::revision.eq(revision));
        let inserted = diesel::insert_into(effect_texts::table)
            .values((key, values))
            .on_conflict_do_nothing()
            .execute(conn)
            .await?;
        // Another request was first.
        if inserted == 0 {
            return Ok(TextsChange::Stale);
        }
    }
    let entry = audit::NewAuditEntry {
        actor: by.account(),
        action: "effect_texts.changed",
        target: format!("game:{game}"),
        details: serde_json::json!({ "revision": revision, "change": details }),
        at,
    };
    audit::write(conn, entry).await?;
    Ok(TextsChange::Done { revision })
}

/// The revisions of the effect texts of all games.
pub async fn list_revisions(conn: &mut Connection) -> StoreResult<Vec<(String, i64)>> {
    let revisions = effect_texts::table.select((effect_texts::game_code, effect_texts::revision));
    Ok(revisions.load(conn).await?)
}

/// The stored document of a game.
pub async fn find(conn: &mut Connection, game: &str) -> StoreResult<Option<EffectTexts>> {
    let stored: Option<serde_json::Value> = effect_texts::table
        .find(game)
        .select(effect_texts::document)
        .first(conn)
        .await
        .optional()?;
    stored.map(serde_json::from_value).transpose().map_err(|error| unreadable(&error.to_string()))
}

/// Whether the last start of the service loaded exactly these files. Differences from them in the database are intended
/// changes.
pub async fn is_known(conn: &mut Connection, game: &str, hash: &[u8; 32]) -> StoreResult<bool> {
    let seeded: Option<Option<Vec<u8>>> = effect_texts::table
        .find(game)
        .select(effect_texts::seeded_hash)
        .first(conn)
        .await
        .optional()?;
    Ok(seeded.flatten().is_some_and(|seeded| seeded == hash))
}

/// Records that a start has loaded these files.
pub async fn record_load(conn: &mut Connection, game: &str, hash: &[u8; 32]) -> StoreResult<()> {
    diesel::update(effect_texts::table.find(game))
        .set(effect_texts::seeded_hash.eq(hash.to_vec()))
        .cached()
        .execute(conn)
        .await?;
    Ok(())
}
