//! The judge detects every kind of error.

use serde_json::json;

use super::*;

const GUILD: &str = "7000000000000000000";
const ROLE: &str = "7000000000000001000";
const JOB: JobId = JobId(uuid::Uuid::from_u128(1));

fn call(kind: Kind) -> Call {
    Call {
        kind,
        guild: GUILD.to_owned(),
        chat: "11".to_owned(),
        role: ROLE.to_owned(),
        name: "player".to_owned(),
        submission: 3,
        key: String::new(),
        idempotency_key: "once".to_owned(),
        at_once: false,
    }
}

fn job(kind: &str, args: Value) -> JobRow {
    JobRow {
        job_id: JOB,
        guild_id: GUILD.parse().ok(),
        kind: kind.to_owned(),
        args,
        state: State::Succeeded,
        token: 1,
        error: None,
    }
}

fn key(what: &str, about: &str) -> (String, String, String) {
    (what.to_owned(), GUILD.to_owned(), about.to_owned())
}

/// Correct evidence for a sync of member 11.
fn synced() -> Evidence {
    let seen = MemberState { roles: json!([ROLE]), nick: "player".to_owned(), updates: 1, changing: 1 };
    let mut evidence = Evidence::default();
    evidence.members.insert((GUILD.to_owned(), "11".to_owned()), seen);
    evidence.jobs.insert(key("sync_member", "11"), vec![job("sync_member", json!({ "user": "11" }))]);
    evidence.audit.insert(key("sync.requested", "11"), 1);
    evidence.audit.insert(key("sync.member", "11"), 1);
    evidence.answers.insert("once".to_owned(), Some(JOB));
    evidence
}

/// Correct evidence for ticket 5 of submission 3.
fn ticketed() -> Evidence {
    let seen = MemberState { roles: json!([ROLE]), nick: "player".to_owned(), updates: 0, changing: 0 };
    let mut evidence = Evidence::default();
    evidence.members.insert((GUILD.to_owned(), "11".to_owned()), seen);
    evidence.tickets.insert((GUILD.to_owned(), "3".to_owned()), "5".to_owned());
    evidence.channels.insert((GUILD.to_owned(), ticket_of("Of <@11> guildhall:ticket:5:1700")), 1);
    evidence.jobs.insert(key("create_ticket", "5"), vec![job("create_ticket", json!({ "ticket": 5 }))]);
    evidence.audit.insert(key("ticket.create_requested", "5"), 1);
    evidence.audit.insert(key("ticket.create", "5"), 1);
    evidence.answers.insert("once".to_owned(), Some(JOB));
    evidence
}

/// Finished, lost, doubled, unasked, repeated, unrecorded.
fn counts(kind: Kind, outcome: &CallOutcome, evidence: Evidence) -> [usize; 6] {
    let verdict = Verdict::of(evidence, std::iter::once((&call(kind), outcome)));
    let Verdict { finished, lost, doubled, unasked, repeated, unrecorded, .. } = verdict;
    assert_eq!(
        lost + doubled + unasked + unrecorded == 0,
        verdict.findings.is_empty(),
        "{:?}",
        verdict.findings
    );
    [finished, lost, doubled, unasked, repeated, unrecorded]
}

#[track_caller]
fn sync(expected: [usize; 6], change: impl FnOnce(&mut Evidence)) {
    let mut evidence = synced();
    change(&mut evidence);
    assert_eq!(counts(Kind::Sync, &CallOutcome::Accepted, evidence), expected);
}

#[track_caller]
fn ticket(expected: [usize; 6], change: impl FnOnce(&mut Evidence)) {
    let mut evidence = ticketed();
    change(&mut evidence);
    assert_eq!(counts(Kind::Ticket, &CallOutcome::Accepted, evidence), expected);
}

fn member(evidence: &mut Evidence) -> &mut MemberState {
    evidence.members.values_mut().next().unwrap()
}

fn only_job(evidence: &mut Evidence) -> &mut JobRow {
    &mut evidence.jobs.values_mut().next().unwrap()[0]
}

fn forget(evidence: &mut Evidence, action: &str) {
    evidence.audit.remove(&key(action, "11"));
}

fn again(evidence: &mut Evidence, action: &str) {
    evidence.audit.insert(key(action, "11"), 2);
}

#[test]
fn what_is_well_is_finished() {
    sync([1, 0, 0, 0, 0, 0], |_| {});
    ticket([1, 0, 0, 0, 0, 0], |_| {});
}

#[test]
fn whatever_is_missing_makes_an_accepted_call_lost() {
    let lost = [0, 1, 0, 0, 0, 0];
    sync(lost, |evidence| evidence.jobs.clear());
    sync(lost, |evidence| only_job(evidence).state = State::Queued);
    sync(lost, |evidence| only_job(evidence).state = State::Dead);
    sync(lost, |evidence| member(evidence).roles = json!([]));
    sync(lost, |evidence| member(evidence).roles = json!([ROLE, "8"]));
    sync(lost, |evidence| member(evidence).nick = "old player".to_owned());
    sync(lost, |evidence| evidence.members.clear());
    sync(lost, |evidence| evidence.answers.clear());
    sync(lost, |evidence| evidence.answers = [("once".to_owned(), Some(JobId(uuid::Uuid::nil())))].into());
    sync(lost, |evidence| forget(evidence, "sync.requested"));
    ticket(lost, |evidence| evidence.channels.clear());
}

#[test]
fn whatever_is_there_twice_is_doubled_once() {
    let doubled = [1, 0, 1, 0, 0, 0];
    sync(doubled, |evidence| (member(evidence).updates, member(evidence).changing) = (2, 2));
    let twice = || vec![job("sync_member", json!({})), job("sync_member", json!({}))];
    sync(doubled, |evidence| drop(evidence.jobs.insert(key("sync_member", "11"), twice())));
    sync(doubled, |evidence| again(evidence, "sync.requested"));
    sync(doubled, |evidence| again(evidence, "sync.member"));
    ticket(doubled, |evidence| *evidence.channels.values_mut().next().unwrap() = 2);
}

#[test]
fn what_is_said_again_is_repeated_and_what_left_no_entry_unrecorded() {
    sync([1, 0, 0, 0, 2, 0], |evidence| member(evidence).updates = 3);
    sync([1, 0, 0, 0, 0, 1], |evidence| forget(evidence, "sync.member"));
}

#[test]
fn what_belongs_to_no_call_is_unasked() {
    sync([1, 0, 0, 1, 0, 0], |evidence| {
        evidence.jobs.insert(key("sync_member", "12"), vec![job("sync_member", json!({}))]);
    });
    ticket([1, 0, 0, 3, 0, 0], |evidence| {
        evidence.channels.insert((GUILD.to_owned(), ticket_of("made by hand")), 3);
    });
}

#[test]
fn a_call_without_an_answer_is_not_lost_but_may_be_doubled() {
    assert_eq!(counts(Kind::Sync, &CallOutcome::Unknown, Evidence::default()), [0; 6]);
    let mut evidence = ticketed();
    *evidence.channels.values_mut().next().unwrap() = 3;
    assert_eq!(counts(Kind::Ticket, &CallOutcome::Unknown, evidence), [0, 0, 2, 0, 0, 0]);
}
