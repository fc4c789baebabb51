//! JSON as game servers send it (docs/rules.md 8): Lua writes an empty object as an empty array, and any number as a float.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Below this every integer has an exact float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A float without fraction as an integer.
pub(crate) fn whole(sent: &Value) -> Cow<'_, Value> {
    let float = sent.as_f64().filter(|_| sent.is_f64());
    match float.filter(|float| float.fract() == 0.0 && float.abs() <= EXACT) {
        #[expect(clippy::cast_possible_truncation, reason = "whole and small enough, as just checked")]
        Some(float) => Cow::Owned((float as i64).into()),
        None => Cow::Borrowed(sent),
    }
}

/// An object, or the empty array that Lua writes for an empty object.
pub(crate) fn object(sent: &Value) -> Option<Cow<'_, Map<String, Value>>> {
    match sent {
        Value::Object(fields) => Some(Cow::Borrowed(fields)),
        Value::Array(items) if items.is_empty() => Some(Cow::Owned(Map::new())),
        _ => None,
    }
}

/// A canonical text: equal JSON gives equal text, regardless of order and form.
pub(crate) fn write_canonical(value: &Value, text: &mut String) {
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

/// Postgres stores no NUL in texts.
pub(crate) fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}
