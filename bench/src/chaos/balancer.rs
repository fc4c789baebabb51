//! A load balancer before the apis: calls go round robin, also to an api that is down.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

/// Addresses by seat. A new process in a seat has a new address.
pub(super) struct Balancer {
    bases: RwLock<Vec<String>>,
    turn: AtomicUsize,
}

impl Balancer {
    pub(super) fn new() -> Self {
        Self { bases: RwLock::default(), turn: AtomicUsize::new(0) }
    }

    pub(super) fn set(&self, seat: usize, base: &str) {
        let mut bases = self.bases.write().unwrap_or_else(PoisonError::into_inner);
        if bases.len() <= seat {
            bases.resize(seat + 1, String::new());
        }
        base.clone_into(&mut bases[seat]);
    }

    /// The next seat.
    pub(super) fn next(&self) -> String {
        let bases = self.bases.read().unwrap_or_else(PoisonError::into_inner);
        bases[self.turn.fetch_add(1, Ordering::Relaxed) % bases.len()].clone()
    }
}
