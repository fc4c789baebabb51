//! Compares the calls with their effects: on the platform, in the audit log, in the tables.

use std::collections::HashMap;

use entities::JobId;
use entities::job::State;
use serde_json::Value;

use super::caller::{CallOutcome, CallResult};
use super::calls::{Call, Kind};
use super::rows::{self, JobRow, Rows};
use testkit::Deployment;

/// Examples of each finding in the report.
const SHOWN: usize = 20;

/// Counts as the module's page defines them.
#[derive(Debug, Default)]
pub struct Verdict {
    pub finished: usize,
    pub(super) lost: usize,
    pub(super) doubled: usize,
    pub(super) unasked: usize,
    pub(super) repeated: usize,
    pub(super) unrecorded: usize,
    /// Jobs claimed again after an interrupted run.
    pub(super) claimed_again: usize,
    pub(super) findings: Vec<String>,
}

struct MemberState {
    roles: Value,
    nick: String,
    updates: usize,
    changing: usize,
}

/// The ids of a guild and of a user, ticket or submission in it.
type GuildObject = (String, String);

#[derive(Default)]
struct Evidence {
    members: HashMap<GuildObject, MemberState>,
    /// By guild and ticket id: the number of channels with the ticket's marker.
    channels: HashMap<GuildObject, usize>,
    /// Ticket ids by guild and submission.
    tickets: HashMap<GuildObject, String>,
    /// By kind, guild, and the user or ticket in the arguments.
    jobs: HashMap<(String, String, String), Vec<JobRow>>,
    /// By action, guild and target.
    audit: HashMap<(String, String, String), usize>,
    /// The job recorded under an idempotency key.
    answers: HashMap<String, Option<JobId>>,
}

pub(super) async fn judge(
    deployment: &Deployment,
    calls: &[Call],
    results: &[CallResult],
) -> anyhow::Result<Verdict> {
    anyhow::ensure!(calls.len() == results.len(), "{} calls, {} results", calls.len(), results.len());
    let evidence = Evidence::gather(deployment, rows::read(deployment).await?).await?;
    Ok(Verdict::of(evidence, calls.iter().zip(results.iter().map(|result| &result.outcome))))
}

impl Verdict {
    fn of<'c>(mut evidence: Evidence, calls: impl Iterator<Item = (&'c Call, &'c CallOutcome)>) -> Self {
        let claimed_again = evidence.jobs.values().flatten().filter(|job| job.token > 1).count();
        let mut verdict = Self { claimed_again, ..Self::default() };
        for (call, outcome) in calls {
            verdict.count(call, outcome, &mut evidence);
        }
        // The remaining evidence belongs to no call.
        let jobs: usize = evidence.jobs.values().map(Vec::len).sum();
        verdict.unasked = jobs + evidence.channels.values().sum::<usize>();
        if verdict.unasked > 0 {
            let channels = evidence.channels.keys();
            verdict.find(&format!("unasked: jobs {:?}, channels {channels:?}", evidence.jobs.keys()));
        }
        verdict
    }

    fn count(&mut self, call: &Call, outcome: &CallOutcome, evidence: &mut Evidence) {
        let case = evidence.take(call);
        let doubled = [
            ("changed again", case.changes),
            ("another channel", case.channels),
            ("another job", case.jobs.len()),
            ("asked for again in the audit log", case.asked),
            ("done again in the audit log", case.done),
        ];
        for (what, times) in doubled {
            if times > 1 {
                self.doubled += times - 1;
                self.find(&format!("doubled: {what}: {times} times: {call:?}: {case:?}"));
            }
        }
        self.repeated += case.updates - case.changes;
        if case.effect && case.done == 0 {
            self.unrecorded += 1;
            self.find(&format!("unrecorded: {call:?}: {case:?}"));
        }
        if *outcome == CallOutcome::Accepted {
            match case.missing() {
                None => self.finished += 1,
                Some(what) => {
                    self.lost += 1;
                    self.find(&format!("lost: {what}: {call:?}: {case:?}"));
                }
            }
        }
    }

    fn find(&mut self, finding: &str) {
        if self.findings.len() < SHOWN {
            self.findings.push(finding.to_owned());
        }
    }
}

#[derive(Debug)]
struct Case {
    jobs: Vec<JobRow>,
    /// The record of the `Idempotency-Key`.
    answer: Option<JobId>,
    /// The platform has the expected state.
    effect: bool,
    updates: usize,
    changes: usize,
    channels: usize,
    asked: usize,
    done: usize,
}

impl Case {
    fn missing(&self) -> Option<String> {
        let [job, ..] = self.jobs.as_slice() else { return Some("there is no job".to_owned()) };
        if job.state != State::Succeeded {
            return Some(format!("the job is {:?}: {:?}", job.state, job.error));
        }
        let holds = [
            (self.effect, "there is no effect"),
            (self.answer == Some(job.job_id), "the idempotency key does not lead to the job"),
            (self.asked > 0, "the audit log lacks the request"),
        ];
        holds.iter().find(|(holds, _)| !holds).map(|(_, what)| (*what).to_owned())
    }
}

impl Evidence {
    async fn gather(deployment: &Deployment, rows: Rows) -> anyhow::Result<Self> {
        let mut evidence = Self::default();
        for guild in &deployment.fixture.guilds {
            let state = deployment.simulator.guild_state(guild).await;
            for member in state["members"].as_array().into_iter().flatten() {
                let seen = MemberState {
                    roles: member["roles"].clone(),
                    nick: text(&member["nick"]),
                    updates: number(&member["updates"]),
                    changing: number(&member["changing_updates"]),
                };
                evidence.members.insert((guild.id.clone(), text(&member["chat_id"])), seen);
            }
            for channel in state["channels"].as_array().into_iter().flatten() {
                let ticket = ticket_of(&text(&channel["topic"]));
                *evidence.channels.entry((guild.id.clone(), ticket)).or_default() += 1;
            }
        }
        evidence.sort(rows);
        Ok(evidence)
    }

    fn sort(&mut self, rows: Rows) {
        for job in rows.jobs {
            let guild = job.guild_id.map(|guild| guild.to_string()).unwrap_or_default();
            let about = ["user", "ticket"].into_iter().find_map(|field| job.args.get(field)).map(text);
            let key = (job.kind.clone(), guild, about.unwrap_or_default());
            self.jobs.entry(key).or_default().push(job);
        }
        for entry in rows.audit {
            let key = (entry.action, entry.guild_id.to_string(), entry.target_id);
            *self.audit.entry(key).or_default() += 1;
        }
        self.answers = rows.answers.into_iter().map(|row| (row.idempotency_key, row.job_id)).collect();
        for ticket in rows.tickets {
            let submission = (ticket.guild_id.to_string(), ticket.submission_id.to_string());
            self.tickets.insert(submission, ticket.ticket_id.to_string());
        }
    }

    /// Removes and returns the evidence for the call.
    fn take(&mut self, call: &Call) -> Case {
        let (kind, asked, done) = match call.kind {
            Kind::Sync => ("sync_member", "sync.requested", "sync.member"),
            Kind::Role => ("assign_role", "roles.assign_requested", "roles.assign"),
            Kind::Ticket => ("create_ticket", "ticket.create_requested", "ticket.create"),
        };
        let guild = call.guild.clone();
        let about = match call.kind {
            Kind::Sync | Kind::Role => call.chat.clone(),
            // A submission without a ticket has no evidence under its number.
            Kind::Ticket => {
                let submission = (guild.clone(), call.submission.to_string());
                self.tickets.remove(&submission).unwrap_or_default()
            }
        };
        let of = |name: &str| (name.to_owned(), guild.clone(), about.clone());
        let member = self.members.get(&(guild.clone(), call.chat.clone()));
        let is_right = member.is_some_and(|seen| seen.is_right(call));
        let channels = match call.kind {
            Kind::Ticket => self.channels.remove(&(guild.clone(), about.clone())).unwrap_or_default(),
            Kind::Sync | Kind::Role => 0,
        };
        Case {
            jobs: self.jobs.remove(&of(kind)).unwrap_or_default(),
            answer: self.answers.get(&call.idempotency_key).copied().flatten(),
            // The applicant was correct before and stays so.
            effect: is_right && (call.kind != Kind::Ticket || channels > 0),
            updates: member.map_or(0, |seen| seen.updates),
            changes: member.map_or(0, |seen| seen.changing),
            channels,
            asked: self.audit.get(&of(asked)).copied().unwrap_or_default(),
            done: self.audit.get(&of(done)).copied().unwrap_or_default(),
        }
    }
}

impl MemberState {
    fn is_right(&self, call: &Call) -> bool {
        self.nick == call.name && self.roles.as_array().is_some_and(|roles| *roles == [call.role.as_str()])
    }
}

/// The ticket of the marker in a channel's topic; empty if there is none.
fn ticket_of(topic: &str) -> String {
    let marker = topic.split_whitespace().find_map(|word| word.strip_prefix("guildhall:ticket:"));
    marker.and_then(|marker| marker.split(':').next()).unwrap_or_default().to_owned()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn number(value: &Value) -> usize {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
