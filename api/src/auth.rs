//! Checks before a request's body is read: key, guild, scope, rate limit.

pub(crate) mod admission;
pub(crate) mod bulk_sync;
pub(crate) mod server;
