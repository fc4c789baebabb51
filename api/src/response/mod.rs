//! The parts of a response: the envelope, the error type, the encoding.

pub(crate) mod created;
pub(crate) mod database_error;
pub(crate) mod error;
pub(crate) mod gzip;
pub(crate) mod reply;
pub(crate) mod seconds;
