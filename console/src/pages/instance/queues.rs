//! /console/instance/queues: waiting and running jobs of each class, now and over time.

use askama::Template;
use chrono::TimeDelta;
use entities::job::{Class, State, listing, retry, time};
use entities::queue_sample::{self, Every, Model};
use entities::{Timestamp, job_pause};

use super::processes;
use crate::html::chart::line::{Line, Span, Unit};
use crate::html::format::{Length, Number};
use crate::html::shell::Shell;
use crate::html::shell::instance::InstancePlace;
use crate::response::{PageError, Response};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "instance/queues.html")]
struct Page {
    shell: Shell,
    rows: Vec<Row>,
    ranges: Vec<(&'static str, &'static str, bool)>,
    range: &'static str,
    charts: Vec<Charts>,
    /// Classes in which nothing waited.
    quiet: Vec<&'static str>,
    /// Nothing was measured in this time.
    empty: bool,
}

struct Row {
    class: &'static str,
    about: &'static str,
    waiting: Number<i64>,
    held: Number<i64>,
    running: Number<u64>,
    /// Slots of all live processes.
    slots: Number<u64>,
    /// Processes that run the class.
    processes: usize,
    oldest: Option<Length>,
    dead: Number<u64>,
    paused: bool,
}

struct Charts {
    class: &'static str,
    depth: Line,
    age: Line,
}

/// A choice of time: its word in the address, its name, its length.
struct Range {
    word: &'static str,
    name: &'static str,
    length: TimeDelta,
    every: Every,
}

const RANGES: [Range; 3] = [
    Range { word: "hour", name: "Last hour", length: TimeDelta::hours(1), every: Every::Minute },
    Range { word: "day", name: "24 hours", length: TimeDelta::hours(24), every: Every::Minute },
    Range { word: "month", name: "30 days", length: TimeDelta::days(30), every: Every::HalfHour },
];

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let chosen = RANGES.iter().find(|range| range.word == visit.query.text("range"));
    let [_, day, _] = &RANGES;
    let range = chosen.unwrap_or(day);
    let now = time::read(visit.read(), visit.now()).await?;
    let samples = queue_sample::list(visit.read(), range.every, now - range.length).await?;
    let span = Span { from: now - range.length, to: now, step: range.every.length() };
    let of = |class: Class| samples.iter().filter(move |sample| sample.class == class);
    let (busy, quiet): (Vec<_>, Vec<_>) =
        Class::ALL.iter().partition(|class| of(**class).any(|sample| sample.waiting > 0));
    let page = Page {
        shell: Shell::of_instance("Queues", &visit, InstancePlace::Queues),
        rows: rows(&visit, now).await?,
        ranges: RANGES.iter().map(|known| (known.word, known.name, known.word == range.word)).collect(),
        range: range.name,
        charts: busy.into_iter().map(|class: &Class| charts(*class, span, of(*class))).collect(),
        quiet: quiet.into_iter().map(|class: &Class| class.name()).collect(),
        empty: samples.is_empty(),
    };
    Response::page(&page)
}

/// Each class now.
async fn rows(visit: &Visit, now: Timestamp) -> Result<Vec<Row>, PageError> {
    let conn = visit.read();
    let pauses = job_pause::list(conn).await?;
    let processes = processes::read(conn, now).await?;
    let mut rows = Vec::new();
    for &class in Class::ALL {
        let backlog = listing::backlog(conn, class, visit.now()).await?;
        let slots = processes.iter().filter(|process| process.alive).map(|process| process.slots_of(class));
        let slots: Vec<_> = slots.filter(|slots| *slots > 0).collect();
        let dead = retry::Which { state: Some(State::Dead), class: Some(class), ..retry::Which::default() };
        rows.push(Row {
            class: class.name(),
            about: about(class),
            waiting: Number(backlog.available),
            held: Number(backlog.held),
            running: Number(listing::count_running(conn, class).await?),
            slots: Number(slots.iter().sum()),
            processes: slots.len(),
            dead: Number(retry::count_failed(conn, dead).await?),
            oldest: backlog.oldest.map(|since| Length(now - since)),
            paused: pauses.iter().any(|pause| pause.class == Some(class)),
        });
    }
    Ok(rows)
}

fn about(class: Class) -> &'static str {
    match class {
        Class::Interactive => "a caller may wait for them",
        Class::Default => "mirrored bans, imports",
        Class::Bulk => "syncs of all members",
        Class::Delivery => "webhooks and log channels of guilds",
        Class::Maintenance => "periodic tasks",
        Class::Quarantine => "jobs that were running in two crashes",
    }
}

fn charts<'s>(class: Class, span: Span, samples: impl Iterator<Item = &'s Model> + Clone) -> Charts {
    let depth: Vec<_> = samples.clone().map(|sample| (sample.at, sample.waiting)).collect();
    let age: Vec<_> = samples.map(|sample| (sample.at, sample.oldest_seconds)).collect();
    let name = class.name();
    Charts {
        class: name,
        depth: Line::new(format!("Jobs waiting in {name}"), Unit::Jobs, span, &depth),
        age: Line::new(format!("Age of the oldest in {name}"), Unit::Seconds, span, &age),
    }
}
