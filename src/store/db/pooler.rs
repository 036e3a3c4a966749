//! Finds out whether there is a pooler between the service and the server, and whether the service can work with it.

use std::time::Duration;

use thiserror::Error;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, SimpleQueryMessage};

use super::wire::{OpenConnection, dial};
use crate::auth::secret;
use crate::store::StoreSettings;

/// How the service reaches the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// Each connection has one server process until it ends: a direct connection, or a pooler in session mode.
    Session,
    /// A pooler in transaction mode: each transaction may use another process.
    Transaction,
}

/// Why the service cannot work with this server.
#[derive(Debug, Error)]
pub enum RouteError {
    /// There was no connection.
    #[error("cannot connect to the database: {0}")]
    Connect(#[from] diesel::ConnectionError),
    /// A statement failed.
    #[error("cannot find out how the database is reached: {0}")]
    Failed(#[from] tokio_postgres::Error),
    /// The pooler loses prepared statements.
    #[error(
        "the database is reached through a pooler in transaction mode that does not keep prepared statements (PgBouncer before 1.21, or \
         max_prepared_statements = 0), and every statement of this service is a prepared one: use session mode (pool_mode = session), \
         PgBouncer 1.21 or newer with max_prepared_statements = 200, or a direct connection"
    )]
    LosesStatements,
    /// The pooler uses only one server process, so it could not be tested.
    #[error(
        "the database is reached through a pooler in transaction mode that gave no second connection to the server within 2 s: give it more \
         (default_pool_size)"
    )]
    TooFew,
}

/// Transactions that are open at the same time, so that a pooler in transaction mode has to use other processes: it
/// assigns the process that became free last, or the one that has been free longest.
const OPEN_TRANSACTIONS: usize = 6;

/// The same number once the pooler was seen to change processes: more processes than a pooler usually has, so that one
/// of the transactions occupies the process in question.
const MAX_OPEN_TRANSACTIONS: usize = 24;

/// How often a statement is tried if no transaction occupies its process: one of the tries has to run on another
/// process.
const TRIES: usize = 50;

/// Longest wait for the first connection and its answers: no client waits at the start.
const FIRST: Duration = Duration::from_secs(10);

/// Longest wait for a further connection, and for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Finds the route. Without a pooler this takes one connection; with one, several empty transactions are open for a
/// moment.
pub async fn find(settings: &StoreSettings) -> Result<Route, RouteError> {
    let open = |time_limit| dial(&settings.url, "cardscape", time_limit, &settings.health);
    let OpenConnection { client, line } = open(FIRST).await?;
    // A pooler reports itself as the process to cancel, because the process behind it may change.
    if line.pulse.process() == Some(process(&client).await?) {
        return Ok(Route::Session);
    }
    line.pulse.lend(ANSWER_TIMEOUT, None);
    // A number that no other statement with this name returns, for instance one of an earlier client.
    let number = i32::from_le_bytes(secret::random());
    client.batch_execute("BEGIN").await?;
    let prepared = client.prepare(&format!("SELECT {number}")).await;
    let statement = prepared.map_err(|error| describe(error, SqlState::DUPLICATE_PSTATEMENT))?;
    let first = process(&client).await?;
    client.batch_execute("COMMIT").await?;

    let mut held = Vec::new();
    let mut is_taken = false;
    let mut changes = false;
    while !is_taken && held.len() < if changes { MAX_OPEN_TRANSACTIONS } else { OPEN_TRANSACTIONS }
    {
        let Ok(other) = open(ANSWER_TIMEOUT).await else { break };
        if other.client.batch_execute("BEGIN").await.is_err() {
            break;
        }
        is_taken = process(&other.client).await? == first;
        held.push(other);
        if !is_taken {
            changes |= process(&client).await? != first;
        }
    }
    if !is_taken && !changes {
        return Ok(Route::Session);
    }
    for _ in 0..if is_taken { 1 } else { TRIES } {
        let result = client.query(&statement, &[]).await;
        if line.has_ended() {
            return Err(RouteError::TooFew);
        }
        let rows = result.map_err(|error| describe(error, SqlState::INVALID_SQL_STATEMENT_NAME))?;
        if rows.first().and_then(|row| row.try_get(0).ok()) != Some(number) {
            return Err(RouteError::LosesStatements);
        }
    }
    Ok(Route::Transaction)
}

/// Converts an error: one with the SQLSTATE for lost statements, or another one.
fn describe(error: tokio_postgres::Error, lost: SqlState) -> RouteError {
    if error.code() == Some(&lost) { RouteError::LosesStatements } else { error.into() }
}

/// The server process that answers now.
async fn process(client: &Client) -> Result<i32, tokio_postgres::Error> {
    let answer = client.simple_query("SELECT pg_backend_pid()").await?;
    let number = answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
        _ => None,
    });
    Ok(number.unwrap_or_default())
}
