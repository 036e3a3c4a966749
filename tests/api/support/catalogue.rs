//! Games and sets from `seed-data`, imported as on the command line, and edited for tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use cardscape::app::catalogue::bulk_files::LAYOUT;
use cardscape::app::decks::deck_files;
use cardscape::auth::permission::{Importer, Operator};
use cardscape::domain::catalogue::import::{GameImport, GameSource, SourceFile};
use cardscape::domain::clock::Clock;
use cardscape::domain::effects::effect_texts::EffectFiles;
use cardscape::store::Store;
use cardscape::store::catalogue::bulk_files::{self, CardRows, FailedBuilds};
use cardscape::store::catalogue::games::GameCache;
use cardscape::store::catalogue::import::{self, Base, ImportError, ImportSummary};
use cardscape::store::decks::deck_rows::DeckRows;
use cardscape::store::effects::effect_texts::{self, TextsBase};
use serde_json::Value;

use super::app::store_settings;
use super::{TestApp, TestDb};

impl TestApp {
    /// Imports games of `seed-data` with all their sets into a running service. [`Self::start_seeded`] is faster.
    pub async fn seed(&self, games: &[&str]) {
        for game in games {
            import_checked(self.store(), self.clock(), checked_seed_data(game)).await.unwrap();
        }
    }

    /// Imports the files of a game.
    pub async fn import(&self, source: &GameSource) -> Result<ImportSummary, ImportError> {
        import_into(self.store(), self.clock(), source).await
    }

    /// Imports the files of a game; `meanwhile` runs when everything is written and not yet committed.
    pub async fn import_with(
        &self,
        source: &GameSource,
        meanwhile: impl AsyncFn(),
    ) -> ImportSummary {
        let checked = GameImport::check(source).expect("the files are valid");
        let (importer, now) = (Importer::from(Operator::at_the_machine()), self.clock().now());
        let imported = self.store().transaction(async |conn| {
            let (base, progress) = (Base::Whatever, |_: usize| {});
            let done = import::import(conn, &importer, &checked, base, now, &progress).await?;
            meanwhile().await;
            Ok::<_, ImportError>(done)
        });
        imported.await.unwrap()
    }

    /// Loads the effect texts of a game of `seed-data`, which must be imported already.
    pub async fn seed_effect_texts(&self, game: &str) {
        let library = effect_files(game).check().expect("the files are valid");
        let (importer, now) = (Importer::from(Operator::at_the_machine()), self.clock().now());
        let conn = &mut *self.store().connection().await.unwrap();
        let (texts, base, none) = (library.texts(), TextsBase::Whatever, Value::Null);
        effect_texts::change(conn, &importer, game, texts, base, &none, now).await.unwrap();
    }

    /// Builds the bulk files of changed games, as the running service does every minute.
    pub async fn build_bulk_files(&self) {
        let (games, at_once) = (GameCache::default(), chrono::Duration::zero());
        let (store, clock) = (self.store(), self.clock());
        let none = &mut FailedBuilds::default();
        bulk_files::refresh::<CardRows>(store, &games, LAYOUT, clock, at_once, none).await.unwrap();
        let layout = deck_files::LAYOUT;
        bulk_files::refresh::<DeckRows>(store, &games, layout, clock, at_once, none).await.unwrap();
    }

    /// Gives a player a registered copy of the card, as a submission does. The plan of its run counts no copies, so that the
    /// set can be printed.
    pub async fn give_copy(&self, player: &str, game: &str, set: &str, number: &str) {
        let now = self.clock().now().to_rfc3339();
        self.sql(&format!(
                "WITH run AS ( \
                     INSERT INTO print_runs (id, set_id, code_prefix, key_id, copies_per_card, copy_count, status, file_sha256, \
                                             created_at, activated_at) \
                     SELECT gen_random_uuid(), id, 'ZZ', 'test', 1, 1, 'active', sha256('x'), '{now}', '{now}' \
                     FROM sets WHERE game_code = '{game}' AND code = '{set}' RETURNING id), \
                 line AS ( \
                     INSERT INTO print_run_lines (print_run_id, printing_id, copy_count) SELECT run.id, p.id, 0 \
                     FROM run, printings p JOIN cards c ON c.id = p.card_id \
                     WHERE c.game_code = '{game}' AND c.set_code = '{set}' AND c.number = '{number}' AND p.tier = 1 \
                     RETURNING print_run_id, printing_id) \
                 INSERT INTO copies (code_prefix, code_mac, print_run_id, printing_id, owner_id, registered_at) \
                 SELECT 'ZZ', substr(sha256(printing_id::text::bytea), 1, 16), print_run_id, printing_id, '{player}', '{now}' FROM line"
            ),
        )
        .await;
    }
}

/// A pool of connections to the database of a test that needs no service.
pub fn store_of(db: &TestDb) -> Store {
    Store::new(&store_settings(db)).unwrap()
}

/// Imports games of `seed-data` with all their sets into a database.
pub(super) async fn import_games(db: &TestDb, games: &[&str]) {
    let store = store_of(db);
    for game in games {
        import_checked(&store, &Clock::system(), checked_seed_data(game)).await.unwrap();
    }
}

/// Imports the files of a game through a store.
pub async fn import_into(
    store: &Store,
    clock: &Clock,
    source: &GameSource,
) -> Result<ImportSummary, ImportError> {
    let checked = GameImport::check(source).expect("the files are valid");
    import_checked(store, clock, &checked).await
}

async fn import_checked(
    store: &Store,
    clock: &Clock,
    checked: &GameImport,
) -> Result<ImportSummary, ImportError> {
    let (importer, now) = (Importer::from(Operator::at_the_machine()), clock.now());
    store
        .transaction(async |conn| {
            import::import(conn, &importer, checked, Base::Whatever, now, &|_| {}).await
        })
        .await
}

/// A game of `seed-data` that is read and checked once for all tests, because that takes longer than importing it.
fn checked_seed_data(game: &str) -> &'static GameImport {
    static CHECKED: Mutex<BTreeMap<String, &GameImport>> = Mutex::new(BTreeMap::new());
    let mut checked = CHECKED.lock().unwrap();
    checked.entry(game.to_owned()).or_insert_with(|| {
        Box::leak(Box::new(GameImport::check(&seed_data(game)).expect("the files are valid")))
    })
}

/// The files of a game in `seed-data`.
pub fn seed_data(game: &str) -> GameSource {
    game_files(&format!("seed-data/games/{game}"))
}

/// The files of a game in a folder of the repository.
pub fn game_files(folder: &str) -> GameSource {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let read = |path: PathBuf| SourceFile {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        text: std::fs::read_to_string(path).unwrap(),
    };
    // Games without cards have no folder of sets.
    let folder_of_sets = std::fs::read_dir(folder.join("sets")).into_iter().flatten();
    let mut sets: Vec<PathBuf> = folder_of_sets.map(|entry| entry.unwrap().path()).collect();
    sets.sort();
    GameSource {
        manifest: read(folder.join("game.toml")),
        sets: sets.into_iter().map(read).collect(),
    }
}

/// The effect texts of a game in `seed-data`.
pub fn effect_files(game: &str) -> EffectFiles {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data/games").join(game);
    let read = |path: &Path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        (name.clone(), SourceFile { name, text })
    };
    let values = std::fs::read_dir(folder.join("placeholders")).unwrap();
    let mut values: Vec<PathBuf> = values.map(|entry| entry.unwrap().path()).collect();
    values.sort();
    EffectFiles {
        templates: read(&folder.join("effects/all_effect_templates.txt")).1,
        placeholders: values.iter().map(|path| read(path)).collect(),
    }
}

/// Changes a set file.
pub fn edit_set(source: &mut GameSource, set: &str, edit: impl FnOnce(&mut Value)) {
    let file = source.sets.iter_mut().find(|file| file.name == format!("{set}.json")).unwrap();
    let mut json = serde_json::from_str(&file.text).unwrap();
    edit(&mut json);
    file.text = json.to_string();
}

/// The content of a set's file.
pub fn set_file(source: &GameSource, set: &str) -> Value {
    let file = source.sets.iter().find(|file| file.name == format!("{set}.json")).unwrap();
    serde_json::from_str(&file.text).unwrap()
}
