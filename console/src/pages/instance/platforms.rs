//! /console/instance/platforms: usage of the limits of Discord and Roblox, and the latest failures.

use std::collections::BTreeMap;
use std::time::Duration;

use askama::Template;
use chrono::TimeDelta;
use platforms::{CallFailure, CountedBy, Standing};

use crate::html::format::{Count, Length, Number, When};
use crate::html::shell::Shell;
use crate::html::shell::instance::InstancePlace;
use crate::metrics::{self, Sample};
use crate::response::{PageError, Response};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "instance/platforms.html")]
struct Page {
    shell: Shell,
    /// The id of this process.
    process: u32,
    platforms: Vec<Platform>,
}

struct Platform {
    id: &'static str,
    name: &'static str,
    configured: bool,
    /// The variable that configures it.
    variable: &'static str,
    /// The scope of the figures.
    counted: String,
    redis_away: bool,
    in_use: Number<u32>,
    /// Requests in a window; `None`: no limit.
    capacity: Option<u32>,
    /// "1 s"
    window: Length,
    paused: Option<Length>,
    paused_routes: Vec<(String, Length)>,
    refusals: Number<u32>,
    refusals_stop_at: Number<u32>,
    bulk_stops: bool,
    /// Requests of this process with this outcome.
    answers: Vec<(String, Count<u64>)>,
    failures: Vec<Failure>,
}

struct Failure {
    at: When,
    route: &'static str,
    outcome: String,
}

/// A platform: its name in our texts, for people, and the variable of its credential.
type Names = (&'static str, &'static str, &'static str);

const DISCORD: Names = ("chat", "Discord", "GUILDHALL_CHAT_TOKEN");
const ROBLOX: Names = ("play", "Roblox", "GUILDHALL_PLAY_KEY");

async fn standings(visit: &Visit) -> [(Names, Standing); 2] {
    let platforms = visit.platforms();
    let (chat, play) = tokio::join!(platforms.chat.standing(), platforms.play.standing());
    [(DISCORD, chat), (ROBLOX, play)]
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let text = runtime::metrics_handle().render();
    let calls = metrics::samples(&text, "http_client_request_duration_seconds_count");
    let standings = standings(&visit).await.into_iter();
    let platforms = standings.map(|(names, standing)| platform(&visit, names, standing, &calls)).collect();
    let shell = Shell::of_instance("Platforms", &visit, InstancePlace::Platforms);
    Response::page(&Page { shell, process: std::process::id(), platforms })
}

/// Each platform, and what blocks requests to it, in words after its name.
pub(super) async fn troubles(visit: &Visit) -> Vec<(&'static str, Option<String>)> {
    let standings = standings(visit).await.into_iter();
    standings.map(|((_, name, _), standing)| (name, trouble(&standing))).collect()
}

fn trouble(Standing { configured, budget, .. }: &Standing) -> Option<String> {
    if !configured {
        return Some("has no credential".to_owned());
    }
    if let Some(wait) = budget.paused_for {
        return Some(format!("asked for a pause of {}", length(wait)));
    }
    (budget.refusals >= budget.refusals_stop_at).then(|| "refuses too many requests".to_owned())
}

fn platform(visit: &Visit, names: Names, standing: Standing, calls: &[Sample]) -> Platform {
    let (id, name, variable) = names;
    let Standing { configured, budget, failures } = standing;
    Platform {
        id,
        name,
        configured,
        variable,
        counted: counted(budget.counted_by),
        redis_away: budget.counted_by == CountedBy::Nobody,
        in_use: Number(budget.in_use),
        capacity: budget.capacity,
        window: length(budget.window),
        paused: budget.paused_for.map(length),
        paused_routes: budget.paused_routes.into_iter().map(|(route, wait)| (route, length(wait))).collect(),
        refusals: Number(budget.refusals),
        refusals_stop_at: Number(budget.refusals_stop_at),
        bulk_stops: budget.refusals >= budget.refusals_stop_at,
        answers: answers(calls, id),
        failures: failures.into_iter().map(|failure| shown(visit, failure)).collect(),
    }
}

fn counted(by: CountedBy) -> String {
    match by {
        CountedBy::Redis => "The figures above are of all processes together.".to_owned(),
        CountedBy::Nobody => {
            "Redis does not answer: each process allows itself its share of this.".to_owned()
        }
        CountedBy::Process => format!("The figures above are of process {}.", std::process::id()),
    }
}

/// Requests of this process by outcome.
fn answers(calls: &[Sample], platform: &str) -> Vec<(String, Count<u64>)> {
    let own: Vec<_> = calls.iter().filter(|call| call.label("platform") == platform).cloned().collect();
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for (status, total) in metrics::sums(&own, metrics::STATUS) {
        let name = if status.is_empty() { "no answer".to_owned() } else { format!("status {status}") };
        *sums.entry(name).or_default() += super::limits::whole(total);
    }
    sums.into_iter().map(|(status, total)| (status, Count(total, "request"))).collect()
}

fn shown(visit: &Visit, failure: CallFailure) -> Failure {
    let ago = TimeDelta::from_std(failure.ago).unwrap_or_default();
    let outcome = match failure.outcome {
        Ok(status) => format!("status {status}"),
        Err(cause) => cause.to_owned(),
    };
    Failure { at: visit.when(visit.now() - ago), route: failure.route, outcome }
}

/// Rounded up to a second.
fn length(duration: Duration) -> Length {
    let seconds = duration.as_secs() + u64::from(duration.subsec_nanos() > 0);
    Length(TimeDelta::seconds(i64::try_from(seconds).unwrap_or(i64::MAX / 1_000)))
}
