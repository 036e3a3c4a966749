//! A database that does not answer: the service gives up its connections in time and serves later requests over new ones.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cardscape::domain::clock::Clock;
use cardscape::domain::network::Network;
use cardscape::store::StoreSettings;
use cardscape::store::db::search_queue::SearchQueue;
use diesel_async::SimpleAsyncConnection as _;
use futures_util::FutureExt as _;
use serde_json::json;

use crate::support::{Answer, Proxy, ProxyMode, RequestExt as _, TestApp, TestDb};

/// Longest time to an answer, or to the first success after a fault: the service promises 3 s, and the machine may be busy. The faults that these tests
/// guard against took 10 s or never ended.
const SOON: Duration = Duration::from_millis(4_800);

/// The service with its normal settings, apart from a small pool, and with the database at `url`.
fn start(db: &Arc<TestDb>, url: String) -> TestApp {
    TestApp::start_tuned(
        db.clone(),
        Clock::system(),
        |_| {},
        |settings| {
            *settings = StoreSettings { pool_size: 4, ..StoreSettings::new(url) };
        },
    )
}

async fn timed(request: reqwest::RequestBuilder) -> (Answer, Duration) {
    let began = Instant::now();
    let answer = request.answer().await;
    (answer, began.elapsed())
}

/// Requests that need the database: over the pool, over the connections for short reads, and over those for searches.
const PATHS: [&str; 5] = [
    "/readyz",
    "/v1/unlocks",
    "/v1/cards/019a0000-0000-7000-8000-000000000000",
    "/v1/cards?q=name~x",
    "/v1/cards/autocomplete?q=ket",
];

/// Opens as many connections as the service may have.
async fn warm_up(app: &TestApp) {
    let requests = (0..40).map(|at| app.get(PATHS[at % PATHS.len()]).answer());
    futures_util::future::join_all(requests).await;
}

/// Sends requests until all of them succeed again. Each answer must come within `SOON`: either the result or a 503 with `Retry-After`.
async fn assert_recovers(app: &TestApp) {
    let began = Instant::now();
    loop {
        let timed_requests = PATHS.map(|path| timed(app.get(path)));
        let answers = futures_util::future::join_all(timed_requests).await;
        for (path, (answer, time)) in PATHS.iter().zip(&answers) {
            assert!(*time < SOON, "{path} took {time:?}");
            assert!(answer.status < 500 || answer.status == 503, "{path}: {}", answer.text());
            if answer.status == 503 {
                assert_ne!(answer.header("retry-after"), "", "{path}");
            }
        }
        if answers.iter().all(|(answer, _)| answer.status != 503) {
            return;
        }
        assert!(began.elapsed() < 2 * SOON, "still not served after {:?}", began.elapsed());
    }
}

/// Processes of Postgres that are stopped, for as long as this value lives.
struct Stopped(Vec<i32>);

impl Stopped {
    async fn all_of(db: &TestDb) -> Self {
        let list = "SELECT coalesce(string_agg(pid::text, ','), '') FROM pg_stat_activity \
                    WHERE datname = current_database() AND application_name = 'cardscape'";
        let list = db.value(list).await;
        let ids: Vec<i32> = list.split(',').filter_map(|id| id.parse().ok()).collect();
        let stopped = Self(ids);
        stopped.signal(rustix::process::Signal::STOP);
        stopped
    }

    fn signal(&self, signal: rustix::process::Signal) {
        for id in &self.0 {
            let _ =
                rustix::process::kill_process(rustix::process::Pid::from_raw(*id).unwrap(), signal);
        }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.signal(rustix::process::Signal::CONT);
    }
}

#[tokio::test]
async fn the_service_replaces_connections_to_stopped_backends() {
    let db = Arc::new(TestDb::create().await);
    let app = start(&db, db.url());
    warm_up(&app).await;
    let stopped = Stopped::all_of(&db).await;
    assert!(stopped.0.len() >= 6, "{:?}", stopped.0);
    assert_recovers(&app).await;
}

#[tokio::test]
async fn the_service_replaces_frozen_connections() {
    let db = Arc::new(TestDb::create().await);
    let proxy = Proxy::before(&db).await;
    let app = start(&db, proxy.url());
    warm_up(&app).await;
    proxy.set(ProxyMode::OldFrozen);
    assert_recovers(&app).await;
}

#[tokio::test]
async fn requests_are_answered_in_time_while_the_database_is_silent() {
    let db = Arc::new(TestDb::create().await);
    let proxy = Proxy::before(&db).await;
    let app = start(&db, proxy.url());
    let silences = [
        ProxyMode::BlackHole,
        ProxyMode::AnswersLost,
        ProxyMode::Slow(Duration::from_millis(700)),
        ProxyMode::Slow(Duration::from_secs(30)),
    ];
    for silence in silences {
        proxy.set(ProxyMode::Fair);
        assert_recovers(&app).await;
        warm_up(&app).await;
        proxy.set(silence);
        // Twice: first with connections that are open, then without.
        for _ in 0..2 {
            let mut timed_requests: Vec<_> =
                PATHS.iter().map(|path| timed(app.get(path))).collect();
            let body = json!({ "name": "somebody", "password": "a long enough password" });
            timed_requests.push(timed(app.post("/v1/sessions").json(&body)));
            for (at, (answer, time)) in
                futures_util::future::join_all(timed_requests).await.into_iter().enumerate()
            {
                assert!(time < SOON, "{silence:?}: number {at} took {time:?}");
                assert!(answer.status < 500 || answer.status == 503, "{}", answer.text());
                if answer.status == 503 {
                    assert_ne!(answer.header("retry-after"), "", "{silence:?}: number {at}");
                } else {
                    assert!(
                        matches!(silence, ProxyMode::Slow(_)),
                        "{silence:?}: {}",
                        answer.text()
                    );
                }
            }
        }
    }
    proxy.set(ProxyMode::Fair);
    assert_recovers(&app).await;
}

/// Otherwise clients would believe that there are no changes.
#[tokio::test]
async fn a_stream_of_changes_ends_while_the_database_is_silent() {
    let db = Arc::new(TestDb::with_games(&["emojito"]).await);
    let proxy = Proxy::before(&db).await;
    let app = start(&db, proxy.url());
    let mut stream = app.get("/v1/changes/stream").send().await.unwrap();
    let hello = stream.chunk().await.unwrap().expect("the stream begins");
    assert!(hello.starts_with(b": connected"), "{hello:?}");
    proxy.set(ProxyMode::BlackHole);
    assert_eq!(stream.chunk().await.unwrap(), None, "it ends before the next sign of life");
    proxy.set(ProxyMode::Fair);
    assert_recovers(&app).await;
    let mut stream = app.get("/v1/changes/stream?after=0").send().await.unwrap();
    let mut text = String::new();
    while !text.contains("event: ") {
        let chunk = stream.chunk().await.unwrap().expect("the stream stays open");
        text += std::str::from_utf8(&chunk).unwrap();
    }
}

/// Work with a deadline of one minute does not wait a minute to find that the database does not answer.
#[tokio::test]
async fn long_work_detects_a_silent_database_at_its_beginning() {
    let db = Arc::new(TestDb::create().await);
    let proxy = Proxy::before(&db).await;
    let settings = StoreSettings { pool_size: 1, ..StoreSettings::new(proxy.url()) };
    let store = cardscape::store::Store::new(&settings).unwrap();
    let long = store.with_deadline(Duration::from_mins(1));
    let nothing =
        async || long.transaction(async |_| Ok::<(), cardscape::store::StoreError>(())).await;
    nothing().await.unwrap();
    proxy.set(ProxyMode::OldFrozen);
    let began = Instant::now();
    let silent = nothing().await;
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    assert!(matches!(silent, Err(cardscape::store::StoreError::Unavailable(_))), "{silent:?}");
    nothing().await.unwrap();
    // After the beginning, statements may use the long deadline.
    let slow = long.transaction(async |conn| {
        conn.batch_execute("SET LOCAL statement_timeout = 0; SELECT pg_sleep(3)").await?;
        Ok::<(), cardscape::store::StoreError>(())
    });
    slow.await.unwrap();
}

/// The first server uses only its share of the time for a connection, also if the URL allows it more.
#[tokio::test]
async fn a_second_server_is_reached_while_the_first_is_silent() {
    let db = TestDb::create().await;
    let proxy = Proxy::before(&db).await;
    // The kernel opens connections to it, and nobody reads them.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let first = format!("postgres://{},", silent.local_addr().unwrap());
    let url = proxy.url().replacen("postgres://", &first, 1);
    let connect = async |url: String| {
        let settings =
            StoreSettings { acquire_timeout: Duration::from_secs(4), ..StoreSettings::new(url) };
        let store = cardscape::store::Store::new(&settings).unwrap();
        process_of(&mut store.connection().await.unwrap()).await;
    };
    tokio::join!(connect(url.clone()), connect(format!("{url}&connect_timeout=10")));
}

/// A read that had to wait long for its turn has as much time for its answer as any other.
#[tokio::test]
async fn the_wait_for_a_turn_is_not_a_part_of_the_time_for_the_answer() {
    let db = TestDb::create().await;
    let settings = StoreSettings {
        acquire_timeout: Duration::from_mins(1),
        answer_timeout: Duration::from_millis(500),
        ..StoreSettings::new(db.url())
    };
    let store = cardscape::store::Store::new(&settings).unwrap();
    // Twice as many reads as there are places. Each gives its place up after the longest time for an answer.
    let silent = (0..64).map(|_| {
        store.read(async |_| {
            std::future::pending::<()>().await;
            Ok(())
        })
    });
    let last = store.read(async |_| {
        tokio::task::yield_now().await;
        Ok(())
    });
    let (silent, last) = tokio::join!(biased; futures_util::future::join_all(silent), last);
    assert!(silent.iter().all(Result::is_err));
    last.unwrap();
}

async fn process_of(conn: &mut cardscape::store::Connection) -> i32 {
    let process = diesel::dsl::sql::<diesel::sql_types::Integer>("pg_backend_pid()");
    diesel_async::RunQueryDsl::get_result(diesel::select(process), conn).await.unwrap()
}

#[tokio::test]
async fn a_connection_that_is_abandoned_during_work_is_closed() {
    let app = TestApp::start().await;
    let settings = StoreSettings { pool_size: 1, ..StoreSettings::new(app.db().url()) };
    let store = cardscape::store::Store::new(&settings).unwrap();

    let first = process_of(&mut store.connection().await.unwrap()).await;
    assert_eq!(
        process_of(&mut store.connection().await.unwrap()).await,
        first,
        "the pool reuses the connection"
    );

    let mut conn = store.connection().await.unwrap();
    let timed_requests = conn.batch_execute("SELECT pg_sleep(1)");
    tokio::time::timeout(Duration::from_millis(50), timed_requests).await.unwrap_err();
    drop(conn);
    let second = process_of(&mut store.connection().await.unwrap()).await;
    assert_ne!(second, first, "abandoned during a statement");

    let transaction = store.transaction(async |conn| {
        conn.batch_execute("SELECT 1").await?;
        std::future::pending::<()>().await;
        Ok::<(), cardscape::store::StoreError>(())
    });
    tokio::time::timeout(Duration::from_millis(200), transaction).await.unwrap_err();
    let third = process_of(&mut store.connection().await.unwrap()).await;
    assert_ne!(third, second, "abandoned during a transaction");
}

/// Begins a statement that takes a minute, and reads its first row: Postgres sends the first rows before it computes the last one.
async fn read_first_row(conn: &mut cardscape::store::Connection) {
    let rows = diesel::dsl::sql::<diesel::sql_types::Text>(
        "CASE n WHEN 9 THEN pg_sleep(60)::text ELSE repeat('x', 9000) END \
         FROM generate_series(1, 9) AS n",
    );
    let row = diesel_async::RunQueryDsl::get_result(diesel::select(rows), conn);
    let row: String = row.await.unwrap();
    assert_eq!(row.len(), 9_000);
}

/// A statement whose rows are not all read, as that of a request that is broken off. The next request would wait for them.
#[tokio::test]
async fn a_connection_with_an_unread_answer_is_closed() {
    let app = TestApp::start().await;
    let settings = StoreSettings { pool_size: 1, ..StoreSettings::new(app.db().url()) };
    let store = cardscape::store::Store::new(&settings).unwrap();
    let mut conn = store.connection().await.unwrap();
    let first = process_of(&mut conn).await;
    read_first_row(&mut conn).await;
    drop(conn);
    assert_ne!(process_of(&mut store.connection().await.unwrap()).await, first);
}

/// The search queue with one connection, and a network.
fn search_queue(db: &TestDb) -> (SearchQueue, Network) {
    let acquire_timeout = Duration::from_mins(1);
    let settings =
        StoreSettings { search_connections: 1, acquire_timeout, ..StoreSettings::new(db.url()) };
    (SearchQueue::new(&settings).unwrap(), IpAddr::from([192, 0, 2, 1]).into())
}

/// Otherwise a client that resets its connections would have any number of searches executed at the same time.
#[tokio::test]
async fn the_turn_of_an_abandoned_search_is_kept_while_postgres_may_execute_it() {
    let app = TestApp::start().await;
    let (searches, network) = search_queue(app.db());
    let mut conn = searches.connection(network).await.unwrap();
    process_of(&mut conn).await;
    drop(conn);
    let turn = searches.turn(network).now_or_never();
    drop(turn.expect("a search that has ended passes its turn on at once").unwrap());

    let mut conn = searches.connection(network).await.unwrap();
    assert!(conn.batch_execute("SELECT pg_sleep(60)").now_or_never().is_none());
    drop(conn);
    let mut turn = Box::pin(searches.turn(network));
    assert!(turn.as_mut().now_or_never().is_none(), "the search has not ended yet");
    turn.await.unwrap();
}

/// The driver records the end of a statement when its first rows arrive.
#[tokio::test]
async fn a_search_that_is_abandoned_between_its_rows_is_closed_and_its_turn_is_kept() {
    let app = TestApp::start().await;
    let (searches, network) = search_queue(app.db());
    let mut conn = searches.connection(network).await.unwrap();
    read_first_row(&mut conn).await;
    drop(conn);
    let mut turn = Box::pin(searches.turn(network));
    assert!(turn.as_mut().now_or_never().is_none(), "the search has not ended yet");
    turn.await.unwrap();
    assert_eq!(searches.usage(), (0, 0), "no connection is left");
}

/// Worker threads end one after the other when the service stops, and those that still have requests need the connections.
#[tokio::test]
async fn connections_for_searches_outlive_the_worker_thread_that_opened_them() {
    let app = TestApp::start().await;
    let (searches, network) = search_queue(app.db());
    let of_worker = searches.clone();
    let worker = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let process = async { process_of(&mut of_worker.connection(network).await.unwrap()).await };
        runtime.block_on(process)
    };
    let first = tokio::task::spawn_blocking(worker).await.unwrap();
    let second = process_of(&mut searches.connection(network).await.unwrap()).await;
    assert_eq!(second, first);
}

#[tokio::test]
async fn a_transaction_that_idles_too_long_is_ended() {
    let app = TestApp::start().await;
    let settings = StoreSettings::new(app.db().url());
    let store = cardscape::store::Store::new(&settings).unwrap();
    let outcome = store
        .transaction(async |conn| {
            conn.batch_execute("SELECT 1").await?;
            // The transaction holds its snapshot and sends no statement.
            tokio::time::sleep(Duration::from_millis(5_500)).await;
            conn.batch_execute("SELECT 1").await?;
            Ok::<(), cardscape::store::StoreError>(())
        })
        .await;
    assert!(matches!(outcome, Err(cardscape::store::StoreError::Unavailable(_))), "{outcome:?}");
}

#[tokio::test]
async fn a_longer_deadline_and_the_request_budget_are_respected() {
    let app = TestApp::start().await;
    let answer_timeout = Duration::from_millis(300);
    let settings = StoreSettings { answer_timeout, ..StoreSettings::new(app.db().url()) };
    let store = cardscape::store::Store::new(&settings).unwrap();
    let sleep = "SELECT pg_sleep(1)";
    store.connection().await.unwrap().batch_execute(sleep).await.unwrap_err();
    let patient = store.with_deadline(Duration::from_mins(1));
    patient.connection().await.unwrap().batch_execute(sleep).await.unwrap();
    // The budget covers all statements of a request together.
    let budgeted = StoreSettings {
        request_budget: Duration::from_millis(1_500),
        ..StoreSettings::new(app.db().url())
    };
    let store = cardscape::store::Store::new(&budgeted).unwrap();
    let both = store.within_budget(async {
        let first = store.connection().await.unwrap().batch_execute(sleep).await;
        let second = store.connection().await.unwrap().batch_execute(sleep).await;
        (first.is_ok(), second.is_ok())
    });
    assert_eq!(both.await, (true, false));
}
