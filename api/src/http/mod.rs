//! HTTP itself: accepting connections, reading bodies, giving every answer the envelope of the interface.

pub(crate) mod body;
mod client_address;
mod connection;
mod connections;
mod cors;
mod database_error;
pub(crate) mod error;
pub(crate) mod etag;
mod exchange;
mod filter;
mod gzip;
mod ops;
mod patience;
pub(crate) mod prefer;
pub(crate) mod query;
pub(crate) mod record;
pub(crate) mod reply;
mod request_id;
pub(crate) mod server;
