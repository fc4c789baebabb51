//! The fields of an object in a list. An error names list, place and field: `users[3].reason`.

use serde_json::Value;

use crate::request::parts::{Field, whole};
use crate::response::error::ApiError;

/// An object at this place of a request, such as `users[3]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) name: &'a str,
    pub(crate) sent: &'a Value,
}

impl Item<'_> {
    pub(crate) fn required<T: Field>(self, field: &str) -> Result<T, ApiError> {
        let missing = || ApiError::missing(&format!("{}.{field}", self.name), &T::allowed());
        self.optional(field)?.ok_or_else(missing)
    }

    /// Null counts as absent.
    pub(crate) fn optional<T: Field>(self, field: &str) -> Result<Option<T>, ApiError> {
        let Some(sent) = self.sent.get(field).filter(|sent| !sent.is_null()) else { return Ok(None) };
        let refused = || T::refuse(&format!("{}.{field}", self.name), sent);
        T::read(&whole(sent)).ok_or_else(refused).map(Some)
    }
}
