//! A handler's response in the common envelope (docs/rules.md 2). Errors get theirs here too.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use entities::JobId;
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::limits::rate_limit::Window;
use crate::response::chunks::ChunkWriter;
use crate::response::error::ApiError;
use crate::response::large::{AnswerPermit, LARGE, Memory};
use crate::response::payload::{Pages, Payload, Shared};
use crate::response::ready::Ready;

#[derive(Serialize)]
struct Success<'a> {
    status: &'static str,
    code: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Refusal<'a> {
    status: &'static str,
    code: u16,
    message: &'a str,
    error: &'a str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    job_id: Option<JobId>,
}

enum Body {
    /// Data as JSON text: a list of 100,000 members is never held as a tree.
    Fresh { message: Option<Cow<'static, str>>, data: Option<Box<RawValue>> },
    /// The stored first response.
    Stored(String),
    /// Rendered before, with the permit of a large one.
    Ready(Arc<Ready>, Option<AnswerPermit>),
    /// Made while it is sent.
    Made(Option<Pages>),
    /// No body: the connection changes its protocol, as these headers say.
    Upgrade(HeaderMap),
}

pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    body: Body,
    pub(crate) location: Option<String>,
    /// Cursor of a list that continues after this page.
    pub(crate) next_cursor: Option<String>,
    /// The link to the next page.
    pub(crate) next_page: Option<String>,
    /// Identifies this version of the answer, for `If-None-Match`.
    pub(crate) etag: Option<String>,
    pub(crate) preference: Option<String>,
    /// The window after this call, if admission only checked it.
    pub(crate) window: Option<Window>,
    /// A replay for a repeated request.
    pub(crate) replayed: bool,
    /// Its text is already stored under the idempotency key.
    pub(crate) kept: bool,
    /// The database is away, and the answer is from memory.
    pub(crate) stale: bool,
}

impl Reply {
    fn new(status: StatusCode, body: Body) -> Self {
        Self {
            status,
            body,
            location: None,
            next_cursor: None,
            next_page: None,
            etag: None,
            preference: None,
            window: None,
            replayed: false,
            kept: false,
            stale: false,
        }
    }

    pub(crate) fn message(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::OK, Body::Fresh { message: Some(text.into()), data: None })
    }

    pub(crate) fn data<T: Serialize + ?Sized>(data: &T) -> Result<Self, ApiError> {
        let data = Some(to_raw_value(data)?);
        Ok(Self::new(StatusCode::OK, Body::Fresh { message: None, data }))
    }

    /// 202: the job is still running.
    pub(crate) fn accepted(job: JobId) -> Result<Self, ApiError> {
        let mut reply = Self::data(&json!({ "job_id": job }))?
            .with_message("job still running; poll the URL in Location");
        reply.status = StatusCode::ACCEPTED;
        reply.location = Some(format!("/jobs/{job}"));
        Ok(reply)
    }

    /// The stored response to the first request.
    pub(crate) fn stored(status: StatusCode, body: String, location: Option<String>) -> Self {
        let mut reply = Self::new(status, Body::Stored(body));
        reply.location = location;
        reply.replayed = true;
        reply
    }

    /// An answer that was rendered before.
    pub(crate) fn ready(ready: Arc<Ready>, permit: Option<AnswerPermit>) -> Self {
        let etag = ready.etag.clone();
        Self { etag, ..Self::new(StatusCode::OK, Body::Ready(ready, permit)) }
    }

    pub(crate) fn made(pages: Pages) -> Self {
        Self::new(StatusCode::OK, Body::Made(Some(pages)))
    }

    /// The answer to a HEAD whose body is not needed, not even for its length.
    pub(crate) fn head(etag: Option<String>) -> Self {
        Self { etag, ..Self::new(StatusCode::OK, Body::Stored(String::new())) }
    }

    /// 304, without a body: the client's copy is current.
    pub(crate) fn not_modified(etag: String) -> Self {
        Self::new(StatusCode::NOT_MODIFIED, Body::Stored(String::new())).with_etag(etag)
    }

    pub(crate) fn with_etag(mut self, etag: String) -> Self {
        self.etag = Some(etag);
        self
    }

    /// 101: the connection leaves HTTP.
    pub(crate) fn upgrade(headers: HeaderMap) -> Self {
        Self::new(StatusCode::SWITCHING_PROTOCOLS, Body::Upgrade(headers))
    }

    /// Headers of a protocol switch; then there is no body.
    pub(crate) fn upgrade_headers(&self) -> Option<&HeaderMap> {
        match &self.body {
            Body::Upgrade(headers) => Some(headers),
            _ => None,
        }
    }

    pub(crate) fn with_message(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        if let Body::Fresh { message, .. } = &mut self.body {
            *message = Some(text.into());
        }
        self
    }

    pub(crate) fn stale_if(self, stale: bool) -> Self {
        Self { stale, ..self }
    }

    pub(crate) fn with_window(mut self, window: Window) -> Self {
        self.window = Some(window);
        self
    }

    /// The bytes of data that was made for this call, if they are large.
    pub(crate) fn large(&self) -> Option<usize> {
        match &self.body {
            Body::Fresh { data: Some(data), .. } => Some(data.get().len()).filter(|len| *len >= LARGE),
            _ => None,
        }
    }

    /// The memory counts until the body is sent.
    pub(crate) fn held_by(self, memory: Memory) -> Result<Self, ApiError> {
        let mut parts = ChunkWriter::default();
        parts.write_all(&self.render()?).map_err(ApiError::internal)?;
        let ready = Ready::new(parts.finish(b"", b"").held_by(memory), None, None);
        Ok(Self { body: Body::Ready(Arc::new(ready), None), ..self })
    }

    /// The body as it is sent.
    pub(crate) fn payload(&mut self) -> Result<Payload, ApiError> {
        match &mut self.body {
            Body::Ready(ready, permit) => {
                let (ready, gzip) = (ready.clone(), false);
                Ok(Payload::Shared(Shared { ready, gzip, permit: permit.take() }))
            }
            Body::Made(pages) => Ok(pages.take().map_or(Payload::Own(Bytes::new()), Payload::Made)),
            _ => Ok(Payload::Own(self.render()?)),
        }
    }

    pub(crate) fn render(&self) -> Result<Bytes, ApiError> {
        let (message, data) = match &self.body {
            Body::Fresh { message, data } => (message, data),
            Body::Stored(text) => return Ok(Bytes::copy_from_slice(text.as_bytes())),
            Body::Ready(ready, _) => return Ok(ready.body.parts().concat().into()),
            Body::Made(_) | Body::Upgrade(_) => return Ok(Bytes::new()),
        };
        let envelope = Success {
            status: "success",
            code: self.status.as_u16(),
            message: message.as_deref(),
            data: data.as_deref(),
        };
        Ok(serde_json::to_vec(&envelope)?.into())
    }
}

pub(crate) fn render_error(error: &ApiError, request_id: &str, trace_id: Option<&str>) -> String {
    let parts = error.parts();
    let envelope = Refusal {
        status: "error",
        code: parts.kind.row().0.as_u16(),
        message: &parts.message,
        error: &parts.word,
        request_id,
        trace_id,
        retry_after: parts.retry_after,
        job_id: parts.job,
    };
    // Only texts and numbers: this cannot fail.
    serde_json::to_string(&envelope).unwrap_or_default()
}

#[cfg(test)]
mod tests;
