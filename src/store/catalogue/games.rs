//! Games: the stored manifests, and the loaded ones.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use cardscape_engine::Game;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use crate::store::db::schema::games;
use crate::store::{Connection, StoreError, StoreResult};

/// A game whose manifest was read by the engine.
#[derive(Debug)]
pub struct LoadedGame {
    /// The engine's reading of the manifest.
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

/// The loaded games of this process. A look-up costs one read of the revision by key, so that a game imported by another
/// instance counts at once. The list of all is believed for a moment, because every search needs it.
#[derive(Debug, Default)]
pub struct GameCache {
    kept: RwLock<BTreeMap<String, Arc<LoadedGame>>>,
    listed: RwLock<Shelf>,
    trust: Duration,
}

/// The list of all games, if it was read.
#[derive(Debug, Default)]
struct Shelf {
    list: Option<Listed>,
    /// What was read before this moment does not count any more.
    since: Option<Instant>,
}

/// All games, as they were found.
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
    /// An empty shelf; `trust` is how long the list of all games is believed.
    pub fn new(trust: Duration) -> Self {
        Self { trust, ..Self::default() }
    }

    /// The game of that code.
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

    /// All games, by code, as they are or were within the time of trust.
    pub async fn list(&self, conn: &mut Connection) -> StoreResult<Arc<[Arc<LoadedGame>]>> {
        if let Some(games) = self.listed() {
            return Ok(games);
        }
        let at = Instant::now();
        let games: Arc<[_]> = self.read_list(conn).await?.into();
        let mut shelf = self.listed.write().unwrap_or_else(PoisonError::into_inner);
        if shelf.since.is_none_or(|since| at > since) {
            shelf.list = Some(Listed { games: games.clone(), at });
        }
        Ok(games)
    }

    /// The list is read anew at its next use, also if it is being read at this moment: a game has changed. What was made with the list and is kept has to be
    /// dropped after this, not before.
    pub fn forget_list(&self) {
        let mut shelf = self.listed.write().unwrap_or_else(PoisonError::into_inner);
        *shelf = Shelf { list: None, since: Some(Instant::now()) };
    }

    /// The list, if it was read within the time of trust.
    pub fn listed(&self) -> Option<Arc<[Arc<LoadedGame>]>> {
        let shelf = self.listed.read().unwrap_or_else(PoisonError::into_inner);
        let listed = shelf.list.as_ref().filter(|listed| listed.at.elapsed() < self.trust)?;
        Some(listed.games.clone())
    }

    /// All games, by code, as they are.
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
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.get(code).filter(|loaded| loaded.revision == revision).cloned()
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
        // Checked at its import, but perhaps by a program with another idea of manifests.
        let game = Game::from_toml(&manifest).map_err(|error| {
            StoreError::Fault(diesel::result::Error::DeserializationError(Box::new(error)))
        })?;
        let loaded = Arc::new(LoadedGame { game, revision, updated_at });
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        kept.insert(code.to_owned(), loaded.clone());
        Ok(Some(loaded))
    }
}
