//! The chat platform's event stream: its sessions, the events that they keep for a resume, and its faults.

pub(crate) mod events;
mod session;
pub(crate) mod socket;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use entities::GuildId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::stream::session::{Frame, Session};

/// Intents, as bits.
pub(crate) const GUILDS: u64 = 1;
pub(crate) const GUILD_MEMBERS: u64 = 1 << 1;
pub(crate) const GUILD_MODERATION: u64 = 1 << 2;

/// Codes of a closed connection.
const AUTHENTICATION_FAILED: u16 = 4004;
const INVALID_SHARD: u16 = 4010;
const DISALLOWED_INTENTS: u16 = 4014;

/// Sessions are started at most once in this time.
const BETWEEN_IDENTIFIES: Duration = Duration::from_secs(5);
/// How long a session without a connection may be resumed.
const RESUMABLE: Duration = Duration::from_secs(120);
/// Sessions that may be started in a day.
const IDENTIFIES_A_DAY: u32 = 1_000;

#[derive(Debug, Default)]
pub(crate) struct Stream {
    sessions: HashMap<String, Session>,
    pub(crate) settings: Settings,
    counts: Counts,
    last_identify: Option<Instant>,
    /// Makes the names of sessions unique.
    started: u64,
}

/// What a test sets beside cutting connections.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The number of shards that the platform recommends.
    pub(crate) shards: u64,
    pub(crate) heartbeat_ms: u64,
    pub(crate) identifies_left: u32,
    /// New connections get no WebSocket.
    pub(crate) refuse: bool,
    /// Heartbeats are not acknowledged.
    pub(crate) deaf: bool,
    /// So many of the next events come twice.
    pub(crate) double: u32,
    /// So many of the next events of each session come in reverse order.
    pub(crate) reorder: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            shards: 1,
            heartbeat_ms: 41_250,
            identifies_left: IDENTIFIES_A_DAY,
            refuse: false,
            deaf: false,
            double: 0,
            reorder: 0,
        }
    }
}

#[derive(Debug, Default, Clone, Copy, Serialize)]
struct Counts {
    identifies: u32,
    /// Refused, because another came less than 5 s before.
    too_early: u32,
    resumes: u32,
    /// Sessions that could not be resumed.
    invalid: u32,
    events: u64,
}

/// IDENTIFY of a client.
#[derive(Debug, Deserialize)]
pub(crate) struct Identify {
    pub(crate) token: String,
    pub(crate) intents: u64,
    pub(crate) shard: Option<(u64, u64)>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Resume {
    pub(crate) token: String,
    pub(crate) session_id: String,
    pub(crate) seq: u64,
}

/// Why no session starts or resumes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Close(u16),
    /// `INVALID_SESSION`: a new one is needed.
    Invalid,
}

impl Stream {
    /// Starts a session. Its first events are for the caller to dispatch: READY and the guilds.
    fn identify(
        &mut self,
        form: &Identify,
        members_intent: bool,
        frames: session::Frames,
    ) -> Result<String, Refused> {
        let shard = form.shard.unwrap_or((0, 1));
        if shard.0 >= shard.1 {
            return Err(Refused::Close(INVALID_SHARD));
        }
        if form.intents & GUILD_MEMBERS != 0 && !members_intent {
            return Err(Refused::Close(DISALLOWED_INTENTS));
        }
        let now = Instant::now();
        if self.last_identify.is_some_and(|last| now < last + BETWEEN_IDENTIFIES) {
            self.counts.too_early += 1;
            return Err(Refused::Invalid);
        }
        let Some(left) = self.settings.identifies_left.checked_sub(1) else { return Err(Refused::Invalid) };
        self.settings.identifies_left = left;
        self.last_identify = Some(now);
        self.counts.identifies += 1;
        self.started += 1;
        let name = format!("session-{}-of-shard-{}", self.started, shard.0);
        self.sessions.insert(name.clone(), Session::new(shard, form.intents, frames));
        Ok(name)
    }

    fn resume(&mut self, form: &Resume, frames: session::Frames) -> Result<(), Refused> {
        self.sessions.retain(|_, session| !session.is_older_than(RESUMABLE));
        let session = self.sessions.get_mut(&form.session_id);
        if session.is_some_and(|session| session.resume(form.seq, frames)) {
            self.counts.resumes += 1;
            return Ok(());
        }
        self.counts.invalid += 1;
        Err(Refused::Invalid)
    }

    /// The connection of a session ended; `ended`: so did the session.
    fn disconnected(&mut self, name: &str, frames: &session::Frames, ended: bool) {
        let Some(session) = self.sessions.get_mut(name).filter(|session| session.is_served_by(frames)) else {
            return;
        };
        session.detach();
        if ended {
            self.sessions.remove(name);
        }
    }

    /// An event for one session.
    fn tell(&mut self, name: &str, event: &'static str, data: Value) {
        if let Some(session) = self.sessions.get_mut(name) {
            self.counts.events += 1;
            session.push(event, data);
        }
    }

    /// An event for all sessions that asked for its kind, of the guild's shard.
    pub(crate) fn dispatch(&mut self, guild: GuildId, intent: u64, event: &'static str, data: &Value) {
        self.send(|session| session.gets(guild, intent), event, data);
    }

    /// An interaction of a guild, or of direct messages, which needs no intent.
    pub(crate) fn interaction(&mut self, guild: Option<GuildId>, data: &Value) {
        self.send(|session| session.has(guild), "INTERACTION_CREATE", data);
    }

    fn send(&mut self, gets: impl Fn(&Session) -> bool, event: &'static str, data: &Value) {
        let Self { sessions, settings, counts, .. } = self;
        for session in sessions.values_mut().filter(|session| gets(session)) {
            counts.events += 1;
            session.hold(settings.reorder, event, data.clone());
            if settings.double > 0 {
                settings.double -= 1;
                session.push(event, data.clone());
            }
        }
    }

    /// Ends all connections: without a word, or with RECONNECT.
    pub(crate) fn cut(&mut self, politely: bool) {
        let frame = || {
            if politely {
                Frame::Text(json!({ "op": 7, "d": null, "s": null, "t": null }))
            } else {
                Frame::Cut
            }
        };
        self.sessions.values_mut().for_each(|session| session.send(frame()));
    }

    /// Ends all sessions, with `INVALID_SESSION` where there is a connection.
    pub(crate) fn invalidate(&mut self) {
        for (_, mut session) in self.sessions.drain() {
            session.send(Frame::Text(invalid_session()));
        }
        // The platform counts a start after this as any other, but a test need not wait for it.
        self.last_identify = None;
    }

    pub(crate) fn report(&self) -> Value {
        let connected = self.sessions.values().filter(|session| session.is_connected()).count();
        let mut report = json!(self.counts);
        report["connected"] = json!(connected);
        report["sessions"] = json!(self.sessions.len());
        report["identifies_left"] = json!(self.settings.identifies_left);
        report
    }
}

fn invalid_session() -> Value {
    json!({ "op": 9, "d": false, "s": null, "t": null })
}
