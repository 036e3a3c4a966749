//! The network a request comes from.

use std::future::{Ready, ready};
use std::net::{IpAddr, Ipv4Addr};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use ipnet::IpNet;

use super::state;
use crate::api::problem::Problem;
use crate::domain::network::Network;

/// The client's network: the peer's, or, when the peer is a trusted proxy, what it says in `X-Forwarded-For`.
pub struct ClientNetwork(pub Network);

impl FromRequest for ClientNetwork {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(
            state(req)
                .map(|state| Self(client_address(req, &state.settings.trusted_proxies).into())),
        )
    }
}

/// The client's address, as far as the chain of proxies can be believed.
pub(crate) fn client_address(req: &HttpRequest, trusted: &[IpNet]) -> IpAddr {
    let forwarded =
        req.headers().get_all("x-forwarded-for").filter_map(|value| value.to_str().ok());
    let peer = req.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |address| address.ip());
    first_untrusted(peer, forwarded, trusted)
}

/// Going back from the peer, the first address that is not a trusted proxy.
fn first_untrusted<'a>(
    peer: IpAddr,
    forwarded: impl Iterator<Item = &'a str>,
    trusted: &[IpNet],
) -> IpAddr {
    let is_trusted =
        |address: &IpAddr| trusted.iter().any(|network| network.contains(&address.to_canonical()));
    let hops: Vec<&str> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
    let mut client = peer;
    for hop in hops.into_iter().rev() {
        if !is_trusted(&client) {
            break;
        }
        match hop.parse() {
            Ok(address) => client = address,
            Err(_) => break,
        }
    }
    client
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn believes_only_trusted_proxies() {
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
        let client = |peer: &str, forwarded: &[&str]| {
            first_untrusted(peer.parse().unwrap(), forwarded.iter().copied(), &trusted).to_string()
        };
        assert_eq!(client("192.0.2.1", &["203.0.113.9"]), "192.0.2.1");
        assert_eq!(client("10.0.0.1", &["203.0.113.9"]), "203.0.113.9");
        assert_eq!(client("10.0.0.1", &["198.51.100.7, 203.0.113.9, 10.0.0.2"]), "203.0.113.9");
        assert_eq!(client("10.0.0.1", &["198.51.100.7", "203.0.113.9"]), "203.0.113.9");
        assert_eq!(client("10.0.0.1", &["nonsense"]), "10.0.0.1");
    }
}
