//! The open connections of each address. If an address has the most that it may have, the one that has been
//! idle for longest is closed, so that abandoned connections do not keep clients out.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use runtime::network_of;
use tokio_util::sync::CancellationToken;

use crate::server::phase::Phase;

/// The oldest connections of an address, among which the idle one is searched.
const LOOKED_AT: usize = 32;

#[derive(Clone, Default)]
pub(super) struct Guests(Arc<Mutex<Seats>>);

#[derive(Default)]
struct Seats {
    of: HashMap<IpAddr, BTreeMap<u64, Seat>>,
    /// Counts the connections so far.
    last: u64,
}

struct Seat {
    phase: Phase,
    leave: CancellationToken,
}

/// An admitted connection, until it is dropped.
pub(super) struct Guest {
    guests: Guests,
    address: IpAddr,
    number: u64,
    pub(super) phase: Phase,
    /// Cancelled when it is evicted.
    pub(super) leave: CancellationToken,
}

impl Guests {
    /// `None`: the address has `most` connections, and all of them are being answered.
    pub(super) fn admit(&self, address: IpAddr, most: usize) -> Option<Guest> {
        let (address, phase, leave) = (network_of(address), Phase::default(), CancellationToken::new());
        let mut seats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seats.last += 1;
        let number = seats.last;
        let own = seats.of.entry(address).or_default();
        if own.len() >= most {
            let silent = |(number, seat): (&u64, &Seat)| Some((seat.phase.silent_since()?, *number));
            let (_, longest) = own.iter().take(LOOKED_AT).filter_map(silent).min()?;
            own.remove(&longest)?.leave.cancel();
        }
        own.insert(number, Seat { phase: phase.clone(), leave: leave.clone() });
        Some(Guest { guests: self.clone(), address, number, phase, leave })
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut seats = self.guests.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = seats.of.get_mut(&self.address) {
            own.remove(&self.number);
            if own.is_empty() {
                seats.of.remove(&self.address);
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
        let guests = Guests::default();
        let mut held: Vec<_> = (0..3).map(|_| guests.admit(one, 3).unwrap()).collect();
        held[0].phase.answering();
        held.push(guests.admit(one, 3).unwrap());
        assert_eq!(
            held.iter().map(|guest| guest.leave.is_cancelled()).collect::<Vec<_>>(),
            [false, true, false, false]
        );
        held.iter().for_each(|guest| guest.phase.answering());
        assert!(guests.admit(one, 3).is_none() && guests.admit(other, 3).is_some());
        held.clear();
        assert!(guests.0.lock().unwrap().of.is_empty());
    }

    #[test]
    fn a_network_of_v6_addresses_counts_as_one() {
        let guests = Guests::default();
        let first = guests.admit("2001:db8:1:2::1".parse().unwrap(), 1).unwrap();
        let _second = guests.admit("2001:db8:1:2::2".parse().unwrap(), 1).unwrap();
        assert!(first.leave.is_cancelled());
    }
}
