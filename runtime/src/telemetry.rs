//! Logging and metrics of a process. Logs go to standard error, so that standard output holds only a command's result;
//! the `metrics` macros record metrics anywhere, exposed as Prometheus text or `OpenMetrics`.

mod catalog;
mod flat_json;
mod open_metrics;
mod repeated;
pub mod traces;

use std::io::IsTerminal;
use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;
use opentelemetry_sdk::trace::SdkTracer;
use tracing::{Dispatch, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::filter::ParseError;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::LookupSpan;

use crate::config::OtlpConfig;
use crate::error::StartError;
use crate::settings::OTLP_HEADERS;
use crate::shutdown::Shutdown;
use flat_json::{FlatJson, Pairs};
pub(crate) use open_metrics::open_metrics;
use repeated::Repeated;

/// For processes that serve: our crates at info, verbose libraries only when something is wrong.
pub const DEFAULT_FILTER: &str =
    "info,sqlx=warn,sea_orm_migration=warn,lapin=off,hyper=warn,hyper_util=warn,reqwest=warn";
/// The target of the spans of requests and jobs. They are on whatever a filter says, unless it turns every line off: so each
/// line below one carries its ids.
pub const SPANS: &str = "guildhall::span";
/// How often recorded samples are folded into the histograms, so that they do not pile up between scrapes.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

static METRICS: OnceLock<PrometheusHandle> = OnceLock::new();
/// What the operating system knows of this process.
static PROCESS: LazyLock<Collector> = LazyLock::new(Collector::default);

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
}

impl LogFormat {
    /// Text on a terminal, json otherwise.
    pub fn for_stderr() -> Self {
        if std::io::stderr().is_terminal() { Self::Text } else { Self::Json }
    }
}

/// Starts logging for the process, and traces of its role if there is a collector; `default_filter` applies if `RUST_LOG`
/// is not set. A second call has no effect.
pub fn init_logging(
    format: LogFormat,
    default_filter: &str,
    traced: Option<(&'static str, OtlpConfig)>,
) -> Result<(), StartError> {
    let is_in_clear = traced.as_ref().is_some_and(|(_, collector)| collector.is_in_clear());
    let tracer = traced.map(|(role, collector)| traces::start(collector, role)).transpose()?;
    let given = std::env::var(EnvFilter::DEFAULT_ENV).ok().filter(|text| !text.trim().is_empty());
    let filter = given.as_deref().unwrap_or(default_filter);
    let refused = |problem: String| {
        let problem = format!("is not a filter ({problem}); give levels such as info,api=debug");
        StartError::setting(EnvFilter::DEFAULT_ENV, problem)
    };
    if let Some(word) = given.as_deref().and_then(unleveled) {
        return Err(refused(format!("{word} is no level")));
    }
    let lines =
        subscriber(format, filter, std::io::stderr, tracer).map_err(|error| refused(error.to_string()))?;
    let already = lines.try_init();
    if already.is_err() {
        tracing::debug!("logging was started before");
    }
    if is_in_clear {
        let variable = OTLP_HEADERS;
        tracing::warn!(
            variable,
            "the collector is reached over a network without TLS, with these headers in the clear"
        );
    }
    Ok(())
}

/// A word of the filter that stands alone and is no level. It would be the name of a crate, and silence all others: a
/// level with a slip in it.
fn unleveled(filter: &str) -> Option<&str> {
    let names_more = |word: &&str| word.contains(['=', '[', ']', '{', '}']);
    filter
        .split(',')
        .map(str::trim)
        .find(|word| !word.is_empty() && !names_more(word) && word.parse::<LevelFilter>().is_err())
}

/// What writes the lines of a process, and with a tracer makes traces of its spans.
pub fn subscriber<W>(
    format: LogFormat,
    filter: &str,
    writer: W,
    tracer: Option<SdkTracer>,
) -> Result<Dispatch, ParseError>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let is_off = tracer.is_none() && filter.trim().eq_ignore_ascii_case("off");
    let filter: EnvFilter =
        if is_off { filter.parse()? } else { format!("{filter},{SPANS}=error").parse()? };
    let spans = tracing_subscriber::registry();
    Ok(match tracer {
        None => lines(spans, format, filter, writer),
        Some(tracer) => lines(spans.with(traces::layer(tracer, SPANS)), format, filter, writer),
    })
}

fn lines<S, W>(spans: S, format: LogFormat, filter: EnvFilter, writer: W) -> Dispatch
where
    S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    // It would report a closed log on the same closed standard error, and panic.
    let lines = tracing_subscriber::fmt::layer().log_internal_errors(false).with_writer(writer);
    match format {
        LogFormat::Text => {
            spans.with(lines.with_ansi(wants_color())).with(filter).with(Repeated::default()).into()
        }
        LogFormat::Json => {
            let lines = lines.fmt_fields(Pairs).event_format(FlatJson::new());
            spans.with(lines).with(filter).with(Repeated::default()).into()
        }
    }
}

/// On a terminal, unless `NO_COLOR` is set and not empty (no-color.org).
fn wants_color() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The recorder of this process, installed by the first call.
pub fn metrics_handle() -> PrometheusHandle {
    METRICS.get_or_init(install).clone()
}

fn install() -> PrometheusHandle {
    // Only an empty list of bounds is refused.
    let recorder = catalog::builder().unwrap_or_default().build_recorder();
    let handle = recorder.handle();
    if metrics::set_global_recorder(recorder).is_err() {
        tracing::warn!("another metrics recorder is installed: /metrics stays empty");
    }
    catalog::describe();
    catalog::begin_at_zero();
    PROCESS.describe();
    handle
}

/// A value that was measured for one answer.
#[derive(Debug, Clone)]
pub struct Gauge {
    name: &'static str,
    value: f64,
    labels: Vec<(&'static str, &'static str)>,
}

impl Gauge {
    pub fn new(name: &'static str, value: f64) -> Self {
        Self { name, value, labels: Vec::new() }
    }

    pub fn count(name: &'static str, number: impl TryInto<u32>) -> Self {
        Self::new(name, f64::from(number.try_into().unwrap_or(u32::MAX)))
    }

    #[must_use]
    pub fn with(mut self, label: &'static str, value: &'static str) -> Self {
        self.labels.push((label, value));
        self
    }
}

/// The metrics of this process, and those that were measured just now.
pub(crate) fn render(measured: &[Gauge]) -> String {
    let recorder = PrometheusBuilder::new().build_recorder();
    metrics::with_local_recorder(&recorder, || {
        catalog::describe();
        for Gauge { name, value, labels } in measured {
            metrics::gauge!(*name, labels).set(*value);
        }
    });
    let handle = metrics_handle();
    PROCESS.collect();
    handle.render() + &recorder.handle().render()
}

/// Installs the recorder of a process that serves, and bounds its memory between scrapes. A command records nothing: the
/// recorder's clock takes milliseconds to calibrate.
pub fn start_metrics(shutdown: &Shutdown) {
    let (handle, hard) = (metrics_handle(), shutdown.hard().clone());
    shutdown.services().spawn(hard.run_until_cancelled_owned(async move {
        loop {
            tokio::time::sleep(UPKEEP_INTERVAL).await;
            handle.run_upkeep();
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recorder_is_installed_once_and_has_buckets_for_seconds() {
        let (first, second) = (metrics_handle(), metrics_handle());
        metrics::histogram!("guildhall_job_wait_seconds").record(0.2);
        metrics::counter!("telemetry_test_total").increment(3);
        assert!(
            first.render().contains("guildhall_job_wait_seconds_bucket{le=\"0.25\"} 1"),
            "{}",
            first.render()
        );
        assert!(second.render().contains("telemetry_test_total 3"));
    }

    /// What a line below two spans looks like, of which one is told an id later.
    fn logged(format: LogFormat, filter: &str) -> String {
        let log = testkit::Logs::default();
        let writer = log.clone();
        let lines = subscriber(format, filter, move || writer.clone(), None).unwrap();
        tracing::dispatcher::with_default(&lines, || {
            let (target, none) = (tracing::field::Empty, None::<i64>);
            let outer = tracing::error_span!(target: SPANS, "outer", request.id = "a\"b\n", guild.id = target, job.id = none);
            let _outer = outer.enter();
            outer.record("guild.id", 7);
            let _inner = tracing::error_span!(target: SPANS, "inner", call.route = "/x").entered();
            tracing::warn!(status = 200, "told");
        });
        log.with("").join("\n")
    }

    #[test]
    fn a_line_has_the_fields_of_its_spans_whatever_the_filter_says_of_other_targets() {
        for filter in [DEFAULT_FILTER, "warn", "runtime=warn"] {
            let line: serde_json::Value = serde_json::from_str(&logged(LogFormat::Json, filter)).unwrap();
            for (field, value) in [
                ("message", "told".into()),
                ("status", 200.into()),
                ("request.id", "a\"b\n".into()),
                ("guild.id", 7.into()),
                ("call.route", "/x".into()),
                ("job.id", serde_json::Value::Null),
            ] {
                assert_eq!(line[field], value, "{filter}: {field}: {line}");
            }
            let text = logged(LogFormat::Text, filter);
            assert_eq!(text.matches("told").count(), 1, "{text}");
        }
        for silent in ["off", "error", "sqlx=warn"] {
            assert_eq!(logged(LogFormat::Json, silent), "");
        }
    }

    #[test]
    fn a_word_that_is_no_level_is_found() {
        for (filter, word) in [("warning", "warning"), ("info, inof", "inof"), ("api=debug,loud", "loud")] {
            assert_eq!(unleveled(filter), Some(word), "{filter}");
        }
        for fine in [DEFAULT_FILTER, "off", "INFO", "warn,api=debug", "api[request{route=x}]=trace,", "3"] {
            assert_eq!(unleveled(fine), None, "{fine}");
        }
    }

    #[test]
    fn the_default_filter_is_valid() {
        assert!(DEFAULT_FILTER.parse::<EnvFilter>().is_ok());
    }
}
