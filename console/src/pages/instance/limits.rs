//! /console/instance/limits: usage and limits of the API process that answers.

use std::time::Instant;

use askama::Template;
use chrono::TimeDelta;

use crate::figures::{CacheFigures, Held, RateLimitFigures, Weighed};
use crate::html::format::{Length, Number};
use crate::html::shell::Shell;
use crate::html::shell::instance::InstancePlace;
use crate::metrics;
use crate::response::{PageError, Response};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "instance/limits.html")]
struct Page {
    shell: Shell,
    process: u32,
    holds: Vec<Hold>,
    caches: Vec<Cache>,
    requests: Vec<Requests>,
    /// A rate needs two reads of the counters.
    measured: bool,
    rate_limits: Vec<RateLimitFigures>,
}

struct Hold {
    name: &'static str,
    now: String,
    most: String,
    percent: u64,
}

struct Cache {
    name: &'static str,
    entries: Number<u64>,
    /// "3 MiB of 32 MiB"
    filled: String,
}

/// Answers with one status.
struct Requests {
    status: String,
    total: Number<u64>,
    /// A second.
    rate: String,
}

#[expect(clippy::unused_async, reason = "pages are asynchronous")]
pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let figures = visit.console.host.figures();
    let text = runtime::metrics_handle().render();
    let (requests, measured) = requests(&visit, &text);
    let page = Page {
        shell: Shell::of_instance("Caches and limits", &visit, InstancePlace::Limits),
        process: std::process::id(),
        holds: vec![hold("Connections", figures.connections), hold("Live sockets", figures.sockets)],
        caches: figures.caches.iter().map(cache).collect(),
        requests,
        measured,
        rate_limits: figures.rate_limits,
    };
    Response::page(&page)
}

fn hold(name: &'static str, held: Held) -> Hold {
    let percent = held.now.saturating_mul(100) / held.most.max(1);
    Hold { name, now: Number(held.now).to_string(), most: Number(held.most).to_string(), percent }
}

fn cache(figures: &CacheFigures) -> Cache {
    let Held { now, most } = figures.held;
    let filled = match figures.weighed {
        Weighed::Bytes => format!("{} of {}", bytes(now), bytes(most)),
        Weighed::Entries => format!("{} of {} entries", Number(now), Number(most)),
    };
    Cache { name: figures.name, entries: Number(figures.entries), filled }
}

fn window(limit: &RateLimitFigures) -> Length {
    Length(TimeDelta::from_std(limit.window).unwrap_or_default())
}

/// "1.5 MiB"
fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 3] = ["KiB", "MiB", "GiB"];
    let mut tenths = bytes * 10 / 1024;
    let mut unit = 0;
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        (tenths, unit) = (tenths / 1024, unit + 1);
    }
    match tenths % 10 {
        0 => format!("{} {}", tenths / 10, UNITS[unit]),
        tenth => format!("{}.{tenth} {}", tenths / 10, UNITS[unit]),
    }
}

/// Answers by status, and whether their rates are known.
fn requests(visit: &Visit, text: &str) -> (Vec<Requests>, bool) {
    let sums =
        metrics::sums(&metrics::samples(text, "http_server_request_duration_seconds_count"), metrics::STATUS);
    let rates = visit.console.counter_history.rates(Instant::now(), &sums);
    let rate = |status: &str| match rates.as_ref().and_then(|rates| rates.get(status)) {
        Some(rate) => format!("{rate:.1}"),
        None => "–".to_owned(),
    };
    let row = |(status, total): (&String, &f64)| Requests {
        rate: rate(status),
        total: Number(whole(*total)),
        status: status.clone(),
    };
    (sums.iter().map(row).collect(), rates.is_some())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counters are whole and not negative"
)]
pub(super) fn whole(counter: f64) -> u64 {
    counter.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_in_their_largest_unit() {
        assert_eq!(
            [0, 512, 1_536, 32 << 20, 3 << 30].map(bytes),
            ["0 KiB", "0.5 KiB", "1.5 KiB", "32 MiB", "3 GiB"]
        );
    }
}
