//! What happens when, in virtual seconds; what is due at the same time happens in the order in which it was entered.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

struct Entry<T> {
    at: f64,
    number: u64,
    what: T,
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at.total_cmp(&other.at).then(self.number.cmp(&other.number))
    }
}

pub(crate) struct Agenda<T> {
    entries: BinaryHeap<Reverse<Entry<T>>>,
    number: u64,
}

impl<T> Agenda<T> {
    pub(crate) fn new() -> Self {
        Self { entries: BinaryHeap::new(), number: 0 }
    }

    pub(crate) fn enter(&mut self, at: f64, what: T) {
        self.number += 1;
        self.entries.push(Reverse(Entry { at, number: self.number, what }));
    }

    /// When the next thing happens.
    pub(crate) fn next_at(&self) -> Option<f64> {
        self.entries.peek().map(|Reverse(entry)| entry.at)
    }

    pub(crate) fn take(&mut self) -> Option<(f64, T)> {
        self.entries.pop().map(|Reverse(entry)| (entry.at, entry.what))
    }
}
