//! An unreliable network between the service and Postgres.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, UnixStream};
use tokio::sync::watch;

use super::TestDb;

/// What the proxy does with the bytes of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyMode {
    /// Delivers them.
    Fair,
    /// Holds back the bytes of connections that are older than this state; new connections work.
    OldFrozen,
    /// Drops them in both directions; connections can be opened.
    BlackHole,
    /// Drops the bytes from the server.
    AnswersLost,
    /// Delays each piece by this time.
    Slow(Duration),
}

/// A TCP port in front of the socket of Postgres.
pub struct Proxy {
    address: SocketAddr,
    database: String,
    mode: watch::Sender<(ProxyMode, u64)>,
    opened: Arc<AtomicU64>,
}

impl Proxy {
    pub async fn before(db: &TestDb) -> Self {
        let config: tokio_postgres::Config = db.url().parse().unwrap();
        let tokio_postgres::config::Host::Unix(folder) = &config.get_hosts()[0] else {
            panic!("the tests' Postgres has a socket");
        };
        let socket = folder.join(".s.PGSQL.5432");
        let database =
            format!("{}?user={}", config.get_dbname().unwrap(), config.get_user().unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (mode, seen) = watch::channel((ProxyMode::Fair, 0));
        let opened = Arc::new(AtomicU64::new(0));
        let numbers = opened.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let number = numbers.fetch_add(1, Ordering::SeqCst);
                let (socket, seen) = (socket.clone(), seen.clone());
                tokio::spawn(async move {
                    let Ok(server) = UnixStream::connect(&socket).await else { return };
                    let (from_client, to_client) = client.into_split();
                    let (from_server, to_server) = server.into_split();
                    tokio::select! {
                        () = carry(from_client, to_server, seen.clone(), number, false) => {}
                        () = carry(from_server, to_client, seen, number, true) => {}
                    }
                });
            }
        });
        Self { address, database, mode, opened }
    }

    /// The address of the database through the proxy.
    pub fn url(&self) -> String {
        format!("postgres://{}/{}", self.address, self.database)
    }

    /// Changes the state, also for open connections.
    pub fn set(&self, mode: ProxyMode) {
        self.mode.send_replace((mode, self.opened.load(Ordering::SeqCst)));
    }
}

async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut mode: watch::Receiver<(ProxyMode, u64)>,
    number: u64,
    answers: bool,
) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        let frozen =
            |(mode, since): &(ProxyMode, u64)| *mode == ProxyMode::OldFrozen && number < *since;
        if mode.wait_for(|now| !frozen(now)).await.is_err() {
            return;
        }
        let (now, _) = *mode.borrow();
        match now {
            ProxyMode::BlackHole => continue,
            ProxyMode::AnswersLost if answers => continue,
            ProxyMode::Slow(time) => tokio::time::sleep(time).await,
            _ => {}
        }
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}
