use super::*;
use crate::testing::{change, chat, role, roles};

#[test]
fn members_end_in_any_order_and_each_is_counted_once() {
    let mut progress = Progress::new(Reached::default(), 5);
    progress.note(3, Member::Updated);
    progress.note(0, Member::Skipped);
    assert_eq!((progress.reached.next, progress.reached.settled()), (1, 2));
    progress.note(2, left_the_guild(chat(7)));
    progress.note(1, Member::Updated);
    assert_eq!((progress.reached.next, progress.reached.ahead.len()), (4, 0));
    assert!(progress.is_settled(2) && !progress.is_settled(4) && !progress.is_complete());
    progress.note(4, Member::Updated);
    assert!(progress.is_complete());
    assert_eq!(progress.result(), json!({ "updated": 3, "failed": 1, "skipped": 1, "writes": 0 }));
    assert_eq!(progress.failures[0].error, "not_a_member");
}

#[test]
fn a_checkpoint_records_the_settled_members() {
    let mut progress = Progress::new(Reached::default(), 9);
    for member in [0, 1, 5, 7] {
        progress.note(member, Member::Updated);
    }
    let kept: Reached = serde_json::from_value(json!(progress.reached)).unwrap();
    let next = Progress::new(kept, 9);
    let left: Vec<usize> = (0..9).filter(|member| !next.is_settled(*member)).collect();
    assert_eq!((left, next.result()), (vec![2, 3, 4, 6, 8], progress.result()));
}

#[test]
fn a_checkpoint_tells_whom_the_calls_changed() {
    let whom = |checkpoint| changed(checkpoint).into_iter().collect::<Vec<usize>>();
    let mut progress = Progress::new(Reached::default(), 9);
    progress.wrote(0, change(&[5], &[], None));
    progress.note(0, Member::Updated);
    progress.skip(1);
    progress.note(2, left_the_guild(chat(7)));
    // A run that was cut may have changed whomever the next one finds as planned.
    progress.is_resumed = true;
    progress.skip(3);
    progress.note(4, left_the_guild(chat(7)));
    // Its nickname is still to be set.
    progress.wrote(6, change(&[5], &[], None));
    assert_eq!(whom(Some(json!(progress.reached))), [0, 3, 4, 6]);
    assert!(whom(None).is_empty());
    // Also where a build that says whom goes on after an older one.
    let old = json!({ "next": 2, "ahead": [4], "updated": 2, "failed": 0, "skipped": 1, "writes": 2 });
    assert_eq!(whom(Some(old.clone())), [0, 1, 4]);
    let mut progress = Progress::new(serde_json::from_value(old).unwrap(), 9);
    progress.wrote(5, change(&[5], &[], None));
    assert_eq!(whom(Some(json!(progress.reached))), [0, 1, 4, 5]);
}

#[test]
fn a_failure_names_each_refusal_and_the_completed_part() {
    let refused = |role| Refusal {
        role,
        error: PlatformError::Forbidden { code: 50_013, message: "Missing Permissions".into() },
    };
    let done = Change { add: roles(&[5]), ..Change::default() };
    let refused = [refused(Some(role(6))), refused(None)];
    let Member::Failed(failure) = failed(chat(7), &done, &refused, None) else { panic!("not failed") };
    assert_eq!(failure.error, "platform_refused");
    for part in ["role 6: the platform refused", "nickname: the platform refused", "done: role 5 added"] {
        assert!(failure.message.contains(part), "{}", failure.message);
    }
}
