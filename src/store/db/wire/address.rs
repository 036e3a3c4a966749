//! The address of the server and the security of its connections, from the URL.

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use tokio_postgres::config::{Host, SslMode};

/// libpq's word for the authorities that the machine trusts.
const SYSTEM: &str = "system";

/// How a connection is secured, in the terms of libpq's `sslmode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Security {
    /// Never TLS.
    Disable,
    /// TLS if the server supports it; its certificate is not verified.
    Prefer,
    /// Always TLS; the server's certificate is not verified.
    Require,
    /// Always TLS, with a certificate from a trusted authority, for any host name.
    VerifyCa,
    /// Always TLS, with a certificate from a trusted authority, for the host in the URL.
    VerifyFull,
}

/// A parsed URL.
pub(super) struct Address {
    /// The part for the driver.
    pub config: tokio_postgres::Config,
    pub security: Security,
    /// File with the certificates of trusted authorities (`sslrootcert`); `None`: those that the machine trusts.
    pub authorities: Option<PathBuf>,
}

impl Address {
    /// Parses `postgres://…`. Errors do not quote the URL, because it contains a password.
    pub(super) fn parse(url: &str) -> Result<Self, &'static str> {
        let (place, parameters) = url.split_once('?').unwrap_or((url, ""));
        let (mut security, mut authorities) = (None, None);
        let mut others = Vec::new();
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = percent_decode_str(value).decode_utf8_lossy();
            match name {
                "sslmode" => security = Some(Security::parse(&value)?),
                "sslrootcert" => authorities = Some(PathBuf::from(value.into_owned())),
                _ => others.push(parameter),
            }
        }
        let url = match others[..] {
            [] => place.to_owned(),
            _ => format!("{place}?{}", others.join("&")),
        };
        let config: tokio_postgres::Config = url.parse().map_err(
            |_| "the database URL cannot be read; one looks like postgres://user:password@host/database",
        )?;
        if !has_host(&config) {
            return Err(
                "the database URL names no host; one looks like postgres://user:password@host/database",
            );
        }
        let is_system = authorities.as_deref() == Some(Path::new(SYSTEM));
        // A text of the form "host=… sslmode=…" is parsed by the driver alone.
        let security = security.unwrap_or(match config.get_ssl_mode() {
            _ if is_system => Security::VerifyFull,
            SslMode::Disable => Security::Disable,
            SslMode::Require => Security::Require,
            _ => Security::Prefer,
        });
        // As in libpq: anybody can get a certificate from these authorities, so it proves nothing without the host's name.
        if is_system && security != Security::VerifyFull {
            return Err(
                "with sslrootcert=system, sslmode in the database URL must be verify-full, or not be there",
            );
        }
        // As in libpq: if authorities are given, certificates are verified.
        let security = match (security, &authorities) {
            (Security::Require, Some(_)) => Security::VerifyCa,
            (other, _) => other,
        };
        let authorities = authorities.filter(|_| !is_system);
        Ok(Self { config, security, authorities })
    }
}

/// Whether there is a server to connect to. Variables that are not set leave an empty name: `postgres://me@:5432/db`.
fn has_host(config: &tokio_postgres::Config) -> bool {
    let is_named = |host: &Host| !matches!(host, Host::Tcp(name) if name.is_empty());
    !config.get_hostaddrs().is_empty() || config.get_hosts().iter().any(is_named)
}

impl Security {
    fn parse(word: &str) -> Result<Self, &'static str> {
        Ok(match word {
            "disable" => Self::Disable,
            "allow" | "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => {
                return Err(
                    "sslmode in the database URL must be disable, prefer, require, verify-ca or verify-full",
                );
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> (Security, Option<PathBuf>) {
        let address = Address::parse(url).unwrap_or_else(|error| panic!("{url}: {error}"));
        assert_eq!(address.config.get_dbname(), Some("db"), "{url}");
        (address.security, address.authorities)
    }

    #[test]
    fn the_url_decides_how_a_connection_is_secured() {
        assert_eq!(read("postgres://me@host/db"), (Security::Prefer, None));
        assert_eq!(read("postgres://me@host/db?sslmode=verify-full"), (Security::VerifyFull, None));
        let own = Some(PathBuf::from("/etc/own ca.pem"));
        let url = "postgres://me@a:1,b:2/db?connect_timeout=3&sslrootcert=/etc/own%20ca.pem&sslmode=verify-ca";
        assert_eq!(read(url), (Security::VerifyCa, own.clone()));
        let url = "postgres://me@host/db?sslmode=require&sslrootcert=/etc/own%20ca.pem";
        assert_eq!(read(url), (Security::VerifyCa, own));
        assert_eq!(
            read("postgres:///db?host=%2Ftmp&sslmode=disable&user=me"),
            (Security::Disable, None)
        );
        assert_eq!(read("host=localhost dbname=db sslmode=require"), (Security::Require, None));
    }

    #[test]
    fn authorities_of_the_machine_are_only_trusted_for_the_host() {
        for parameters in
            ["sslrootcert=system", "sslrootcert=system&sslmode=verify-full", "sslrootcert=syste%6D"]
        {
            let url = format!("postgres://me@host/db?{parameters}");
            assert_eq!(read(&url), (Security::VerifyFull, None));
        }
        for mode in ["disable", "allow", "prefer", "require", "verify-ca"] {
            let url = format!("postgres://me@host/db?sslmode={mode}&sslrootcert=system");
            let error = Address::parse(&url).err().unwrap_or_else(|| panic!("{url} is accepted"));
            assert!(error.contains("verify-full"), "{url}: {error}");
        }
    }

    #[test]
    fn a_url_names_a_host() {
        for url in
            ["", "postgres://", "postgres://me:secret@/db", "postgres://me@:5432/db", "dbname=db"]
        {
            let error = Address::parse(url).err().unwrap_or_else(|| panic!("{url} is accepted"));
            assert!(error.contains("names no host"), "{url}: {error}");
        }
        for url in ["postgres:///db?hostaddr=127.0.0.1", "postgres://me@:5432,b/db"] {
            read(url);
        }
    }

    #[test]
    fn errors_do_not_quote_the_url() {
        for url in ["postgres://me:secret@host/db?sslmode=often", "postgres://me:secret@host:x/db"]
        {
            let error = Address::parse(url).err().unwrap();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
