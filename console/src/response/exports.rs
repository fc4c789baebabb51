//! Files that are being sent: few at once, because each reads the database for as long as its client takes,
//! and in parts of which one is made at a time. It pauses between two parts for as long as a part took.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use entities::ChatId;
use http::StatusCode;

use crate::response::PageError;

/// Files of a process.
const AT_ONCE: usize = 4;
/// Seconds after which another file may be done.
const RETRY_AFTER: u64 = 10;

/// The people with a file, and the turn to make a part.
#[derive(Clone, Default)]
pub(crate) struct Exports(Arc<(Mutex<HashSet<ChatId>>, tokio::sync::Mutex<()>)>);

/// The right to one file, until it is dropped.
pub(crate) struct Slot {
    exports: Exports,
    person: ChatId,
}

impl Exports {
    pub(crate) fn enter(&self, person: ChatId) -> Result<Slot, PageError> {
        let busy = |status, text: &str| {
            Err(PageError::Busy { status, text: text.to_owned(), retry_after: RETRY_AFTER })
        };
        let mut people = self.lock();
        if people.contains(&person) {
            let text = "you are already downloading a file; wait until it is complete, or cancel it";
            return busy(StatusCode::TOO_MANY_REQUESTS, text);
        }
        if people.len() >= AT_ONCE {
            return busy(
                StatusCode::SERVICE_UNAVAILABLE,
                "others are downloading files; try again in a minute",
            );
        }
        people.insert(person);
        Ok(Slot { exports: self.clone(), person })
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<ChatId>> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    /// Makes a part of the file in its turn.
    pub(crate) async fn part<T>(&self, part: impl Future<Output = T>) -> T {
        let turn = self.exports.0.1.lock().await;
        let began = Instant::now();
        let made = part.await;
        tokio::time::sleep(began.elapsed()).await;
        drop(turn);
        made
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.exports.lock().remove(&self.person);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_has_one_and_a_process_few() {
        let person = |n: i64| ChatId::try_from(n).unwrap();
        let exports = Exports::default();
        let mut slots = vec![exports.enter(person(1)).unwrap()];
        let status = |refused: Result<Slot, PageError>| refused.err().unwrap().status().as_u16();
        assert_eq!(status(exports.enter(person(1))), 429);
        slots.extend((2..=4).map(|n| exports.enter(person(n)).unwrap()));
        assert_eq!(status(exports.enter(person(5))), 503);
        slots.clear();
        exports.enter(person(1)).unwrap();
    }
}
