//! The client's address: the TCP peer's or, behind trusted proxies, the one that they forward (docs/rules.md 3).

use std::net::IpAddr;

use http::HeaderMap;
use ipnet::IpNet;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The rightmost address of `X-Forwarded-For` outside the trusted networks, if the peer is inside one.
pub(crate) fn of(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    if !is_trusted(peer, trusted) {
        return peer;
    }
    let lines: Vec<&str> =
        headers.get_all(FORWARDED_FOR).iter().map(|value| value.to_str().unwrap_or_default()).collect();
    let mut nearest = peer;
    for entry in lines.iter().flat_map(|line| line.split(',')).collect::<Vec<_>>().into_iter().rev() {
        // A malformed entry of a trusted proxy names no client: the last known hop counts.
        let Ok(address) = entry.trim().parse() else { return nearest };
        nearest = address;
        if !is_trusted(address, trusted) {
            return address;
        }
    }
    nearest
}

pub(crate) fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|network| network.contains(&address.to_canonical()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_peer(peer: &str, forwarded: &[&str]) -> String {
        let trusted = ["10.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()];
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append(FORWARDED_FOR, line.parse().unwrap());
        }
        of(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn a_trusted_peer_forwards_the_rightmost_untrusted_address() {
        for (peer, forwarded, expected) in [
            ("192.0.2.7", ["198.51.100.1"].as_slice(), "192.0.2.7"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.1, 10.2.3.4"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.9", "198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.9, junk, 10.2.3.4"], "10.2.3.4"),
            ("10.0.0.1", &["10.0.0.2, 10.0.0.3"], "10.0.0.2"),
            ("::1", &["2001:db8::5"], "2001:db8::5"),
            ("::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
        ] {
            assert_eq!(of_peer(peer, forwarded), expected, "{peer} {forwarded:?}");
        }
    }
}
