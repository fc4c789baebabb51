//! The open connections of each address. If an address has the most that it may have, the one that has been
//! idle for longest is closed, so that abandoned connections do not keep clients out.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use runtime::network_of;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use crate::server::phase::Phase;

/// The oldest connections of an address, among which the idle one is searched.
const SEARCHED: usize = 32;

#[derive(Clone, Default)]
pub(super) struct OpenConnections(Arc<Mutex<ByAddress>>);

#[derive(Default)]
struct ByAddress {
    of: HashMap<IpAddr, BTreeMap<u64, Open>>,
    /// Counts the connections so far.
    last: u64,
}

struct Open {
    phase: Phase,
    evicted: CancellationToken,
}

/// An admitted connection, until it is dropped.
pub(super) struct Admission {
    admitted: OpenConnections,
    address: IpAddr,
    number: u64,
    pub(super) phase: Phase,
    /// Cancelled when it is evicted.
    pub(super) evicted: CancellationToken,
    /// Its place among the connections of this process.
    pub(super) permit: Option<OwnedSemaphorePermit>,
}

impl OpenConnections {
    /// `None`: the address has `most` connections, and all of them are being answered.
    pub(super) fn admit(&self, address: IpAddr, most: usize) -> Option<Admission> {
        let (address, phase, evicted) = (network_of(address), Phase::default(), CancellationToken::new());
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.last += 1;
        let number = open.last;
        let own = open.of.entry(address).or_default();
        if own.len() >= most {
            let silent = |(number, one): (&u64, &Open)| Some((one.phase.silent_since()?, *number));
            let (_, longest) = own.iter().take(SEARCHED).filter_map(silent).min()?;
            own.remove(&longest)?.evicted.cancel();
        }
        own.insert(number, Open { phase: phase.clone(), evicted: evicted.clone() });
        Some(Admission { admitted: self.clone(), address, number, phase, evicted, permit: None })
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut open = self.admitted.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = open.of.get_mut(&self.address) {
            own.remove(&self.number);
            if own.is_empty() {
                open.of.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_silent_make_room_and_those_being_answered_stay() {
        let (one, other) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        let admitted = OpenConnections::default();
        let mut held: Vec<_> = (0..3).map(|_| admitted.admit(one, 3).unwrap()).collect();
        held[0].phase.answering();
        held.push(admitted.admit(one, 3).unwrap());
        assert_eq!(
            held.iter().map(|admission| admission.evicted.is_cancelled()).collect::<Vec<_>>(),
            [false, true, false, false]
        );
        held.iter().for_each(|admission| admission.phase.answering());
        assert!(admitted.admit(one, 3).is_none() && admitted.admit(other, 3).is_some());
        held.clear();
        assert!(admitted.0.lock().unwrap().of.is_empty());
    }

    #[test]
    fn a_network_of_v6_addresses_counts_as_one() {
        let admitted = OpenConnections::default();
        let first = admitted.admit("2001:db8:1:2::1".parse().unwrap(), 1).unwrap();
        let _second = admitted.admit("2001:db8:1:2::2".parse().unwrap(), 1).unwrap();
        assert!(first.evicted.is_cancelled());
    }
}
