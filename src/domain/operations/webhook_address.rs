//! The addresses to which webhooks may post: public addresses, and networks that the operator named.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// Networks that do not belong to the public internet (IANA's special-purpose registries), or from which machines in a cloud get their own
/// secrets.
const SPECIAL_V4: [Ipv4Net; 19] = [
    // This network, private networks, carrier-grade NAT, loopback, link-local.
    v4([0, 0, 0, 0], 8),
    v4([10, 0, 0, 0], 8),
    v4([100, 64, 0, 0], 10),
    v4([127, 0, 0, 0], 8),
    v4([169, 254, 0, 0], 16),
    v4([172, 16, 0, 0], 12),
    v4([192, 168, 0, 0], 16),
    // Protocol assignments, AS112, multicast relays, 6to4 relays.
    v4([192, 0, 0, 0], 24),
    v4([192, 31, 196, 0], 24),
    v4([192, 52, 193, 0], 24),
    v4([192, 88, 99, 0], 24),
    v4([192, 175, 48, 0], 24),
    // Documentation and measurements.
    v4([192, 0, 2, 0], 24),
    v4([198, 18, 0, 0], 15),
    v4([198, 51, 100, 0], 24),
    v4([203, 0, 113, 0], 24),
    // Azure's platform services for a virtual machine.
    v4([168, 63, 129, 16], 32),
    // Multicast; reserved, with the broadcast address.
    v4([224, 0, 0, 0], 4),
    v4([240, 0, 0, 0], 4),
];

/// Such networks within 2000::/3. All addresses outside 2000::/3 are not global unicast: loopback, mapped and translated addresses, unique local and
/// link-local addresses, multicast.
const SPECIAL_V6: [Ipv6Net; 5] = [
    // Protocol assignments, with Teredo and ORCHID.
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    // 6to4: the address contains an IPv4 address.
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    v6([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
];

const GLOBAL_V6: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

const fn v4(n: [u8; 4], bits: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(n[0], n[1], n[2], n[3]), bits)
}

const fn v6(n: [u16; 8], bits: u8) -> Ipv6Net {
    let address = Ipv6Addr::new(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]);
    Ipv6Net::new_assert(address, bits)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddressClass {
    /// In a network that the operator named: allowed with and without TLS.
    Named,
    /// On the public internet: allowed with TLS.
    Public,
    /// All other addresses: refused.
    Refused,
}

/// Classifies an address; `named` are the networks that the operator named.
pub(super) fn classify(address: IpAddr, named: &[IpNet]) -> AddressClass {
    if named.iter().any(|network| network.contains(&address)) {
        return AddressClass::Named;
    }
    if is_public(address) { AddressClass::Public } else { AddressClass::Refused }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|network| network.contains(&address)),
        IpAddr::V6(address) => {
            GLOBAL_V6.contains(&address)
                && !SPECIAL_V6.iter().any(|network| network.contains(&address))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: &str, named: &str) -> AddressClass {
        let named: Vec<IpNet> = named
            .split(',')
            .filter(|net| !net.is_empty())
            .map(|net| net.parse().unwrap())
            .collect();
        classify(address.parse().unwrap(), &named)
    }

    #[test]
    fn addresses_outside_the_public_internet_are_refused() {
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
            assert_eq!(of(address, ""), AddressClass::Refused, "{address}");
        }
    }

    #[test]
    fn addresses_on_the_public_internet_are_allowed() {
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
            assert_eq!(of(address, ""), AddressClass::Public, "{address}");
        }
    }

    #[test]
    fn named_networks_are_allowed() {
        assert_eq!(of("10.1.2.3", "127.0.0.0/8,10.1.0.0/16"), AddressClass::Named);
        assert_eq!(of("10.2.2.3", "127.0.0.0/8,10.1.0.0/16"), AddressClass::Refused);
        assert_eq!(of("fd00::1", "fd00::/8"), AddressClass::Named);
        assert_eq!(
            of("::ffff:10.1.2.3", "10.1.0.0/16"),
            AddressClass::Refused,
            "in another spelling"
        );
        assert_eq!(of("8.8.8.8", "10.0.0.0/8"), AddressClass::Public);
    }
}
