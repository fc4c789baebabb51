//! Gzip responses for clients that accept them (docs/rules.md 8).

use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};

use crate::response::chunks::{ChunkWriter, Chunks};
use crate::response::payload::Payload;
use crate::response::ready::Ready;

/// A smaller body would barely shrink.
const FROM: usize = 1024;
/// A larger body is compressed on a blocking thread, so that it delays no other request.
const INLINE: usize = 64 * 1024;

/// Whether the client accepts gzip.
pub(crate) fn is_asked_for(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip") || name == "*");
        gzip && !parts.any(|part| part.strip_prefix("q=").and_then(|q| q.parse().ok()) == Some(0.0_f32))
    })
}

pub(crate) async fn encode(asked: bool, mut response: Response<Payload>) -> Response<Payload> {
    let plain = !response.headers().contains_key(header::CONTENT_ENCODING);
    if response.body().len().is_none_or(|len| len < FROM)
        || !plain
        || response.status() == StatusCode::SWITCHING_PROTOCOLS
    {
        return response;
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept-encoding"));
    if !asked || !Box::pin(compress(response.body_mut())).await {
        return response;
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    weaken(headers);
    response
}

/// False: it stays as it is.
async fn compress(payload: &mut Payload) -> bool {
    match payload {
        Payload::Own(body) => match compressed(body.clone()).await {
            Some(compressed) => *body = compressed,
            None => return false,
        },
        Payload::Shared(shared) => {
            let ready = shared.ready.clone();
            shared.gzip = shared.ready.compress(chunks_of(ready)).await.is_some();
            return shared.gzip;
        }
        Payload::Made(_) => return false,
    }
    true
}

async fn compressed(body: Bytes) -> Option<Bytes> {
    let small = body.len() <= INLINE;
    let encode = move || Some(encoded([&body], Vec::with_capacity(body.len() / 4))?.into());
    if small { encode() } else { tokio::task::spawn_blocking(encode).await.ok().flatten() }
}

async fn chunks_of(ready: Arc<Ready>) -> Option<Chunks> {
    let Some(memory) = ready.body.memory() else {
        return compressed(ready.body.parts().concat().into()).await.map(Chunks::from);
    };
    let mut memory = memory.another();
    let encode = move || encoded(ready.body.parts(), ChunkWriter::default());
    let chunks = tokio::task::spawn_blocking(encode).await.ok().flatten()?.finish(b"", b"");
    memory.try_cover(chunks.len()).then(|| chunks.held_by(memory))
}

fn encoded<'a, W: Write>(parts: impl IntoIterator<Item = &'a Bytes>, into: W) -> Option<W> {
    let mut encoder = GzEncoder::new(into, Compression::fast());
    parts.into_iter().try_for_each(|part| encoder.write_all(part)).ok()?;
    encoder.finish().ok()
}

/// A strong tag would identify exactly these bytes.
fn weaken(headers: &mut HeaderMap) {
    let tag = headers.get(header::ETAG).and_then(|tag| tag.to_str().ok()).filter(|tag| tag.starts_with('"'));
    if let Some(weak) = tag.and_then(|tag| HeaderValue::from_str(&format!("W/{tag}")).ok()) {
        headers.insert(header::ETAG, weak);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn asked(value: &str) -> bool {
        is_asked_for(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, value.parse().unwrap())]))
    }

    #[test]
    fn gzip_is_accepted_by_name_or_star_unless_its_weight_is_0() {
        for yes in ["gzip", "GZIP", "br, gzip;q=0.5", "*", "deflate,gzip"] {
            assert!(asked(yes), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "identity", "gzip; q=0.0", "xgzip"] {
            assert!(!asked(no), "{no}");
        }
        assert!(!is_asked_for(&HeaderMap::new()));
    }

    #[tokio::test]
    async fn large_bodies_are_compressed_and_small_ones_left() {
        for size in [10, FROM, INLINE + 1] {
            let body = "guild ".repeat(size / 6 + 1);
            let response = encode(true, Response::new(Payload::Own(body.clone().into()))).await;
            let encoded = response.headers().contains_key(header::CONTENT_ENCODING);
            assert_eq!(encoded, body.len() >= FROM);
            let Payload::Own(bytes) = response.into_body() else { panic!("not its own") };
            if encoded {
                let mut text = String::new();
                flate2::read::GzDecoder::new(bytes.as_ref()).read_to_string(&mut text).unwrap();
                assert_eq!(text, body);
            }
        }
        let plain = encode(false, Response::new(Payload::Own("x".repeat(FROM).into()))).await;
        assert_eq!(plain.headers()[header::VARY], "accept-encoding");
        assert_eq!(plain.body().len(), Some(FROM));
    }
}
