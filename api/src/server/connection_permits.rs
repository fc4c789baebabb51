//! Limits on connections: of the process, and of one address, so that one client cannot use all of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Connections of this process. At the limit, new ones wait in the system's queue.
pub(crate) const MAX_CONNECTIONS: usize = 10_000;
/// Connections of one address; further ones are closed at once. High, because a load balancer counts as one address.
pub(crate) const MAX_PER_ADDRESS: usize = 1_000;

#[derive(Clone, Default)]
pub(crate) struct Addresses(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// A connection permit; released when dropped.
pub(crate) struct ConnectionPermit {
    addresses: Addresses,
    address: IpAddr,
}

impl Addresses {
    /// `None`: the address has reached its limit.
    pub(crate) fn permit(&self, address: IpAddr) -> Option<ConnectionPermit> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = held.entry(address).or_default();
        if *count >= MAX_PER_ADDRESS {
            return None;
        }
        *count += 1;
        Some(ConnectionPermit { addresses: self.clone(), address })
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut held = self.addresses.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = held.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn permits_per_address_are_limited_and_released() {
        let (one, other) = (Ipv4Addr::new(10, 0, 0, 1).into(), Ipv4Addr::new(10, 0, 0, 2).into());
        let addresses = Addresses::default();
        let mut permits: Vec<_> = (0..MAX_PER_ADDRESS).map(|_| addresses.permit(one).unwrap()).collect();
        assert!(addresses.permit(one).is_none());
        assert!(addresses.permit(other).is_some());
        permits.pop();
        assert!(addresses.permit(one).is_some());
        permits.clear();
        assert!(addresses.0.lock().unwrap().is_empty());
    }
}
