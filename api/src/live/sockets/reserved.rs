//! Limits on open sockets: all kinds use files, so they are counted together.

use super::{Listeners, Live};
use crate::response::error::ApiError;

/// A socket's share of the files that this process may use, until it is dropped.
pub(crate) struct Reserved(Live);

impl Live {
    /// For a socket other than those of game servers, of whose kind the guild has `of_guild` already, or for one that waits.
    pub(crate) fn reserve(&self, of_guild: usize) -> Result<Reserved, ApiError> {
        let mut listeners = self.lock();
        listeners.check_room(of_guild)?;
        listeners.count += 1;
        listeners.show_count();
        drop(listeners);
        Ok(Reserved(self.clone()))
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let mut listeners = self.0.lock();
        listeners.count -= 1;
        listeners.show_count();
    }
}

impl Listeners {
    pub(super) fn check_room(&self, of_guild: usize) -> Result<(), ApiError> {
        let full = |message| Err(ApiError::unavailable("sockets_full", message));
        if self.count >= self.capacity.sockets {
            return full("this process holds the maximum number of sockets");
        }
        if of_guild >= self.capacity.sockets_per_guild {
            return full("this process holds the maximum number of sockets of the guild");
        }
        Ok(())
    }
}
