use platforms::Missing;
use queue::run::JobError;

use super::*;
use crate::testing::{change, chat};

fn due(changes: Vec<Change>) -> Vec<Due> {
    (0..)
        .zip(changes)
        .map(|(index, change)| {
            (index, Whom { user: chat(7 + i64::try_from(index).unwrap()), play: None }, change)
        })
        .collect()
}

fn refused() -> PlatformError {
    PlatformError::Forbidden { code: 50_013, message: "Missing Permissions".into() }
}

fn done(part: &Part<'_>) -> Applied {
    let (_, _, change) = part.due;
    let done = match part.kind {
        Kind::Roles => Change { nick: None, ..change.clone() },
        Kind::Update if change.is_several() => change.clone(),
        Kind::Update => Change { nick: change.nick.clone(), ..Change::default() },
    };
    Applied { done, ..Applied::default() }
}

fn kinds(buckets: &mut Buckets<'_>) -> Vec<(usize, Kind)> {
    std::iter::from_fn(|| buckets.next()).map(|part| (part.member(), part.kind)).collect()
}

#[test]
fn each_kind_of_change_goes_to_its_bucket() {
    let due = due(vec![
        change(&[1], &[], None),
        change(&[], &[], Some("n")),
        change(&[1], &[], Some("n")),
        change(&[1, 2], &[3], None),
    ]);
    let mut buckets = Buckets::new(&due);
    let expected =
        [(0, Kind::Roles), (2, Kind::Roles), (1, Kind::Update), (2, Kind::Update), (3, Kind::Update)];
    assert_eq!(kinds(&mut buckets), expected);
}

#[test]
fn a_full_bucket_does_not_hold_up_the_other() {
    let nicknames = vec![change(&[], &[], Some("n")); 40];
    let due = due(nicknames.into_iter().chain(vec![change(&[1], &[], None); 40]).collect());
    let mut buckets = Buckets::new(&due);
    // Updates never end; role calls continue to the last.
    let mut waiting = 0;
    let mut ended = 0;
    while let Some(part) = buckets.next() {
        if part.kind == Kind::Update {
            waiting += 1;
            continue;
        }
        let outcome = done(&part);
        assert!(buckets.settle(part, outcome).member.is_some());
        ended += 1;
    }
    assert_eq!((waiting, ended), (3, 40));
}

#[test]
fn a_member_ends_with_its_last_part_and_fails_with_what_was_done() {
    let due = due(vec![change(&[5], &[], Some("n"))]);
    let mut buckets = Buckets::new(&due);
    let (role, nickname) = (buckets.next().unwrap(), buckets.next().unwrap());
    let outcome = done(&role);
    assert!(buckets.settle(role, outcome).member.is_none());
    let refusal = Refusal { role: None, error: refused() };
    let outcome = Applied { refused: vec![refusal], ..Applied::default() };
    let Some(Member::Failed(failure)) = buckets.settle(nickname, outcome).member else {
        panic!("not failed")
    };
    assert_eq!(failure.error, "nickname_refused");
    assert!(failure.message.contains("Missing Permissions"), "{}", failure.message);
    assert!(failure.message.contains("role 5 added"), "{}", failure.message);
}

#[test]
fn an_error_that_may_pass_leaves_the_member_for_the_next_run() {
    let due = due(vec![change(&[5], &[], Some("n")), change(&[5], &[], None)]);
    let mut buckets = Buckets::new(&due);
    let parts: Vec<_> = std::iter::from_fn(|| buckets.next()).collect();
    let down = PlatformError::Unavailable { route: "PUT", cause: "x".into() };
    let settled = buckets.settle(parts[0], Halt::Platform(down).into());
    assert!(
        settled.member.is_none() && matches!(settled.ended, Some(JobError::Retry(_) | JobError::Snooze(..)))
    );
    let outcome = done(&parts[1]);
    assert_eq!(parts[1].member(), 1);
    assert!(buckets.settle(parts[1], outcome).member.is_some(), "others are counted");
    let outcome = done(&parts[2]);
    assert!(buckets.settle(parts[2], outcome).member.is_none(), "half of it is left");
}

#[test]
fn what_a_part_changed_before_it_was_stopped_is_known() {
    let due = due(vec![change(&[5], &[6], None)]);
    let mut buckets = Buckets::new(&due);
    let part = buckets.next().unwrap();
    let halt = Some(Halt::Stopped);
    let settled = buckets.settle(part, Applied { done: change(&[5], &[], None), halt, ..Applied::default() });
    assert!(settled.member.is_none() && settled.ended.is_none());
    assert_eq!(settled.done, change(&[5], &[], None));
}

#[test]
fn a_missing_credential_or_guild_ends_the_chunk() {
    for error in
        [PlatformError::NotConfigured("GUILDHALL_CHAT_TOKEN"), PlatformError::NotFound(Missing::Guild)]
    {
        let due = due(vec![change(&[5], &[], None)]);
        let mut buckets = Buckets::new(&due);
        let part = buckets.next().unwrap();
        let settled = buckets.settle(part, Halt::Platform(error).into());
        assert!(matches!(settled.ended, Some(JobError::Fail(_))));
    }
}

#[test]
fn where_all_may_be_refused_no_call_is_sent_that_is_not_needed_to_know() {
    let due = due(vec![change(&[5], &[], None); 40]);
    let mut buckets = Buckets::new(&due);
    let mut parts: Vec<_> = std::iter::from_fn(|| buckets.next()).collect();
    assert_eq!(parts.len(), 3, "nothing is known yet");
    let refusal =
        || Applied { refused: vec![Refusal { role: None, error: refused() }], ..Applied::default() };
    buckets.settle(parts.remove(0), refusal());
    assert_eq!(buckets.roles.room(), 2);
    let outcome = done(&parts[0]);
    buckets.settle(parts.remove(0), outcome);
    assert_eq!(buckets.roles.room(), CALLS_IN_FLIGHT);
    buckets.settle(parts.remove(0), refusal());
    assert_eq!(buckets.roles.room(), 2);
    let part = buckets.next().unwrap();
    buckets.settle(part, Halt::Platform(PlatformError::NotFound(Missing::Member)).into());
    assert_eq!(buckets.roles.room(), 2, "a member who left says nothing about permissions");
}

#[test]
fn three_refusals_in_a_row_in_one_bucket_stop_naming_the_role() {
    let both = [change(&[5], &[], None), change(&[], &[], Some("n"))];
    let due = due(both.iter().cycle().take(18).cloned().collect());
    let mut buckets = Buckets::new(&due);
    let mut refusals = 0;
    while let Some(part) = buckets.next() {
        let nickname = part.kind == Kind::Update;
        let outcome = if nickname {
            done(&part)
        } else {
            refusals += 1;
            let refusal = Refusal { role: due[part.member()].2.add.first().copied(), error: refused() };
            Applied { refused: vec![refusal], ..Applied::default() }
        };
        if let Some(JobError::Fail(failure)) = buckets.settle(part, outcome).ended {
            assert!(failure.message.contains("roles 5"), "{}", failure.message);
            assert_eq!((failure.status, refusals), (422, 3));
            return;
        }
    }
    panic!("goes on")
}
