//! A value that a request carries: what it allows, how it is read and how it is documented, in one place.

use std::borrow::Cow;

use serde_json::Value;

use crate::openapi::shape::Shape;
use crate::response::error::ApiError;

pub(crate) trait Field: Sized {
    /// Completes "must be …".
    fn allowed() -> Cow<'static, str>;

    /// From a JSON body. `None` where the value is not allowed.
    fn read(sent: &Value) -> Option<Self>;

    /// From a path or a query.
    fn read_text(sent: &str) -> Option<Self> {
        Self::read(&sent.into())
    }

    /// As `/openapi.json` describes it.
    fn shape() -> Shape;

    /// The error for a value that [`read`](Self::read) refused.
    fn refuse(name: &str, sent: &Value) -> ApiError {
        ApiError::field(name, sent, &Self::allowed())
    }
}
