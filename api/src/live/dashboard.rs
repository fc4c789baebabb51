//! Live sockets of dashboards: the console's own, and others with an access token (docs/rules.md 10).
//!
//! A guild with such sockets in this process has one [`feed`], however many they are: `server/live/events.rs` and
//! `server/live/changes.rs` (changes in the database) write frames into it, each rendered once, and each [`socket`] sends
//! those that its person may see. `people` reads sessions and rights again.

pub(crate) mod bearers;
pub(crate) mod feed;
pub(crate) mod feeds;
pub(crate) mod frame;
pub(crate) mod people;
pub(crate) mod socket;
pub(crate) mod watched;
