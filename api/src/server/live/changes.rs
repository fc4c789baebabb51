//! Reads changes of the guilds with open dashboards from the database: a few statements for all of them, four
//! times a second, and none while there are no sockets.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use entities::{GuildId, Timestamp, audit_entry, game_server, job, staff_session};
use runtime::Pool;
use sea_orm::DbErr;

use crate::live::dashboard::feed::Feed;
use crate::live::dashboard::watched::{Audit, Jobs, Servers, Staff};
use crate::state::State;

const READ_INTERVAL: Duration = Duration::from_millis(250);
/// With more sockets than this in the process, frequent changes are sent only after every second read.
const CROWD: usize = 200;
/// Jobs of a guild that one read finds, and how new they are: clocks of processes differ, and transactions take time.
const JOBS: u64 = 20;
const NEW: TimeDelta = TimeDelta::seconds(60);
/// Open jobs that a guild begins with.
const OPEN: u64 = 100;
/// Heartbeats of servers are written within this time.
const WRITTEN_IN: TimeDelta = TimeDelta::seconds(3);
const SERVERS: u64 = 10_000;

struct Guild {
    feed: Arc<Feed>,
    jobs: Jobs,
    audit: Audit,
    servers: Servers,
    staff: Staff,
}

pub(super) async fn follow(state: Arc<State>) {
    let mut guilds = HashMap::new();
    let mut tick = tokio::time::interval(READ_INTERVAL);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let (mut last, mut failing, mut all) = (state.context.clock.now(), false, true);
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            // Its client waits for the first read.
            () = state.feeds.opened() => {}
        }
        let feeds = state.feeds.all();
        guilds.retain(|guild, own: &mut Guild| {
            feeds.iter().any(|(known, feed)| known == guild && Arc::ptr_eq(feed, &own.feed))
        });
        if feeds.is_empty() {
            state.feeds.opened().await;
            tick.reset_immediately();
            continue;
        }
        let now = state.context.clock.now();
        let crowd = feeds.iter().map(|(_, feed)| feed.sockets()).sum::<usize>() > CROWD;
        all = !(crowd && all);
        let span = Span { last, now, all };
        let read = read(state.context.database.read(), &mut guilds, feeds, span).await;
        match &read {
            Err(error) if !failing => tracing::warn!(%error, "cannot read the data of dashboards"),
            Ok(()) if failing => tracing::info!("the data of dashboards can be read again"),
            _ => {}
        }
        failing = read.is_err();
        last = if failing { last } else { now };
    }
}

/// One read.
#[derive(Clone, Copy)]
struct Span {
    /// Time of the last one that succeeded.
    last: Timestamp,
    now: Timestamp,
    /// It also sends frequent changes.
    all: bool,
}

async fn read(
    conn: &Pool,
    guilds: &mut HashMap<GuildId, Guild>,
    feeds: Vec<(GuildId, Arc<Feed>)>,
    span: Span,
) -> Result<(), DbErr> {
    feeds.iter().for_each(|(_, feed)| feed.tick());
    if !guilds.is_empty() {
        read_jobs(conn, guilds, span).await?;
        read_audit(conn, guilds, span).await?;
        read_servers(conn, guilds, span).await?;
        read_staff(conn, guilds, span.now).await?;
    }
    let new: Vec<_> = feeds.into_iter().filter(|(guild, _)| !guilds.contains_key(guild)).collect();
    if new.is_empty() { Ok(()) } else { begin(conn, guilds, new, span.now).await }
}

fn ids(guilds: &HashMap<GuildId, Guild>) -> Vec<GuildId> {
    guilds.keys().copied().collect()
}

/// The rows of each guild.
fn by_guild<T>(
    rows: impl IntoIterator<Item = T>,
    of: impl Fn(&T) -> Option<GuildId>,
) -> HashMap<GuildId, Vec<T>> {
    let mut all: HashMap<GuildId, Vec<T>> = HashMap::new();
    for row in rows {
        if let Some(guild) = of(&row) {
            all.entry(guild).or_default().push(row);
        }
    }
    all
}

/// Reads the state of guilds; from here on their feeds send changes.
async fn begin(
    conn: &Pool,
    guilds: &mut HashMap<GuildId, Guild>,
    new: Vec<(GuildId, Arc<Feed>)>,
    now: Timestamp,
) -> Result<(), DbErr> {
    let ids: Vec<GuildId> = new.iter().map(|(guild, _)| *guild).collect();
    let starts: Vec<_> = ids.iter().map(|guild| (*guild, 0)).collect();
    let entries = audit_entry::newest_after(conn, &starts, 1).await?;
    let settled: HashMap<_, _> = entries.iter().map(|row| (row.guild_id, row.audit_id.get())).collect();
    let mut jobs = job::moving::open(conn, &ids, OPEN).await?;
    jobs.extend(job::moving::enqueued_since(conn, &ids, now - NEW, JOBS).await?);
    let mut jobs = by_guild(jobs, |row| row.guild_id);
    let heard = now - game_server::STALE_AFTER;
    let servers = game_server::heard_since(conn, &ids, heard, SERVERS).await?;
    let mut servers = by_guild(servers, |row| Some(row.guild_id));
    let mut staff = by_guild(staff_session::of_guilds(conn, &ids, now).await?, |row| Some(row.guild_id));
    for (id, feed) in new {
        let audit = Audit::after(settled.get(&id).copied().unwrap_or(0));
        let mut guild = Guild {
            feed,
            audit,
            jobs: Jobs::default(),
            servers: Servers::default(),
            staff: Staff::default(),
        };
        guild.jobs.note(&jobs.remove(&id).unwrap_or_default(), now, None, true);
        guild.servers.note(servers.remove(&id).unwrap_or_default(), now, None);
        guild.staff.note(staff.remove(&id).unwrap_or_default(), None);
        guild.feed.follows.cancel();
        guilds.insert(id, guild);
    }
    Ok(())
}

async fn read_jobs(conn: &Pool, guilds: &mut HashMap<GuildId, Guild>, span: Span) -> Result<(), DbErr> {
    let now = span.now;
    let rows = job::moving::enqueued_since(conn, &ids(guilds), now - NEW, JOBS).await?;
    let mut rows = by_guild(rows, |row| row.guild_id);
    let mut older = Vec::new();
    for (id, guild) in &*guilds {
        older.extend(guild.jobs.open_besides(rows.get(id).map_or(&[], Vec::as_slice)));
    }
    if !older.is_empty() {
        let found = job::moving::of_ids(conn, &older).await?;
        older.retain(|job| found.iter().all(|row| row.job_id != *job));
        for (id, found) in by_guild(found, |row| row.guild_id) {
            rows.entry(id).or_default().extend(found);
        }
    }
    for (id, guild) in guilds {
        guild.jobs.forget(older.iter().copied());
        guild.jobs.note(rows.get(id).map_or(&[], Vec::as_slice), now, Some(&guild.feed), span.all);
    }
    Ok(())
}

async fn read_audit(conn: &Pool, guilds: &mut HashMap<GuildId, Guild>, span: Span) -> Result<(), DbErr> {
    let after: Vec<_> = guilds.iter().map(|(id, guild)| (*id, guild.audit.settled)).collect();
    let rows = audit_entry::newest_after(conn, &after, Audit::READ).await?;
    let mut rows = by_guild(rows, |row| Some(row.guild_id));
    for (id, guild) in guilds {
        guild.audit.note(rows.remove(id).unwrap_or_default(), &guild.feed, span.all);
    }
    Ok(())
}

async fn read_servers(conn: &Pool, guilds: &mut HashMap<GuildId, Guild>, span: Span) -> Result<(), DbErr> {
    let (since, now) = (span.last - WRITTEN_IN, span.now);
    let rows = game_server::heard_since(conn, &ids(guilds), since, SERVERS).await?;
    let mut rows = by_guild(rows, |row| Some(row.guild_id));
    for (id, guild) in guilds {
        guild.servers.note(rows.remove(id).unwrap_or_default(), now, Some(&guild.feed));
    }
    Ok(())
}

async fn read_staff(conn: &Pool, guilds: &mut HashMap<GuildId, Guild>, now: Timestamp) -> Result<(), DbErr> {
    let rows = staff_session::of_guilds(conn, &ids(guilds), now).await?;
    let mut rows = by_guild(rows, |row| Some(row.guild_id));
    for (id, guild) in guilds {
        guild.staff.note(rows.remove(id).unwrap_or_default(), Some(&guild.feed));
    }
    Ok(())
}
