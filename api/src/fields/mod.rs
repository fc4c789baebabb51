//! The fields of a JSON body, taken out one by one, so that a refusal can say which, what was sent and what is allowed.
//!
//! Unknown fields are ignored; of a field given twice the last one counts.

mod moment;
mod values;

pub(crate) use moment::{End, Moment};
use serde_json::{Map, Value};
pub(crate) use values::{Field, Object, Text, Whole};

use crate::http::error::ApiError;

#[derive(Debug, Clone, Default)]
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    /// No body at all is an empty one.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, ApiError> {
        if body.is_empty() {
            return Ok(Self::default());
        }
        let value = serde_json::from_slice(body).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            ApiError::body("invalid_json", format!("the body is not valid JSON ({place})"))
        })?;
        let Value::Object(fields) = value else {
            return Err(ApiError::body("invalid_json", "the body must be a JSON object"));
        };
        if fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)) {
            return Err(ApiError::body("invalid_json", "texts of the body may not contain NUL (\\u0000)"));
        }
        Ok(Self(fields))
    }

    /// Absent and null are both "not given".
    pub(crate) fn required<T: Field>(&self, name: &str) -> Result<T, ApiError> {
        self.optional(name)?.ok_or_else(|| ApiError::missing(name, &T::allowed()))
    }

    pub(crate) fn optional<T: Field>(&self, name: &str) -> Result<Option<T>, ApiError> {
        Ok(self.changed::<Option<T>>(name)?.flatten())
    }

    /// For PATCH: `None` is absent, leave it as it is. Null is a value like any other: refused, unless `T` is an
    /// `Option`.
    pub(crate) fn changed<T: Field>(&self, name: &str) -> Result<Option<T>, ApiError> {
        let Some(sent) = self.0.get(name) else { return Ok(None) };
        T::read(sent).map(Some).ok_or_else(|| ApiError::field(name, sent, &T::allowed()))
    }

    /// 1 to `max` items; a refusal names the item: `chat_ids[3]`.
    pub(crate) fn list<T: Field>(&self, name: &str, max: usize) -> Result<Option<Vec<T>>, ApiError> {
        let Some(sent) = self.0.get(name).filter(|sent| !sent.is_null()) else { return Ok(None) };
        let allowed = || format!("an array of 1 to {max} items");
        let Value::Array(items) = sent else { return Err(ApiError::field(name, sent, &allowed())) };
        if items.is_empty() || items.len() > max {
            let sent = format!("{} items", items.len());
            return Err(ApiError::field(name, &sent.into(), &allowed()));
        }
        let read = |(index, item)| {
            T::read(item).ok_or_else(|| ApiError::field(&format!("{name}[{index}]"), item, &T::allowed()))
        };
        items.iter().enumerate().map(read).collect::<Result<_, _>>().map(Some)
    }
}

/// Postgres keeps no NUL in texts.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
