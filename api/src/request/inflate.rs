//! Bodies that were sent with `Content-Encoding: gzip`.

use std::io::Read;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::{HeaderMap, header};

use crate::response::error::ApiError;

/// Whether the body is compressed; refuses other encodings.
pub(super) fn is_gzip(headers: &HeaderMap) -> Result<bool, ApiError> {
    let mut sent = headers.get_all(header::CONTENT_ENCODING).iter();
    let Some(encoding) = sent.next() else { return Ok(false) };
    let encoding = encoding.to_str().unwrap_or("(not text)").trim();
    match encoding.to_ascii_lowercase().as_str() {
        "" | "identity" if sent.next().is_none() => Ok(false),
        "gzip" | "x-gzip" if sent.next().is_none() => Ok(true),
        _ => Err(ApiError::content_encoding(encoding)),
    }
}

/// The text, at most `limit` bytes.
pub(super) fn inflate(body: &[u8], limit: usize) -> Result<Bytes, ApiError> {
    let mut text = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    MultiGzDecoder::new(body).take(most).read_to_end(&mut text).map_err(|_| {
        ApiError::body("invalid_gzip", "the body is not what `Content-Encoding: gzip` promises")
    })?;
    if text.len() > limit { Err(ApiError::body_too_large(limit)) } else { Ok(text.into()) }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_body_is_bounded_by_its_text() {
        let zeros = packed(&[0; 10_000]);
        assert!(zeros.len() < 100);
        assert_eq!(inflate(&zeros, 10_000).unwrap().len(), 10_000);
        assert_eq!(inflate(&zeros, 9_999).unwrap_err().parts().word, "body_too_large");
    }

    #[test]
    fn what_is_not_gzip_or_cut_is_refused() {
        let whole = packed(b"{}");
        for bad in [&b"{}"[..], &whole[..whole.len() - 3], b""] {
            assert_eq!(inflate(bad, 100).unwrap_err().parts().word, "invalid_gzip");
        }
    }

    #[test]
    fn other_encodings_are_refused() {
        let of = |sent: &'static str| {
            let mut headers = HeaderMap::new();
            headers.append(header::CONTENT_ENCODING, sent.parse().unwrap());
            is_gzip(&headers).map_err(|error| error.parts().word.to_string())
        };
        assert_eq!([of("gzip"), of("GZIP"), of("identity")], [Ok(true), Ok(true), Ok(false)]);
        for other in ["br", "deflate", "gzip, gzip"] {
            assert_eq!(of(other), Err("unsupported_content_encoding".to_owned()), "{other}");
        }
    }
}
