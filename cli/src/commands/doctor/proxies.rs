//! Whether the trusted proxies are plausible. Wrong keys are limited by the address of the client.

use std::net::SocketAddr;

use ipnet::IpNet;
use runtime::ListenArgs;

use super::report::Problem;

const VARIABLE: &str = "GUILDHALL_TRUSTED_PROXIES";
/// Most addresses of a wider network are not proxies. Private networks may be as wide.
const WIDEST: (u8, u8) = (8, 16);
/// Unique local addresses are a /7.
const WIDEST_LOCAL: u8 = 7;

pub(super) fn check(listen: &ListenArgs, trusted: &[IpNet]) -> Result<String, Problem> {
    if let Some(wide) = trusted.iter().find(|network| is_too_wide(network)) {
        let what = format!("{VARIABLE} has {wide}: any client there can claim any address");
        return Err(Problem::new(what, "name the addresses of your proxies only"));
    }
    match listen.address()? {
        _ if trusted.is_empty() => Ok("none: the address of a connection is the client's".to_owned()),
        address if is_unreachable(address, trusted) => Err(Problem::new(
            format!("the API listens on {address}, but {VARIABLE} has no address of this machine"),
            format!(
                "add {} to {VARIABLE} if the proxy is on this machine, or else correct GUILDHALL_LISTEN",
                address.ip()
            ),
        )),
        _ => Ok(trusted.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn is_too_wide(network: &IpNet) -> bool {
    match network {
        IpNet::V4(network) => network.prefix_len() < WIDEST.0,
        IpNet::V6(network) if network.addr().is_unique_local() => network.prefix_len() < WIDEST_LOCAL,
        IpNet::V6(network) => network.prefix_len() < WIDEST.1 && !network.addr().is_unicast_link_local(),
    }
}

/// No trusted proxy reaches the API: only this machine connects to a loopback address.
fn is_unreachable(listen: SocketAddr, trusted: &[IpNet]) -> bool {
    listen.ip().is_loopback() && !trusted.iter().any(|network| network.contains(&listen.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(listen: &str, trusted: &[&str]) -> Result<String, String> {
        let trusted: Vec<IpNet> = trusted.iter().map(|network| network.parse().unwrap()).collect();
        check(&ListenArgs { listen: listen.to_owned() }, &trusted).map_err(|problem| problem.what)
    }

    #[test]
    fn a_network_of_clients_is_refused() {
        for network in ["0.0.0.0/0", "::/0", "64.0.0.0/2", "2000::/3"] {
            let error = checked("0.0.0.0:8080", &["10.0.0.0/8", network]).unwrap_err();
            assert!(error.contains(network), "{error}");
        }
        for network in ["10.0.0.0/8", "104.16.0.0/13", "fc00::/7", "2400:cb00::/32", "192.0.2.1/32"] {
            assert_eq!(checked("0.0.0.0:8080", &[network]).unwrap(), network);
        }
    }

    #[test]
    fn proxies_elsewhere_do_not_reach_a_loopback_address() {
        assert!(checked("127.0.0.1:8080", &["10.0.0.0/8"]).unwrap_err().contains("127.0.0.1:8080"));
        assert!(checked("127.0.0.1:8080", &["10.0.0.0/8", "127.0.0.1/32"]).is_ok());
        assert!(checked("127.0.0.1:8080", &[]).unwrap().starts_with("none"));
        assert!(checked("10.0.0.5:8080", &["10.0.0.0/8"]).is_ok());
    }
}
