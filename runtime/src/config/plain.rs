//! Addresses that are reached over a network without encryption.

use std::net::IpAddr;

/// The URL has this scheme, without TLS, and names another machine.
pub(super) fn is_plain(url: &str, plain: &str) -> bool {
    url.parse::<http::Uri>()
        .is_ok_and(|url| url.scheme_str() == Some(plain) && url.host().is_some_and(is_remote))
}

pub(super) fn is_remote(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host != "localhost" && !address.is_ok_and(|address| address.is_loopback())
}
