//! docs/metrics.md is the catalog, and the sources record what is in it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use metrics::Unit;

use super::*;

mod queries;

const HEAD: &str = "\
# Metrics

Each process serves its metrics at `/metrics` of `GUILDHALL_METRICS_LISTEN`: workers, schedulers and gateways on `127.0.0.1:9090` or, if
that is taken, on a free port, which their log names; `api` and `serve` only where it is set. Each process of a machine needs a
port of its own. There is no key: keep it in your own network. The format is OpenMetrics where the scraper asks for it
(`Accept: application/openmetrics-text`), as Prometheus does, and Prometheus text otherwise.

Names and labels are those of OpenTelemetry's semantic conventions for HTTP, databases and messaging, as Prometheus writes them,
where these have the metric; `guildhall_*` is ours alone. `process_*` are those of the operating system, as usual with Prometheus.

What the database knows (jobs, schedules, processes, pauses) is read at each scrape, by any process, and is missing while the
database does not answer; so are the budgets of platforms, which Redis counts. Take the maximum over processes, not the sum. This
page is made from `runtime/src/telemetry/catalog/`.

| metric | type | unit | labels | processes | meaning |
| --- | --- | --- | --- | --- | --- |
";
/// What names of metrics begin with.
const PREFIXES: [&str; 5] = ["guildhall_", "http_server_", "http_client_", "db_client_", "messaging_"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for Metric { name, kind, unit, labels, of, about } in all() {
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
        writeln!(page, "| `{name}` | {kind} | {unit} | {} | {of} | {about} |", labels.join(", ")).unwrap();
    }
    page
}

/// `GUILDHALL_UPDATE=1` writes it.
#[test]
fn the_page_has_them_all() {
    let file = root().join("docs/metrics.md");
    if std::env::var_os("GUILDHALL_UPDATE").is_some() {
        std::fs::write(&file, page()).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == page(), "docs/metrics.md differs: run this test with GUILDHALL_UPDATE=1");
}

#[test]
fn each_name_in_the_sources_is_here_and_the_reverse() {
    let mut used = BTreeSet::new();
    for krate in
        ["api", "console", "gateway", "jobs", "platforms", "queue", "runtime", "scheduler", "worker", "cli"]
    {
        names_below(&root().join(krate).join("src"), &mut used);
    }
    let labels: BTreeSet<_> =
        all().flat_map(|metric| metric.labels).map(|label| (*label).to_owned()).collect();
    // A reader names the count of a histogram.
    let series = |metric: &Metric| match metric.kind {
        Kind::Histogram(_) => vec![metric.name.to_owned(), format!("{}_count", metric.name)],
        _ => vec![metric.name.to_owned()],
    };
    let known: BTreeSet<_> = all().flat_map(series).chain(labels).collect();
    assert_eq!(used.difference(&known).collect::<Vec<_>>(), [""; 0]);
    for Metric { name, .. } in all() {
        assert!(used.contains(*name), "nothing records {name}");
    }
}

/// Names of metrics in string literals, except those of the catalog.
fn names_below(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("catalog") {
            names_below(&path, names);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("catalog.rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let begins = |part: &&str| PREFIXES.iter().any(|prefix| part.starts_with(prefix));
            let is_name = |part: &&str| part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            let parts = text.split('"').filter(|part| begins(part) && is_name(part));
            names.extend(parts.map(str::to_owned));
        }
    }
}

#[test]
fn names_say_kind_and_unit() {
    for Metric { name, kind, unit, .. } in all() {
        let end = match (kind, unit) {
            (Kind::Counter, _) => "_total",
            (_, Unit::Seconds) => "_seconds",
            (_, Unit::Bytes) => "_bytes",
            _ => "",
        };
        assert!(name.ends_with(end), "{name}");
    }
}
