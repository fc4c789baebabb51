//! The facts of a job's result: what it changes, what it leaves alone, and why it failed for some members.

use std::collections::HashMap;

use entities::job::listing;
use entities::job::{Model, State};
use entities::{JobId, TicketId, job_failure, ticket};
use people::labels::of_people;
use serde_json::Value;

use super::names::{is_preview, title, title_about};
use crate::html::format::{Count, Number};
use crate::pages::guilds::actors::Actors;
use crate::pages::guilds::people::Who;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Names that are shown of each reason.
const NAMES_OF_REASON: u64 = 5;

/// The action and the person of each job, in the order of the jobs.
pub(super) async fn titles(visit: &GuildVisit, jobs: &[Model]) -> Result<Vec<String>, PageError> {
    let (conn, arguments) = (visit.read(), listing::arguments(visit.read(), jobs).await?);
    let named = |job: &Model, name| arguments.get(&job.job_id).and_then(|given| id(&given[name]));
    let ticket = |job| named(job, "ticket").and_then(|id| TicketId::try_from(id).ok());
    let tickets: Vec<_> = jobs.iter().filter_map(ticket).collect();
    let mut applicants = HashMap::new();
    if !tickets.is_empty() {
        applicants = ticket::applicants(conn, visit.guild.guild_id, tickets).await?;
    }
    let applicant = |job| ticket(job).and_then(|ticket| applicants.get(&ticket)).map(|chat| chat.get());
    let users: Vec<_> = jobs.iter().map(|job| named(job, "user").or_else(|| applicant(job))).collect();
    let names = Actors::read(visit, users.iter().flatten().copied().collect()).await?;
    let title_of = |(job, user): (&Model, &Option<i64>)| {
        let who = user.and_then(|user| names.who(visit, user));
        who.map_or_else(|| title(job), |who| title_about(job, &who.name))
    };
    Ok(jobs.iter().zip(&users).map(title_of).collect())
}

fn id(argument: &Value) -> Option<i64> {
    argument.as_str().and_then(|id| id.parse().ok()).or_else(|| argument.as_i64())
}

/// Members that failed for one reason.
pub(super) struct Reason {
    pub(super) code: String,
    /// Of the first one.
    pub(super) message: String,
    pub(super) members: Count<i64>,
    pub(super) first: Vec<Who>,
}

pub(super) async fn reasons(visit: &GuildVisit, job: JobId) -> Result<Vec<Reason>, PageError> {
    let (conn, mut reasons) = (visit.read(), Vec::new());
    for (code, members) in job_failure::count_by_error(conn, job).await? {
        let first = job_failure::first_with(conn, job, &code, NAMES_OF_REASON).await?;
        let names = Actors::read(visit, first.iter().map(|row| row.chat_id.get()).collect()).await?;
        reasons.push(Reason {
            message: first.first().map(|row| of_people(&row.message)).unwrap_or_default(),
            first: first.iter().filter_map(|row| names.who(visit, row.chat_id.get())).collect(),
            members: Count(members, "member"),
            code,
        });
    }
    Ok(reasons)
}

/// Counters of a result, with their labels while they are planned, and after they are done; empty: left out.
const COUNTS: [(&str, &str, &str); 9] = [
    ("members", "Linked members", "Linked members"),
    ("planned", "Members to change", ""),
    ("role_additions", "Roles to give", "Roles given"),
    ("role_removals", "Roles to take", "Roles taken"),
    ("members_losing", "Members that lose a role", "Members that lost a role"),
    ("nicknames", "Nicknames to set", "Nicknames set"),
    ("flagged", "Players flagged", "Players flagged"),
    ("changed", "Changed", "Changed"),
    ("unchanged_flags", "Flagged before", "Flagged before"),
];
/// Counted at the end of the job.
const OUTCOME: [(&str, &str); 3] = [
    ("updated", "Members changed"),
    ("failed", "Members failed"),
    ("skipped", "Members skipped: they changed meanwhile or left"),
];

pub(super) fn counts(job: &Model) -> Vec<(&'static str, Number<i64>)> {
    let Some(result) = &job.result else { return Vec::new() };
    let outcome = if job.state.is_open() { &[][..] } else { &OUTCOME };
    let left = ["failed", "skipped"].iter().any(|name| result[*name].as_i64().unwrap_or_default() > 0);
    let all_done = job.state == State::Succeeded && !is_preview(job) && !left;
    let named = COUNTS.iter().map(|(name, planned, done)| (*name, if all_done { *done } else { *planned }));
    let counts = named.chain(outcome.iter().copied()).filter(|(_, words)| !words.is_empty());
    counts.filter_map(|(name, words)| Some((words, Number(result[name].as_i64()?)))).collect()
}

/// What a sync leaves alone.
pub(super) fn untouched(job: &Model) -> Vec<String> {
    if job.kind != "sync_all" {
        return Vec::new();
    }
    let mut facts = vec![
        "Roles that no binding gives: Guildhall never takes them.".to_owned(),
        "Members who are not linked to a Roblox account.".to_owned(),
    ];
    let Some(result) = &job.result else { return facts };
    let mut counted = |name: &str, one: &str, many: &str| match result[name].as_i64() {
        Some(0) | None => {}
        Some(1) => facts.push(format!("1 {one}")),
        Some(n) => facts.push(format!("{} {many}", Number(n))),
    };
    counted("unchanged", "member who is already up to date.", "members who are already up to date.");
    counted("not_in_guild", "linked person who left the server.", "linked people who left the server.");
    for role in result["ungrantable_roles"].as_array().into_iter().flatten() {
        facts.push(ungrantable(role));
    }
    if is_preview(job) {
        facts.push("Everything: this is a preview.".to_owned());
    }
    facts
}

fn ungrantable(role: &Value) -> String {
    let members = Count(role["members"].as_i64().unwrap_or_default(), "member");
    let (id, reason) = (role["role_id"].as_str().unwrap_or("?"), role["reason"].as_str().unwrap_or("?"));
    format!("Role {id} of {members}: {reason}.")
}
