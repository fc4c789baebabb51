//! A rendered answer that is sent many times: its bytes, compressed once, and the tag that names it.

use bytes::Bytes;
use entities::Timestamp;
use tokio::sync::OnceCell;

pub(crate) struct Ready {
    pub(crate) body: Bytes,
    pub(crate) etag: Option<String>,
    /// From then on it is out of date, without any event.
    until: Option<Timestamp>,
    gzip: OnceCell<Option<Bytes>>,
}

impl Ready {
    pub(crate) fn new(body: Bytes, etag: Option<String>, until: Option<Timestamp>) -> Self {
        Self { body, etag, until, gzip: OnceCell::new() }
    }

    pub(crate) fn holds(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| until > now)
    }

    /// Its compressed form, by `compress` the first time. `None`: it cannot be compressed.
    pub(crate) async fn gzip<F>(&self, compress: fn(Bytes) -> F) -> Option<Bytes>
    where
        F: Future<Output = Option<Bytes>>,
    {
        self.gzip.get_or_init(|| compress(self.body.clone())).await.clone()
    }

    /// Bytes in memory, with its compressed form.
    pub(crate) fn bytes(&self) -> u32 {
        u32::try_from(self.body.len() + self.body.len() / 4 + size_of::<Self>()).unwrap_or(u32::MAX)
    }
}
