//! /console/instance: health, processes, queues, and dependencies.

use askama::Template;
use chrono::TimeDelta;
use entities::job::{Class, State, listing, retry, time};
use entities::{Timestamp, job_pause, leader_lease};
use people::labels::capital;

use super::health::{Concern, Facts, nobody_runs, waits_long};
use super::platforms;
use super::processes::{self, Process};
use super::url;
use crate::html::format::{Length, Number, When};
use crate::html::shell::Shell;
use crate::html::shell::instance::InstancePlace;
use crate::response::{PageError, Response};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "instance/overview.html")]
struct Page {
    shell: Shell,
    /// Empty: all is well.
    concerns: Vec<Concern>,
    tiles: Vec<Tile>,
    dependencies: Vec<Dependency>,
    /// Processes share a broker, so one scheduler of them leads.
    distributed: bool,
    leader: Option<Leader>,
    processes: Vec<Process>,
    /// "nobody runs jobs of class bulk"
    unserved: Option<String>,
}

/// One number.
struct Tile {
    name: &'static str,
    value: String,
    url: String,
    /// Why it needs attention.
    mark: Option<Mark>,
}

/// A colour and the word.
struct Mark {
    kind: &'static str,
    word: String,
}

struct Dependency {
    name: &'static str,
    mark: Mark,
    is_platform: bool,
}

struct Leader {
    name: String,
    extended: When,
}

/// Waiting jobs of all classes.
struct Backlog {
    waiting: i64,
    /// How long the oldest available job waits.
    oldest: Option<TimeDelta>,
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let conn = visit.read();
    let now = time::read(conn, visit.now()).await?;
    let (backlog, processes) = (backlog(&visit, now).await?, processes::read(conn, now).await?);
    let own = own_dependencies(&visit).await;
    let platforms = platforms::troubles(&visit).await;
    let distributed = own.iter().any(|(name, _)| *name == "RabbitMQ");
    let leader =
        leader_lease::find(conn, leader_lease::SCHEDULER).await?.filter(|lease| !lease.is_given_up());
    let pauses = job_pause::list(conn).await?;
    let unserved = processes::unserved(&processes);
    let silent = processes.iter().filter(|process| !process.alive);
    let facts = Facts {
        away: own.iter().filter(|(_, up)| !up).map(|(name, _)| *name).collect(),
        unserved,
        nobody_leads: distributed && leader.is_none(),
        silent: silent.map(|process| (process.roles(), now - process.heartbeat.at)).collect(),
        platforms: platforms
            .iter()
            .filter_map(|(name, trouble)| Some(format!("{name} {}", trouble.as_ref()?)))
            .collect(),
        paused_classes: pauses.iter().filter(|pause| pause.class.is_some()).count() as u64,
        paused_guilds: pauses.iter().filter(|pause| pause.guild_id.is_some()).count() as u64,
        dead: count(&visit, State::Dead).await?,
        oldest: backlog.oldest,
    };
    let failed = count(&visit, State::Failed).await?;
    let page = Page {
        shell: Shell::of_instance("Instance", &visit, InstancePlace::Overview),
        concerns: facts.concerns(),
        tiles: tiles(&facts, &processes, &backlog, failed),
        dependencies: dependencies(own, platforms),
        distributed,
        leader: leader.map(|lease| Leader { name: lease.holder, extended: visit.when(lease.extended_at) }),
        unserved: nobody_runs(&facts.unserved).map(|words| capital(&words)),
        processes,
    };
    Response::page(&page)
}

/// Jobs that ended so and can be retried.
async fn count(visit: &Visit, state: State) -> Result<u64, PageError> {
    let which = retry::Which { state: Some(state), ..retry::Which::default() };
    Ok(retry::count_failed(visit.read(), which).await?)
}

async fn backlog(visit: &Visit, now: Timestamp) -> Result<Backlog, PageError> {
    let (mut waiting, mut oldest) = (0, None::<Timestamp>);
    for &class in Class::ALL {
        let backlog = listing::backlog(visit.read(), class, visit.now()).await?;
        waiting += backlog.available + backlog.held;
        oldest = [oldest, backlog.oldest].into_iter().flatten().min();
    }
    Ok(Backlog { waiting, oldest: oldest.map(|since| now - since) })
}

fn tiles(facts: &Facts, processes: &[Process], backlog: &Backlog, failed: u64) -> Vec<Tile> {
    let running: u64 = processes.iter().filter_map(|process| process.running).map(|number| number.0).sum();
    let pauses = facts.paused_classes + facts.paused_guilds;
    let tile = |name, value: String, page: &str, mark: Option<(&'static str, &str)>| Tile {
        name,
        value,
        url: url(page),
        mark: mark.map(|(kind, word)| Mark { kind, word: word.to_owned() }),
    };
    let of_guildhall = Number(processes.len()).to_string();
    let silent = (!facts.silent.is_empty()).then_some(("bad", "silent"));
    let oldest = backlog.oldest.map_or_else(|| "–".to_owned(), |wait| Length(wait).to_string());
    let long = backlog.oldest.is_some_and(waits_long).then_some(("warning", "long"));
    let (dead, paused) =
        ((facts.dead > 0).then_some(("bad", "retry")), (pauses > 0).then_some(("warning", "on")));
    vec![
        tile("Guildhall processes", of_guildhall, "#processes", silent),
        tile("Running jobs", Number(running).to_string(), "/jobs?state=running", None),
        tile("Waiting jobs", Number(backlog.waiting).to_string(), "/queues", None),
        tile("Oldest waits for", oldest, "/queues", long),
        tile("Failed jobs", Number(failed).to_string(), "/jobs?state=failed", None),
        tile("Dead jobs", Number(facts.dead).to_string(), "/jobs?state=dead", dead),
        tile("Pauses", Number(pauses).to_string(), "/pauses", paused),
    ]
}

async fn own_dependencies(visit: &Visit) -> Vec<(&'static str, bool)> {
    let report = visit.context().readiness.report().await;
    let named = |name| match name {
        "broker" => "RabbitMQ",
        "database" => "Database",
        "redis" => "Redis",
        other => other,
    };
    report.dependencies.into_iter().map(|(name, state)| (named(name), state == "ok")).collect()
}

fn dependencies(
    own: Vec<(&'static str, bool)>,
    platforms: Vec<(&'static str, Option<String>)>,
) -> Vec<Dependency> {
    let own = own.into_iter().map(|(name, up)| {
        let (kind, word) = if up { ("good", "up") } else { ("bad", "away") };
        Dependency { name, mark: Mark { kind, word: word.to_owned() }, is_platform: false }
    });
    let platforms = platforms.into_iter().map(|(name, trouble)| {
        let kind = if trouble.is_some() { "bad" } else { "good" };
        let word = trouble.unwrap_or_else(|| "takes requests".to_owned());
        Dependency { name, mark: Mark { kind, word }, is_platform: true }
    });
    own.chain(platforms).collect()
}
