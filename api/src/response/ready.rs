//! A rendered answer that is sent many times: its bytes, compressed once, and the tag that names it.

use entities::Timestamp;
use tokio::sync::OnceCell;

use crate::response::chunks::Chunks;
use crate::response::large::LARGE;

pub(crate) struct Ready {
    pub(crate) body: Chunks,
    pub(crate) etag: Option<String>,
    /// The time at which it becomes out of date without an event.
    until: Option<Timestamp>,
    gzip: OnceCell<Option<Chunks>>,
}

impl Ready {
    pub(crate) fn new(body: Chunks, etag: Option<String>, until: Option<Timestamp>) -> Self {
        Self { body, etag, until, gzip: OnceCell::new() }
    }

    pub(crate) fn holds(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| until > now)
    }

    pub(crate) fn is_large(&self) -> bool {
        self.body.len() >= LARGE
    }

    /// Its compressed form, by `compress` the first time. `None`: it cannot be compressed.
    pub(crate) async fn compress(&self, compress: impl Future<Output = Option<Chunks>>) -> Option<&Chunks> {
        self.gzip.get_or_init(|| compress).await.as_ref()
    }

    /// Its compressed form, if there is one.
    pub(crate) fn gzip(&self) -> Option<&Chunks> {
        self.gzip.get()?.as_ref()
    }

    /// Bytes that a cache counts, with its compressed form. Large bodies count elsewhere (`large.rs`).
    pub(crate) fn weight(&self) -> u64 {
        let body = if self.is_large() { 0 } else { self.body.len() + self.body.len() / 4 };
        (body + size_of::<Self>()) as u64
    }
}
