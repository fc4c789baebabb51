//! A pass that started by itself (docs/rules.md 5): it takes its turn in a part of the game platform's budget, gives way to what
//! somebody asked for, and stops by its brake.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::TimeDelta;
use entities::job::{listing, time};
use entities::{GroupId, follow_budget};
use jobs::bulk_sync::{Pass, SyncAll};
use jobs::follow::{STOPPED, WAITS};
use platforms::{FollowPace, GuildRules, MEMBERS_PER_PAGE, MEMBERSHIP_USERS_PER_CALL, NAMES_PER_CALL};
use queue::run::{JobContext, JobError, failure};

use super::plan::{Plan, Seen};

/// While somebody waits for a sync, a pass looks again after this time.
const MAKES_WAY_FOR: Duration = Duration::from_secs(5);
/// A turn that comes this soon is waited for in the run itself.
const SOON: TimeDelta = TimeDelta::milliseconds(250);
/// A smaller guild may lose all its roles at once: its people see it, and nobody would be asked for every leaver.
const BRAKE_LEAST: i64 = 25;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The next page.
    Now,
    /// A sync that somebody asked for does the same.
    Superseded,
}

/// Calls to the game platform for a page, at most.
pub(super) fn calls(links: i64, rules: &GuildRules) -> u32 {
    let members = usize::try_from(links).unwrap_or(usize::MAX).min(MEMBERS_PER_PAGE.into());
    let ranks = members.div_ceil(MEMBERSHIP_USERS_PER_CALL) * rules.groups().len();
    u32::try_from(ranks + members.div_ceil(NAMES_PER_CALL)).unwrap_or(u32::MAX)
}

/// Waits for the turn of the next page, in the queue where that takes longer.
pub(super) async fn in_turn(
    job: &JobContext,
    args: &SyncAll,
    plan: &mut Plan,
    pace: FollowPace,
    calls: u32,
) -> Result<Turn, JobError> {
    let read = job.database().read();
    if listing::is_bulk_asked_for(read, Some(args.guild)).await? {
        return Ok(Turn::Superseded);
    }
    if listing::is_bulk_asked_for(read, None).await? {
        return Err(later("somebody waits for another sync: this one gives way", MAKES_WAY_FOR));
    }
    let FollowPace::PerMinute(rate) = pace else { return Ok(Turn::Now) };
    let length = TimeDelta::minutes(1) * i32::try_from(calls).unwrap_or(i32::MAX)
        / i32::try_from(rate.get()).unwrap_or(i32::MAX);
    // The clocks of processes differ.
    let now = time::read(read, job.now()).await?;
    let at = if let Some(at) = plan.turn_at {
        at
    } else {
        let work = job.begin().await?;
        let at = follow_budget::plan(work.tx(), length, now).await?;
        plan.turn_at = Some(at);
        job.checkpoint(work, plan).await?;
        at
    };
    let wait = at - now;
    if wait > SOON {
        return Err(later(
            "waits for its turn in the game platform's budget",
            wait.to_std().unwrap_or_default(),
        ));
    }
    plan.turn_at = None;
    Ok(Turn::Now)
}

fn later(why: &str, wait: Duration) -> JobError {
    JobError::Snooze(failure(503, WAITS, why), wait)
}

/// Stops a plan that would take roles from too many members, or because a group has nobody any more: both may be an
/// outage of the game platform, or somebody's mistake.
pub(super) fn brake(pass: &Pass, seen: Seen, in_group: &BTreeMap<GroupId, i64>) -> Result<(), JobError> {
    let (Some(percent), losing) = (pass.brake_percent, seen.members_losing) else { return Ok(()) };
    if losing == 0 {
        return Ok(());
    }
    let stop = |why: String| {
        Err(JobError::Fail(failure(
            422,
            STOPPED,
            format!("{why}: nothing was changed, and no pass follows until somebody lets it"),
        )))
    };
    if let Some((group, _)) = in_group.iter().find(|(_, members)| **members == 0) {
        return stop(format!(
            "no linked member is in group {group} now, and {losing} members would lose a role"
        ));
    }
    let most = (seen.members * i64::from(percent) / 100).max(BRAKE_LEAST);
    if losing > most {
        let members = seen.members;
        return stop(format!("{losing} of {members} members would lose a role, more than {most}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_that_takes_too_much_stops() {
        let stops = |percent, (members, members_losing, in_group): (i64, i64, i64)| {
            let seen = Seen { members, members_losing, ..Seen::default() };
            let in_group = [(GroupId::try_from(4).unwrap(), in_group)].into();
            brake(&Pass { brake_percent: percent }, seen, &in_group).is_err()
        };
        assert!(!stops(Some(10), (1_000, 100, 900)) && stops(Some(10), (1_000, 101, 899)));
        assert!(!stops(Some(10), (50, 25, 25)) && stops(Some(10), (50, 26, 24)), "25 at least");
        assert!(stops(Some(100), (9, 1, 0)), "nobody is in the group");
        assert!(!stops(Some(100), (9, 0, 0)), "nobody loses anything");
        assert!(!stops(None, (1_000, 1_000, 0)), "a person let it go on");
    }
}
