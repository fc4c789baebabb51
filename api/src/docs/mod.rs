//! The documentation of the API, made from the route table: `/openapi.json` (OpenAPI 3.1), and `/docs`, a page that
//! reads it and needs no network beyond this server.
//!
//! Quota and scope of an endpoint are read from its row. What a row cannot say (summary, schemas, examples, words of
//! errors) stands in one file for each area. Tests keep document, table and answers in agreement.

mod bindings;
mod document;
mod guilds;
mod interactions;
mod jobs;
mod lookup;
mod moderation;
mod operation;
mod parameters;
mod play;
mod quotas;
mod responses;
mod serve;
mod shape;
mod shield;
mod staff;
mod staff_records;
mod tickets;

pub(crate) use serve::answer;

use self::operation::Area;

/// In the order of the page.
fn areas() -> Vec<Area> {
    vec![
        lookup::area(),
        bindings::area(),
        interactions::area(),
        guilds::area(),
        guilds::audit_logs(),
        moderation::area(),
        shield::area(),
        staff::area(),
        staff_records::leave(),
        staff_records::strikes(),
        staff_records::notes(),
        quotas::area(),
        play::activity(),
        play::servers(),
        tickets::area(),
        play::live(),
        jobs::area(),
    ]
}

#[cfg(test)]
mod tests;
