//! A JSON body: read within its size and time, then kept as fields by name, so that an error can name the field, its
//! value and the allowed values.
//!
//! Unknown fields are ignored; of a field given twice the last one counts.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderMap, header};
use serde_json::{Map, Value};

use crate::request::parts::{Sent, Source, object, whole};
use crate::response::error::{ApiError, Kind};

/// Timeout of reading a body.
const READ_TIMEOUT: Duration = Duration::from_secs(15);
/// Of a body that is too large so many bytes are still taken, for so long: a client gets its answer only once it has sent
/// the body, and otherwise a broken connection.
const DISCARDED: usize = 1024 * 1024;
const DISCARDS_FOR: Duration = Duration::from_secs(2);
/// Maximum nesting of arrays and objects (docs/rules.md 3).
const DEPTH_MAX: usize = 32;

pub(crate) type BodyStream = BoxStream<'static, Result<Bytes, warp::Error>>;

#[derive(Debug, Clone, Default)]
pub(crate) struct Body(Map<String, Value>);

impl Body {
    /// Reads and parses a body of at most `limit` bytes.
    pub(crate) async fn read(body: BodyStream, headers: &HeaderMap, limit: usize) -> Result<Self, ApiError> {
        Self::parse(&read(body, headers, limit).await?)
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
        let fields = object(&value)
            .ok_or_else(|| ApiError::body("invalid_json", "the body must be a JSON object"))?
            .into_owned();
        Self::of(fields)
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
        if fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)) {
            return Err(ApiError::body("invalid_json", "texts of the body may not contain NUL (\\u0000)"));
        }
        Ok(Self(fields))
    }
}

/// The bytes of a form, at most `limit`.
pub(crate) async fn read_form(
    mut body: BodyStream,
    headers: &HeaderMap,
    limit: usize,
) -> Result<Bytes, ApiError> {
    let collected = if announced_length(headers).is_some_and(|length| length > limit as u64) {
        Err(ApiError::body_too_large(limit))
    } else {
        let collected = tokio::time::timeout(READ_TIMEOUT, collect(&mut body, limit)).await;
        collected.unwrap_or_else(|_| Err(ApiError::body_timeout()))
    };
    if collected.as_ref().is_err_and(|error| error.kind() == Kind::TooLarge) {
        // Boxed, because hardly any request waits.
        let _sent: Result<(), _> = tokio::time::timeout(DISCARDS_FOR, Box::pin(discard(body))).await;
    }
    collected
}

async fn discard(mut body: BodyStream) {
    let mut discarded = 0;
    while discarded < DISCARDED
        && let Some(Ok(part)) = body.next().await
    {
        discarded += part.len();
    }
}

impl Source for Body {
    fn find(&self, name: &str) -> Option<Sent<'_>> {
        self.0.get(name).map(Sent::Json)
    }
}

/// The whole body, at most `limit` bytes.
async fn read(body: BodyStream, headers: &HeaderMap, limit: usize) -> Result<Bytes, ApiError> {
    let bytes = read_form(body, headers, limit).await?;
    if !bytes.is_empty() {
        check_content_type(headers)?;
        check_depth(&bytes)?;
    }
    Ok(bytes)
}

fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn collect(body: &mut BodyStream, limit: usize) -> Result<Bytes, ApiError> {
    let mut bytes = BytesMut::new();
    while let Some(part) = body.next().await {
        let part = part.map_err(|error| {
            ApiError::body("body_incomplete", "the body ended before it was complete").cause(error)
        })?;
        if bytes.len() + part.remaining() > limit {
            return Err(ApiError::body_too_large(limit));
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes.freeze())
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
