//! Lists of a guild that are shown in parts.

use std::fmt::Display;

use entities::{Page, Sorted};

use crate::fields::Fields;
use crate::visit::Guest;

/// Rows of a list: with the menus and forms of each, a page stays below 100 kB.
const ROWS: usize = 25;

/// The part of a list that the address asks for, and one row more.
pub(crate) fn page<Id: std::str::FromStr>(visit: &Guest) -> Page<Id> {
    Page { cursor: visit.query.read("cursor"), limit: ROWS as u64 + 1 }
}

/// Cuts rows to a page; the query of the address with further ones.
pub(crate) fn cut<T, Id: Display>(visit: &Guest, rows: &mut Vec<T>, id: impl Fn(&T) -> Id) -> Option<String> {
    if rows.len() <= ROWS {
        return None;
    }
    rows.truncate(ROWS);
    rows.last().map(|row| visit.query.with("cursor", &id(row).to_string()))
}

/// Cuts a list that is read whole to the part that the address asks for: how many rows come before it, and the query of
/// the address with the next part.
pub(crate) fn cut_whole<T>(query: &Fields, rows: &mut Vec<T>) -> (usize, Option<String>) {
    let skipped = skipped(query).min(rows.len());
    rows.drain(..skipped);
    (skipped, cut_counted(query, rows))
}

/// The part that the address asks for of a list that the database sorts and counts: rows to skip, and rows to read.
pub(crate) fn counted(query: &Fields) -> (u64, u64) {
    (skipped(query) as u64, ROWS as u64 + 1)
}

/// Cuts such rows to a page; the query of the address with further ones.
pub(crate) fn cut_counted<T>(query: &Fields, rows: &mut Vec<T>) -> Option<String> {
    let next = (rows.len() > ROWS).then(|| query.with("skip", &(skipped(query) + ROWS).to_string()));
    rows.truncate(ROWS);
    next
}

/// Rows of the list that come before the part of the address. A number beyond any list is ignored: no
/// database counts that far.
pub(crate) fn skipped(query: &Fields) -> usize {
    query.read::<u32>("skip").map_or(0, |rows| rows as usize)
}

/// A column of a list that is read whole: its head is a link that sorts by it.
pub(crate) struct Column {
    pub(crate) label: &'static str,
    pub(crate) query: String,
    /// For `aria-sort`; empty: the list is not sorted by it.
    pub(crate) order: &'static str,
}

/// The column that orders the list, and whether from the end. `sort=name` in the address, or `sort=-name`.
pub(crate) fn sorted_by(query: &Fields) -> (&str, bool) {
    let sort = query.text("sort");
    sort.strip_prefix('-').map_or((sort, false), |name| (name, true))
}

/// The sort key of a list that the database sorts, and its columns: names in the address, labels and keys.
/// The first key unless one is given.
pub(crate) fn sorted<Key: Copy, const N: usize>(
    query: &Fields,
    all: [(&str, &'static str, Key); N],
) -> (Sorted<Key>, [Column; N]) {
    let (name, descending) = sorted_by(query);
    let found = all.iter().find(|(key, ..)| *key == name);
    let sorted = found.map_or(Sorted::ascending(all[0].2), |(.., by)| Sorted { by: *by, descending });
    (sorted, columns(query, all.map(|(name, label, _)| (name, label))))
}

/// Columns by their names in the address, with labels. A second click turns the order round; a new order begins at the
/// first part.
pub(crate) fn columns<const N: usize>(query: &Fields, all: [(&str, &'static str); N]) -> [Column; N] {
    let (by, from_end) = sorted_by(query);
    let first = query.start().unwrap_or_else(|| query.clone());
    all.map(|(name, label)| {
        let (order, next) = match (name == by, from_end) {
            (false, _) => ("", name.to_owned()),
            (true, false) => ("ascending", format!("-{name}")),
            (true, true) => ("descending", name.to_owned()),
        };
        Column { label, query: first.with("sort", &next), order }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_click_turns_the_order_round_from_the_first_part() {
        let query = Fields::of(&[("q", "a"), ("sort", "used"), ("skip", "50")]);
        let [used, name] = columns(&query, [("used", "Last used"), ("name", "Name")]);
        assert_eq!((used.order, used.query.as_str()), ("ascending", "q=a&sort=-used"));
        assert_eq!((name.order, name.query.as_str()), ("", "q=a&sort=name"));
        assert_eq!(sorted_by(&Fields::of(&[("sort", "-used")])), ("used", true));
    }
}
