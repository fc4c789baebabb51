//! A JSON body, kept as fields by name, so that an error can name the field, its value and the allowed values.
//!
//! Unknown fields are ignored; of a field given twice the last one counts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use http::{HeaderMap, header};
use serde_json::{Map, Value};

use crate::request::parts::{Sent, Source, object, whole};
use crate::response::error::ApiError;

/// Maximum nesting of arrays and objects (docs/rules.md 3).
const DEPTH_MAX: usize = 32;
/// Characters of a name of the client's own in an error.
pub(super) const NAME_SHOWN: usize = 100;

#[derive(Debug, Clone, Default)]
pub(crate) struct Body(Map<String, Value>);

impl Body {
    /// What was sent with these headers.
    pub(crate) fn read(body: &[u8], headers: &HeaderMap) -> Result<Self, ApiError> {
        if !body.is_empty() {
            check_content_type(headers)?;
            check_depth(body)?;
        }
        Self::parse(body)
    }

    /// A missing body counts as an empty one.
    pub(super) fn parse(body: &[u8]) -> Result<Self, ApiError> {
        if body.is_empty() {
            return Ok(Self::default());
        }
        let value = serde_json::from_slice(body).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            ApiError::body("invalid_json", format!("the body is not valid JSON ({place})"))
        })?;
        let fields = match value {
            Value::Object(fields) => Some(fields),
            other => object(&other).map(Cow::into_owned),
        };
        Self::of(fields.ok_or_else(|| ApiError::body("invalid_json", "the body must be a JSON object"))?)
    }

    /// The same for every body with the same content.
    pub(crate) fn canonical(&self) -> String {
        let mut text = String::new();
        write_canonical(&Value::Object(self.0.clone()), &mut text);
        text
    }
}

impl Body {
    pub(crate) fn of(fields: Map<String, Value>) -> Result<Self, ApiError> {
        let with_nul = fields.iter().find(|(name, value)| name.contains('\0') || has_nul(value));
        if let Some((name, sent)) = with_nul {
            let name: String = name.escape_debug().take(NAME_SHOWN).collect();
            return Err(ApiError::field(&name, sent, "free of NUL (\\u0000) in all its texts"));
        }
        Ok(Self(fields))
    }
}

impl Source for Body {
    fn find(&self, name: &str) -> Option<Sent<'_>> {
        self.0.get(name).map(Sent::Json)
    }
}

/// `application/json` and types such as `application/problem+json` are JSON; the header may be missing.
fn check_content_type(headers: &HeaderMap) -> Result<(), ApiError> {
    headers.get_all(header::CONTENT_TYPE).iter().try_for_each(|value| {
        let sent = value.to_str().unwrap_or("(not text)");
        let essence = sent.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let json = essence == "application/json" || essence == "text/json" || essence.ends_with("+json");
        if json { Ok(()) } else { Err(ApiError::media_type(sent)) }
    })
}

/// Checks only brackets outside of strings, before the text is parsed.
fn check_depth(text: &[u8]) -> Result<(), ApiError> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            let message = format!("the body may be nested at most {DEPTH_MAX} levels deep");
            return Err(ApiError::body("too_deep", message));
        }
    }
    Ok(())
}

/// A canonical text: equal JSON gives equal text, regardless of order and form.
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

/// Postgres stores no NUL in texts.
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
