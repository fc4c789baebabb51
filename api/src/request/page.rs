//! Paged lists: `limit` and `cursor` of the query, `next_cursor` of the answer and the same as a link (docs/rules.md 3).

use std::cmp::Reverse;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::json;

use crate::request::parts::{Field, Take};
use crate::request::url::Query;
use crate::request::values::json_size;
use crate::response::error::ApiError;
use crate::response::reply::Reply;

const DEFAULT: u64 = 50;
const MAX: u64 = 100;
/// Bytes of a page's entries, but for its first: what many slow readers hold at once is bounded.
const BYTES: usize = 1024 * 1024;
/// More rows than any list has.
const WHOLE: u64 = u32::MAX as u64;

/// The header `Link`: the same request for the next page.
pub(crate) fn link(path: &str, query: &str, cursor: &str) -> String {
    let cursor = utf8_percent_encode(cursor, NON_ALPHANUMERIC);
    let others = query.split('&').filter(|pair| !pair.is_empty() && pair.split('=').next() != Some("cursor"));
    let pairs: Vec<_> = others.map(str::to_owned).chain([format!("cursor={cursor}")]).collect();
    format!("<{path}?{}>; rel=\"next\"", pairs.join("&"))
}

/// Whether the query requests a page of a list that is complete otherwise.
pub(crate) fn is_asked(query: &Query) -> bool {
    ["limit", "cursor"].iter().any(|name| query.text(name).is_some())
}

/// The requested page. Query one row more than `limit`, then call [`Page::reply`].
#[derive(Debug, Clone)]
pub(crate) struct Page<C> {
    pub(crate) cursor: Option<C>,
    pub(crate) limit: u64,
}

impl<C: Field> Page<C> {
    /// `cursor` is the id of the last entry received.
    pub(crate) fn of(query: &Query) -> Result<Self, ApiError> {
        let bounds = format!("an integer from 1 to {MAX}");
        let limit = match query.text("limit") {
            None => DEFAULT,
            Some(text) => limit(text).ok_or_else(|| ApiError::field("limit", &text.into(), &bounds))?,
        };
        let cursor = match query.given("cursor") {
            // An id may be the empty text.
            Some("") => C::read_text(""),
            _ => Take::take(query, "cursor")?,
        };
        Ok(Self { cursor, limit })
    }

    /// For lists that are complete unless the query requests a page.
    pub(crate) fn or_whole(query: &Query) -> Result<Self, ApiError> {
        if is_asked(query) { Self::of(query) } else { Ok(Self { cursor: None, limit: WHOLE }) }
    }

    /// Of a short list that was read whole: newest first, unless no page is requested.
    pub(crate) fn newest_of<T>(&self, mut rows: Vec<T>, id: impl Fn(&T) -> C) -> Vec<T>
    where
        C: Copy + Ord,
    {
        if self.limit != WHOLE {
            rows.retain(|row| self.cursor.is_none_or(|cursor| id(row) < cursor));
            rows.sort_by_key(|row| Reverse(id(row)));
        }
        rows
    }

    /// Of a short list with an order of its own: what follows the entry `cursor`.
    pub(crate) fn after<T>(&self, mut rows: Vec<T>, id: impl Fn(&T) -> C) -> Result<Vec<T>, ApiError>
    where
        C: PartialEq + Serialize,
    {
        let Some(cursor) = &self.cursor else { return Ok(rows) };
        let at = rows.iter().position(|row| id(row) == *cursor);
        let at = at.ok_or_else(|| ApiError::field("cursor", &json!(cursor), "an entry of this list"))?;
        Ok(rows.split_off(at + 1))
    }

    /// The limit of the query: one extra row shows whether there is a next page.
    pub(crate) fn to_fetch(&self) -> entities::Page<C>
    where
        C: Copy,
    {
        entities::Page { cursor: self.cursor, limit: self.limit + 1 }
    }

    /// The rows without the extra one as entries, with the cursor of the next page in the data and in the header.
    pub(crate) fn reply<T, E: From<T> + Serialize, N: ToString, D: Serialize>(
        &self,
        mut rows: Vec<T>,
        id: impl Fn(&T) -> N,
        data: impl FnOnce(Vec<E>, Option<N>) -> D,
    ) -> Result<Reply, ApiError> {
        let next = self.cut(&mut rows, &id);
        let (entries, next) = self.within(rows, id, next);
        let next_cursor = next.as_ref().map(N::to_string);
        let mut reply = Reply::data(&data(entries, next))?;
        reply.next_cursor = next_cursor;
        Ok(reply)
    }

    /// As many entries as a page has room for, with the cursor of the next page.
    fn within<T, E: From<T> + Serialize, N>(
        &self,
        rows: Vec<T>,
        id: impl Fn(&T) -> N,
        next: Option<N>,
    ) -> (Vec<E>, Option<N>) {
        if self.limit == WHOLE {
            return (rows.into_iter().map(E::from).collect(), next);
        }
        let (mut entries, mut bytes, mut last) = (Vec::with_capacity(rows.len()), 0, None);
        for row in rows {
            let own = id(&row);
            let entry = E::from(row);
            bytes += json_size(&entry);
            if bytes > BYTES && last.is_some() {
                return (entries, last);
            }
            entries.push(entry);
            last = Some(own);
        }
        (entries, next)
    }

    /// Drops the extra row; returns the cursor of the next page.
    fn cut<T, N>(&self, rows: &mut Vec<T>, id: impl Fn(&T) -> N) -> Option<N> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        if rows.len() <= limit {
            return None;
        }
        rows.truncate(limit);
        rows.last().map(id)
    }
}

/// A number that does not fit exceeds the maximum.
fn limit(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let digits =
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)?;
    Some(digits.parse().unwrap_or(u64::MAX).min(MAX)).filter(|limit| *limit > 0)
}

#[cfg(test)]
mod tests {
    use entities::AuditId;

    use super::*;

    #[test]
    fn the_last_page_has_no_next_cursor() {
        let page = Page::<AuditId> { cursor: None, limit: 2 };
        let mut rows = vec![9, 8, 7];
        assert_eq!((page.cut(&mut rows, |row| *row), rows), (Some(8), vec![9, 8]));
        assert_eq!(link("/bans", "cursor=9&limit=2", "8"), "</bans?limit=2&cursor=8>; rel=\"next\"");
        let mut rows = vec![9, 8];
        assert_eq!((page.cut(&mut rows, |row| *row), rows), (None, vec![9, 8]));
    }

    #[test]
    fn a_page_of_long_entries_ends_early_and_has_one_at_least() {
        let page = Page::<AuditId> { cursor: None, limit: 9 };
        let rows = |bytes| vec!["x".repeat(bytes); 3];
        let within = |bytes| -> (Vec<String>, Option<usize>) { page.within(rows(bytes), String::len, None) };
        let kept = |bytes| (within(bytes).0.len(), within(bytes).1);
        assert_eq!(kept(BYTES / 4), (3, None));
        assert_eq!(kept(BYTES / 2 - 10), (2, Some(BYTES / 2 - 10)));
        assert_eq!(kept(BYTES + 1), (1, Some(BYTES + 1)));
    }

    #[test]
    fn rows_in_memory_are_paged_newest_first_or_in_their_order() {
        let id = |id: &i64| AuditId::try_from(*id).unwrap();
        let page = |cursor: Option<i64>, limit| Page { cursor: cursor.map(|cursor| id(&cursor)), limit };
        assert_eq!(page(None, 2).newest_of(vec![1, 3, 2], id), [3, 2, 1]);
        assert_eq!(page(Some(3), 2).newest_of(vec![1, 3, 2], id), [2, 1]);
        assert_eq!(page(None, WHOLE).newest_of(vec![1, 3, 2], id), [1, 3, 2]);
        assert_eq!(page(Some(3), 2).after(vec![1, 3, 2], id).unwrap(), [2]);
        assert_eq!(page(None, 2).after(vec![1, 3, 2], id).unwrap(), [1, 3, 2]);
        assert!(page(Some(9), 2).after(vec![1, 3, 2], id).is_err());
    }

    #[test]
    fn a_limit_is_a_number_from_1_and_no_number_is_too_large() {
        for (text, expected) in
            [("1", 1), ("050", 50), ("101", 100), ("18446744073709551616", 100), (&"9".repeat(300), 100)]
        {
            assert_eq!(limit(text), Some(expected), "{text}");
        }
        for bad in ["0", "-1", "x", "1.5", "", "+", "٣"] {
            assert_eq!(limit(bad), None, "{bad}");
        }
    }
}
