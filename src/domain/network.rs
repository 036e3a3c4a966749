//! The network that a request comes from. Attempt limits, rate limits and other limits count by network.

use std::net::IpAddr;

use ipnet::{IpNet, Ipv6Net};

/// An IPv4 address, an IPv6 prefix, or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Network(Option<IpNet>);

/// The length of the IPv6 prefix that counts as one customer.
const CUSTOMER: u8 = 64;

/// Lengths of wider prefixes, and how many times the share of one customer each may use. Providers assign a /56 or /48 to many of their
/// customers, who would otherwise have 256 or 65,536 networks for their attempts. Other providers put several customers into such a prefix, hence the
/// factors.
const WIDER: [(u8, u32); 2] = [(56, 4), (48, 16)];

impl Network {
    /// Requests for which a trusted proxy gives no readable address.
    pub const UNKNOWN: Self = Self(None);

    /// The networks by which a request from this network is counted, the narrowest first, each with the factor by which its limit is larger.
    pub fn counted(self) -> impl Iterator<Item = (Self, u32)> {
        let wider: &[(u8, u32)] = if matches!(self.0, Some(IpNet::V6(_))) { &WIDER } else { &[] };
        let wider = wider.iter().filter_map(move |&(length, factor)| {
            let IpNet::V6(customer) = self.0? else { return None };
            Some((Self::v6(customer, length)?, factor))
        });
        std::iter::once((self, 1)).chain(wider)
    }

    /// The widest of these networks. Limits on a few places count by it alone: with the factors, a customer with many networks could take all of them.
    #[must_use]
    pub fn widest(self) -> Self {
        self.counted().last().map_or(self, |(widest, _)| widest)
    }

    /// The factor of the network at this place in [`Self::counted`].
    pub fn factor_at(place: usize) -> u32 {
        let wider = place.checked_sub(1).and_then(|place| WIDER.get(place));
        wider.map_or(1, |(_, factor)| *factor)
    }

    /// All factors.
    pub fn factors() -> impl Iterator<Item = u32> {
        (0..=WIDER.len()).map(Self::factor_at)
    }

    fn v6(net: Ipv6Net, length: u8) -> Option<Self> {
        Some(Self(Some(Ipv6Net::new(net.addr(), length).ok()?.trunc().into())))
    }
}

impl From<IpAddr> for Network {
    /// An IPv4 address that is mapped into IPv6 (RFC 4291, 2.5.5.2) is that IPv4 address.
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(v6) => Self::v6(v6.into(), CUSTOMER).unwrap_or(Self::UNKNOWN),
            v4 @ IpAddr::V4(_) => Self(Some(v4.into())),
        }
    }
}

impl std::fmt::Display for Network {
    /// The network of one customer is written as its address only. The format must not change: hashes of this text are stored with sessions and submissions.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            None => f.write_str("unknown"),
            Some(IpNet::V6(net)) if net.prefix_len() != CUSTOMER => net.fmt(f),
            Some(net) => net.addr().fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        text.parse::<IpAddr>().unwrap().into()
    }

    fn counted(network: Network) -> Vec<(String, u32)> {
        network.counted().map(|(network, factor)| (network.to_string(), factor)).collect()
    }

    #[test]
    fn an_ipv6_customer_is_one_network() {
        assert_eq!(network("2001:db8:1:2::5"), network("2001:db8:1:2:ffff::1"));
        assert_ne!(network("2001:db8:1:2::5"), network("2001:db8:1:3::5"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_ne!(network("0.0.0.0"), Network::UNKNOWN);
        assert_ne!(network("::"), Network::UNKNOWN);
    }

    #[test]
    fn an_ipv6_customer_is_counted_by_wider_prefixes_too() {
        let wanted =
            [("2001:db8:1:ab12::", 1), ("2001:db8:1:ab00::/56", 4), ("2001:db8:1::/48", 16)];
        let wanted = wanted.map(|(text, factor)| (text.to_owned(), factor));
        assert_eq!(counted(network("2001:db8:1:ab12::5")), wanted);
        for (place, (_, factor)) in wanted.iter().enumerate() {
            assert_eq!(Network::factor_at(place), *factor);
        }
        let v4 = vec![("192.0.2.1".to_owned(), 1)];
        assert_eq!(counted(network("192.0.2.1")), v4);
        assert_eq!(counted(network("::ffff:192.0.2.1")), v4);
        assert_eq!(counted(Network::UNKNOWN), [("unknown".to_owned(), 1)]);
        assert_eq!(network("2001:db8:1:ab12::5").widest().to_string(), "2001:db8:1::/48");
        assert_eq!(network("192.0.2.1").widest(), network("192.0.2.1"));
        // Prefixes of different lengths with the same address must have different texts.
        assert_eq!(counted(network("2001:db8::")).len(), 3);
        assert_ne!(counted(network("2001:db8::"))[0].0, counted(network("2001:db8::"))[2].0);
    }
}
