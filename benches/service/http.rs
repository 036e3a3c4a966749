//! A minimal HTTP client that can keep a server busy: GET requests, one after the other on each connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use memchr::memmem;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::compare::Round;

/// The address of a server, and the requests for it.
pub(crate) struct Target {
    address: SocketAddr,
    requests: Arc<Vec<Vec<u8>>>,
    /// Whether a 503 is a valid answer, because requests may exceed their time limit.
    may_be_refused: bool,
}

impl Target {
    /// Sends GET requests for these paths in turn.
    pub(crate) fn new(address: SocketAddr, paths: &[String]) -> Self {
        // The service trusts the load generator as a proxy, and shows `/metrics` to no client without an address.
        let request = |path: &String| {
            format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nx-forwarded-for: 127.0.0.1\r\n\r\n")
                .into_bytes()
        };
        let requests = Arc::new(paths.iter().map(request).collect());
        Self { address, requests, may_be_refused: false }
    }

    /// Like [`Self::new`], for costly requests that the service may refuse with a 503.
    pub(crate) fn refusable(address: SocketAddr, paths: &[String]) -> Self {
        Self { may_be_refused: true, ..Self::new(address, paths) }
    }

    /// Keeps this many connections busy for this time.
    pub(crate) async fn run(&self, connections: usize, time: Duration) -> anyhow::Result<Round> {
        let mut workers = Vec::new();
        let began = Instant::now();
        for number in 0..connections {
            let (address, requests) = (self.address, self.requests.clone());
            let may_be_refused = self.may_be_refused;
            // Each connection begins with another request, so that they do not all send the same one at the same time.
            let first = requests.len() * number / connections;
            workers.push(tokio::spawn(async move {
                let mut connection = Connection::open(address).await?;
                let mut latencies = Vec::new();
                let mut at = first;
                while began.elapsed() < time {
                    let asked = Instant::now();
                    connection.get(&requests[at % requests.len()], may_be_refused).await?;
                    latencies.push(asked.elapsed());
                    at += 1;
                }
                anyhow::Ok(latencies)
            }));
        }
        let mut latencies = Vec::new();
        for worker in workers {
            latencies.append(&mut worker.await??);
        }
        Ok(Round::of_requests(latencies, began.elapsed()))
    }

    /// Sends one request, and returns the body of its answer.
    pub(crate) async fn get(address: SocketAddr, path: &str) -> anyhow::Result<Vec<u8>> {
        let target = Self::new(address, &[path.to_owned()]);
        let mut connection = Connection::open(address).await?;
        connection.get(&target.requests[0], false).await.with_context(|| format!("GET {path}"))?;
        Ok(connection.buffer)
    }
}

/// One connection. The buffer contains the body of the latest answer.
struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(128 * 1024) })
    }

    /// Sends a request and reads its answer. It must have a `Content-Length` and the status 200, or 503 if that is allowed.
    async fn get(&mut self, request: &[u8], may_be_refused: bool) -> anyhow::Result<()> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head = loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the server closed the connection");
            }
            if let Some(end) = memmem::find(&self.buffer, b"\r\n\r\n") {
                break end + 4;
            }
        };
        let text = std::str::from_utf8(&self.buffer[..head])?;
        if !(text.starts_with("HTTP/1.1 200 ")
            || may_be_refused && text.starts_with("HTTP/1.1 503 "))
        {
            bail!("{text}{}", String::from_utf8_lossy(&self.buffer[head..]));
        }
        let length = |line: &str| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>())
        };
        let length = text.lines().find_map(length).context("an answer without a length")??;
        while self.buffer.len() < head + length {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the server closed the connection");
            }
        }
        self.buffer.drain(..head);
        Ok(())
    }
}
