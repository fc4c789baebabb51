//! How often a cache saves a read, and how much it holds.

use metrics::{Counter, Gauge, counter, gauge};

/// A cache, among all of them.
pub(crate) trait Kept {
    /// Writes how much it holds to its metrics.
    fn report(&self);

    fn forget_all(&self);
}

pub(crate) struct CacheMetrics {
    hits: Counter,
    misses: Counter,
    entries: Gauge,
    bytes: Option<Gauge>,
}

impl CacheMetrics {
    pub(crate) fn new(cache: &'static str) -> Self {
        let metrics = Self {
            hits: counter!("guildhall_cache_hits_total", "cache" => cache),
            misses: counter!("guildhall_cache_misses_total", "cache" => cache),
            entries: gauge!("guildhall_cache_entries", "cache" => cache),
            bytes: None,
        };
        metrics.hold(0);
        metrics
    }

    /// For a cache that is limited by its bytes.
    pub(crate) fn weighed(cache: &'static str) -> Self {
        let bytes = Some(gauge!("guildhall_cache_bytes", "cache" => cache));
        Self { bytes, ..Self::new(cache) }
    }

    pub(crate) fn looked_up(&self, found: bool) {
        if found { &self.hits } else { &self.misses }.increment(1);
    }

    #[expect(clippy::cast_precision_loss, reason = "metrics are floats")]
    pub(crate) fn hold(&self, entries: u64) {
        self.entries.set(entries as f64);
    }

    #[expect(clippy::cast_precision_loss, reason = "metrics are floats")]
    pub(crate) fn weigh(&self, bytes: u64) {
        if let Some(gauge) = &self.bytes {
            gauge.set(bytes as f64);
        }
    }
}
