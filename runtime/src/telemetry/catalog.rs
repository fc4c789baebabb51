//! Every metric of this program, with its unit and meaning: for `# HELP` and for docs/metrics.md.

use metrics::Unit;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder};

/// Upper bounds, in seconds: what a request of the API takes, from memory to a waited-for job.
const REQUEST: &[f64] =
    &[0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
/// From one call of a platform to a bulk sync at the real platform's pace.
const JOB: &[f64] =
    &[0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0];
/// An answer of a platform, and the wait for the turn to ask.
const PLATFORM: &[f64] = &[0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Counter,
    Gauge,
    /// With its upper bounds, in seconds.
    Histogram(&'static [f64]),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Metric {
    name: &'static str,
    kind: Kind,
    unit: Unit,
    labels: &'static [&'static str],
    /// The processes that have it.
    of: &'static str,
    about: &'static str,
}

const ALL: &str = "all";
const API: &str = "api";
const WORKERS: &str = "worker, scheduler";
const DISTRIBUTED: &str = "all distributed";

const fn counter(
    name: &'static str,
    labels: &'static [&'static str],
    of: &'static str,
    about: &'static str,
) -> Metric {
    Metric { name, kind: Kind::Counter, unit: Unit::Count, labels, of, about }
}

const fn gauge(
    name: &'static str,
    unit: Unit,
    labels: &'static [&'static str],
    of: &'static str,
    about: &'static str,
) -> Metric {
    Metric { name, kind: Kind::Gauge, unit, labels, of, about }
}

const fn histogram(
    name: &'static str,
    bounds: &'static [f64],
    labels: &'static [&'static str],
    of: &'static str,
    about: &'static str,
) -> Metric {
    Metric { name, kind: Kind::Histogram(bounds), unit: Unit::Seconds, labels, of, about }
}

/// In the order of the page. Labels have a fixed set of values, so that no client can add a series.
pub(super) const METRICS: &[Metric] = &[
    gauge("guildhall_build_info", Unit::Count, &["version"], ALL, "1, with the version of the program"),
    gauge(
        "guildhall_processes",
        Unit::Count,
        &["role"],
        ALL,
        "Living processes by role, by their heartbeats; `serve` has each role",
    ),
    gauge(
        "guildhall_dependency_up",
        Unit::Count,
        &["dependency"],
        ALL,
        "1 if this process reaches the dependency, as in /health/ready",
    ),
    gauge(
        "guildhall_database_away",
        Unit::Count,
        &[],
        ALL,
        "1 while the database does not answer this process",
    ),
    counter("guildhall_redis_outages_total", &[], DISTRIBUTED, "Times at which Redis stopped answering"),
    counter(
        "guildhall_events_lost_total",
        &[],
        DISTRIBUTED,
        "Events that were not sent over Redis; they are read from the database, within a second",
    ),
    gauge("guildhall_jobs_queued", Unit::Count, &["class"], ALL, "Jobs that could run now"),
    gauge(
        "guildhall_jobs_held",
        Unit::Count,
        &["class"],
        ALL,
        "Jobs that wait because their guild has its full share of the class",
    ),
    gauge(
        "guildhall_jobs_oldest_seconds",
        Unit::Seconds,
        &["class"],
        ALL,
        "How long the oldest job that could run has waited",
    ),
    gauge("guildhall_jobs_dead", Unit::Count, &[], ALL, "Dead jobs that can be retried"),
    gauge("guildhall_jobs_failed", Unit::Count, &[], ALL, "Failed jobs that can be retried"),
    gauge("guildhall_jobs_paused", Unit::Count, &["class"], ALL, "1 while an operator has paused the class"),
    gauge("guildhall_guilds_paused", Unit::Count, &[], ALL, "Guilds whose jobs an operator has paused"),
    counter("guildhall_jobs_total", &["kind", "outcome"], WORKERS, "Runs of jobs by their outcome"),
    histogram("guildhall_job_run_seconds", JOB, &["kind"], WORKERS, "How long a run took"),
    histogram(
        "guildhall_job_wait_seconds",
        JOB,
        &["class"],
        WORKERS,
        "From the time at which a job could run to its run",
    ),
    counter("guildhall_jobs_rescued_total", &["kind"], "scheduler", "Jobs of dead workers that were rescued"),
    counter(
        "guildhall_jobs_unknown_total",
        &["kind"],
        WORKERS,
        "Messages of jobs whose kind this version does not know",
    ),
    gauge("guildhall_scheduler_leads", Unit::Count, &[], "scheduler", "1 in the scheduler that leads"),
    counter(
        "guildhall_http_requests_total",
        &["method", "route", "status"],
        API,
        "Requests; a method that the route lacks is `any`",
    ),
    histogram(
        "guildhall_http_request_seconds",
        REQUEST,
        &["route"],
        API,
        "From the request to the begin of its answer",
    ),
    counter(
        "guildhall_http_connections_refused_total",
        &[],
        API,
        "Connections that were closed because there are too many",
    ),
    gauge(
        "guildhall_moderation_guilds",
        Unit::Count,
        &[],
        API,
        "Guilds whose bans, mutes and links are in memory",
    ),
    gauge("guildhall_moderation_bytes", Unit::Bytes, &[], API, "What they take"),
    counter(
        "guildhall_rate_limit_grants_total",
        &[],
        API,
        "Calls to Redis for rate limits: far fewer than requests",
    ),
    gauge("guildhall_live_sockets", Unit::Count, &[], API, "Open live sockets"),
    counter(
        "guildhall_live_closed_total",
        &["code"],
        API,
        "Live sockets that were closed from here, by the code that their client got",
    ),
    counter("guildhall_dashboard_frames_total", &[], API, "Frames of dashboards"),
    counter(
        "guildhall_platform_requests_total",
        &["platform", "route", "status"],
        "api, worker",
        "Calls to the platforms; status 0: no answer",
    ),
    counter(
        "guildhall_trace_spans_total",
        &["outcome"],
        ALL,
        "Spans of traces by what became of them: `exported`, `failed` (the collector did not take them) or `dropped` (it \
         was too slow)",
    ),
    histogram(
        "guildhall_platform_request_seconds",
        PLATFORM,
        &["platform", "route"],
        "api, worker",
        "How long they took",
    ),
    histogram(
        "guildhall_platform_paced_seconds",
        PLATFORM,
        &["platform", "route"],
        "api, worker",
        "How long they waited for their turn, to keep the platform's limits",
    ),
];

/// With the bounds of each histogram.
pub(super) fn builder() -> Result<PrometheusBuilder, BuildError> {
    METRICS.iter().try_fold(PrometheusBuilder::new(), |builder, metric| match metric.kind {
        Kind::Histogram(bounds) => {
            builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), bounds)
        }
        Kind::Counter | Kind::Gauge => Ok(builder),
    })
}

/// Gives the present recorder their meanings.
pub(super) fn describe() {
    for Metric { name, kind, unit, of, about, .. } in METRICS {
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
    for Metric { name, kind, labels, .. } in METRICS {
        if matches!(kind, Kind::Counter) && labels.is_empty() {
            metrics::counter!(*name).increment(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write;
    use std::path::Path;

    use super::*;

    const HEAD: &str = "\
# Metrics

Each process serves its metrics as Prometheus text at `/metrics` of `GUILDHALL_METRICS_LISTEN`: workers and schedulers on
`127.0.0.1:9090` or, if that is taken, on a free port, which their log names; `api` and `serve` only where it is set. There is no
key: keep the port in your own network.

What the database knows (jobs, processes, pauses) is read at each scrape, by any process, and is missing while the database
does not answer. Take the maximum over processes, not the sum. `process_*` are those of the operating system, as usual with
Prometheus. This page is made from `runtime/src/telemetry/catalog.rs`.

| metric | type | unit | labels | processes | meaning |
| --- | --- | --- | --- | --- | --- |
";

    fn page() -> String {
        let mut page = HEAD.to_owned();
        for Metric { name, kind, unit, labels, of, about } in METRICS {
            let kind = match kind {
                Kind::Counter => "counter",
                Kind::Gauge => "gauge",
                Kind::Histogram(_) => "histogram",
            };
            let unit = match unit {
                Unit::Seconds => "seconds",
                Unit::Bytes => "bytes",
                _ => "",
            };
            let labels: Vec<_> = labels.iter().map(|label| format!("`{label}`")).collect();
            writeln!(page, "| `{name}` | {kind} | {unit} | {} | {of} | {about} |", labels.join(", "))
                .unwrap();
        }
        page
    }

    /// `GUILDHALL_UPDATE=1` writes it.
    #[test]
    fn the_page_has_them_all() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/metrics.md");
        if std::env::var_os("GUILDHALL_UPDATE").is_some() {
            std::fs::write(&file, page()).unwrap();
        }
        let written = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(written == page(), "docs/metrics.md differs: run this test with GUILDHALL_UPDATE=1");
    }

    #[test]
    fn each_name_in_the_sources_is_here_and_the_reverse() {
        let mut used = BTreeSet::new();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for krate in ["api", "console", "jobs", "platforms", "queue", "runtime", "scheduler", "worker", "cli"]
        {
            names_below(&root.join(krate).join("src"), &mut used);
        }
        let known: BTreeSet<_> = METRICS.iter().map(|metric| metric.name.to_owned()).collect();
        assert_eq!(used, known);
    }

    /// Names of metrics in string literals, except in this file.
    fn names_below(folder: &Path, names: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                names_below(&path, names);
            } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("catalog.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let named = text.split('"').filter(|part| part.starts_with("guildhall_"));
                let is_name =
                    |part: &&str| part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
                names.extend(named.filter(is_name).map(str::to_owned));
            }
        }
    }

    /// Of deploy/prometheus/alerts.yaml: its metrics exist, and docs/runbook.md says what to do.
    #[test]
    fn each_alert_is_about_our_metrics_and_has_its_section() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let alerts = std::fs::read_to_string(root.join("deploy/prometheus/alerts.yaml")).unwrap();
        let words = alerts.split(|one: char| !one.is_ascii_alphanumeric() && one != '_');
        let named: BTreeSet<_> = words.filter(|word| word.starts_with("guildhall_")).collect();
        for name in &named {
            let known = METRICS.iter().any(|metric| metric.name == *name);
            assert!(known, "{name} is no metric of ours");
        }
        assert!(named.len() > 8, "{named:?}");
        let runbook = std::fs::read_to_string(root.join("docs/runbook.md")).unwrap();
        let after = |text: &str, begin: &str| -> Vec<String> {
            text.lines().filter_map(|line| line.trim().strip_prefix(begin).map(str::to_owned)).collect()
        };
        let alerts_by_name = after(&alerts, "- alert: ");
        assert_eq!(alerts_by_name, after(&runbook, "## "));
        let links: Vec<_> = alerts_by_name.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!(links, after(&alerts, "runbook: docs/runbook.md#"));
    }

    #[test]
    fn names_say_kind_and_unit() {
        for Metric { name, kind, unit, .. } in METRICS {
            let end = match (kind, unit) {
                (Kind::Counter, _) => "_total",
                (_, Unit::Seconds) => "_seconds",
                (_, Unit::Bytes) => "_bytes",
                _ => "",
            };
            assert!(name.ends_with(end), "{name}");
        }
    }
}
