//! /console/instance/platforms: the budget and the last failures of Discord and Roblox.

use std::collections::BTreeMap;
use std::time::Duration;

use askama::Template;
use chrono::TimeDelta;
use platforms::{CallFailure, CountedBy, Standing};

use crate::answer::{Answer, PageError};
use crate::metrics::{self, Sample};
use crate::shell::Shell;
use crate::shell::instance::InstancePlace;
use crate::visit::Visit;
use crate::words::{Length, Number, When};

#[derive(Template)]
#[template(path = "instance/platforms.html")]
struct Page {
    shell: Shell,
    platforms: Vec<Platform>,
}

struct Platform {
    id: &'static str,
    name: &'static str,
    configured: bool,
    /// The variable that configures it.
    variable: &'static str,
    counted_by: &'static str,
    redis_away: bool,
    in_use: Number<u32>,
    /// "50 calls in 1 s"; empty: no limit.
    rate: String,
    capacity: u32,
    paused: Option<Length>,
    paused_routes: Vec<(String, Length)>,
    refusals: Number<u32>,
    refusals_stop_at: Number<u32>,
    bulk_stops: bool,
    answers: Vec<(String, Number<u64>)>,
    failures: Vec<Failure>,
}

struct Failure {
    at: When,
    route: &'static str,
    outcome: String,
}

pub(crate) async fn get(visit: Visit) -> Result<Answer, PageError> {
    let text = runtime::metrics_handle().render();
    let calls = metrics::samples(&text, "guildhall_platform_requests_total");
    let (chat, play) = (visit.platforms().chat.standing().await, visit.platforms().play.standing().await);
    let platforms = vec![
        platform(&visit, ("chat", "Discord", "GUILDHALL_CHAT_TOKEN"), chat, &calls),
        platform(&visit, ("play", "Roblox", "GUILDHALL_PLAY_KEY"), play, &calls),
    ];
    let shell = Shell::of_instance("Platforms", &visit, InstancePlace::Platforms);
    Answer::page(&Page { shell, platforms })
}

fn platform(
    visit: &Visit,
    (id, name, variable): (&'static str, &'static str, &'static str),
    standing: Standing,
    calls: &[Sample],
) -> Platform {
    let Standing { configured, budget, failures } = standing;
    let rate = budget.capacity.map(|calls| format!("{} calls in {}", Number(calls), length(budget.window)));
    Platform {
        id,
        name,
        configured,
        variable,
        counted_by: match budget.counted_by {
            CountedBy::Process => "this process, for itself",
            CountedBy::Redis => "Redis, for all processes",
            CountedBy::Nobody => "each process for itself, at a quarter: Redis does not answer",
        },
        redis_away: budget.counted_by == CountedBy::Nobody,
        in_use: Number(budget.in_use),
        rate: rate.unwrap_or_default(),
        capacity: budget.capacity.unwrap_or(0),
        paused: budget.paused_for.map(length),
        paused_routes: budget.paused_routes.into_iter().map(|(route, wait)| (route, length(wait))).collect(),
        refusals: Number(budget.refusals),
        refusals_stop_at: Number(budget.refusals_stop_at),
        bulk_stops: budget.refusals >= budget.refusals_stop_at,
        answers: answers(calls, id),
        failures: failures.into_iter().map(|failure| shown(visit, failure)).collect(),
    }
}

/// Calls of this process by what came of them.
fn answers(calls: &[Sample], platform: &str) -> Vec<(String, Number<u64>)> {
    let own: Vec<_> = calls.iter().filter(|call| call.label("platform") == platform).cloned().collect();
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for (status, total) in metrics::sums(&own, "status") {
        let name = if status == "0" { "no answer".to_owned() } else { status };
        *sums.entry(name).or_default() += super::limits::whole(total);
    }
    sums.into_iter().map(|(status, total)| (status, Number(total))).collect()
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
