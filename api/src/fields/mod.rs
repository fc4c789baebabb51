//! The fields of a JSON body, taken out one by one, so that a refusal can say which, what was sent and what is allowed.
//!
//! Unknown fields are ignored; of a field given twice the last one counts. Lua is the callers' language (docs/rules.md 8): an
//! empty array is an empty object where one is meant, and a whole float an integer.

mod moment;
mod values;

use std::borrow::Cow;
use std::collections::BTreeMap;

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
        let fields = object(&value)
            .ok_or_else(|| ApiError::body("invalid_json", "the body must be a JSON object"))?
            .into_owned();
        if fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)) {
            return Err(ApiError::body("invalid_json", "texts of the body may not contain NUL (\\u0000)"));
        }
        Ok(Self(fields))
    }

    /// For comparing two bodies.
    pub(crate) fn canonical(&self) -> String {
        let mut text = String::new();
        write_canonical(&Value::Object(self.0.clone()), &mut text);
        text
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
        T::read(&whole(sent)).map(Some).ok_or_else(|| ApiError::field(name, sent, &T::allowed()))
    }

    /// At most `max` items, or none; a refusal names the item: `chat_ids[3]`.
    pub(crate) fn list<T: Field>(&self, name: &str, max: usize) -> Result<Option<Vec<T>>, ApiError> {
        let Some(sent) = self.0.get(name).filter(|sent| !sent.is_null()) else { return Ok(None) };
        let allowed = || format!("an array of at most {max} items");
        let Value::Array(items) = sent else { return Err(ApiError::field(name, sent, &allowed())) };
        if items.len() > max {
            let sent = format!("{} items", items.len());
            return Err(ApiError::field(name, &sent.into(), &allowed()));
        }
        let read = |(index, item)| {
            T::read(&whole(item))
                .ok_or_else(|| ApiError::field(&format!("{name}[{index}]"), item, &T::allowed()))
        };
        items.iter().enumerate().map(read).collect::<Result<_, _>>().map(Some)
    }
}

/// The largest float below which every whole number has its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A whole float as the integer it is.
pub(crate) fn whole(sent: &Value) -> Cow<'_, Value> {
    let float = sent.as_f64().filter(|_| sent.is_f64());
    match float.filter(|float| float.fract() == 0.0 && float.abs() <= EXACT) {
        #[expect(clippy::cast_possible_truncation, reason = "whole and small enough, as just checked")]
        Some(float) => Cow::Owned((float as i64).into()),
        None => Cow::Borrowed(sent),
    }
}

/// An object, or the empty array that Lua makes of an empty one.
pub(crate) fn object(sent: &Value) -> Option<Cow<'_, Map<String, Value>>> {
    match sent {
        Value::Object(fields) => Some(Cow::Borrowed(fields)),
        Value::Array(items) if items.is_empty() => Some(Cow::Owned(Map::new())),
        _ => None,
    }
}

/// The same JSON is the same text, in whatever order and form it was sent.
fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let sorted: BTreeMap<_, _> = fields.iter().collect();
            text.push('{');
            for (name, value) in sorted {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_canonical(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_canonical(item, text);
                text.push(',');
            }
            text.push(']');
        }
        plain => text.push_str(&whole(plain).to_string()),
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
