//! The network of the client.

use std::future::{Ready, ready};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use ipnet::IpNet;

use crate::app::problem::Problem;
use crate::app::state::ApiSettings;
use crate::domain::network::Network;
use crate::http::extract::state;

/// The client's network: that of the peer or, if the peer is a trusted proxy, the one in `X-Forwarded-For`. Without that header the network is unknown.
pub struct ClientNetwork(pub Network);

impl FromRequest for ClientNetwork {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(state(req).map(|state| Self(client_network(req, &state.settings))))
    }
}

pub(crate) fn client_network(req: &HttpRequest, settings: &ApiSettings) -> Network {
    let address = client_address(req, &settings.trusted_proxies);
    address.map_or(Network::UNKNOWN, Network::from)
}

/// The client's address, as far as the chain of proxies is trusted. `None`: a trusted proxy has sent no address, or something that is none.
pub(crate) fn client_address(req: &HttpRequest, trusted: &[IpNet]) -> Option<IpAddr> {
    // A header line that is not text is not an address.
    let forwarded = req.headers().get_all("x-forwarded-for");
    let forwarded = forwarded.map(|value| value.to_str().unwrap_or_default());
    first_untrusted(req.peer_addr()?.ip(), forwarded, trusted)
}

/// The first address from the peer backwards that is not a trusted proxy, or the last one in the chain. An invalid entry has no address, and neither has a
/// client of which a trusted proxy sends nothing: it must not count as the proxy that forwarded it, which has more rights than its clients.
fn first_untrusted<'a>(
    peer: IpAddr,
    forwarded: impl Iterator<Item = &'a str>,
    trusted: &[IpNet],
) -> Option<IpAddr> {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let peer = peer.to_canonical();
    if !is_trusted(&peer) {
        return Some(peer);
    }
    let hops: Vec<&str> = forwarded.flat_map(|value| value.split(',')).collect();
    let mut client = None;
    for hop in hops.into_iter().rev() {
        let hop = address(hop)?.to_canonical();
        client = Some(hop);
        if !is_trusted(&hop) {
            break;
        }
    }
    client
}

/// An address as proxies write it: `192.0.2.1`, `192.0.2.1:1234`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:1234`.
fn address(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let bare = hop.parse().ok();
    let with_port = || hop.parse::<SocketAddr>().ok().map(|address| address.ip());
    let in_brackets = || {
        let inner = hop.strip_prefix('[')?.strip_suffix(']')?;
        inner.parse::<Ipv6Addr>().ok().map(IpAddr::from)
    };
    bare.or_else(with_port).or_else(in_brackets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &[&str]) -> Option<String> {
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()];
        let found = first_untrusted(peer.parse().unwrap(), forwarded.iter().copied(), &trusted);
        found.map(|address| address.to_string())
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let is = |address: &str| Some(address.to_owned());
        assert_eq!(client("192.0.2.1", &["203.0.113.9"]), is("192.0.2.1"));
        assert_eq!(client("192.0.2.1", &["junk"]), is("192.0.2.1"));
        assert_eq!(client("10.0.0.1", &["203.0.113.9"]), is("203.0.113.9"));
        assert_eq!(client("::ffff:10.0.0.1", &["203.0.113.9"]), is("203.0.113.9"));
        assert_eq!(client("10.0.0.1", &["198.51.100.7, 203.0.113.9, 10.0.0.2"]), is("203.0.113.9"));
        assert_eq!(client("10.0.0.1", &["198.51.100.7", "203.0.113.9"]), is("203.0.113.9"));
        assert_eq!(client("10.0.0.1", &["10.0.0.3, 10.0.0.2"]), is("10.0.0.3"));
        assert_eq!(client("10.0.0.1", &["203.0.113.9, ::ffff:10.0.0.2"]), is("203.0.113.9"));
        assert_eq!(client("10.0.0.1", &["10.0.0.1"]), is("10.0.0.1"), "the proxy names itself");
        assert_eq!(client("10.0.0.1", &[]), None, "the proxy does not say for whom it asks");
        assert_eq!(client("192.0.2.1", &[]), is("192.0.2.1"));
    }

    #[test]
    fn reads_addresses_with_ports() {
        for (written, meant) in [
            ("8.8.8.8:1234", "8.8.8.8"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            (" 8.8.8.8 ", "8.8.8.8"),
            ("::ffff:8.8.8.8", "8.8.8.8"),
            ("[::ffff:8.8.8.8]:80", "8.8.8.8"),
        ] {
            assert_eq!(client("10.0.0.1", &[written]).as_deref(), Some(meant), "{written}");
        }
    }

    #[test]
    fn an_invalid_entry_has_no_address() {
        for junk in [
            "unknown",
            "",
            " ",
            "_hidden",
            "8.8.8",
            "8.8.8.8:",
            "8.8.8.8:99999",
            "[::1",
            "localhost",
            "8.8.8.8;1",
        ] {
            assert_eq!(client("10.0.0.1", &[junk]), None, "{junk:?}");
            assert_eq!(client("10.0.0.1", &["203.0.113.9", junk]), None, "{junk:?}");
            assert_eq!(
                client("10.0.0.1", &[&format!("203.0.113.9, {junk}, 10.0.0.2")]),
                None,
                "{junk:?}"
            );
            // A client can put anything before the entry that the proxy adds.
            assert_eq!(
                client("10.0.0.1", &[&format!("{junk}, 203.0.113.9")]).as_deref(),
                Some("203.0.113.9")
            );
        }
    }
}
