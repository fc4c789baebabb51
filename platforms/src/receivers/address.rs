//! Which addresses webhooks may be sent to: public ones, and those that the operator allows.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, LazyLock};

use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Of the registries of special-purpose addresses (RFC 6890 and later), those that do not lead to the public Internet, and
/// those that lead to another address.
const SPECIAL: [&str; 17] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/3",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
];
/// The public addresses of version 6 are all in here; one network of them is for examples.
const PUBLIC_V6: &str = "2000::/3";
const EXAMPLES_V6: &str = "3fff::/20";

static NETWORKS: LazyLock<(Vec<IpNet>, Option<IpNet>)> = LazyLock::new(|| {
    let special = SPECIAL.iter().chain([&EXAMPLES_V6]).filter_map(|network| network.parse().ok());
    (special.collect(), PUBLIC_V6.parse().ok())
});

fn is_public(address: IpAddr) -> bool {
    let (special, public_v6) = &*NETWORKS;
    let in_range = address.is_ipv4() || public_v6.is_some_and(|network| network.contains(&address));
    in_range && !special.iter().any(|network| network.contains(&address))
}

/// The addresses that one client may connect to.
#[derive(Clone)]
pub(super) struct Allowed {
    pub(super) public: bool,
    pub(super) private: Arc<[IpNet]>,
}

impl Allowed {
    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        self.public || !self.private.is_empty()
    }

    pub(super) fn has(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        (self.public && is_public(address)) || self.private.iter().any(|network| network.contains(&address))
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    #[error("the host is in a private network")]
    Private,
    #[error("the host has no address")]
    Unknown,
}

/// Looks names up, and hides the addresses that are not allowed: the client connects to no other ones.
pub(super) struct Resolver(pub(super) Allowed);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = self.0.clone();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await.map_err(|_| Refused::Unknown)?;
            let (fit, other): (Vec<SocketAddr>, Vec<_>) = found.partition(|found| allowed.has(found.ip()));
            match (fit.is_empty(), other.is_empty()) {
                (false, _) => Ok(Box::new(fit.into_iter()) as Addrs),
                (true, false) => Err(Refused::Private.into()),
                (true, true) => Err(Refused::Unknown.into()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_can_be_read() {
        assert_eq!((NETWORKS.0.len(), NETWORKS.1.is_some()), (SPECIAL.len() + 1, true));
    }

    #[test]
    fn only_public_addresses_and_the_operators_own_are_allowed() {
        let is_allowed = |address: &str, private: &[&str]| {
            let private = private.iter().map(|network| network.parse().unwrap()).collect();
            Allowed { public: true, private }.has(address.parse().unwrap())
        };
        for public in ["1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "192.0.1.1"] {
            assert!(is_allowed(public, &[]), "{public}");
        }
        let inside = [
            "127.0.0.1",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001:0:1::",
            "3fff::1",
        ];
        for special in inside {
            assert!(!is_allowed(special, &[]), "{special}");
        }
        assert!(is_allowed("10.1.2.3", &["10.0.0.0/8"]) && !is_allowed("127.0.0.1", &["10.0.0.0/8"]));
        assert!(is_allowed("::ffff:10.1.2.3", &["10.0.0.0/8"]));
    }
}
