//! Every metric of this program, with its unit and meaning: for `# HELP` and for docs/metrics.md.
//!
//! What OpenTelemetry's semantic conventions name has their name and labels, as Prometheus writes them; what is ours alone
//! begins with `guildhall_`. Labels have a fixed set of values, so that no client can add a series.

mod api;
mod events;
mod jobs;
mod metric;
mod platforms;
mod process;

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder};

use metric::{Kind, Metric};

/// In the order of the page.
pub(super) fn all() -> impl Iterator<Item = &'static Metric> {
    [process::METRICS, jobs::METRICS, api::METRICS, platforms::METRICS, events::METRICS].into_iter().flatten()
}

/// With the bounds of each histogram.
pub(super) fn builder() -> Result<PrometheusBuilder, BuildError> {
    all().try_fold(PrometheusBuilder::new(), |builder, metric| match metric.kind {
        Kind::Histogram(bounds) => {
            builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), bounds)
        }
        Kind::Counter | Kind::Gauge => Ok(builder),
    })
}

/// Gives the present recorder their meanings.
pub(super) fn describe() {
    for Metric { name, kind, unit, of, about, .. } in all() {
        let about = format!("{about} (processes: {of})");
        match kind {
            Kind::Counter => metrics::describe_counter!(*name, *unit, about),
            Kind::Gauge => metrics::describe_gauge!(*name, *unit, about),
            Kind::Histogram(_) => metrics::describe_histogram!(*name, *unit, about),
        }
    }
}

/// A rate over a counter that appears with its first event does not see that event.
pub(super) fn begin_at_zero() {
    for Metric { name, kind, labels, .. } in all() {
        if matches!(kind, Kind::Counter) && labels.is_empty() {
            metrics::counter!(*name).increment(0);
        }
    }
}

#[cfg(test)]
mod tests;
