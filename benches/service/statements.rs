//! Reads the exact statements of the service from the log of Postgres.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

use crate::http::Target;
use crate::service::{Home, Service};

/// The recorded statements of many requests.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Recorded {
    /// Statements, each with the parameters of every request that ran it, as texts; `None` is NULL.
    pub statements: Vec<(String, Vec<Vec<Option<String>>>)>,
}

/// Most requests that are recorded: enough for all variants of a request.
const MOST: usize = 200;

/// Sends requests and reads the log.
pub(crate) struct Recorder {
    address: SocketAddr,
    log: PathBuf,
}

impl Recorder {
    pub(crate) fn new(home: &Home, service: &Service) -> Self {
        Self { address: service.address, log: home.data.join("postgres.log") }
    }

    /// Sends the requests one by one, and records the longest statement of each: the essential one.
    pub(crate) async fn record(&self, paths: &[String]) -> anyhow::Result<Recorded> {
        let mut found: BTreeMap<String, Vec<Vec<Option<String>>>> = BTreeMap::new();
        for path in paths.iter().take(MOST) {
            let from = usize::try_from(std::fs::metadata(&self.log)?.len())?;
            Target::get(self.address, path).await?;
            let log = std::fs::read(&self.log)?;
            let text = std::str::from_utf8(&log[from..])?;
            // Background tasks run statements, too, but none that reads the content of cards.
            let (statement, parameters) = executed(text)
                .into_iter()
                .filter(|(statement, _)| statement.contains("card_content"))
                .max_by_key(|(statement, _)| statement.len())
                .with_context(|| format!("no statement for {path} in {text:?}"))?;
            found.entry(statement).or_default().push(parameters);
        }
        if found.is_empty() {
            bail!("no request to record");
        }
        Ok(Recorded { statements: found.into_iter().collect() })
    }
}

/// The statements in a part of the log, with their parameters.
fn executed(log: &str) -> Vec<(String, Vec<Option<String>>)> {
    let mut found: Vec<(String, Vec<Option<String>>)> = Vec::new();
    // Details follow the line to which they belong. Lines of other steps (such as parse or bind) have details, too.
    let mut has_details = false;
    for line in log.lines() {
        if let Some((_, list)) = line.split_once("DETAIL:  ") {
            if let (true, Some((_, list)), Some((_, parameters))) =
                (has_details, list.split_once("arameters: "), found.last_mut())
            {
                *parameters = values(list);
            }
        } else if let Some((_, rest)) = line.split_once("  execute ")
            && let Some((_, statement)) = rest.split_once(": ")
        {
            found.push((statement.to_owned(), Vec::new()));
            has_details = true;
        } else {
            has_details = false;
        }
    }
    found
}

/// The values in a list such as `$1 = 'it''s', $2 = NULL`.
fn values(list: &str) -> Vec<Option<String>> {
    let mut values = Vec::new();
    let mut rest = list;
    while let Some((_, value)) = rest.split_once(" = ") {
        if let Some(after) = value.strip_prefix("NULL") {
            values.push(None);
            rest = after;
            continue;
        }
        let mut text = String::new();
        let mut letters = value.char_indices().skip(1).peekable();
        let mut end = value.len();
        while let Some((at, character)) = letters.next() {
            if character == '\'' && letters.next_if(|(_, next)| *next == '\'').is_none() {
                end = at + 1;
                break;
            }
            text.push(character);
        }
        values.push(Some(text));
        rest = &value[end..];
    }
    values
}
