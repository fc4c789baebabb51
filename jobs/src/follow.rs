//! Following: syncs of all members that start by themselves (docs/rules.md 5). A pass is the bulk sync that somebody could ask
//! for, with a brake, within a part of the game platform's budget, and gives way to what was asked for.
//!
//! A scheduler calls [`look`] (`scheduler/src/follow.rs`). The run is `worker/src/sync_all.rs` with `follow.rs` below it;
//! settings and the way on after a brake are `api/src/endpoints/guilds/follow/`.

use chrono::TimeDelta;
use entities::audit_entry::{Actor, NewEntry};
use entities::follow::{self, Model};
use entities::job::{self, listing, old};
use entities::{GuildId, JobId, Timestamp, job_pause, link};
use queue::{Draft, Queue, QueueError};
use runtime::{Context, Gauge, UnitOfWork};
use sea_orm::DbErr;
use serde_json::json;

use crate::bulk_sync::{Pass, SyncAll};

/// Passes under way: each waits for its turn in the budget, page by page, so more of them are not faster.
const MOST_PASSES: u64 = 20;
/// After a pass of a guild that sets no pace; it doubles with each pass that changes nobody.
const SHORTEST_PAUSE: TimeDelta = TimeDelta::minutes(5);
const DOUBLINGS: u32 = 4;
/// After a pass that failed; it doubles with each one, up to the longest: the bot is not in the guild, or has no credential.
const PAUSE_AFTER_FAILURE: TimeDelta = TimeDelta::minutes(15);
const LONGEST_PAUSE: TimeDelta = TimeDelta::days(1);

/// The error of a pass that stopped by its brake.
pub const STOPPED: &str = "follow_stopped";
/// Why a pass waits for its turn, or gives way: no error for people.
pub const WAITS: &str = "follow_waits";

/// Notes the passes that ended, and starts those that are due.
pub async fn look(context: &Context, queue: &Queue) -> Result<(), QueueError> {
    let running = follow::running(context.database.read()).await?;
    let jobs: Vec<_> = running.iter().map(|(_, job)| *job).collect();
    let open = listing::unfinished(context.database.read(), &jobs).await?;
    // That of a paused guild waits, and takes nobody's turn.
    let paused = job_pause::list(context.database.read()).await?;
    let is_paused = |guild| paused.iter().any(|pause| pause.guild_id == Some(guild));
    let in_turn = running.iter().filter(|(guild, job)| open.contains_key(job) && !is_paused(*guild)).count();
    for (guild, job) in running.into_iter().filter(|(_, job)| !open.contains_key(job)) {
        note_end(context, guild, job).await?;
    }
    follow::add_missing(context.database.write(), context.clock.now()).await?;
    let due =
        follow::due(context.database.read(), context.clock.now(), MOST_PASSES.saturating_sub(in_turn as u64));
    for guild in due.await? {
        start(context, queue, guild).await?;
    }
    Ok(())
}

async fn start(context: &Context, queue: &Queue, guild: GuildId) -> Result<(), QueueError> {
    let mut work = UnitOfWork::begin(context).await?;
    let now = work.now();
    let row = follow::lock(work.tx(), guild, now).await?;
    if row.job_id.is_some() || !row.goes_on() || row.due_at > now {
        return Ok(());
    }
    let pass = Pass { brake_percent: row.brake() };
    let payload = SyncAll { follow: Some(pass), ..SyncAll::of(guild) };
    let members = link::count(work.tx(), guild).await?;
    let draft = Draft::new(guild, &payload, Actor::service())?.once(payload.dedupe_key());
    let draft = draft.total(i64::try_from(members).unwrap_or(i64::MAX));
    let enqueued = draft.enqueue(&mut work).await?;
    // What a person lets the next pass do is for this one, and what they say while it runs for the one after it.
    let unbraked = row.unbraked && enqueued.joined;
    follow::save(work.tx(), Model { job_id: Some(enqueued.job), unbraked, ..row }).await?;
    queue.publish(work.commit().await?);
    Ok(())
}

/// How long ago passes succeeded, and how many guilds wait for a person.
pub async fn gauges(context: &Context) -> Result<Vec<Gauge>, DbErr> {
    let (conn, now) = (context.database.read(), context.clock.now());
    let from = follow::ages_from(conn).await?;
    let mut ages: Vec<_> =
        from.into_iter().map(|from| (now - from).to_std().unwrap_or_default().as_secs_f64()).collect();
    ages.sort_unstable_by(f64::total_cmp);
    let age = |quantile, place: Option<usize>| {
        let age = place.and_then(|place| ages.get(place)).copied().unwrap_or_default();
        Gauge::new("guildhall_follow_age_seconds", age).with("quantile", quantile)
    };
    let stopped = Gauge::count("guildhall_follow_stopped", follow::count_stopped(conn).await?);
    Ok(vec![age("0.5", Some(ages.len() / 2)), age("1", ages.len().checked_sub(1)), stopped])
}

async fn note_end(context: &Context, guild: GuildId, id: JobId) -> Result<(), QueueError> {
    let found = listing::find_any(context.database.read(), id).await?;
    let mut work = UnitOfWork::begin(context).await?;
    let row = follow::lock(work.tx(), guild, work.now()).await?;
    if row.job_id == Some(id) {
        let is_quiet = found.as_ref().is_some_and(is_quiet);
        follow::save(work.tx(), after(row, found.as_ref(), work.now())).await?;
        work.audit_own(found.as_ref().and_then(braked).map(|reason| NewEntry {
            guild,
            action: "sync.follow_stopped",
            target: id.to_string(),
            metadata: json!({ "reason": reason }),
        }));
        if is_quiet {
            // A guild in which nothing happens would fill the list of its jobs.
            old::delete(work.tx(), id).await?;
        }
        work.commit().await?;
    }
    Ok(())
}

/// Members that a pass changed; `None`: it did not succeed.
fn changed(job: &job::Model) -> Option<i64> {
    let result = job.result.as_ref().filter(|_| job.state == job::State::Succeeded)?;
    Some(result["updated"].as_i64().unwrap_or(0))
}

/// Whether a pass found nothing to do.
fn is_quiet(job: &job::Model) -> bool {
    let counts = job.result.as_ref().map(|result| result["failed"].as_i64().unwrap_or(0));
    changed(job) == Some(0) && counts == Some(0)
}

/// Why a pass stopped by its brake; `None`: it did not.
fn braked(job: &job::Model) -> Option<String> {
    job.failure().filter(|failure| failure.error == STOPPED).map(|failure| failure.message)
}

/// The row after a pass; `None`: its job was deleted. What else stopped the passes meanwhile still does.
fn after(row: Model, job: Option<&job::Model>, now: Timestamp) -> Model {
    let row = Model { job_id: None, ended_at: Some(now), ..row };
    let Some(changed) = job.and_then(changed) else {
        let stopped = job.and_then(braked).or_else(|| row.stopped.clone());
        let failures = row.failures.saturating_add(1);
        return Model { due_at: now + pause_after_failures(failures), failures, stopped, ..row };
    };
    let quiet = if changed == 0 { row.quiet.saturating_add(1) } else { 0 };
    let pause = row.every_minutes.map_or_else(|| pause(quiet), |minutes| TimeDelta::minutes(minutes.into()));
    Model { due_at: now + pause, changed, quiet, failures: 0, age_from: Some(now), ..row }
}

/// A guild where nothing ever changes is visited less often.
fn pause(quiet: i32) -> TimeDelta {
    let doublings = u32::try_from(quiet.saturating_sub(1)).unwrap_or(0).min(DOUBLINGS);
    SHORTEST_PAUSE * 2_i32.pow(doublings)
}

fn pause_after_failures(failures: i32) -> TimeDelta {
    let doublings = u32::try_from(failures.saturating_sub(1)).unwrap_or(0).min(10);
    (PAUSE_AFTER_FAILURE * 2_i32.pow(doublings)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guild_where_nothing_changes_is_visited_less_often() {
        let minutes: Vec<i64> = (0..8).map(|quiet| pause(quiet).num_minutes()).collect();
        assert_eq!(minutes, [5, 5, 10, 20, 40, 80, 80, 80]);
    }

    #[test]
    fn what_a_person_said_while_a_pass_ran_outlasts_it() {
        let now = Timestamp::UNIX_EPOCH;
        let stopped = Some("sync 1 was undone".to_owned());
        let usual = Model::usual(GuildId::try_from(7).unwrap(), now);
        let row = after(Model { stopped: stopped.clone(), unbraked: true, ..usual }, None, now);
        assert_eq!((row.stopped, row.unbraked), (stopped, true));
    }

    #[test]
    fn a_guild_where_passes_fail_is_tried_once_a_day_in_the_end() {
        let guild = GuildId::try_from(7).unwrap();
        let begun = Timestamp::UNIX_EPOCH;
        let now = begun + TimeDelta::days(1);
        let mut row = Model::usual(guild, begun);
        let mut pauses = Vec::new();
        for _ in 0..9 {
            row = after(row, None, now);
            pauses.push((row.due_at - now).num_minutes());
        }
        assert_eq!(
            (row.ended_at, row.age_from),
            (Some(now), Some(begun)),
            "what fails does not make it younger"
        );
        assert_eq!(pauses, [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440]);
        assert_eq!(pause_after_failures(i32::MAX), LONGEST_PAUSE);
    }
}
