//! The known state of a guild's rows, and the frames for their changes.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use entities::job::{self, Class, Failure, Status};
use entities::{
    AuditId, ChatId, JobId, PlaceId, PlayId, SessionId, Timestamp, UniverseId, audit_entry, game_server,
    staff_session,
};
use serde::Serialize;

use crate::live::dashboard::feed::Feed;
use crate::live::dashboard::frame::Area;
use crate::response::error::whole_seconds;
use crate::response::rows::Seconds;

/// Frames that one read makes of each area; if more rows changed, one frame gives their number.
const AT_ONCE: usize = 20;
/// Frames of audit entries, which a sync writes by the thousand.
const ENTRIES_AT_ONCE: usize = 5;
/// Open jobs of a guild that are followed.
const JOBS: usize = 100;
/// An ended job is known for this long, longer than it counts as new.
const ENDED_FOR: Duration = Duration::from_secs(120);
/// A transaction commits later than one with a higher id by no more than this.
const SETTLES_IN: Duration = Duration::from_secs(10);

type Made<T> = Vec<(&'static str, T)>;

#[derive(Serialize)]
struct Several {
    count: usize,
}

fn push_all<T: Serialize>(feed: &Feed, area: Area, several: &str, most: usize, made: &Made<T>) {
    if made.len() > most {
        return feed.push(area, several, &Several { count: made.len() });
    }
    made.iter().for_each(|(kind, data)| feed.push(area, kind, data));
}

#[derive(Default)]
pub(crate) struct Jobs(HashMap<JobId, KnownJob>);

struct KnownJob {
    shown: (Status, job::Progress, bool),
    open: bool,
    bulk: bool,
    met: Instant,
}

#[derive(Serialize)]
struct JobFrame {
    id: JobId,
    kind: String,
    state: Status,
    progress: JobProgress,
    cancel_requested: bool,
    error: Option<Failure>,
}

#[derive(Serialize)]
struct JobProgress {
    done: i64,
    total: i64,
    failed: i64,
    eta_seconds: Option<u64>,
}

impl JobFrame {
    fn new(row: &job::Model, now: Timestamp) -> Self {
        Self {
            id: row.job_id,
            kind: row.kind.clone(),
            state: row.status(now),
            progress: JobProgress {
                done: row.progress_done,
                total: row.progress_total,
                failed: row.progress_failed,
                eta_seconds: queue::eta(row, now).map(whole_seconds),
            },
            cancel_requested: row.cancel_requested,
            error: row.failure(),
        }
    }
}

impl Jobs {
    /// Open jobs that must be read by their ids, because they are not among those just read.
    pub(crate) fn open_besides(&self, read: &[job::Model]) -> Vec<JobId> {
        let own = self.0.iter().filter(|(_, known)| known.open).map(|(id, _)| *id);
        own.filter(|id| read.iter().all(|row| row.job_id != *id)).collect()
    }

    /// These ids were asked for and have no rows.
    pub(crate) fn forget(&mut self, gone: impl Iterator<Item = JobId>) {
        for job in gone {
            self.0.remove(&job);
        }
    }

    /// Without a feed, the rows become the initial state. Unless `all`, steps of running jobs wait.
    pub(crate) fn note(&mut self, rows: &[job::Model], now: Timestamp, feed: Option<&Feed>, all: bool) {
        let mut made = Vec::new();
        for row in rows {
            let (open, met) = (row.state.is_open(), Instant::now());
            let shown = (row.status(now), row.progress(), row.cancel_requested);
            let new = KnownJob { shown, open, bulk: row.class == Class::Bulk, met };
            let differs = |known: &KnownJob| match (known.shown, shown) {
                ((state, _, cancel), (same, _, still)) if state == same && cancel == still => {
                    all && known.shown != shown
                }
                _ => true,
            };
            if self.0.get(&row.job_id).is_none_or(differs) {
                self.0.insert(row.job_id, new);
                made.push((if open { "job.progress" } else { "job.ended" }, JobFrame::new(row, now)));
            }
        }
        if let Some(feed) = feed {
            push_all(feed, Area::Jobs, "job.several", AT_ONCE, &made);
        }
        self.0.retain(|_, known| known.open || known.met.elapsed() < ENDED_FOR);
        self.limit();
    }

    /// Bulk jobs stay, and the newest of the others.
    fn limit(&mut self) {
        let mut open: Vec<_> =
            self.0.iter().filter(|(_, known)| known.open).map(|(id, known)| (known.bulk, *id)).collect();
        if open.len() > JOBS {
            open.sort_unstable();
            let surplus = open.len() - JOBS;
            for (_, id) in open.drain(..surplus) {
                self.0.remove(&id);
            }
        }
    }
}

/// Entries are told from each other by their ids; a transaction may commit after one with higher ids.
pub(crate) struct Audit {
    /// All entries up to this id are known.
    pub(crate) settled: i64,
    seen: BTreeMap<i64, Instant>,
    /// Entries not sent yet: too many for a frame each.
    held: usize,
}

#[derive(Serialize)]
struct AuditFrame {
    id: AuditId,
    action: String,
    source: audit_entry::Source,
    actor_id: String,
    target_id: String,
    created_at: Seconds,
}

impl Audit {
    /// Entries that one read takes.
    pub(crate) const READ: u64 = 20;

    pub(crate) fn after(settled: i64) -> Self {
        Self { settled, seen: BTreeMap::new(), held: 0 }
    }

    /// `rows` are the newest, the newest first. Unless `all`, the frame with the number of very many waits.
    pub(crate) fn note(&mut self, rows: Vec<audit_entry::Model>, feed: &Feed, all: bool) {
        let now = Instant::now();
        let mut made = Vec::new();
        for row in rows.into_iter().rev() {
            if self.seen.insert(row.audit_id.get(), now).is_none() {
                let (actor_id, created_at) = (row.actor_id.to_string(), Seconds(row.created_at));
                let audit_entry::Model { audit_id: id, action, source, target_id, .. } = row;
                made.push((
                    "audit.entry",
                    AuditFrame { id, action, source, actor_id, target_id, created_at },
                ));
            }
        }
        if made.len() > ENTRIES_AT_ONCE {
            self.held += made.len();
        } else {
            made.iter().for_each(|(kind, data)| feed.push(Area::Audit, kind, data));
        }
        if all && self.held > 0 {
            feed.push(Area::Audit, "audit.several", &Several { count: std::mem::take(&mut self.held) });
        }
        self.settle(now);
    }

    fn settle(&mut self, now: Instant) {
        let old = self.seen.iter().rev().find(|(_, met)| now.duration_since(**met) > SETTLES_IN);
        if let Some((&id, _)) = old {
            self.settled = id;
            self.seen = self.seen.split_off(&(id + 1));
        }
    }
}

#[derive(Default)]
pub(crate) struct Servers(HashMap<String, game_server::Model>);

#[derive(Serialize)]
struct ServerFrame {
    server_id: String,
    place_id: PlaceId,
    universe_id: UniverseId,
    player_count: i32,
    last_heartbeat_at: Seconds,
}

impl From<&game_server::Model> for ServerFrame {
    fn from(row: &game_server::Model) -> Self {
        Self {
            server_id: row.server_id.clone(),
            place_id: row.place_id,
            universe_id: row.universe_id,
            player_count: row.player_count,
            last_heartbeat_at: Seconds(row.last_heartbeat_at),
        }
    }
}

impl Servers {
    /// `rows` had a heartbeat recently. Heartbeats without news make no frames.
    pub(crate) fn note(&mut self, rows: Vec<game_server::Model>, now: Timestamp, feed: Option<&Feed>) {
        let mut made: Made<ServerFrame> = Vec::new();
        for row in rows.into_iter().filter(|row| row.is_live(now)) {
            let what = |row: &game_server::Model| (row.place_id, row.universe_id, row.player_count);
            match self.0.get(&row.server_id) {
                None => made.push(("server.online", (&row).into())),
                Some(known) if what(known) != what(&row) => made.push(("server.changed", (&row).into())),
                Some(_) => {}
            }
            self.0.insert(row.server_id.clone(), row);
        }
        let gone = self.0.extract_if(|_, known| !known.is_live(now));
        made.extend(gone.map(|(_, known)| ("server.offline", (&known).into())));
        if let Some(feed) = feed {
            push_all(feed, Area::Moderation, "server.several", AT_ONCE, &made);
        }
    }
}

#[derive(Default)]
pub(crate) struct Staff(HashMap<SessionId, staff_session::Model>);

#[derive(Serialize)]
struct StaffFrame {
    staff_id: ChatId,
    session_id: SessionId,
    play_id: PlayId,
    place_id: PlaceId,
    server_id: String,
    started_at: Seconds,
}

impl From<&staff_session::Model> for StaffFrame {
    fn from(row: &staff_session::Model) -> Self {
        Self {
            staff_id: row.staff_id,
            session_id: row.session_id,
            play_id: row.play_id,
            place_id: row.place_id,
            server_id: row.server_id.clone(),
            started_at: Seconds(row.started_second.at()),
        }
    }
}

impl Staff {
    /// `rows` are all live sessions.
    pub(crate) fn note(&mut self, rows: Vec<staff_session::Model>, feed: Option<&Feed>) {
        let now: HashMap<_, _> = rows.into_iter().map(|row| (row.session_id, row)).collect();
        let gone = self.0.iter().filter(|(id, _)| !now.contains_key(id));
        let mut made: Made<StaffFrame> = gone.map(|(_, row)| ("staff.off_duty", row.into())).collect();
        let new = now.iter().filter(|(id, _)| !self.0.contains_key(id));
        made.extend(new.map(|(_, row)| ("staff.on_duty", row.into())));
        if let Some(feed) = feed {
            push_all(feed, Area::All, "staff.several", AT_ONCE, &made);
        }
        self.0 = now;
    }
}

#[cfg(test)]
mod tests;
