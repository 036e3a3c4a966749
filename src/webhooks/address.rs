//! Which addresses are posted to: public ones, and those that the operator names.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// Networks that are not the public internet although they look like it (IANA's special-purpose registries), or that machines in a cloud
/// get their own secrets from.
const SPECIAL_V4: [([u8; 4], u8); 19] = [
    // This network, private ones, carrier-grade NAT, loopback, link-local.
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 168, 0, 0], 16),
    // Protocol assignments, AS112, relays of multicast and of 6to4.
    ([192, 0, 0, 0], 24),
    ([192, 31, 196, 0], 24),
    ([192, 52, 193, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 175, 48, 0], 24),
    // Documentation and measurements.
    ([192, 0, 2, 0], 24),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    // Azure's own services for a machine.
    ([168, 63, 129, 16], 32),
    // Multicast; reserved, with the broadcast address.
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

/// The same within 2000::/3. What is outside of that is not global unicast: loopback, mapped and translated addresses, unique local and
/// link-local ones, multicast.
const SPECIAL_V6: [([u16; 8], u8); 5] = [
    // Protocol assignments, with Teredo and ORCHID.
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    // 6to4 has an IPv4 address within.
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    ([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
];

const GLOBAL_V6: Ipv6Addr = Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0);

/// What an address is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// The operator names its network: anything goes.
    Named,
    /// On the public internet: with TLS.
    Public,
    /// Neither.
    Refused,
}

/// What an address is to us, where the operator names these networks.
pub(super) fn standing(address: IpAddr, named: &[IpNet]) -> Standing {
    if named.iter().any(|network| network.contains(&address)) {
        return Standing::Named;
    }
    if is_public(address) { Standing::Public } else { Standing::Refused }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4
            .iter()
            .any(|(network, bits)| same_v4(address, Ipv4Addr::from(*network), *bits)),
        IpAddr::V6(address) => {
            same_v6(address, GLOBAL_V6, 3)
                && !SPECIAL_V6
                    .iter()
                    .any(|(network, bits)| same_v6(address, Ipv6Addr::from(*network), *bits))
        }
    }
}

/// Whether the first bits, at least one, are the same.
fn same_v4(one: Ipv4Addr, other: Ipv4Addr, bits: u8) -> bool {
    (one.to_bits() ^ other.to_bits()) >> (32 - bits) == 0
}

fn same_v6(one: Ipv6Addr, other: Ipv6Addr, bits: u8) -> bool {
    (one.to_bits() ^ other.to_bits()) >> (128 - bits) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: &str, named: &str) -> Standing {
        let named: Vec<IpNet> = named
            .split(',')
            .filter(|net| !net.is_empty())
            .map(|net| net.parse().unwrap())
            .collect();
        standing(address.parse().unwrap(), &named)
    }

    #[test]
    fn what_is_not_the_public_internet_is_refused() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:8.8.8.8",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:a00:1::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert_eq!(of(address, ""), Standing::Refused, "{address}");
        }
    }

    #[test]
    fn the_public_internet_is_not() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "168.63.129.17",
            "172.15.255.255",
            "172.32.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:200::1",
            "2606:4700::1111",
            "2a00:1450::1",
        ] {
            assert_eq!(of(address, ""), Standing::Public, "{address}");
        }
    }

    #[test]
    fn the_operator_names_networks() {
        assert_eq!(of("10.1.2.3", "127.0.0.0/8,10.1.0.0/16"), Standing::Named);
        assert_eq!(of("10.2.2.3", "127.0.0.0/8,10.1.0.0/16"), Standing::Refused);
        assert_eq!(of("fd00::1", "fd00::/8"), Standing::Named);
        assert_eq!(of("::ffff:10.1.2.3", "10.1.0.0/16"), Standing::Refused, "in another spelling");
        assert_eq!(of("8.8.8.8", "10.0.0.0/8"), Standing::Public);
    }
}
