//! How the values of a sentence are written.

use entities::{Subject, Timestamp};

use crate::format::exact;
use crate::unnamed::unnamed;

#[derive(Clone, Copy)]
pub struct Style {
    /// The id stands beside each name.
    pub with_id: bool,
    /// A person, with their name where it is known.
    pub person: fn(Subject, Option<&str>) -> String,
    pub time: fn(Timestamp) -> String,
    /// Everything else.
    pub text: fn(&str) -> String,
}

impl Style {
    pub const SHORT: Self = Self { with_id: false, person, time: day, text: str::to_owned };
    pub const WITH_IDS: Self = Self { with_id: true, time: exact, ..Self::SHORT };
}

fn person(subject: Subject, name: Option<&str>) -> String {
    name.map_or_else(|| unnamed(subject), str::to_owned)
}

fn day(at: Timestamp) -> String {
    at.format("%-d %b %Y").to_string()
}
