//! `cardscape serve`

use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use clap::Args;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

use super::admin::FirstSecrets;
use super::database::Database;
use super::key_file::KeyFile;
use super::{Outcome, admin, block_on, say, seed, seed_data};
use crate::api;
use crate::api::catalogue::bulk_files::LAYOUT;
use crate::app::operations::webhooks;
use crate::app::state::{AppState, Shared, TOGETHER};
use crate::auth::keys::KeyRing;
use crate::auth::password::PasswordHasher;
use crate::auth::permission::Role;
use crate::config::{DatabaseOptions, ServeOptions};
use crate::domain::clock::Clock;
use crate::domain::text::AccountName;
use crate::http::server;
use crate::jobs::{account_events, card_index, feed};
use crate::store::accounts::{account_records, name_skeletons};
use crate::store::catalogue::{bulk_files, cards};
use crate::store::db::lane::SearchLane;
use crate::store::operations::retention;
use crate::store::printing::{discarded_runs, key_fingerprints};
use crate::store::serials::unlock_policies;
use crate::store::{Store, StoreResult, StoreSettings};
use crate::webhooks::Dispatcher;
use crate::webhooks::sender::Sender;
use crate::work::supervise::supervise;

/// Connections of the tasks in the background, all together: docs/OPERATIONS.md counts them.
const BACKGROUND: usize = 8;

#[derive(Args)]
pub(super) struct ServeCommand {
    #[command(flatten)]
    database: DatabaseOptions,
    #[command(flatten)]
    options: ServeOptions,
}

impl ServeCommand {
    pub(super) fn run(self) -> Outcome {
        give_back_large_blocks();
        let workers = self.options.workers.map_or_else(default_workers, usize::from);
        // One more for each worker's short reads; four tasks have one of their own.
        let pools = workers * (usize::from(self.options.pool_size) + 1)
            + usize::from(self.options.search_connections)
            + BACKGROUND
            + TOGETHER
            + 4;
        look_at_port(self.options.listen)?;
        if let Some(folder) = &self.options.seed_data {
            // Before a database is made for nothing.
            seed_data::read(folder).context("--seed-data names no folder with seed data")?;
        }
        let patience = Duration::from_secs(self.options.database_wait);
        let database = Database::start(&self.database, pools)?.waiting(patience);
        let key_file = database.key_file()?;
        block_on(async move {
            // Signals count from here on: a Ctrl-C during the start-up must not leave a half-stopped Postgres.
            let mut stop = Box::pin(stop_signal()?);
            let (keys, settings, store) = tokio::select! {
                prepared = prepare(&database, key_file, &self.options) => prepared?,
                () = &mut stop => {
                    tracing::info!("stopped before it was ready");
                    return Ok(ExitCode::SUCCESS);
                }
            };
            let api_settings = self.options.api_settings();
            // Here, and not on a worker thread: a stopping worker would leave the others' submissions behind.
            let together = Store::new(&StoreSettings { pool_size: TOGETHER, ..settings.clone() })?;
            let shared = Arc::new(Shared::new(
                keys,
                Clock::system(),
                PasswordHasher::new()?,
                metrics_handle()?,
                api_settings,
                &together,
            ));
            let sender = Sender::new(shared.settings.webhook_networks.clone())?;
            let app_shared = shared.clone();
            let shared_store = store.clone();
            let searches = SearchLane::new(&settings)?;
            let state = move || AppState {
                // A pool for each worker: a shared one costs a third of the throughput (docs/decisions/0001-connection-pool-per-worker.md).
                store: Store::new(&settings).unwrap_or_else(|_| shared_store.clone()),
                searches: searches.clone(),
                shared: app_shared.clone(),
            };
            let listen = self.options.listen;
            let (address, http) = server::listen(
                listen,
                workers,
                self.options.shutdown_timeout,
                state,
                api::configure,
            )
            .with_context(|| cannot_listen(listen))?;
            // Before anybody can register a name that looks like one of these.
            name_skeletons::fill_in(&store).await?;
            // Last, so that nothing can fail between this and showing the password.
            let first_secrets = first_admin(&store).await?;
            let handle = http.handle();
            announce(address, first_secrets.as_ref());
            // The start is over; what it used serves the tasks.
            let own = store.clone();
            let for_feed = one_connection(&database.settings)?;
            background("feed", &shared, &for_feed, feed::follow);
            let for_index = card_index::store(&database.settings)?;
            background("card_index", &shared, &for_index, card_index::follow);
            background(
                "account_events",
                &shared,
                &one_connection(&database.settings)?,
                account_events::follow,
            );
            if let Some(interval) = self.options.bulk_interval() {
                let keep = move |shared, store| keep_bulk_files(shared, store, interval);
                background_at_low_priority("bulk_files", &shared, &database.settings, keep)?;
            }
            background("unlocking", &shared, &own, unlocking);
            let (stop_posting, stopping) = watch::channel(false);
            let posting = background("webhooks", &shared, &own, move |shared, store| {
                post_webhooks(shared, store, sender.clone(), stopping.clone())
            });
            background("housekeeping", &shared, &own, housekeeping);
            let drain = shared.clone();
            let drain_delay = LEAST_DRAIN.max(Duration::from_secs(self.options.drain_delay));
            tokio::spawn(async move {
                stop.await;
                tracing::info!("stopping: finishing accepted requests");
                drain.start_draining();
                let _ = stop_posting.send(true);
                tokio::time::sleep(drain_delay).await;
                handle.stop(true).await;
            });
            http.await.context("the HTTP server failed")?;
            let _ = tokio::time::timeout(LAST_POSTS, posting).await;
            tracing::info!("stopped");
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// Fails at once where the service could not listen in the end: a first start makes a database before that. Nothing keeps the port until
/// then, so that clients are refused, and do not wait.
fn look_at_port(address: SocketAddr) -> anyhow::Result<()> {
    TcpListener::bind(address).map(drop).with_context(|| cannot_listen(address))
}

fn cannot_listen(address: SocketAddr) -> String {
    format!("cannot listen on {address}; --listen (CARDSCAPE_LISTEN) names another address")
}

/// How long a stopping instance says so before its port closes, at least.
const LEAST_DRAIN: Duration = Duration::from_millis(500);

/// Starts a task that runs until the service stops.
fn background<F: Future<Output = ()> + Send + 'static>(
    name: &'static str,
    shared: &Arc<Shared>,
    store: &Store,
    run: impl Fn(Arc<Shared>, Store) -> F + Send + Sync + 'static,
) -> JoinHandle<()> {
    let (watched, shared, store) = (shared.clone(), shared.clone(), store.clone());
    let is_over = move || watched.is_draining();
    tokio::spawn(supervise(name, is_over, move || run(shared.clone(), store.clone())))
}

/// Starts a task that runs until the service stops, on a thread of its own that gets the processor when requests leave it free; so do the threads
/// that it gives work to.
fn background_at_low_priority<F: Future<Output = ()> + Send + 'static>(
    name: &'static str,
    shared: &Arc<Shared>,
    settings: &StoreSettings,
    run: impl Fn(Arc<Shared>, Store) -> F + Send + Sync + 'static,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_start(lower_priority)
        .build()?;
    let (watched, shared, store) = (shared.clone(), shared.clone(), one_connection(settings)?);
    let is_over = move || watched.is_draining();
    std::thread::Builder::new().name(name.to_owned()).spawn(move || {
        lower_priority();
        runtime.block_on(supervise(name, is_over, move || run(shared.clone(), store.clone())));
    })?;
    Ok(())
}

/// Beside a thread that wants a processor as well, a thread with this niceness gets about a tenth of it. At 19 it might hold a lock for long.
const LOW_PRIORITY: i32 = 10;

/// Lowers the priority of this thread; on Linux, threads have priorities of their own.
fn lower_priority() {
    if let Err(error) = rustix::process::setpriority_process(None, LOW_PRIORITY) {
        tracing::warn!(%error, "cannot lower the priority of a background thread");
    }
}

/// A store for one task, which never waits for others to give a connection back.
fn one_connection(settings: &StoreSettings) -> StoreResult<Store> {
    Store::new(&StoreSettings { pool_size: 1, ..settings.clone() })
}

/// Every password hash needs a block of 19 MiB. glibc would keep those it has seen freed, one for each thread that ever hashed:
/// half a gigabyte after a few dozen log-ins. With a fixed threshold large blocks go back to the system at once.
#[allow(unsafe_code)]
fn give_back_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt only sets a parameter of the allocator; this runs before any other thread of ours.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1024 * 1024);
    }
}

fn default_workers() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// Brings the database up to date. This may take long: another instance may be migrating, or the server may take connections
/// and say nothing. A migration that has begun goes on when the future is dropped; the process ends after it.
async fn prepare(
    database: &Database,
    key_file: KeyFile,
    options: &ServeOptions,
) -> anyhow::Result<(KeyRing, StoreSettings, Store)> {
    let applied = database.migrate().await?;
    if !applied.is_empty() {
        tracing::info!(migrations = applied.len(), "database migrated");
    }
    let keys = key_file.keys_for(database).await?;
    let mut settings = database.settings.clone();
    settings.search_connections = options.search_connections.into();
    let store = Store::new(&StoreSettings { pool_size: BACKGROUND, ..settings.clone() })?;
    settings.pool_size = options.pool_size.into();
    if let Some(folder) = options.seed_data() {
        seed::load_at_start(&store, &folder).await?;
    }
    let folded = cards::refresh_words(&store).await?;
    if folded > 0 {
        tracing::info!(cards = folded, "texts folded for the search");
    }
    Ok((keys, settings, store))
}

/// Completes at the first SIGTERM or Ctrl-C.
fn stop_signal() -> anyhow::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// On the very first start there is nobody yet who may do anything: make an admin and return what is shown once.
async fn first_admin(store: &Store) -> anyhow::Result<Option<FirstSecrets>> {
    let mut conn = store.connection().await?;
    if account_records::any_admin(&mut conn).await? {
        return Ok(None);
    }
    drop(conn);
    let name = AccountName::parse("admin")?;
    match admin::create(store, &name, Role::Admin).await {
        Ok(secrets) => Ok(Some(secrets)),
        // Another instance on the same database was faster and shows the password.
        Err(_) if account_records::any_admin(&mut *store.connection().await?).await? => Ok(None),
        Err(error) => Err(error),
    }
}

fn announce(address: std::net::SocketAddr, first_secrets: Option<&FirstSecrets>) {
    say(format_args!("Cardscape is ready: http://{address}/docs"));
    if let Some(secrets) = first_secrets {
        say("Log in as admin with this password. It is shown only now and must be changed first:");
        say(format_args!("    {}", secrets.password));
        secrets.show_codes();
    }
}

/// One recorder for the process, however many servers it runs.
pub fn metrics_handle() -> anyhow::Result<PrometheusHandle> {
    static HANDLE: Mutex<Option<PrometheusHandle>> = Mutex::new(None);
    let mut installed = HANDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = &*installed {
        return Ok(handle.clone());
    }
    let buckets = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &buckets)?
        .install_recorder()?;
    Ok(installed.insert(handle).clone())
}

/// Submissions that were being made during the look before.
const OVERLAP: chrono::Duration = chrono::Duration::hours(1);

/// Unlocks what the time unlocks: sets on their day, cards when their submitters are old enough.
async fn unlocking(shared: Arc<Shared>, store: Store) {
    let mut tick = tokio::time::interval(Duration::from_secs(5));
    // The first look is at everybody: the service may have been away for long.
    let mut since = DateTime::UNIX_EPOCH;
    loop {
        tick.tick().await;
        let now = shared.clock.now();
        match unlock_policies::unlock_due(&store, since, now).await {
            Ok(cards) => {
                since = now - OVERLAP;
                if cards > 0 {
                    tracing::info!(cards, "unlocked by the time");
                }
            }
            Err(error) => tracing::warn!(%error, "could not look for cards to unlock"),
        }
    }
}

/// Deletes what is no longer needed, every few minutes.
async fn housekeeping(shared: Arc<Shared>, store: Store) {
    let mut tick = tokio::time::interval(Duration::from_mins(5));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        shared.rate_limiter.sweep();
        shared.metrics.run_upkeep();
        if let Err(error) = retention::sweep(&store, shared.clock.now()).await {
            tracing::warn!(%error, "could not sweep");
        }
        // A set may have got hidden cards after its day, or something was in the way when it came.
        if let Err(error) =
            unlock_policies::unlock_days(&store, DateTime::UNIX_EPOCH, shared.clock.now()).await
        {
            tracing::warn!(%error, "could not look for sets to unlock");
        }
        if let Err(error) = compare_keys(&shared, &store).await {
            tracing::warn!(%error, "could not compare the keys");
        }
        // An older program beside this one may have imported something.
        if let Err(error) = cards::refresh_words(&store).await {
            tracing::warn!(%error, "could not fold texts for the search");
        }
        // It may have registered somebody, too.
        if let Err(error) = name_skeletons::fill_in(&store).await {
            tracing::warn!(%error, "could not note what names look like");
        }
        if let Err(error) = discard_runs(&store, shared.clock.now()).await {
            tracing::warn!(%error, "could not discard print runs that were broken off");
        }
    }
}

/// Transactions of one look that delete copies of discarded runs; the next look goes on. Two million copies are a minute or two.
const DELETIONS: usize = 1_000;

/// Discards print runs that were broken off, and deletes their copies.
async fn discard_runs(store: &Store, now: DateTime<Utc>) -> StoreResult<()> {
    discarded_runs::discard_abandoned(store, now).await?;
    let deleted = discarded_runs::delete_copies(store, DELETIONS, now, |_| {}).await?;
    if deleted > 0 {
        let left = discarded_runs::copies_to_delete(&mut *store.connection().await?).await?;
        tracing::info!(
            copies = deleted,
            at_most_left = left.saturating_sub(deleted),
            "deleted copies of discarded print runs"
        );
    }
    Ok(())
}

/// Says so while this instance lacks keys that others were started with: codes that were printed with them are refused here.
async fn compare_keys(shared: &Shared, store: &Store) -> StoreResult<()> {
    for key in key_fingerprints::lacking(store, &shared.keys.fingerprints()).await? {
        let (field, key) = (key.purpose, key.key_id);
        tracing::error!(
            field,
            key,
            "the key file lacks a key that others use: restart with theirs"
        );
    }
    Ok(())
}

/// How long a stopping service waits for receivers of webhooks to answer, after its own answers. What is broken off comes again.
const LAST_POSTS: Duration = Duration::from_secs(3);

/// Posts to webhooks until the service stops.
async fn post_webhooks(
    shared: Arc<Shared>,
    store: Store,
    sender: Sender,
    stopping: watch::Receiver<bool>,
) {
    let dispatcher = Dispatcher {
        store,
        keys: shared.keys.clone(),
        clock: shared.clock.clone(),
        sender,
        render: webhooks::render,
        stopping,
    };
    Arc::new(dispatcher).run().await;
}

/// Makes bulk files anew when something happened to their game. Looks more often than it builds, so that a change after a quiet time
/// is soon in the files.
async fn keep_bulk_files(shared: Arc<Shared>, store: Store, interval: Duration) {
    let mut tick = tokio::time::interval((interval / 4).min(Duration::from_secs(5)));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let least = chrono::Duration::from_std(interval).unwrap_or(chrono::Duration::MAX);
    loop {
        tick.tick().await;
        if shared.is_draining() {
            return;
        }
        let made = bulk_files::refresh(&store, &shared.games, LAYOUT, &shared.clock, least).await;
        if let Err(error) = made {
            tracing::warn!(%error, "could not look after the bulk files");
        }
    }
}
