//! Reads a body: checks its size, timeout and JSON.

use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderMap, header};

use crate::response::error::ApiError;

/// Timeout of reading a body.
const READ_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum nesting of arrays and objects (docs/rules.md 3).
const DEPTH_MAX: usize = 32;

pub(crate) type BodyStream = BoxStream<'static, Result<Bytes, warp::Error>>;

/// The whole body, at most `limit` bytes.
pub(crate) async fn read(body: BodyStream, headers: &HeaderMap, limit: usize) -> Result<Bytes, ApiError> {
    if announced_length(headers).is_some_and(|length| length > limit as u64) {
        return Err(ApiError::body_too_large(limit));
    }
    let bytes = tokio::time::timeout(READ_TIMEOUT, collect(body, limit));
    let bytes = bytes.await.map_err(|_| ApiError::body_timeout())??;
    if !bytes.is_empty() {
        check_content_type(headers)?;
        check_depth(&bytes)?;
    }
    Ok(bytes)
}

fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn collect(mut body: BodyStream, limit: usize) -> Result<Bytes, ApiError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::error::Kind;

    fn stream(parts: &[&'static str]) -> BodyStream {
        let parts: Vec<_> = parts.iter().map(|part| Ok(Bytes::from_static(part.as_bytes()))).collect();
        futures_util::stream::iter(parts).boxed()
    }

    fn typed(content_type: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::CONTENT_TYPE, content_type.parse().unwrap())])
    }

    #[tokio::test]
    async fn the_limit_counts_announced_and_real_bytes() {
        let none = HeaderMap::new();
        assert_eq!(read(stream(&["{\"a\":", "1}"]), &none, 7).await.unwrap(), "{\"a\":1}");
        assert_eq!(read(stream(&["{\"a\":", "1}"]), &none, 6).await.unwrap_err().kind(), Kind::TooLarge);
        let announced = HeaderMap::from_iter([(header::CONTENT_LENGTH, "8".parse().unwrap())]);
        assert_eq!(read(stream(&[]), &announced, 7).await.unwrap_err().kind(), Kind::TooLarge);
    }

    #[tokio::test]
    async fn another_content_type_is_refused_unless_there_is_no_body() {
        for fine in ["application/json", "Application/JSON; charset=utf-8", "application/x+json"] {
            assert!(read(stream(&["{}"]), &typed(fine), 9).await.is_ok(), "{fine}");
        }
        let wrong = typed("text/plain");
        assert_eq!(read(stream(&["{}"]), &wrong, 9).await.unwrap_err().kind(), Kind::MediaType);
        assert!(read(stream(&[]), &wrong, 9).await.is_ok());
    }

    #[test]
    fn depth_counts_brackets_outside_of_strings() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(check_depth(nested(32).as_bytes()).is_ok());
        assert!(check_depth(nested(33).as_bytes()).is_err());
        let text = format!(r#"{{"a\\":"\"{}"}}"#, "[".repeat(99));
        assert!(check_depth(text.as_bytes()).is_ok());
    }
}
