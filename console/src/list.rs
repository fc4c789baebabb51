//! Lists of a guild that are shown in parts.

use std::fmt::Display;

use entities::Page;

use crate::visit::GuildVisit;

/// Rows of a list.
const ROWS: usize = 50;

/// The part of a list that the address asks for, and one row more.
pub(crate) fn page<Id: std::str::FromStr>(visit: &GuildVisit) -> Page<Id> {
    Page { cursor: visit.query.read("cursor"), limit: ROWS as u64 + 1 }
}

/// Cuts rows to a page; the query of the address with further ones.
pub(crate) fn cut<T, Id: Display>(
    visit: &GuildVisit,
    rows: &mut Vec<T>,
    id: impl Fn(&T) -> Id,
) -> Option<String> {
    if rows.len() <= ROWS {
        return None;
    }
    rows.truncate(ROWS);
    rows.last().map(|row| visit.query.with("cursor", &id(row).to_string()))
}

/// Cuts a list that is read whole to the part that the address asks for: how many rows come before it, and the query of
/// the address with the next part.
pub(crate) fn cut_whole<T>(visit: &GuildVisit, rows: &mut Vec<T>) -> (usize, Option<String>) {
    let skipped = visit.query.read("skip").unwrap_or(0).min(rows.len());
    let next = skipped + ROWS;
    let more = (rows.len() > next).then(|| visit.query.with("skip", &next.to_string()));
    rows.truncate(next);
    rows.drain(..skipped);
    (skipped, more)
}
