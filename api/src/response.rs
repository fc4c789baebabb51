//! The parts of a response: the envelope, the error type, the encoding.

pub(crate) mod chunks;
pub(crate) mod created;
pub(crate) mod dependency_error;
pub(crate) mod error;
pub(crate) mod gzip;
pub(crate) mod idempotency_slot;
pub(crate) mod large;
pub(crate) mod payload;
pub(crate) mod ready;
pub(crate) mod reply;
pub(crate) mod rows;
