//! HTTP itself: accepting connections, reading bodies, giving every answer the envelope of the interface.

pub(crate) mod body;
mod connections;
mod database_error;
pub(crate) mod error;
mod exchange;
mod filter;
mod ops;
pub(crate) mod prefer;
pub(crate) mod query;
pub(crate) mod record;
pub(crate) mod reply;
mod request_id;
pub(crate) mod server;
