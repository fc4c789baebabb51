//! The parts of a request: parsing and validation.

pub(crate) mod body;
pub(crate) mod body_reader;
pub(crate) mod client_address;
pub(crate) mod field;
pub(crate) mod game_values;
pub(crate) mod if_none_match;
pub(crate) mod json;
pub(crate) mod moment;
pub(crate) mod page;
pub(crate) mod params;
pub(crate) mod parts;
pub(crate) mod prefer;
pub(crate) mod query;
pub(crate) mod request_id;
pub(crate) mod values;
