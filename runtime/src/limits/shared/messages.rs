//! Messages between processes about windows: `<process> recall <window>` and `<process> returned <window>`.
//! The scripts send them.

use std::fmt::Display;

use crate::redis::Redis;

/// From another process.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Asks for the unused permits of the window.
    Recall(String),
    /// A process returned permits.
    Returned(String),
}

impl Heard {
    /// `None`: it is from `process` itself, or no such message.
    pub(super) fn read(message: &[u8], process: &str) -> Option<Self> {
        let mut words = std::str::from_utf8(message).ok()?.splitn(3, ' ');
        words.next().filter(|from| *from != process)?;
        match (words.next()?, words.next()?) {
            ("recall", window) => Some(Self::Recall(window.to_owned())),
            ("returned", window) => Some(Self::Returned(window.to_owned())),
            _ => None,
        }
    }
}

/// Of a window.
pub(super) fn key(redis: &Redis, counter: impl Display) -> String {
    redis.key(&format!("limit:{counter}"))
}
