//! Files that are being sent: few at once, because each reads the database for as long as its reader takes.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entities::ChatId;
use http::StatusCode;

use crate::answer::PageError;

/// Of a process.
const AT_ONCE: usize = 4;
/// Seconds after which somebody may have finished.
const RETRY_AFTER: u64 = 10;

/// Who has one.
#[derive(Clone, Default)]
pub(crate) struct Exports(Arc<Mutex<HashSet<ChatId>>>);

/// The right to one file, until it is dropped.
pub(crate) struct Place {
    exports: Exports,
    person: ChatId,
}

impl Exports {
    pub(crate) fn enter(&self, person: ChatId) -> Result<Place, PageError> {
        let busy = |status, text: &str| {
            Err(PageError::Busy { status, text: text.to_owned(), retry_after: RETRY_AFTER })
        };
        let mut people = self.lock();
        if people.contains(&person) {
            let text = "you are downloading a file already; wait until it is there, or stop it";
            return busy(StatusCode::TOO_MANY_REQUESTS, text);
        }
        if people.len() >= AT_ONCE {
            return busy(
                StatusCode::SERVICE_UNAVAILABLE,
                "others are downloading files; try again in a minute",
            );
        }
        people.insert(person);
        Ok(Place { exports: self.clone(), person })
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<ChatId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
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
        let mut places = vec![exports.enter(person(1)).unwrap()];
        let status = |refused: Result<Place, PageError>| refused.err().unwrap().status().as_u16();
        assert_eq!(status(exports.enter(person(1))), 429);
        places.extend((2..=4).map(|n| exports.enter(person(n)).unwrap()));
        assert_eq!(status(exports.enter(person(5))), 503);
        places.clear();
        exports.enter(person(1)).unwrap();
    }
}
