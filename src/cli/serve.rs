//! `cardscape serve`

use std::fmt::Display;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use cardscape_pictures::Fonts;
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use super::admin::FirstSecrets;
use super::database::Database;
use super::key_file::KeyFile;
use super::metrics::metrics_handle;
use super::standard_output::print;
use super::{Outcome, admin, block_on, seed, seed_data};
use crate::api;
use crate::app::catalogue::bulk_files;
use crate::app::decks::deck_files;
use crate::app::state::{AppState, Shared, TOGETHER};
use crate::auth::keys::KeyRing;
use crate::auth::password::PasswordHasher;
use crate::auth::permission::Role;
use crate::config::{DatabaseOptions, ServeOptions};
use crate::domain::clock::Clock;
use crate::domain::text::AccountName;
use crate::http::server;
use crate::jobs::{self, BulkFileOptions};
use crate::store::accounts::{account_records, name_skeletons};
use crate::store::catalogue::cards;
use crate::store::db::backlog::UNTIL_DONE;
use crate::store::db::private_postgres;
use crate::store::db::search_queue::SearchQueue;
use crate::store::{Store, StoreSettings};
use crate::web;
use crate::webhooks::sender::Sender;

/// Connections of the background jobs that share them; docs/OPERATIONS.md counts them.
const BACKGROUND: usize = 7;

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
        // Each worker has one more connection, for short reads.
        let pools = workers * (usize::from(self.options.pool_size) + 1)
            + usize::from(self.options.search_connections)
            + BACKGROUND
            + TOGETHER
            + jobs::OWN_CONNECTIONS;
        check_port(self.options.listen)?;
        if let Some(folder) = &self.options.seed_data {
            // Checked first, so that no database is created without need.
            seed_data::read(folder).context("--seed-data names no folder with seed data")?;
        }
        let connect_wait = Duration::from_secs(self.options.database_wait);
        let key_file = KeyFile::of(&self.database)?;
        let database = Database::start(&self.database, pools)?.with_connect_wait(connect_wait);
        // A private Postgres is stopped after the runtime, with which most connections end, and after those of workers: otherwise it would break them off.
        let database = &database;
        let served = block_on(async move {
            // Signals are handled from here on: Ctrl-C during the start must not leave a half-stopped Postgres.
            let mut stop = Box::pin(stop_signal()?);
            let (keys, settings, store) = tokio::select! {
                prepared = prepare(database, key_file, &self.options) => prepared?,
                () = &mut stop => {
                    tracing::info!("stopped before it was ready");
                    return Ok(ExitCode::SUCCESS);
                }
            };
            let api_settings = self.options.api_settings();
            // Created here and not on a worker thread: a worker that stops would abandon submissions of the others.
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
            let searches = SearchQueue::new(&settings)?;
            let for_jobs = searches.clone();
            let state = move || AppState {
                // One pool per worker: a shared pool costs a third of the throughput
                // (docs/decisions/0001-connection-pool-per-worker.md).
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
                &[api::configure, web::configure],
            )
            .with_context(|| cannot_listen(listen))?;
            // Last, so that nothing can fail before the password is shown.
            let first_secrets = first_admin(&store).await?;
            let handle = http.handle();
            announce(address, first_secrets.as_ref());
            if env!("CARDSCAPE_OPT_LEVEL") == "0" {
                tracing::warn!(
                    "this program is built without optimisations, for trying the service out; `make release` builds the one for players"
                );
            }
            warn_without_emoji(&shared.settings.picture_fonts);
            let interval = self.options.bulk_interval();
            let (cards, decks) = (bulk_files::LAYOUT, deck_files::LAYOUT);
            let bulk_files = interval.map(|interval| BulkFileOptions { interval, cards, decks });
            // The start is complete; background jobs use the same store.
            let jobs =
                jobs::start(&shared, &store, (&database.settings, &for_jobs), bulk_files, sender)?;
            let stop_posting = jobs.stopper();
            let drain = shared.clone();
            let drain_delay = MIN_DRAIN.max(Duration::from_secs(self.options.drain_delay));
            let shutdown_timeout = self.options.shutdown_timeout;
            let stopping = tokio::spawn(async move {
                stop.await;
                tracing::info!("stopping: finishing accepted requests");
                drain.start_draining();
                stop_posting();
                tokio::time::sleep(drain_delay).await;
                server::stop(handle, shutdown_timeout).await
            });
            tokio::select! {
                biased;
                ended = http => ended.context("the HTTP server failed")?,
                // The server is dropped here: its workers close their connections at once, and nobody waits for their threads.
                broken_off = stopping => warn_of_requests_broken_off(broken_off?),
            }
            // Before a private Postgres stops, which would break their connections off.
            tokio::join!(jobs.finish(), shared.attempt_batches.finish());
            tracing::info!("stopped");
            Ok(ExitCode::SUCCESS)
        });
        private_postgres::wait_for_closed_connections();
        served
    }
}

/// Fails early if the service cannot listen; otherwise a first start would create a database before it fails. The port
/// is not kept open, so that clients are refused and do not wait.
fn check_port(address: SocketAddr) -> anyhow::Result<()> {
    TcpListener::bind(address).map(drop).with_context(|| cannot_listen(address))
}

fn cannot_listen(address: SocketAddr) -> String {
    format!("cannot listen on {address}; --listen (CARDSCAPE_LISTEN) names another address")
}

/// Shortest time during which a stopping instance reports that it stops before its port closes.
const MIN_DRAIN: Duration = Duration::from_millis(500);

/// Every password hash needs a block of 19 MiB. glibc would keep freed blocks, one for each thread that ever hashed:
/// half a gigabyte after a few dozen log-ins. With a fixed threshold, large blocks are returned to the system at once.
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

/// Brings the database up to date. This may take long: another instance may be migrating, or the server may accept
/// connections without answering. When the future is dropped, a running migration continues, and the process ends after
/// it.
async fn prepare(
    database: &Database,
    key_file: KeyFile,
    options: &ServeOptions,
) -> anyhow::Result<(KeyRing, StoreSettings, Store)> {
    key_file.require_for_new(database).await?;
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
    let folded = cards::refresh_words(&store, UNTIL_DONE).await?;
    if folded > 0 {
        tracing::info!(cards = folded, "texts folded for the search");
    }
    // Before a client can register a name that looks like an existing one.
    name_skeletons::fill_in(&store, UNTIL_DONE).await?;
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

fn warn_of_requests_broken_off(requests: usize) {
    if requests > 0 {
        tracing::warn!(
            requests,
            "stopping: requests that did not finish within --shutdown-timeout are broken off, and may get no answer"
        );
    }
}

fn warn_without_emoji(fonts: &Fonts) {
    if !fonts.has_emoji() {
        tracing::warn!(
            "no font with emoji is installed: emoji are outlines in pictures that are drawn as PNG; install fonts-noto-color-emoji (Debian, Ubuntu) or name a font with --emoji-font"
        );
    }
}

/// At the very first start there are no accounts: creates an admin, and returns the secrets to show once.
async fn first_admin(store: &Store) -> anyhow::Result<Option<FirstSecrets>> {
    let mut conn = store.connection().await?;
    if account_records::any_admin(&mut conn).await? {
        return Ok(None);
    }
    drop(conn);
    let name = AccountName::parse_new("admin")?;
    let created = admin::create(store, &name, Role::Admin, |_| Ok(())).await;
    if let Ok(Some(secrets)) = created {
        return Ok(Some(secrets));
    }
    if !has_admin(store).await {
        return Err(created.err().unwrap_or_else(|| admin::name_taken().into()));
    }
    // Without an error, another instance on the same database was faster and shows the password. With one, the account may be
    // this one, whose password was not returned: the answer to the commit is missing.
    if let Err(error) = created {
        log_lost_password(&format_args!("{error:#}"));
    }
    Ok(None)
}

/// Whether there is an admin. No, if the database does not answer: the start then fails with its first error.
async fn has_admin(store: &Store) -> bool {
    match store.connection().await {
        Ok(mut conn) => account_records::any_admin(&mut conn).await.unwrap_or(false),
        Err(_) => false,
    }
}

/// Prints where the service and its API are, and the secrets of the first admin. The service goes on if nobody can read this, but the log says so.
fn announce(address: SocketAddr, first_secrets: Option<&FirstSecrets>) {
    let places = format!(
        "Cardscape is ready: http://{address}\nThe API, to read and to try: http://{address}/docs/"
    );
    if let Err(error) = print(places) {
        tracing::warn!(%error, %address, "ready, but cannot write standard output");
    }
    if let Some(Err(error)) = first_secrets.map(show) {
        log_lost_password(&error);
    }
}

fn log_lost_password(error: &dyn Display) {
    tracing::error!(
        %error,
        "the password of the first admin cannot be shown, and perhaps nobody knows it: `cardscape admin reset-password admin` shows another one"
    );
}

fn show(secrets: &FirstSecrets) -> io::Result<()> {
    print(format_args!(
        "Log in as admin with this password. It is shown only now and must be changed first:\n    {}\n{}",
        secrets.password,
        secrets.codes_in_words()
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(line);
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(fonts: &Fonts) -> String {
        let lines = Lines::default();
        let written = lines.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || lines.clone()).finish();
        tracing::subscriber::with_default(subscriber, || warn_without_emoji(fonts));
        String::from_utf8(written.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn a_missing_emoji_font_is_named_with_its_remedy() {
        let logged_without = logged(&Fonts::bundled());
        for part in ["WARN", "no font with emoji is installed", "--emoji-font"] {
            assert!(logged_without.contains(part), "{logged_without}");
        }
        let font = include_bytes!("../../crates/pictures/tests/fixtures/emoji.ttf").to_vec();
        assert_eq!(logged(&Fonts::bundled().with_emoji(font).unwrap()), "");
    }
}
