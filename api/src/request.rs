//! The parts of a request: parsing and validation.

pub(crate) mod bodies;
pub(crate) mod body;
pub(crate) mod client_address;
#[cfg(test)]
mod fuzz;
pub(crate) mod game_values;
pub(crate) mod if_none_match;
mod inflate;
pub(crate) mod item;
pub(crate) mod moment;
pub(crate) mod page;
pub(crate) mod parts;
pub(crate) mod prefer;
pub(crate) mod url;
pub(crate) mod values;
