//! Refuses heads that actix-web accepts although they are invalid.

use std::net::Ipv6Addr;

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::{ConnectionType, Method, header};

use crate::app::problem::{Problem, ProblemCode};

/// Length of the longest method in IANA's registry, `UPDATEREDIRECTREF`.
const MAX_METHOD: usize = 17;

/// A 400 for a method that is longer than any real one, and for an invalid `Host`. The framework itself refuses repeated `Host` fields, and HTTP/1.1 without
/// one.
pub fn fault(req: &ServiceRequest) -> Option<HttpResponse> {
    let fault = if is_too_long(req.method()) {
        "The method is longer than any real one."
    } else if req.headers().get_all(header::HOST).any(|host| !is_host(host.as_bytes())) {
        "The Host is not a host name or address, with or without a port."
    } else {
        return None;
    };
    let mut answer = Problem::new(ProblemCode::InvalidRequest).detail(fault).respond();
    // The client does not use HTTP correctly, or probes the service.
    answer.head_mut().set_connection_type(ConnectionType::Close);
    Some(answer)
}

fn is_too_long(method: &Method) -> bool {
    method.as_str().len() > MAX_METHOD
}

/// Whether the value is `uri-host [ ":" port ]` (RFC 9110, 7.2; RFC 3986, 3.2.2). It may be empty.
fn is_host(value: &[u8]) -> bool {
    let Ok(value) = str::from_utf8(value) else { return false };
    let (is_host, port) = match value.strip_prefix('[') {
        Some(literal) => {
            let Some((address, port)) = literal.split_once(']') else { return false };
            (address.parse::<Ipv6Addr>().is_ok(), port)
        }
        None => {
            let (name, port) = value.split_at(value.find(':').unwrap_or(value.len()));
            (name.bytes().all(is_of_a_name), port)
        }
    };
    let is_port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|port| {
            port.is_empty()
                || port.parse::<u16>().is_ok() && port.bytes().all(|byte| byte.is_ascii_digit())
        });
    is_host && is_port
}

/// The characters of `reg-name`, including underscores.
fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_and_invalid_hosts() {
        for host in [
            "",
            "x",
            "cards.example",
            "cards.example:8080",
            "a_b",
            "127.0.0.1:1",
            "[::1]",
            "[2001:db8::1]:443",
            "x:",
        ] {
            assert!(is_host(host.as_bytes()), "{host}");
        }
        for not in [
            "a b", "x/y", "user@x", "x:y", "x:+1", "x:65536", "x:1:2", "::1", "[::1", "[x]",
            "[::1]x", "a\\b", "<x>", "x?y",
        ] {
            assert!(!is_host(not.as_bytes()), "{not}");
        }
        assert!(!is_host(b"caf\xc3\xa9.example"));
    }
}
