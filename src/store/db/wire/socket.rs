//! Sockets to the server.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream, lookup_host};
use tokio::time::timeout;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// How long sent data may stay unacknowledged at the TCP level before the connection is closed: a machine that is cut
/// off does not close its connections.
const SILENCE: Duration = Duration::from_secs(10);

/// The port if the URL names none.
const PORT: u16 = 5432;

/// One of the servers in the URL.
#[derive(Clone, Debug)]
pub(super) struct Place {
    host: Host,
    /// The address of the host, if the URL contains it.
    address: Option<std::net::IpAddr>,
    port: u16,
}

impl Place {
    /// The servers in the URL, in order.
    pub(super) fn all(config: &Config) -> Vec<Self> {
        let ports = config.get_ports();
        let port = |at: usize| ports.get(at).or(ports.first()).copied().unwrap_or(PORT);
        let addresses = config.get_hostaddrs();
        let hosts = config.get_hosts();
        let count = hosts.len().max(addresses.len());
        let place = |at: usize| {
            let address = addresses.get(at).copied();
            let host = hosts.get(at).cloned().or_else(|| Some(Host::Tcp(address?.to_string())));
            Some(Self { host: host?, address, port: port(at) })
        };
        (0..count).filter_map(place).collect()
    }

    /// The name that the certificate must contain; `None`: a Unix socket, which needs none.
    pub(super) fn name(&self) -> Option<&str> {
        match &self.host {
            Host::Tcp(name) => Some(name),
            Host::Unix(_) => None,
        }
    }

    /// Connects. Several addresses of the host share `time_limit`; the caller limits the total.
    pub(super) async fn connect(&self, config: &Config, time_limit: Duration) -> io::Result<Link> {
        let name = match &self.host {
            Host::Unix(folder) => {
                let socket = folder.join(format!(".s.PGSQL.{}", self.port));
                return UnixStream::connect(socket).await.map(Link::Unix);
            }
            Host::Tcp(name) => name,
        };
        let addresses: Vec<_> = match self.address {
            Some(address) => vec![(address, self.port).into()],
            None => lookup_host((name.as_str(), self.port)).await?.collect(),
        };
        let share = share_of(time_limit, addresses.len(), config);
        let mut failed = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for address in addresses {
            match timeout(share, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return tuned(stream, config).map(Link::Tcp),
                Ok(Err(error)) => failed = error,
                Err(_) => failed = io::Error::new(io::ErrorKind::TimedOut, "no answer in time"),
            }
        }
        Err(failed)
    }
}

/// The time for each of several servers or addresses that are tried one after the other: one that drops all packets must
/// not use up the time of those after it. A `connect_timeout` in the URL can only make the share of several shorter: most
/// callers stop waiting after `time_limit`.
pub(super) fn share_of(time_limit: Duration, candidates: usize, config: &Config) -> Duration {
    let share = time_limit / u32::try_from(candidates).unwrap_or(u32::MAX).max(1);
    match config.get_connect_timeout() {
        Some(own) if candidates > 1 => share.min(*own),
        Some(own) => *own,
        None => share,
    }
}

fn tuned(stream: TcpStream, config: &Config) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    let socket = SockRef::from(&stream);
    let silence = config.get_tcp_user_timeout().copied().unwrap_or(SILENCE);
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(silence))?;
    if config.get_keepalives() {
        let mut alive = TcpKeepalive::new().with_time(config.get_keepalives_idle());
        if let Some(interval) = config.get_keepalives_interval() {
            alive = alive.with_interval(interval);
        }
        if let Some(retries) = config.get_keepalives_retries() {
            alive = alive.with_retries(retries);
        }
        socket.set_tcp_keepalive(&alive)?;
    }
    Ok(stream)
}

/// A connected socket.
pub(super) enum Link {
    /// Over the network.
    Tcp(TcpStream),
    /// On this machine.
    Unix(UnixStream),
}

impl AsyncRead for Link {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Unix(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Link {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Unix(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_flush(cx),
            Self::Unix(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_share_the_time() {
        let config = Config::new();
        for (candidates, share) in [(0, 6), (1, 6), (2, 3)] {
            let found = share_of(Duration::from_secs(6), candidates, &config);
            assert_eq!(found, Duration::from_secs(share), "{candidates}");
        }
    }

    #[test]
    fn a_connect_timeout_makes_no_share_longer() {
        for (own, candidates, share) in [(10, 1, 10), (10, 2, 3), (1, 1, 1), (1, 2, 1)] {
            let mut config = Config::new();
            config.connect_timeout(Duration::from_secs(own));
            let found = share_of(Duration::from_secs(6), candidates, &config);
            assert_eq!(found, Duration::from_secs(share), "{own}, {candidates}");
        }
    }
}
