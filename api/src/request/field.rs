//! A value in a request: its allowed values, its parser and its documentation, in one place.

use std::borrow::Cow;

use serde_json::Value;

use crate::openapi::shape::Shape;
use crate::response::error::ApiError;

pub(crate) trait Field: Sized {
    /// Completes "must be …".
    fn allowed() -> Cow<'static, str>;

    /// Reads a JSON value. `None` if it is not allowed.
    fn read(sent: &Value) -> Option<Self>;

    /// Reads a path or query parameter.
    fn read_text(sent: &str) -> Option<Self> {
        Self::read(&sent.into())
    }

    /// The schema in `/openapi.json`.
    fn shape() -> Shape;

    /// The error for a value that [`read`](Self::read) refused.
    fn refuse(name: &str, sent: &Value) -> ApiError {
        ApiError::field(name, sent, &Self::allowed())
    }
}
