//! Posts a message: one look-up of addresses, one connection to a checked address, one request, no redirects, no proxy.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, DATE, HOST, HeaderMap, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use ipnet::IpNet;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use crate::domain::clock::Clock;
use crate::domain::operations::webhook::{Failure, Outcome};
use crate::domain::operations::webhook_target::{Target, TargetError};

/// Largest head of a response.
const MAX_HEAD: usize = 16 * 1024;
/// How much of a response's body is read, so that the receiver can finish writing. It is discarded.
const MAX_BODY: usize = 16 * 1024;
/// Most addresses of a host name that are tried.
const MAX_ADDRESSES: usize = 4;
/// Time limit for reading the body.
const BODY_TIMEOUT: Duration = Duration::from_secs(1);

/// Time limits of an attempt.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For DNS, connection and TLS together.
    pub connect: Duration,
    /// For the whole attempt, up to the head of the response.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), total: Duration::from_secs(15) }
    }
}

/// Resolves host names.
pub trait Resolver: Send + Sync {
    /// The addresses of a host name.
    fn resolve(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The resolver of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        // A thread outside of the runtime: the system's resolver cannot be cancelled, and the runtime would wait for
        // its blocking threads when it stops.
        let (sender, receiver) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || {
            let found = (name.as_str(), 0).to_socket_addrs();
            let _ = sender.send(found.map(|found| found.map(|address| address.ip()).collect()));
        });
        async move { receiver.await.map_err(io::Error::other)? }.boxed()
    }
}

/// A message to post.
#[derive(Clone, Debug)]
pub struct Message {
    /// `webhook-id`.
    pub id: String,
    /// `webhook-timestamp`, in seconds since 1970.
    pub timestamp: i64,
    /// `webhook-signature`: one, or several with spaces between them.
    pub signature: String,
    /// JSON.
    pub body: Vec<u8>,
}

/// Posts messages over HTTP.
#[derive(Clone)]
pub struct Sender {
    allowed: Arc<[IpNet]>,
    resolver: Arc<dyn Resolver>,
    tls: TlsConnector,
    timeouts: Timeouts,
}

impl Sender {
    /// A sender to the public internet and to the networks that the operator allows. It trusts the root certificates of
    /// this machine.
    pub fn new(allowed: Vec<IpNet>) -> anyhow::Result<Self> {
        let mut roots = RootCertStore::empty();
        let found = rustls_native_certs::load_native_certs();
        for error in &found.errors {
            tracing::debug!(%error, "a certificate of this machine cannot be read");
        }
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            tracing::warn!(
                "this machine has no root certificates (ca-certificates): webhooks with https will fail"
            );
        }
        Self::with(allowed, Arc::new(SystemResolver), roots, Timeouts::default())
    }

    /// A sender with another resolver, other root certificates and other timeouts.
    pub fn with(
        allowed: Vec<IpNet>,
        resolver: Arc<dyn Resolver>,
        roots: RootCertStore,
        timeouts: Timeouts,
    ) -> anyhow::Result<Self> {
        let provider = Arc::new(crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let tls = TlsConnector::from(Arc::new(config));
        Ok(Self { allowed: allowed.into(), resolver, tls, timeouts })
    }

    /// Posts a message and returns the result.
    pub async fn post(&self, url: &str, message: Message) -> Outcome {
        let attempt = self.attempt(url, message);
        let attempt = tokio::time::timeout(self.timeouts.total, attempt).await;
        let failed = |failure| Outcome { status: None, failure: Some(failure), retry_after: None };
        let response = match attempt {
            Err(_) => return failed(Failure::Timeout),
            Ok(Err(failure)) => return failed(failure),
            Ok(Ok(response)) => response,
        };
        let outcome = outcome_of(
            response.answer.status().as_u16(),
            retry_after(response.answer.headers(), Clock::system().now().into()),
        );
        response.drain().await;
        outcome
    }

    async fn attempt(&self, url: &str, message: Message) -> Result<ReceivedAnswer, Failure> {
        // The allowed networks may have changed since the webhook was created.
        let target = Target::parse(url, &self.allowed).map_err(refusal)?;
        let stream = tokio::time::timeout(self.timeouts.connect, self.connect(&target))
            .await
            .map_err(|_| Failure::Timeout)??;
        let (mut requests, connection) = hyper::client::conn::http1::Builder::new()
            .max_buf_size(MAX_HEAD)
            .handshake::<_, Full<Bytes>>(TokioIo::new(stream))
            .await
            .map_err(|_| Failure::Protocol)?;
        let mut driver = JoinSet::new();
        driver.spawn(async move {
            let _ = connection.await;
        });
        let request = request(&target, message).map_err(|_| Failure::Url)?;
        let answer = requests.send_request(request).await.map_err(|error| {
            if error.is_parse() { Failure::Protocol } else { Failure::Connection }
        })?;
        Ok(ReceivedAnswer { answer, _driver: driver })
    }

    /// Connects to one of the target's addresses. The name is resolved once, all its addresses are checked, and only
    /// these are connected to: a name that changes its address in between (DNS rebinding) has no effect.
    async fn connect(&self, target: &Target) -> Result<Box<dyn Stream>, Failure> {
        let addresses = match target.address() {
            Some(address) => vec![address],
            None => {
                self.resolver.resolve(target.host().to_owned()).await.map_err(|_| Failure::Name)?
            }
        };
        if addresses.is_empty() {
            return Err(Failure::Name);
        }
        target.check(&addresses, &self.allowed).map_err(refusal)?;
        let stream = self.open(&addresses, target.port()).await.ok_or(Failure::Connection)?;
        let _ = stream.set_nodelay(true);
        if target.is_plain() {
            return Ok(Box::new(stream));
        }
        let name = match target.address() {
            Some(address) => ServerName::from(address),
            None => ServerName::try_from(target.host().to_owned()).map_err(|_| Failure::Tls)?,
        };
        let stream = self.tls.connect(name, stream).await.map_err(|_| Failure::Tls)?;
        Ok(Box::new(stream))
    }

    /// Connects to the first address that accepts. Each address gets a share of the time, for machines whose IPv6 does
    /// not work.
    async fn open(&self, addresses: &[IpAddr], port: u16) -> Option<TcpStream> {
        let candidates = &addresses[..addresses.len().min(MAX_ADDRESSES)];
        let share = self.timeouts.connect / u32::try_from(candidates.len()).unwrap_or(1).max(1);
        for address in candidates {
            let connecting = TcpStream::connect(SocketAddr::new(*address, port));
            if let Ok(Ok(stream)) = tokio::time::timeout(share, connecting).await {
                return Some(stream);
            }
        }
        None
    }
}

/// The failure for a refused target.
fn refusal(error: TargetError) -> Failure {
    match error {
        TargetError::Address | TargetError::Plain => Failure::Address,
        _ => Failure::Url,
    }
}

/// A connection, with TLS or without.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// The head of a response, with the connection for its body.
struct ReceivedAnswer {
    answer: Response<Incoming>,
    /// Ends the connection when it is dropped.
    _driver: JoinSet<()>,
}

impl ReceivedAnswer {
    /// Reads the body for a limited time and discards it.
    async fn drain(mut self) {
        let body = self.answer.body_mut();
        let read = async {
            let mut read_bytes = 0;
            while let Some(Ok(frame)) = body.frame().await {
                read_bytes += frame.data_ref().map_or(0, Bytes::len);
                if read_bytes > MAX_BODY {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(BODY_TIMEOUT, read).await;
    }
}

fn request(target: &Target, message: Message) -> Result<Request<Full<Bytes>>, hyper::http::Error> {
    Request::post(target.path_and_query())
        .header(HOST, target.authority())
        .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
        .header(USER_AGENT, concat!("cardscape/", env!("CARGO_PKG_VERSION")))
        .header("webhook-id", message.id)
        .header("webhook-timestamp", message.timestamp)
        .header("webhook-signature", message.signature)
        .body(Full::from(message.body))
}

/// The outcome for a status.
fn outcome_of(status: u16, retry_after: Option<chrono::Duration>) -> Outcome {
    let failure = match status {
        200..=299 => None,
        300..=399 => Some(Failure::Redirect),
        410 => Some(Failure::Gone),
        _ => Some(Failure::Status),
    };
    let retry_after = retry_after.filter(|_| matches!(status, 429 | 503));
    Outcome { status: Some(status), failure, retry_after }
}

/// How long the receiver asks to wait: seconds, or a date (RFC 9110, 10.2.3), which is compared with the `Date` header
/// of the response if there is one.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<chrono::Duration> {
    let field = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let value = field(RETRY_AFTER)?;
    if let Ok(seconds) = value.parse::<u32>() {
        return Some(chrono::Duration::seconds(seconds.into()));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    let now = field(DATE).and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or(now);
    // A date in the past asks for no wait.
    chrono::Duration::from_std(date.duration_since(now).unwrap_or_default()).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;

    use super::*;

    /// A resolver whose first answer differs from all others.
    struct ChangingResolver {
        resolutions: AtomicUsize,
        first: Vec<IpAddr>,
        then: Vec<IpAddr>,
    }

    impl Resolver for ChangingResolver {
        fn resolve(&self, _: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
            let is_first = self.resolutions.fetch_add(1, Ordering::Relaxed) == 0;
            let answer = if is_first { self.first.clone() } else { self.then.clone() };
            async move { Ok(answer) }.boxed()
        }
    }

    fn resolver(first: &[&str], then: &[&str]) -> Arc<ChangingResolver> {
        let read =
            |addresses: &[&str]| addresses.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(ChangingResolver {
            resolutions: AtomicUsize::new(0),
            first: read(first),
            then: read(then),
        })
    }

    fn sender(named: &str, resolver: Arc<dyn Resolver>, roots: RootCertStore) -> Sender {
        let time_limit =
            Timeouts { connect: Duration::from_millis(700), total: Duration::from_secs(1) };
        let named = named.split(',').filter(|net| !net.is_empty());
        let named = named.map(|net| net.parse().unwrap()).collect();
        Sender::with(named, resolver, roots, time_limit).unwrap()
    }

    fn message() -> Message {
        Message {
            id: "1".to_owned(),
            timestamp: 1,
            signature: "v1,x".to_owned(),
            body: b"{}".to_vec(),
        }
    }

    /// Listens on loopback and answers each connection with these bytes; requests are not read.
    async fn answering(answer: &'static [u8]) -> (u16, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = connections.clone();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                count.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(async move {
                    let _ = stream.read(&mut [0; 4096]).await;
                    let _ = stream.write_all(answer).await;
                    // The connection stays open, as some receivers leave it.
                    tokio::time::sleep(Duration::from_secs(30)).await;
                });
            }
        });
        (port, connections)
    }

    async fn post(url: &str, answer: &'static [u8]) -> Outcome {
        let (port, _) = answering(answer).await;
        let sender = sender("127.0.0.0/8", Arc::new(SystemResolver), RootCertStore::empty());
        sender.post(&url.replace("PORT", &port.to_string()), message()).await
    }

    #[test]
    fn a_receiver_asks_to_wait_in_seconds_or_until_a_date() {
        let now = httpdate::parse_http_date("Sun, 22 Nov 2026 12:00:00 GMT").unwrap();
        let wait = |wanted: &str, date: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, wanted.parse().unwrap());
            date.map(|date| headers.insert(DATE, date.parse().unwrap()));
            retry_after(&headers, now).map(|wait| wait.num_seconds())
        };
        assert_eq!(wait("120", None), Some(120));
        assert_eq!(wait("Sun, 22 Nov 2026 12:02:00 GMT", None), Some(120));
        assert_eq!(wait("Sunday, 22-Nov-26 12:02:00 GMT", None), Some(120), "an older form");
        assert_eq!(wait("Sun, 22 Nov 2026 11:00:00 GMT", None), Some(0));
        let slow = Some("Sun, 22 Nov 2026 10:00:00 GMT");
        assert_eq!(wait("Sun, 22 Nov 2026 10:02:00 GMT", slow), Some(120), "by its own clock");
        assert_eq!(wait("120", slow), Some(120));
        for junk in ["soon", "-1", "", "22 Nov 2026", "99999999999999999999"] {
            assert_eq!(wait(junk, None), None, "{junk}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }

    #[tokio::test]
    async fn the_status_decides_the_outcome() {
        let url = "http://127.0.0.1:PORT/hook";
        let outcome = |status, failure| Outcome { status, failure, retry_after: None };
        for (answer, expected) in [
            (&b"HTTP/1.1 204 No Content\r\n\r\n"[..], outcome(Some(204), None)),
            (
                b"HTTP/1.1 200 OK\r\ncontent-length: 999999\r\n\r\nand then",
                outcome(Some(200), None),
            ),
            (
                b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\n\r\n",
                outcome(Some(302), Some(Failure::Redirect)),
            ),
            (b"HTTP/1.1 410 Gone\r\n\r\n", outcome(Some(410), Some(Failure::Gone))),
            (b"HTTP/1.1 500 Oops\r\n\r\n", outcome(Some(500), Some(Failure::Status))),
            (b"SSH-2.0-OpenSSH_9.2\r\n", outcome(None, Some(Failure::Protocol))),
            (b"", outcome(None, Some(Failure::Timeout))),
        ] {
            let text = String::from_utf8_lossy(answer);
            assert_eq!(post(url, answer).await, expected, "{text}");
        }
        let busy = post(url, b"HTTP/1.1 429 Slow\r\nretry-after: 90\r\n\r\n").await;
        assert_eq!(busy.retry_after, Some(chrono::Duration::seconds(90)));
    }

    #[tokio::test]
    async fn an_endless_head_or_body_ends() {
        static ENDLESS: [u8; 100_000] = [b'a'; 100_000];
        let url = "http://127.0.0.1:PORT/";
        let head = [b"HTTP/1.1 200 OK\r\nx: ", &ENDLESS[..]].concat().leak();
        assert_eq!(post(url, head).await.failure, Some(Failure::Protocol));
        let body = [b"HTTP/1.1 200 OK\r\n\r\n", &ENDLESS[..]].concat().leak();
        assert_eq!(post(url, body).await.failure, None);
    }

    /// DNS rebinding: the resolver gives one address to the check and another one afterwards.
    #[tokio::test]
    async fn a_name_is_resolved_once_and_all_its_addresses_are_checked() {
        let (port, connections) = answering(b"HTTP/1.1 200 OK\r\n\r\n").await;
        let post = async |named: &str, resolver: Arc<ChangingResolver>| {
            let sender = sender(named, resolver.clone(), RootCertStore::empty());
            let scheme = if named.is_empty() { "https" } else { "http" };
            let url = format!("{scheme}://rebinding.example:{port}/");
            let outcome = sender.post(&url, message()).await;
            assert_eq!(resolver.resolutions.load(Ordering::Relaxed), 1);
            outcome.failure
        };
        for private in [
            &["127.0.0.1"][..],
            &["192.0.2.1", "127.0.0.1"],
            &["1.1.1.1", "10.0.0.1"],
            &["::1"],
            &["::ffff:127.0.0.1"],
            &["64:ff9b::7f00:1"],
        ] {
            let outcome = post("", resolver(private, &[])).await;
            assert_eq!(outcome, Some(Failure::Address), "{private:?}");
        }
        assert_eq!(post("", resolver(&[], &[])).await, Some(Failure::Name));
        // Nothing listens at the checked address; the new address of the name must not be tried.
        let changed = resolver(&["127.0.0.2"], &["127.0.0.1"]);
        assert_eq!(post("127.0.0.2/32", changed).await, Some(Failure::Connection));
        assert_eq!(connections.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn without_tls_only_allowed_networks_are_posted_to() {
        let (port, connections) = answering(b"HTTP/1.1 200 OK\r\n\r\n").await;
        let post = async |named: &str, url: String, resolver: Arc<dyn Resolver>| {
            sender(named, resolver, RootCertStore::empty()).post(&url, message()).await.failure
        };
        let by_name = format!("http://hooks.internal:{port}/");
        let here = || resolver(&["127.0.0.1"], &[]);
        assert_eq!(post("10.0.0.0/8", by_name.clone(), here()).await, Some(Failure::Address));
        assert_eq!(post("", by_name.clone(), here()).await, Some(Failure::Address));
        assert_eq!(
            post("127.0.0.0/8", by_name.clone(), resolver(&["127.0.0.1", "8.8.8.8"], &[])).await,
            Some(Failure::Address)
        );
        let outside = format!("http://2130706433:{port}/");
        assert_eq!(post("10.0.0.0/8", outside.clone(), here()).await, Some(Failure::Address));
        assert_eq!(connections.load(Ordering::Relaxed), 0);
        assert_eq!(post("127.0.0.0/8", by_name, here()).await, None);
        assert_eq!(post("127.0.0.0/8", outside, here()).await, None);
        assert_eq!(connections.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn no_listener_is_a_connection_failure() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let sender = sender("127.0.0.0/8", Arc::new(SystemResolver), RootCertStore::empty());
        let outcome = sender.post(&format!("http://127.0.0.1:{port}/"), message()).await;
        assert_eq!(outcome.failure, Some(Failure::Connection));
    }

    /// A receiver with a certificate for `hooks.example`: trusted only with its root certificate, and only under this
    /// name.
    #[tokio::test]
    async fn a_certificate_must_be_trusted_and_match_the_name() {
        let self_signed = rcgen::generate_simple_self_signed(["hooks.example".to_owned()]).unwrap();
        let certificate = self_signed.cert.der().clone();
        let key = PrivateKeyDer::try_from(self_signed.signing_key.serialize_der()).unwrap();
        let config =
            ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_no_client_auth()
                .with_single_cert(vec![certificate.clone()], key)
                .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    if let Ok(mut stream) = acceptor.accept(stream).await {
                        let mut head = [0; 4096];
                        let read = stream.read(&mut head).await.unwrap();
                        let head = String::from_utf8_lossy(&head[..read]).into_owned();
                        assert!(head.starts_with("POST /hook?a=b HTTP/1.1\r\n"), "{head}");
                        assert!(head.contains("webhook-signature: v1,x\r\n"), "{head}");
                        let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
                        let _ = stream.shutdown().await;
                    }
                });
            }
        });
        let mut roots = RootCertStore::empty();
        roots.add(certificate).unwrap();
        let post = async |name: &str, roots: RootCertStore| {
            let sender = sender("127.0.0.0/8", resolver(&["127.0.0.1"], &[]), roots);
            sender.post(&format!("https://{name}:{port}/hook?a=b"), message()).await
        };
        assert_eq!(post("hooks.example", roots.clone()).await.status, Some(204));
        assert_eq!(post("others.example", roots.clone()).await.failure, Some(Failure::Tls));
        assert_eq!(post("127.0.0.1", roots).await.failure, Some(Failure::Tls));
        let strangers = RootCertStore::empty();
        assert_eq!(post("hooks.example", strangers).await.failure, Some(Failure::Tls));
    }
}
