//! A JSON body: its fields by name, so that an error can name the field, its value and the allowed values.
//!
//! Unknown fields are ignored; of a field given twice the last one counts.

use serde_json::{Map, Value};

use crate::request::json::{has_nul, object, write_canonical};
use crate::request::parts::{Sent, Source};
use crate::response::error::ApiError;

#[derive(Debug, Clone, Default)]
pub(crate) struct Body(Map<String, Value>);

impl Body {
    /// A missing body counts as an empty one.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, ApiError> {
        if body.is_empty() {
            return Ok(Self::default());
        }
        let value = serde_json::from_slice(body).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            ApiError::body("invalid_json", format!("the body is not valid JSON ({place})"))
        })?;
        let fields = object(&value)
            .ok_or_else(|| ApiError::body("invalid_json", "the body must be a JSON object"))?
            .into_owned();
        if fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)) {
            return Err(ApiError::body("invalid_json", "texts of the body may not contain NUL (\\u0000)"));
        }
        Ok(Self(fields))
    }

    /// The same for every body with the same content.
    pub(crate) fn canonical(&self) -> String {
        let mut text = String::new();
        write_canonical(&Value::Object(self.0.clone()), &mut text);
        text
    }
}

impl Source for Body {
    fn find(&self, name: &str) -> Option<Sent<'_>> {
        self.0.get(name).map(Sent::Json)
    }
}

#[cfg(test)]
mod tests;
