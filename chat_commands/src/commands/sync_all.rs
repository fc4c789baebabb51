//! /sync-all: a preview of the sync of all members, a button that runs it, and its progress.

use entities::JobId;
use entities::job::{Model, State};
use http::Method;
use people::Needs;
use serde_json::{Value, json};

use super::sync::failure;
use crate::call::{Call, Problem, body};
use crate::command::{Command, Outcome};
use crate::definition::Definition;
use crate::follow::follow;
use crate::interaction::Options;
use crate::message::{Message, Style, count};

pub(super) struct SyncAll;

impl Command for SyncAll {
    fn definition(&self) -> Definition {
        Definition::new("sync-all", "See what a sync of all members would change, and run it")
    }

    async fn run(&self, call: &Call, _subcommand: &str, _options: &Options) -> Outcome {
        call.require(Needs::Permission("sync.write"))?;
        let job = request(call, json!({ "dry_run": true })).await?;
        let page = call.page("/sync");
        follow(call, job, move |row| preview(row).link("Each change", page.clone())).await
    }

    /// `run:` and how many roles the preview would remove: the run removes no more.
    async fn press(&self, call: &Call, about: &str) -> Outcome {
        let most = about.strip_prefix("run:").and_then(|most| most.parse::<u32>().ok());
        let most = most.ok_or_else(Problem::outdated)?;
        let job = request(call, json!({ "max_removals": most })).await?;
        let page = call.page(&format!("/jobs/{job}"));
        follow(call, job, move |row| Message::new(progress(row)).link("Details", page.clone())).await
    }
}

async fn request(call: &Call, wanted: Value) -> Result<JobId, Problem> {
    let queued = call.api(Method::POST, "/interactions/sync/all", body(wanted)).await?;
    let job = queued.data["job_id"].as_str().and_then(|job| job.parse().ok());
    job.ok_or_else(|| Problem::Failed("a queued sync has no job".to_owned()))
}

fn number(result: Option<&Value>, name: &str) -> i64 {
    result.and_then(|result| result[name].as_i64()).unwrap_or_default()
}

fn preview(row: &Model) -> Message {
    let of = |name| number(row.result.as_ref(), name);
    match row.state {
        State::Succeeded => {}
        state if state.is_open() => return Message::new(format!("Looking at {}…", steps(row))),
        _ => return Message::new(failure(row)),
    }
    let (planned, removals) = (of("planned"), of("role_removals"));
    if planned == 0 {
        return Message::new(format!(
            "Nothing to change: all {} are up to date.",
            count(of("members"), "member")
        ));
    }
    let text = format!(
        "A sync would change {} of {}: give {}, remove {} from {}, set {}.",
        count(planned, "member"),
        of("members"),
        count(of("role_additions"), "role"),
        count(removals, "role"),
        count(of("members_losing"), "member"),
        count(of("nicknames"), "nickname"),
    );
    let style = if removals > 0 { Style::Danger } else { Style::Primary };
    Message::new(text).button(style, "Run the sync", format!("sync-all:run:{removals}"))
}

fn progress(row: &Model) -> String {
    let of = |name| number(row.result.as_ref(), name);
    match row.state {
        State::Succeeded => {
            let failed = of("failed");
            let left = if failed > 0 {
                format!(" {} could not be changed.", count(failed, "member"))
            } else {
                String::new()
            };
            format!("The sync is done: {} changed.{left}", count(of("updated"), "member"))
        }
        state if state.is_open() => format!("The sync runs: {}.", steps(row)),
        _ => failure(row),
    }
}

/// "300 of 500 members"
fn steps(row: &Model) -> String {
    let progress = row.progress();
    format!("{} of {}", progress.done, count(progress.total, "member"))
}
