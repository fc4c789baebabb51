//! Live sockets that were opened with an access token. The platform is asked about each token repeatedly, so
//! the process holds fewer of them than of other sockets, and few of one person.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entities::ChatId;

use crate::response::error::ApiError;

/// Of a process.
const BEARERS_MAX: usize = 500;
const MOST_OF_PERSON: usize = 20;

#[derive(Clone, Default)]
pub(crate) struct Bearers(Arc<Mutex<HashMap<ChatId, usize>>>);

/// One of them, until it is dropped.
pub(crate) struct Bearer {
    bearers: Bearers,
    person: ChatId,
}

impl Bearers {
    pub(crate) fn enter(&self, person: ChatId) -> Result<Bearer, ApiError> {
        let mut people = self.lock();
        let (all, own) = (people.values().sum::<usize>(), people.get(&person).copied().unwrap_or_default());
        let full = |message| Err(ApiError::unavailable("sockets_full", message));
        if own >= MOST_OF_PERSON {
            return full("this person has the maximum number of sockets by access tokens");
        }
        if all >= BEARERS_MAX {
            return full("this process holds the maximum number of sockets by access tokens");
        }
        people.insert(person, own + 1);
        Ok(Bearer { bearers: self.clone(), person })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ChatId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Bearer {
    fn drop(&mut self) {
        let mut people = self.bearers.lock();
        if let Some(own) = people.get_mut(&self.person) {
            *own -= 1;
            if *own == 0 {
                people.remove(&self.person);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_and_all_together_have_a_limit() {
        let bearers = Bearers::default();
        let person = |n: usize| ChatId::try_from(i64::try_from(n).unwrap() + 1).unwrap();
        let mut held: Vec<_> = (0..MOST_OF_PERSON).map(|_| bearers.enter(person(0)).unwrap()).collect();
        assert!(bearers.enter(person(0)).is_err());
        held.extend((MOST_OF_PERSON..BEARERS_MAX).map(|n| bearers.enter(person(n)).unwrap()));
        assert!(bearers.enter(person(BEARERS_MAX)).is_err());
        held.clear();
        assert!(bearers.enter(person(0)).is_ok() && bearers.lock().is_empty());
    }
}
