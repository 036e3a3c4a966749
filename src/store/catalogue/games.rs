//! Games: stored manifests, and the cache of parsed games.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use cardscape_engine::Game;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use crate::store::db::schema::games;
use crate::store::{Connection, StoreError, StoreResult};

/// A game whose manifest was parsed.
#[derive(Debug)]
pub struct LoadedGame {
    /// The parsed manifest.
    pub game: Game,
    /// Rises with every change of the manifest.
    pub revision: i64,
    /// When the manifest was last changed.
    pub updated_at: DateTime<Utc>,
}

/// A manifest as it was imported.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = games)]
pub struct StoredManifest {
    /// The text, TOML.
    #[diesel(column_name = manifest)]
    pub text: String,
    /// Rises with every change.
    pub revision: i64,
}

/// The games that this process has parsed. A look-up reads the revision by key, so that an import by another instance
/// is seen at once. The list of all games may be slightly old, because every search needs it.
#[derive(Debug, Default)]
pub struct GameCache {
    loaded: RwLock<BTreeMap<String, Arc<LoadedGame>>>,
    listed: RwLock<GameList>,
    trust: Duration,
}

/// The list of all games, if it was read.
#[derive(Debug, Default)]
struct GameList {
    list: Option<Listed>,
    /// Lists that were read before this moment are not used.
    since: Option<Instant>,
}

/// All games, and when they were read.
#[derive(Debug)]
struct Listed {
    games: Arc<[Arc<LoadedGame>]>,
    at: Instant,
}

/// Whether there is any game.
pub async fn any(conn: &mut Connection) -> StoreResult<bool> {
    let found: Option<String> = games::table.select(games::code).first(conn).await.optional()?;
    Ok(found.is_some())
}

/// The manifest of a game as its author wrote it, and its revision.
pub async fn manifest(conn: &mut Connection, code: &str) -> StoreResult<Option<StoredManifest>> {
    let query = games::table.find(code).select(StoredManifest::as_select());
    Ok(query.first(conn).await.optional()?)
}

impl GameCache {
    /// An empty cache; `trust` is how long the list of all games may be used.
    pub fn new(trust: Duration) -> Self {
        Self { trust, ..Self::default() }
    }

    /// The game with that code.
    pub async fn find(
        &self,
        conn: &mut Connection,
        code: &str,
    ) -> StoreResult<Option<Arc<LoadedGame>>> {
        let stored: Option<i64> =
            games::table.find(code).select(games::revision).first(conn).await.optional()?;
        let Some(revision) = stored else { return Ok(None) };
        if let Some(loaded) = self.cached(code, revision) {
            return Ok(Some(loaded));
        }
        self.load(conn, code).await
    }

    /// All games by code, from a list that may be as old as `trust`.
    pub async fn list(&self, conn: &mut Connection) -> StoreResult<Arc<[Arc<LoadedGame>]>> {
        if let Some(games) = self.listed() {
            return Ok(games);
        }
        let at = Instant::now();
        let games: Arc<[_]> = self.read_list(conn).await?.into();
        self.cache_list(Listed { games: games.clone(), at });
        Ok(games)
    }

    /// Caches a list, unless the cached one was read later, or a game has changed since it was read.
    fn cache_list(&self, read: Listed) {
        let mut cached = self.listed.write().unwrap_or_else(PoisonError::into_inner);
        let is_newer = cached.list.as_ref().is_none_or(|listed| listed.at < read.at);
        if is_newer && cached.since.is_none_or(|since| read.at > since) {
            cached.list = Some(read);
        }
    }

    /// Makes the next use read the list again, even if it is being read at this moment, because a game has changed.
    /// Cached values that were computed from the list must be dropped after this call, not before.
    pub fn forget_list(&self) {
        let mut cached = self.listed.write().unwrap_or_else(PoisonError::into_inner);
        *cached = GameList { list: None, since: Some(Instant::now()) };
    }

    /// The list, if it was read within the time `trust`.
    pub fn listed(&self) -> Option<Arc<[Arc<LoadedGame>]>> {
        let cached = self.listed.read().unwrap_or_else(PoisonError::into_inner);
        let listed = cached.list.as_ref().filter(|listed| listed.at.elapsed() < self.trust)?;
        Some(listed.games.clone())
    }

    /// All games by code, from the database.
    pub async fn read_list(&self, conn: &mut Connection) -> StoreResult<Vec<Arc<LoadedGame>>> {
        let stored: Vec<(String, i64)> = games::table
            .select((games::code, games::revision))
            .order(games::code)
            .load(conn)
            .await?;
        let mut list = Vec::with_capacity(stored.len());
        for (code, revision) in stored {
            match self.cached(&code, revision) {
                Some(loaded) => list.push(loaded),
                None => list.extend(self.load(conn, &code).await?),
            }
        }
        Ok(list)
    }

    fn cached(&self, code: &str, revision: i64) -> Option<Arc<LoadedGame>> {
        let cached = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
        cached.get(code).filter(|loaded| loaded.revision == revision).cloned()
    }

    async fn load(
        &self,
        conn: &mut Connection,
        code: &str,
    ) -> StoreResult<Option<Arc<LoadedGame>>> {
        let stored: Option<(String, i64, DateTime<Utc>)> = games::table
            .find(code)
            .select((games::manifest, games::revision, games::updated_at))
            .first(conn)
            .await
            .optional()?;
        let Some((manifest, revision, updated_at)) = stored else { return Ok(None) };
        // The manifest was checked at its import, but perhaps by another version of the program.
        let game = Game::from_toml(&manifest).map_err(|error| {
            StoreError::Fault(diesel::result::Error::DeserializationError(Box::new(error)))
        })?;
        let loaded = Arc::new(LoadedGame { game, revision, updated_at });
        let mut cached = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        cached.insert(code.to_owned(), loaded.clone());
        Ok(Some(loaded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_was_read_earlier_replaces_no_newer_one() {
        let game = "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'\n\
            [[zones]]\ncode='shoal'\nname='Shoal'\n";
        let game = Game::from_toml(game).unwrap();
        let game = Arc::new(LoadedGame { game, revision: 1, updated_at: DateTime::default() });
        let cache = GameCache::new(Duration::from_hours(1));
        let earlier = Instant::now();
        let later = earlier + Duration::from_millis(1);
        cache.cache_list(Listed { games: Vec::new().into(), at: earlier });
        cache.cache_list(Listed { games: vec![game].into(), at: later });
        cache.cache_list(Listed { games: Vec::new().into(), at: earlier });
        assert_eq!(cache.listed().unwrap().len(), 1);
        cache.forget_list();
        cache.cache_list(Listed { games: Vec::new().into(), at: earlier });
        assert!(cache.listed().is_none(), "it was read before the change");
    }
}
