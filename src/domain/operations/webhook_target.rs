//! The URLs to which webhooks may post.

use std::net::IpAddr;

use ipnet::IpNet;
use thiserror::Error;
use url::{Host, Url};

use super::webhook_address::{AddressClass, classify};

/// Longest URL, in bytes.
pub const MAX_URL: usize = 2000;

/// A URL to which a webhook may post, as far as this can be decided without resolving its host name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    url: Url,
    host: String,
    port: u16,
    address: Option<IpAddr>,
}

/// Why a URL is refused.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TargetError {
    /// The text is not a URL, or too long.
    #[error("must be a URL of at most {MAX_URL} characters")]
    NoUrl,
    /// The scheme is neither `https` nor `http`.
    #[error("must begin with https://")]
    Scheme,
    /// `http` to an address that is in no network that the operator named.
    #[error(
        "must begin with https://; http:// goes only to networks that the operator names (--webhook-networks, docs/OPERATIONS.md)"
    )]
    Plain,
    /// The URL contains a user name or a password.
    #[error("must not contain a user name or a password")]
    Credentials,
    /// The URL has a part after `#`, which would not be sent.
    #[error("must have no part after #")]
    Fragment,
    /// Port 0.
    #[error("must name a port from 1 to 65535")]
    Port,
    /// The URL names an address to which webhooks must not post.
    #[error(
        "must name an address on the public internet, or in a network that the operator names (--webhook-networks, docs/OPERATIONS.md)"
    )]
    Address,
}

impl Target {
    /// Parses a URL. Addresses are recognised in every spelling that browsers accept (`2130706433`, `0x7f.1`). `named`: the networks that the operator named.
    pub fn parse(text: &str, named: &[IpNet]) -> Result<Self, TargetError> {
        if text.len() > MAX_URL || text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(TargetError::NoUrl);
        }
        let url = Url::parse(text).map_err(|_| TargetError::NoUrl)?;
        let is_plain = match url.scheme() {
            "https" => false,
            "http" => true,
            _ => return Err(TargetError::Scheme),
        };
        if !url.username().is_empty() || url.password().is_some() || has_user(text) {
            return Err(TargetError::Credentials);
        }
        if url.fragment().is_some() {
            return Err(TargetError::Fragment);
        }
        // The normalised URL may be longer than the text.
        if url.as_str().len() > MAX_URL {
            return Err(TargetError::NoUrl);
        }
        let port = url.port_or_known_default().filter(|port| *port > 0).ok_or(TargetError::Port)?;
        let (host, address) = match url.host().ok_or(TargetError::NoUrl)? {
            Host::Domain(name) => (name.to_owned(), None),
            Host::Ipv4(address) => (address.to_string(), Some(IpAddr::from(address))),
            Host::Ipv6(address) => (address.to_string(), Some(IpAddr::from(address))),
        };
        let target = Self { url, host, port, address };
        match address {
            Some(address) => target.check(&[address], named)?,
            None if is_plain && named.is_empty() => return Err(TargetError::Plain),
            None if is_this_machine(&target.host) && named.is_empty() => {
                return Err(TargetError::Address);
            }
            None => {}
        }
        Ok(target)
    }

    /// Checks that a webhook may post to all these addresses.
    pub fn check(&self, addresses: &[IpAddr], named: &[IpNet]) -> Result<(), TargetError> {
        for address in addresses {
            match classify(*address, named) {
                AddressClass::Named => {}
                AddressClass::Public if self.is_plain() => return Err(TargetError::Plain),
                AddressClass::Public => {}
                AddressClass::Refused => return Err(TargetError::Address),
            }
        }
        Ok(())
    }

    /// The whole URL, normalised. Path and query may be secrets of the receiver.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Whether the URL is without TLS.
    pub fn is_plain(&self) -> bool {
        self.url.scheme() == "http"
    }

    /// The host name, or the address as text without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The address, if the URL names one.
    pub fn address(&self) -> Option<IpAddr> {
        self.address
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The value of the `Host` header, with the port unless it is the default port.
    pub fn authority(&self) -> &str {
        self.url.authority()
    }

    pub fn path_and_query(&self) -> &str {
        &self.url[url::Position::BeforePath..url::Position::AfterQuery]
    }
}

/// Scheme, host and port of a URL, the parts that may be logged. Empty if the text is not a URL.
pub fn origin_of(text: &str) -> String {
    Url::parse(text).map_or_else(|_| String::new(), |url| url.origin().ascii_serialization())
}

/// Whether the URL has a user part before the host, even an empty one.
fn has_user(text: &str) -> bool {
    let rest = text.split_once(':').map_or(text, |(_, rest)| rest);
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    authority.contains('@')
}

/// Names that always mean this machine (RFC 6761).
fn is_this_machine(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    host == "localhost" || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Target, TargetError> {
        Target::parse(text, &[])
    }

    #[test]
    fn a_private_address_is_refused_in_any_spelling() {
        for url in [
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0x7f.1/",
            "https://0177.0.0.1/",
            "https://127.1/",
            "https://127.0.0.1./",
            "https://0/",
            "https://１２７.0.0.1/",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[::ffff:a00:1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://[fe80::1]/",
            "https://169.254.169.254/latest/meta-data",
            "https://10.0.0.1:8443/x?y",
            "https://localhost/",
            "https://LOCALHOST./",
            "https://a.localhost/",
            "http://2130706433/",
            "http://[::ffff:10.0.0.1]/",
        ] {
            assert_eq!(parse(url), Err(TargetError::Address), "{url}");
        }
    }

    #[test]
    fn other_unsuitable_urls_are_refused() {
        for (url, error) in [
            ("", TargetError::NoUrl),
            ("cards.example/hook", TargetError::NoUrl),
            ("https://", TargetError::NoUrl),
            ("https://[fe80::1%25eth0]/", TargetError::NoUrl),
            ("https://cards.example/\u{0}", TargetError::NoUrl),
            ("https://cards.example/a b", TargetError::NoUrl),
            (" https://cards.example/", TargetError::NoUrl),
            ("ftp://cards.example/", TargetError::Scheme),
            ("file:///etc/passwd", TargetError::Scheme),
            ("http://cards.example/", TargetError::Plain),
            ("http://8.8.8.8/", TargetError::Plain),
            ("https://ada:secret@cards.example/", TargetError::Credentials),
            ("https://ada@cards.example/", TargetError::Credentials),
            ("https://@cards.example/", TargetError::Credentials),
            ("https:\\\\@cards.example/", TargetError::Credentials),
            ("https://cards.example/#part", TargetError::Fragment),
            ("https://cards.example:0/", TargetError::Port),
        ] {
            assert_eq!(parse(url), Err(error), "{url}");
        }
        let long = format!("https://cards.example/{}", "a".repeat(MAX_URL));
        assert_eq!(parse(&long), Err(TargetError::NoUrl));
    }

    #[test]
    fn a_target_has_its_parts() {
        let target = parse("https://Cards.Example:8443/hook/@me?key=a@b").unwrap();
        assert_eq!(origin_of(target.as_str()), "https://cards.example:8443");
        assert_eq!(target.authority(), "cards.example:8443");
        assert_eq!(target.path_and_query(), "/hook/@me?key=a@b");
        assert_eq!(
            (target.host(), target.port(), target.is_plain()),
            ("cards.example", 8443, false)
        );
        let bare = parse("https://[2606:4700::1111]").unwrap();
        assert_eq!((bare.path_and_query(), bare.port()), ("/", 443));
        assert_eq!((bare.host(), bare.authority()), ("2606:4700::1111", "[2606:4700::1111]"));
    }

    #[test]
    fn named_networks_are_allowed_even_without_tls() {
        let named = ["127.0.0.0/8".parse().unwrap()];
        for url in ["http://127.0.0.1:9000/", "https://127.0.0.1/", "http://hooks.internal/"] {
            assert!(Target::parse(url, &named).is_ok(), "{url}");
        }
        assert_eq!(Target::parse("http://10.0.0.1/", &named), Err(TargetError::Address));
        let by_name = Target::parse("http://hooks.internal/", &named).unwrap();
        let check = |addresses: &[&str]| {
            let addresses: Vec<IpAddr> =
                addresses.iter().map(|address| address.parse().unwrap()).collect();
            by_name.check(&addresses, &named)
        };
        assert_eq!(check(&["127.0.0.1"]), Ok(()));
        assert_eq!(check(&["127.0.0.1", "8.8.8.8"]), Err(TargetError::Plain));
        assert_eq!(check(&["127.0.0.1", "10.0.0.1"]), Err(TargetError::Address));
    }
}
