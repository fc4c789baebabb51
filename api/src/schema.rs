//! Schemas of requests and responses, for the validation of fields and for the documentation.

pub(crate) mod example;
pub(crate) mod shape;
