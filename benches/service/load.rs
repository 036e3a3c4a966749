//! Keeps a server busy with the requests of a recipe, and collects the results.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use memchr::memmem;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::requests::Requests;

/// Time limit of a request. The service's own limit is ten seconds.
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Most headers of an answer. The service sends about twenty.
const MOST_HEADERS: usize = 64;

/// The results of many requests.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Latencies of the requests that were answered with 2xx.
    pub latencies: Vec<Duration>,
    /// Numbers of other answers by status; 0 for a failed connection.
    pub refused: BTreeMap<u16, usize>,
    /// The body of the first answer that was not 2xx.
    pub complaint: Option<String>,
    /// Total size of the bodies.
    pub bytes: u64,
    /// Number of answers with 2xx that are lists without items.
    pub empty: usize,
    pub time: Duration,
}

impl Outcome {
    /// Answers with 2xx per second.
    pub(crate) fn rate(&self) -> f64 {
        count(self.latencies.len()) / self.time.as_secs_f64().max(1e-9)
    }

    /// Number of all answers.
    pub(crate) fn answered(&self) -> usize {
        self.latencies.len() + self.refused.values().sum::<usize>()
    }

    /// The latency at a percentile, for answers with 2xx.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
        sorted.get(at).copied().unwrap_or_default()
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.latencies.extend(other.latencies);
        for (status, times) in other.refused {
            *self.refused.entry(status).or_default() += times;
        }
        self.complaint = self.complaint.take().or(other.complaint);
        self.bytes += other.bytes;
        self.empty += other.empty;
        self.time += other.time;
    }
}

pub(crate) fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::INFINITY, f64::from)
}

/// Sends requests over this many connections for this time, or until all requests that can be sent only once are used up.
pub(crate) async fn run(
    address: SocketAddr,
    requests: &Arc<Requests>,
    connections: usize,
    time: Duration,
) -> anyhow::Result<Outcome> {
    let next = Arc::new(AtomicUsize::new(0));
    let unique_number = Arc::new(AtomicU64::new(Requests::first_unique_number()));
    let began = Instant::now();
    let mut workers = Vec::new();
    for number in 0..connections {
        let (requests, next, unique_number) =
            (requests.clone(), next.clone(), unique_number.clone());
        // Each begins elsewhere, so that not all ask for the same at once.
        let mut own = requests.len() * number / connections;
        workers.push(tokio::spawn(async move {
            let mut connection = None;
            let mut found = Outcome::default();
            let mut message = Vec::new();
            while began.elapsed() < time {
                let at = if requests.are_spent() {
                    match requests.take(&next) {
                        Some(at) => at,
                        None => break,
                    }
                } else {
                    own += 1;
                    own
                };
                requests.write(at, unique_number.fetch_add(1, Ordering::Relaxed), &mut message);
                let asked = Instant::now();
                let mut open = match connection.take() {
                    Some(open) => open,
                    None => Connection::open(address).await?,
                };
                let answer = tokio::time::timeout(
                    REQUEST_TIMEOUT,
                    open.ask(&message, requests.wants_first_bytes()),
                );
                let answer = answer.await.context("no answer in time")??;
                if (200..300).contains(&answer.status) {
                    found.latencies.push(asked.elapsed());
                    found.bytes += answer.length;
                    found.empty += usize::from(answer.is_empty_list(&open));
                } else {
                    *found.refused.entry(answer.status).or_default() += 1;
                    if found.complaint.is_none() {
                        let body = String::from_utf8_lossy(&open.buffer[answer.head..]);
                        found.complaint = Some(body.chars().take(160).collect());
                    }
                }
                if answer.is_reusable {
                    connection = Some(open);
                }
            }
            anyhow::Ok(found)
        }));
    }
    let mut all = Outcome::default();
    for worker in workers {
        all.add(worker.await??);
    }
    all.time = began.elapsed();
    Ok(all)
}

/// Sends requests at this rate, each on its own connection, without waiting for earlier answers. At most `most` are in
/// progress at the same time.
pub(crate) async fn arrive(
    address: SocketAddr,
    requests: &Arc<Requests>,
    rate: f64,
    time: Duration,
    most: usize,
) -> anyhow::Result<Outcome> {
    let places = Arc::new(tokio::sync::Semaphore::new(most));
    let began = Instant::now();
    let mut under_way = tokio::task::JoinSet::new();
    #[expect(clippy::disallowed_methods, reason = "requests that are late are sent at once")]
    let mut tick = tokio::time::interval(Duration::from_secs_f64(1.0 / rate));
    let mut at = 0;
    while began.elapsed() < time {
        tick.tick().await;
        let place = places.clone().acquire_owned().await?;
        let mut message = Vec::new();
        requests.write(at, Requests::first_unique_number(), &mut message);
        at += 1;
        under_way.spawn(async move {
            let asked = Instant::now();
            let mut connection = Connection::open(address).await?;
            let answer =
                tokio::time::timeout(REQUEST_TIMEOUT, connection.ask(&message, false)).await??;
            drop(place);
            anyhow::Ok((answer.status, asked.elapsed()))
        });
    }
    let mut found = Outcome::default();
    while let Some(done) = under_way.join_next().await {
        match done? {
            Ok((200..300, latency)) => found.latencies.push(latency),
            Ok((status, _)) => *found.refused.entry(status).or_default() += 1,
            // The connection was closed, or there was no answer.
            Err(_) => *found.refused.entry(0).or_default() += 1,
        }
    }
    found.time = began.elapsed();
    Ok(found)
}

/// An answer. Its head and body are in the buffer of the connection.
pub(crate) struct Answer {
    pub status: u16,
    /// Size of the head, in bytes.
    head: usize,
    /// Number of bytes of the body that were read.
    length: u64,
    is_reusable: bool,
}

impl Answer {
    /// Whether the answer, which this connection has just read, is a page of a list without items. Such an answer is short, so that long ones need no search.
    fn is_empty_list(&self, connection: &Connection) -> bool {
        self.length < 300 && memmem::find(&connection.buffer[self.head..], b"\"data\":[]").is_some()
    }

    /// Whether the connection can be used for another request.
    pub(crate) fn is_reusable(&self) -> bool {
        self.is_reusable
    }
}

pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(128 * 1024) })
    }

    async fn more(&mut self) -> anyhow::Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the server closed the connection");
        }
        Ok(())
    }

    /// Sends a request and reads its answer, or only the first bytes of it.
    pub(crate) async fn ask(
        &mut self,
        message: &[u8],
        first_bytes: bool,
    ) -> anyhow::Result<Answer> {
        self.stream.write_all(message).await?;
        self.buffer.clear();
        let head = loop {
            self.more().await?;
            if let Some(end) = memmem::find(&self.buffer, b"\r\n\r\n") {
                break end + 4;
            }
        };
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut parsed = httparse::Response::new(&mut headers);
        parsed.parse(&self.buffer[..head])?;
        let status = parsed.code.context("a status")?;
        let header = |wanted: &str| {
            let found = parsed.headers.iter().find(|found| found.name.eq_ignore_ascii_case(wanted));
            found.and_then(|found| std::str::from_utf8(found.value).ok())
        };
        let closes = header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        let length = header("content-length").map(str::parse::<usize>).transpose()?;
        let is_chunked = header("transfer-encoding").is_some();
        let is_reusable = !first_bytes && !closes;
        if first_bytes && status < 300 {
            while self.buffer.len() == head {
                self.more().await?;
            }
        } else if let Some(length) = length {
            let end = head + length;
            while self.buffer.len() < end {
                self.more().await?;
            }
        } else if is_chunked {
            while !self.buffer[head..].ends_with(b"0\r\n\r\n") {
                self.more().await?;
            }
        } else if status != 204 && status != 304 {
            bail!("an answer {status} without a length");
        }
        let length = u64::try_from(self.buffer.len() - head)?;
        Ok(Answer { status, head, length, is_reusable })
    }
}
