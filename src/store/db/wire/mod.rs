//! Connections to the server, each watched: a wait for a response has a time limit, whatever happened to the server or
//! the network.

mod address;
mod frames;
mod pulse;
mod socket;
mod tls;
mod watched;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use diesel::{ConnectionError, ConnectionResult};
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_postgres::config::{LoadBalanceHosts, SslMode, SslNegotiation, TargetSessionAttrs};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, NoTls, SimpleQueryMessage};

use self::address::{Address, Security};
pub(in crate::store) use self::pulse::Pulse;
use self::socket::{Link, Place, share_of};
use self::tls::Tls;
use self::watched::Watched;
use super::health::Health;

/// How long the server may take to receive the closing message.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection, and the task that drives it. The task ends when this value is dropped.
pub(in crate::store) struct OpenConnection {
    pub client: Client,
    pub line: Line,
}

/// Keeps a connection alive until it is dropped.
pub(in crate::store) struct Line {
    pub pulse: Arc<Pulse>,
    driver: AbortHandle,
    _user: oneshot::Sender<()>,
}

impl Line {
    /// Closes the connection without the closing message, because the server may be executing a statement.
    pub(in crate::store) fn disconnect(&self) {
        self.driver.abort();
    }

    /// Whether the connection has ended: the server closed it, or a response was late.
    pub(super) fn has_ended(&self) -> bool {
        self.driver.is_finished()
    }
}

/// Whether a URL can be parsed and names a server.
pub(super) fn check_url(url: &str) -> Result<(), &'static str> {
    Address::parse(url).map(drop)
}

/// Connects to the server at `url`, or to the first of several that can be used. Several share `time_limit`, which also
/// applies to each response; a `connect_timeout` in the URL applies to each response instead, to a single server, and, if
/// it is shorter than the share, to each of several. Errors contain the message of the operating system.
pub(in crate::store) async fn dial(
    url: &str,
    name: &str,
    time_limit: Duration,
    health: &Arc<Health>,
) -> ConnectionResult<OpenConnection> {
    let mut address =
        Address::parse(url).map_err(|error| ConnectionError::InvalidConnectionUrl(error.into()))?;
    if address.config.get_application_name().is_none() {
        address.config.application_name(name);
    }
    let mut places = Place::all(&address.config);
    if address.config.get_load_balance_hosts() == LoadBalanceHosts::Random {
        let turn = usize::from(getrandom::u32().unwrap_or_default().to_le_bytes()[0]);
        let count = places.len();
        places.rotate_left(turn % count);
    }
    let response_limit = address.config.get_connect_timeout().copied().unwrap_or(time_limit);
    let limit = share_of(time_limit, places.len(), &address.config);
    let mut failed = String::new();
    for place in places {
        let pulse = Pulse::new(response_limit);
        match timeout(limit, reach(&place, &address, limit.min(time_limit), pulse, health)).await {
            Ok(Ok(opened)) => return Ok(opened),
            Ok(Err(error)) => failed = error,
            Err(_) => "the server does not answer in time".clone_into(&mut failed),
        }
    }
    Err(ConnectionError::BadConnection(failed))
}

/// Connects to one server; the caller limits the time.
async fn reach(
    place: &Place,
    address: &Address,
    time_limit: Duration,
    pulse: Arc<Pulse>,
    health: &Arc<Health>,
) -> Result<OpenConnection, String> {
    let describe = |error: &dyn std::error::Error| with_causes(error);
    let link =
        place.connect(&address.config, time_limit).await.map_err(|error| describe(&error))?;
    let secured = secure(place, address, link, &pulse, health).await;
    let (client, driver) = secured.map_err(|error| describe(&*error))?;
    let (user, left) = oneshot::channel();
    let driver = tokio::spawn(drive(driver, left, Counted::new())).abort_handle();
    let opened = OpenConnection { client, line: Line { pulse, driver, _user: user } };
    if suits(&opened.client, &address.config).await.map_err(|error| describe(&error))? {
        Ok(opened)
    } else {
        Err("the server is not of the kind that target_session_attrs asks for".to_owned())
    }
}

type Driver = BoxFuture<'static, Result<(), tokio_postgres::Error>>;

/// Negotiates TLS and logs in.
async fn secure(
    place: &Place,
    address: &Address,
    mut link: Link,
    pulse: &Arc<Pulse>,
    health: &Arc<Health>,
) -> Result<(Client, Driver), Box<dyn std::error::Error + Send + Sync>> {
    let mut config = address.config.clone();
    let at_once = config.get_ssl_negotiation() == SslNegotiation::Direct;
    let wanted = match (place.name(), address.security) {
        (_, Security::Disable) | (None, _) => None,
        (name, _) => name,
    };
    let name = match wanted {
        Some(name) if at_once || tls::offered(&mut link).await? => Some(name),
        Some(_) if address.security != Security::Prefer => {
            return Err("the server does not support TLS, which sslmode demands".into());
        }
        _ => None,
    };
    let (pulse, health) = (pulse.clone(), health.clone());
    if let Some(name) = name {
        // Both sides have negotiated TLS already.
        config.ssl_mode(SslMode::Require).ssl_negotiation(SslNegotiation::Direct);
        let tls = Tls { name: name.to_owned(), config: tls::config(address)?, pulse, health };
        let (client, connection) = config.connect_raw(link, tls).await?;
        return Ok((client, Box::pin(connection)));
    }
    config.ssl_mode(SslMode::Disable);
    let (client, connection) = config.connect_raw(Watched::new(link, pulse, health), NoTls).await?;
    Ok((client, Box::pin(connection)))
}

/// Number of connections of this process that are not closed yet.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// Counts a connection as open until this is dropped.
struct Counted;

impl Counted {
    fn new() -> Self {
        OPEN.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Waits on this thread until all connections of the process are closed, for about `limit` at most: threads of workers may still drop theirs when the service has
/// stopped.
pub(in crate::store) fn wait_until_closed(limit: Duration) {
    const STEP: Duration = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    while OPEN.load(Ordering::Relaxed) > 0 && waited < limit {
        std::thread::sleep(STEP);
        waited += STEP;
    }
}

/// Drives a connection until no user is left.
async fn drive(mut driver: Driver, left: oneshot::Receiver<()>, _open: Counted) {
    let outcome = tokio::select! {
        outcome = &mut driver => outcome,
        _ = left => timeout(CLOSE_TIMEOUT, driver).await.unwrap_or(Ok(())),
    };
    let Err(error) = outcome else { return };
    // A server that shuts down, for instance the private Postgres, is not a failure.
    let is_announced = error.code() == Some(&SqlState::ADMIN_SHUTDOWN);
    let error = with_causes(&error);
    if is_announced {
        tracing::info!(error, "a connection to the database has ended");
    } else {
        tracing::warn!(error, "a connection to the database has ended");
    }
}

/// Whether the server is what `target_session_attrs` requires.
async fn suits(client: &Client, config: &Config) -> Result<bool, tokio_postgres::Error> {
    let wanted = match config.get_target_session_attrs() {
        TargetSessionAttrs::ReadWrite => "off",
        TargetSessionAttrs::ReadOnly => "on",
        _ => return Ok(true),
    };
    let answer = client.simple_query("SHOW transaction_read_only").await?;
    Ok(answer.iter().any(
        |message| matches!(message, SimpleQueryMessage::Row(row) if row.get(0) == Some(wanted)),
    ))
}

/// The driver's errors contain only a kind ("error connecting to server"); the reason is in their causes.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut messages: Vec<String> = Vec::new();
    for error in std::iter::successors(Some(error), |error| error.source()) {
        let words = error.to_string();
        // Some errors repeat their cause.
        if !messages.iter().any(|before| before.ends_with(&words)) {
            messages.push(words);
        }
    }
    messages.join(": ")
}
