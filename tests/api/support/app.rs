//! The service in this process, and its users.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actix_web::dev::ServerHandle;
use argon2::Params;
use cardscape::app::state::{ApiSettings, AppState, Shared, TOGETHER};
use cardscape::auth::keys::KeyRing;
use cardscape::auth::password::PasswordHasher;
use cardscape::auth::permission::{Operator, Role};
use cardscape::cli::metrics_handle;
use cardscape::domain::accounts::password::Password;
use cardscape::domain::clock::Clock;
use cardscape::domain::ids::AccountId;
use cardscape::domain::text::AccountName;
use cardscape::http::router::Mounts;
use cardscape::http::server;
use cardscape::jobs::{account_events, card_index, feed, listed_designs};
use cardscape::search::index::Snapshot;
use cardscape::store::accounts::account_records::{self, NewAccount};
use cardscape::store::db::search_queue::SearchQueue;
use cardscape::store::{Store, StoreSettings};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::json;

use super::{RequestExt as _, TestDb};

/// One instance of the service on a database of its own.
pub struct TestApp {
    address: SocketAddr,
    client: Client,
    clock: Clock,
    keys: KeyRing,
    passwords: fn() -> PasswordHasher,
    store: Store,
    shared: Arc<Shared>,
    searches: SearchQueue,
    server: ServerHandle,
    // Dropped last: the database is dropped when all connections are closed.
    db: Arc<TestDb>,
}

/// An account that is logged in.
#[derive(Clone, Debug)]
pub struct Player {
    pub id: String,
    pub name: String,
    pub password: String,
    pub access_token: String,
    pub refresh_token: String,
}

/// The parts of the service.
const PARTS: &[fn(&mut Mounts<'_>)] = &[cardscape::api::configure, cardscape::web::configure];

/// The password of all accounts in tests.
pub const PASSWORD: &str = "pepper canal seven";

/// Limits that are so high that only tests about them reach them, and no cached responses: an import by the operator
/// beside the instance may show up to a second later in a cache.
fn settings() -> ApiSettings {
    ApiSettings {
        requests_per_second: 1_000_000,
        request_burst: 1_000_000,
        card_cache_bytes: 0,
        card_index: false,
        games_trust: Duration::ZERO,
        statistics_ttl: Duration::ZERO,
        suggestion_time: Duration::from_hours(1),
        effect_match_time: Duration::from_hours(1),
        // On a busy machine requests are slow; tests about the time limit set their own.
        request_timeout: Duration::from_mins(1),
        public_url: Some("http://127.0.0.1:8080".to_owned()),
        ..ApiSettings::default()
    }
}

/// Settings of the store of a test.
pub(super) fn store_settings(db: &TestDb) -> StoreSettings {
    let mut settings = StoreSettings::new(db.url());
    settings.pool_size = 4;
    // On a busy machine the database is slow; tests about hanging databases use the limits of the service.
    settings.statement_timeout = Duration::from_secs(30);
    settings.answer_timeout = Duration::from_mins(1);
    settings.request_budget = Duration::from_mins(1);
    settings.search_timeout = Duration::from_mins(1);
    settings
}

/// Settings of an instance that, once it has caught up, finds cards and listed designs only in memory, and also caches
/// responses about cards.
pub fn in_memory(settings: &mut ApiSettings) {
    settings.card_index = true;
    settings.card_cache_bytes = 1 << 25;
    settings.card_cache_trust = Duration::from_hours(1);
}

/// The key ring of all tests, generated at first use, and its file.
fn generated_keys() -> &'static (KeyRing, Vec<u8>) {
    static KEYS: OnceLock<(KeyRing, Vec<u8>)> = OnceLock::new();
    KEYS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys.json");
        KeyRing::create(&file).unwrap();
        (KeyRing::load(&file).unwrap(), std::fs::read(&file).unwrap())
    })
}

fn keys() -> KeyRing {
    generated_keys().0.clone()
}

/// The content of the key file of all tests.
pub(super) fn key_file() -> &'static [u8] {
    &generated_keys().1
}

impl TestApp {
    /// The service with default limits on attempts.
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// The service with other settings.
    pub async fn start_with(change: impl FnOnce(&mut ApiSettings)) -> Self {
        Self::start_on(Arc::new(TestDb::create().await), Clock::system(), change)
    }

    /// The service with games of `seed-data` and all their sets.
    pub async fn start_seeded(games: &[&str]) -> Self {
        Self::start_seeded_with(games, |_| {}).await
    }

    /// The service with games of `seed-data` and all their sets, and with other settings.
    pub async fn start_seeded_with(games: &[&str], change: impl FnOnce(&mut ApiSettings)) -> Self {
        Self::start_on(Arc::new(TestDb::with_games(games).await), Clock::system(), change)
    }

    /// The service on an existing database.
    pub fn start_on(db: Arc<TestDb>, clock: Clock, change: impl FnOnce(&mut ApiSettings)) -> Self {
        Self::start_tuned(db, clock, change, |_| {})
    }

    /// The service on an existing database, with other settings of the store as well.
    pub fn start_tuned(
        db: Arc<TestDb>,
        clock: Clock,
        change: impl FnOnce(&mut ApiSettings),
        tune: impl FnOnce(&mut StoreSettings),
    ) -> Self {
        Self::start_keyed(db, clock, (keys(), quick_hasher), change, tune)
    }

    /// The service with the password hasher of the shipped program: between the check of a password and the session, there is time for other requests.
    pub async fn start_with_slow_hashes(change: impl FnOnce(&mut ApiSettings)) -> Self {
        let db = Arc::new(TestDb::create().await);
        let slow_hasher = || PasswordHasher::with_places(100, 90).unwrap();
        // Many log-ins wait for one account at the same time, each with a connection.
        let tune = |store: &mut StoreSettings| store.pool_size = 30;
        Self::start_keyed(db, Clock::system(), (keys(), slow_hasher), change, tune)
    }

    fn start_keyed(
        db: Arc<TestDb>,
        clock: Clock,
        (keys, passwords): (KeyRing, fn() -> PasswordHasher),
        change: impl FnOnce(&mut ApiSettings),
        tune: impl FnOnce(&mut StoreSettings),
    ) -> Self {
        let mut api = settings();
        change(&mut api);
        let mut store_settings = store_settings(&db);
        tune(&mut store_settings);
        let store = Store::new(&store_settings).unwrap();
        let together = StoreSettings { pool_size: TOGETHER, ..store_settings.clone() };
        let shared = Arc::new(Shared::new(
            keys.clone(),
            clock.clone(),
            passwords(),
            metrics_handle().unwrap(),
            api,
            &Store::new(&together).unwrap(),
        ));
        let own = shared.clone();
        let searches = SearchQueue::new(&store_settings).unwrap();
        let for_jobs = searches.clone();
        let for_changes = StoreSettings { pool_size: 1, ..store_settings.clone() };
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let follower = Store::new(&for_changes).unwrap();
                tokio::spawn(feed::follow(shared.clone(), follower));
                if shared.settings.card_index {
                    let store = card_index::store(&for_changes).unwrap();
                    tokio::spawn(card_index::follow(shared.clone(), store));
                    let store = listed_designs::store(&for_changes).unwrap();
                    tokio::spawn(listed_designs::follow(shared.clone(), store));
                }
                let watcher = Store::new(&for_changes).unwrap();
                tokio::spawn(account_events::follow(shared.clone(), watcher));
                let state = move || AppState {
                    store: Store::new(&store_settings).unwrap(),
                    searches: searches.clone(),
                    shared: shared.clone(),
                };
                let any = "127.0.0.1:0".parse().unwrap();
                let (address, http) = server::listen(any, 1, 30, state, PARTS).unwrap();
                send.send((address, http.handle())).unwrap();
                http.await.unwrap();
            });
        });
        let (address, server) = receive.recv().unwrap();
        let client = Client::builder().redirect(reqwest::redirect::Policy::none());
        // The service closes idle connections after five seconds, and a request that is sent at that moment fails with "connection reset". Between the check of
        // the age of a connection and the sending, the threads of a busy machine may wait for seconds, so that the limit is far below five. Connections for one
        // request each would cost time in every test, and sending a request again would hide a service that breaks off connections.
        let client = client.pool_idle_timeout(Duration::from_millis(250)).build().unwrap();
        Self {
            address,
            client,
            clock,
            keys,
            passwords,
            store,
            shared: own,
            searches: for_jobs,
            server,
            db,
        }
    }

    /// Another instance on the same database, with the same clock and keys.
    pub fn second_instance(&self) -> Self {
        self.second_instance_with(|_| {})
    }

    /// Another instance on the same database, with the same clock and keys and other settings.
    pub fn second_instance_with(&self, change: impl FnOnce(&mut ApiSettings)) -> Self {
        self.beside(keys(), change)
    }

    /// Another instance on the same database, with the same clock and another key ring.
    pub fn second_instance_keyed(&self, keys: KeyRing) -> Self {
        self.beside(keys, |_| {})
    }

    fn beside(&self, keys: KeyRing, change: impl FnOnce(&mut ApiSettings)) -> Self {
        let (db, clock) = (self.db.clone(), self.clock.clone());
        Self::start_keyed(db, clock, (keys, self.passwords), change, |_| {})
    }

    /// Another instance on the same database that finds cards in memory: see [`in_memory`].
    pub async fn second_instance_in_memory(&self) -> Self {
        let app = self.second_instance_with(in_memory);
        app.catch_up().await;
        app
    }

    /// Waits until the instance has everything in memory that was committed before this call.
    pub async fn catch_up(&self) {
        self.shared.listed_designs.hurry();
        let caught_up = async {
            self.shared.card_cache.clock().catch_up().await;
            self.shared.catalogue.clock().catch_up().await;
            self.shared.listed_designs.clock().catch_up().await;
        };
        tokio::time::timeout(Duration::from_mins(2), caught_up)
            .await
            .expect("the instance follows the change feed");
        assert!(self.shared.catalogue.cards().is_some());
    }

    /// The cards in the instance's memory.
    pub fn cards_in_memory(&self) -> Arc<Snapshot> {
        self.shared.catalogue.cards().expect("the instance follows the change feed")
    }

    /// The clock of the service.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Moves the clock to the next full hour. Attempts are counted in windows that begin at full hours: without this, a window could end during a test that
    /// counts attempts.
    pub fn begin_window(&self) {
        let beyond = self.clock.now().timestamp().rem_euclid(3600);
        self.clock.advance(chrono::Duration::seconds(3600 - beyond));
    }

    /// The keys of the service.
    pub fn keys(&self) -> &KeyRing {
        &self.keys
    }

    /// The store of the service, for actions of the command line.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The shared state of the service's workers, for work of background tasks.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The state for use cases that background tasks run.
    pub fn state(&self) -> AppState {
        let (store, searches) = (self.store.clone(), self.searches.clone());
        AppState { store, searches, shared: self.shared.clone() }
    }

    /// Empties the cache of identities, so that the service reads accounts and sessions from the database again, as it does every two seconds.
    pub async fn forget_identities(&self) {
        let app = self.state();
        app.identities.invalidate_all().await;
    }

    /// The database of the service.
    pub fn db(&self) -> &TestDb {
        &self.db
    }

    /// The address that the service listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("http://{}{path}", self.address))
    }

    pub fn get(&self, path: &str) -> RequestBuilder {
        self.request(Method::GET, path)
    }

    pub fn post(&self, path: &str) -> RequestBuilder {
        self.request(Method::POST, path)
    }

    pub fn put(&self, path: &str) -> RequestBuilder {
        self.request(Method::PUT, path)
    }

    pub fn patch(&self, path: &str) -> RequestBuilder {
        self.request(Method::PATCH, path)
    }

    pub fn delete(&self, path: &str) -> RequestBuilder {
        self.request(Method::DELETE, path)
    }

    /// Creates the account of a player and logs in.
    pub async fn player(&self, name: &str) -> Player {
        self.make(name, Role::Player, PASSWORD, false).await;
        self.log_in(name, PASSWORD).await
    }

    /// Like [`Self::player`], for generated names.
    pub async fn player_owned(&self, name: String) -> Player {
        self.player(&name).await
    }

    /// Runs SQL statements that have no API.
    pub async fn sql(&self, statements: &str) {
        self.db.sql(statements).await;
    }

    /// Logs in again.
    pub async fn log_in(&self, name: &str, password: &str) -> Player {
        let body = json!({ "name": name, "password": password });
        let tokens = self.post("/v1/sessions").json(&body).answer().await.expect(201);
        let text = |field: &str| tokens[field].as_str().unwrap().to_owned();
        Player {
            id: text("account_id"),
            name: name.to_owned(),
            password: password.to_owned(),
            access_token: text("access_token"),
            refresh_token: text("refresh_token"),
        }
    }

    /// An admin who has already changed the first password.
    pub async fn admin(&self) -> Player {
        self.staff("the admin", Role::Admin).await
    }

    /// A moderator who has already changed the first password.
    pub async fn moderator(&self) -> Player {
        self.staff("the moderator", Role::Moderator).await
    }

    /// An account that was created on the command line, before its first log-in.
    pub async fn created_by_operator(&self, name: &str, role: Role, password: &str) {
        self.make(name, role, password, true).await;
    }

    /// Creates an account: as by registration for a player who has chosen the password, otherwise as on the command line.
    async fn make(&self, name: &str, role: Role, password: &str, must_change_password: bool) {
        let name = AccountName::parse(name).unwrap();
        let new = NewAccount {
            id: AccountId::generate(),
            name: &name,
            password_hash: &hash_of(password).await,
            role,
            must_change_password,
            recovery_codes: &[],
            at: self.clock.now(),
        };
        let operator = Operator::at_the_machine();
        self.store
            .transaction(async |conn| match (role, must_change_password) {
                (Role::Player, false) => account_records::register(conn, &new).await,
                _ => account_records::create(conn, &operator, &new).await,
            })
            .await
            .unwrap();
    }

    async fn staff(&self, name: &str, role: Role) -> Player {
        self.make(name, role, PASSWORD, false).await;
        self.log_in(name, PASSWORD).await
    }
}

/// A hasher whose hashes take a fraction of a millisecond: tests log in thousands of accounts, many at once and all from one network.
fn quick_hasher() -> PasswordHasher {
    PasswordHasher::with_params(Params::new(64, 1, 1, None).unwrap(), 100, 90).unwrap()
}

/// The hash of a password, as the service of a test computes it.
async fn hash_of(password: &str) -> String {
    quick_hasher().hash(Password::presented(password.to_owned())).await.unwrap()
}

impl Drop for TestApp {
    fn drop(&mut self) {
        // Sent at once, without waiting for the result.
        drop(self.server.stop(false));
    }
}
