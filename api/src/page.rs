//! Paged lists: `limit` and `cursor` of the query, `next_cursor` of the answer (decisions 3).

use std::str::FromStr;

use crate::call::Call;
use crate::http::error::ApiError;

const DEFAULT: u64 = 50;
const MAX: u64 = 100;
/// More rows than any list has.
const WHOLE: u64 = u32::MAX as u64;

/// A page as it was asked for. Query one row more than `limit`, then [`Page::cut`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page<C> {
    pub(crate) cursor: Option<C>,
    pub(crate) limit: u64,
}

impl<C: FromStr> Page<C> {
    /// `cursor` is the id of the last entry received; `allowed` says what such an id is.
    pub(crate) fn of(call: &Call, allowed: &str) -> Result<Self, ApiError> {
        let bounds = format!("an integer from 1 to {MAX}");
        let limit = call.query.parsed::<u64>("limit", &bounds)?;
        if limit == Some(0) {
            return Err(ApiError::field("limit", &0.into(), &bounds));
        }
        let cursor = call.query.parsed("cursor", allowed)?;
        Ok(Self { cursor, limit: limit.unwrap_or(DEFAULT).min(MAX) })
    }

    /// For lists that the interface does not page: all of it, unless the query asks for a page.
    pub(crate) fn or_whole(call: &Call, allowed: &str) -> Result<Self, ApiError> {
        let asked = ["limit", "cursor"].iter().any(|name| call.query.text(name).is_some());
        if asked { Self::of(call, allowed) } else { Ok(Self { cursor: None, limit: WHOLE }) }
    }

    /// For the query: one more than is shown tells whether there is a next page.
    pub(crate) fn to_fetch(self) -> (Option<C>, u64)
    where
        C: Copy,
    {
        (self.cursor, self.limit + 1)
    }

    /// Drops the extra row; returns the cursor of the next page.
    pub(crate) fn cut<T, N>(&self, rows: &mut Vec<T>, id: impl Fn(&T) -> N) -> Option<N> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        if rows.len() <= limit {
            return None;
        }
        rows.truncate(limit);
        rows.last().map(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_page_has_no_next_cursor() {
        let page = Page::<i64> { cursor: None, limit: 2 };
        let mut rows = vec![9, 8, 7];
        assert_eq!((page.cut(&mut rows, |row| *row), rows), (Some(8), vec![9, 8]));
        let mut rows = vec![9, 8];
        assert_eq!((page.cut(&mut rows, |row| *row), rows), (None, vec![9, 8]));
    }
}
