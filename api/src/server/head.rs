//! Refuses malformed heads. What hyper refuses by itself gets the common envelope; a head with a bare line
//! feed, and a request without a host or with a target that is not a path, are refused too: a proxy in front
//! may parse them differently.

use bytes::Bytes;
use http::header::HOST;
use http::{HeaderMap, Method, Request, Response, Version};

use crate::response::error::ApiError;
use crate::response::payload::Payload;
use crate::server::correlation::REQUEST_ID;
use crate::server::request_log::RequestLog;

/// Not allowed in any head: hyper answers 400.
const REFUSED: u8 = 0;

/// Headers of requests after which something other than the next head follows.
const FOLLOWED: [&[u8]; 3] = [b"content-length:", b"transfer-encoding:", b"upgrade:"];

/// The longest of these names.
const NAME: usize = 18;

/// The heads of requests, byte by byte as they are received.
#[derive(Default)]
pub(super) struct Head {
    begun: bool,
    /// A body follows; its bytes are not examined.
    followed: bool,
    ended: bool,
    /// Bytes of the line so far, the first and the last of them.
    line: usize,
    name: [u8; NAME],
    last: u8,
}

impl Head {
    /// Replaces a line feed without a carriage return, so that hyper refuses the head.
    pub(super) fn check(&mut self, bytes: &mut [u8]) {
        let mut from = 0;
        while !self.ended
            && let Some(length) = memchr::memchr(b'\n', &bytes[from..])
        {
            let at = from + length;
            if at.checked_sub(1).map_or(self.last, |before| bytes[before]) != b'\r' {
                bytes[at] = REFUSED;
                self.ended = true;
                return;
            }
            self.note(&bytes[from..at]);
            // Empty lines may precede the first one.
            let empty = self.line == 1;
            let named = &self.name[..self.line.min(NAME)];
            self.followed |= FOLLOWED.iter().any(|name| starts_with(named, name));
            if self.begun && empty {
                // The next head may come before this request is answered.
                *self = Self { ended: self.followed, ..Self::default() };
            }
            self.begun |= !empty;
            (self.line, from) = (0, at + 1);
        }
        if !self.ended {
            self.note(&bytes[from..]);
        }
        self.last = bytes.last().copied().unwrap_or(self.last);
    }

    /// The previous request is answered, and its body has ended.
    pub(super) fn renew(&mut self) {
        if self.ended {
            *self = Self::default();
        }
    }

    /// More bytes of the line.
    fn note(&mut self, bytes: &[u8]) {
        let free = NAME.saturating_sub(self.line).min(bytes.len());
        let at = self.line.min(NAME);
        self.name[at..at + free].copy_from_slice(&bytes[..free]);
        self.line += bytes.len();
    }
}

fn starts_with(line: &[u8], name: &[u8]) -> bool {
    line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// The answer in place of hyper's own, which has neither an envelope nor a request id.
pub(super) fn instead_of(written: &[u8]) -> Option<Bytes> {
    let status = written.strip_prefix(b"HTTP/1.")?.get(2..5)?;
    let error = match status {
        b"400" | b"414" | b"431" if is_ours(written) => return None,
        b"400" => ApiError::body("bad_request", "this is not an HTTP/1.1 request"),
        b"414" => ApiError::uri_too_long(),
        b"431" => ApiError::head_too_large(),
        _ => return None,
    };
    Some(on_the_wire(refusal(&Method::GET, error)))
}

fn is_ours(head: &[u8]) -> bool {
    let id = REQUEST_ID;
    head.windows(id.as_str().len()).any(|part| part == id.as_str().as_bytes())
}

/// The answer to a request that must not reach a route.
pub(super) fn refuse<B>(request: &Request<B>) -> Option<Response<Payload>> {
    let hosts = request.headers().get_all(HOST).iter().count();
    let problem = if request.uri().path().is_empty() {
        "the target of a request must be a path"
    } else if hosts > 1 || (hosts == 0 && request.version() >= Version::HTTP_11) {
        "a request must have one `Host` header"
    } else {
        return None;
    };
    Some(refusal(request.method(), ApiError::body("bad_request", problem)))
}

fn refusal(method: &Method, error: ApiError) -> Response<Payload> {
    RequestLog::new(method, &HeaderMap::new()).finish(Err(error))
}

/// The last answer of a connection.
fn on_the_wire(response: Response<Payload>) -> Bytes {
    let (head, payload) = response.into_parts();
    let Payload::Own(body) = payload else { return Bytes::new() };
    let mut text = format!("HTTP/1.1 {}\r\n", head.status).into_bytes();
    for (name, value) in &head.headers {
        text.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    text.extend(format!("connection: close\r\ncontent-length: {}\r\n\r\n", body.len()).into_bytes());
    text.extend(body);
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(parts: &[&str]) -> bool {
        let mut head = Head::default();
        let mut spoilt = false;
        for part in parts {
            let mut bytes = part.as_bytes().to_vec();
            head.check(&mut bytes);
            spoilt |= bytes != part.as_bytes();
        }
        spoilt
    }

    #[test]
    fn a_bare_line_feed_in_a_head_is_refused_wherever_the_reads_end() {
        let fine = "\r\nPOST / HTTP/1.1\r\nCONTENT-length: 3\r\n\r\n{\n}";
        let (lines, last) = ("GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\n");
        for cut in 0..20 {
            for (text, expected) in [(fine, false), (lines, true), (last, true)] {
                let (one, two) = text.split_at(cut);
                assert_eq!(refused(&[one, two]), expected, "{one:?} {two:?}");
            }
        }
        let behind = format!("GET / HTTP/1.1\r\nHost: a\r\n\r\n{lines}");
        let upgraded = "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n\n\n";
        for cut in 0..upgraded.len() {
            assert!(refused(&[&behind[..cut], &behind[cut..]]), "{cut}");
            assert!(!refused(&[&upgraded[..cut], &upgraded[cut..]]), "{cut}");
        }
        let single: Vec<String> = fine.chars().map(String::from).collect();
        assert!(!refused(&single.iter().map(String::as_str).collect::<Vec<_>>()));
    }

    #[test]
    fn only_answers_of_hyper_itself_are_replaced() {
        let own = instead_of(b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\n\r\n");
        let own = String::from_utf8(own.unwrap().to_vec()).unwrap();
        assert!(own.starts_with("HTTP/1.1 431 Request Header Fields Too Large\r\n"), "{own}");
        let (head, body) = own.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}", body.len())), "{own}");
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!((&body["error"], &body["code"]), (&"head_too_large".into(), &431.into()));
        for other in
            ["HTTP/1.1 400 Bad Request\r\nx-request-id: 1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "{}", ""]
        {
            assert_eq!(instead_of(other.as_bytes()), None, "{other}");
        }
    }
}
