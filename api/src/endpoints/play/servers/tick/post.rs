//! POST /play/servers/tick (docs/rules.md 7): the one call that a game server needs.
//!
//! Its answer says everything about the players who are there, so there are no changes that a server could miss, and a
//! tick may be repeated at any time. It is made in memory; results of commands, and a server's row every 30 s, are written.

use std::collections::BTreeSet;
use std::time::Duration;

use entities::game_server::{self, Heartbeat};
use entities::{CommandId, GuildId, PlaceId, PlayId, UniverseId};
use runtime::Event;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use crate::auth::admission;
use crate::auth::server::sharer;
use crate::cache::commands::{Command, OwnServer};
use crate::endpoints::play::players::entry::{self, PlayerEntry};
use crate::endpoints::play::servers::presence::{self, PLAYERS_MAX};
use crate::endpoints::play::servers::tick::results::{self, CommandResult};
use crate::endpoints::prelude::*;
use crate::limits::next_tick::{Held, Ticks};
use crate::limits::rate_limit::RateLimit;
use crate::live::held::HeldTick;
use crate::request::game_values::ServerId;
use crate::request::values::{Batch, List, OrTest, Whole};
use crate::response::error::Kind;

/// A server's row is written at most this often.
const WRITE_INTERVAL: Duration = Duration::from_secs(30);

/// Changes of one moment, such as a ban and its command, go into one answer.
const GATHERS: Duration = Duration::from_millis(50);

const ABOUT: &str = "Tells who is there and what was done, and answers what is true about them. A player of `players` \
     who is not in the answer is neither banned, muted, flagged nor staff. Send the next one \
     `next_in_seconds` after the answer: the service spreads the servers of a key, so that its limit is never reached. \
     Every tick may be repeated. With `since` and `wait_seconds` the answer is held back until something changes: a \
     ban then takes effect at once.";

request! {
    pub(crate) struct Tick {
        server_id: ServerId,
        place_id: PlaceId,
        universe_id: UniverseId,
        /// 1 for the first tick of a server, and one more for each further one.
        #[example(1)]
        sequence: Whole<1, { i32::MAX }>,
        /// Everyone who is there: the list of players of the server, and whom bans and mutes are told of. Without it the
        /// service knows only how many they are.
        players: Option<List<OrTest<PlayId>, 1_000>>,
        /// Who joined since the last tick; they are listed in any case.
        joined: Option<Batch<OrTest<PlayId>>>,
        /// Default: the number of `players`.
        player_count: Option<Whole<0, PLAYERS_MAX>>,
        /// Of commands that were run; to be sent until the answer has them in `acknowledged`.
        results: Option<Batch<CommandResult>>,
        /// Staff sessions that are alive; it counts as their heartbeat.
        #[example(json!(["0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e"]))]
        sessions: Option<Batch<Text<100>>>,
        /// The `state` of the last answer.
        #[example("9f86d081884c7d65")]
        since: Option<Text<100>>,
        /// With `since`: how long the answer may be held back while nothing changes. Default: 0.
        wait_seconds: Option<Whole<0, 20>>,
        /// The server shuts down: it is forgotten, with its commands.
        closing: Option<bool>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Ticked {
    guild_id: GuildId,
    /// To be sent as `since`; the same while nothing changes.
    #[schema(example = "9f86d081884c7d65")]
    state: String,
    /// From this answer to the next tick.
    #[schema(minimum = 0, example = 10.25)]
    next_in_seconds: f64,
    #[serde(flatten)]
    seen: Seen,
    /// Commands whose results were recorded, or that are not known.
    acknowledged: Vec<CommandId>,
}

/// What is true about the server and its players.
#[derive(Serialize, ToSchema)]
pub(crate) struct Seen {
    /// Those of `joined`, and those of `players` of whom there is something to say.
    players: Vec<PlayerEntry>,
    /// To be run, oldest first; repeated until their results were sent.
    commands: Vec<Command>,
    /// Those of `sessions` that are not open any more.
    #[schema(example = json!([]))]
    ended_sessions: Vec<String>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("tick", "Tick of a game server").about(ABOUT).body::<Tick>().data::<Ticked>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let tick: Tick = call.body()?;
    let mut tick = Sent::of(tick, call.guild());
    call.state.held.end(call.guild(), &tick.server.1);
    let (began, who) = (Instant::now(), sharer(&tick.server.1));
    let (acknowledged, mut stale) =
        results::record(&call, &tick.server, std::mem::take(&mut tick.results)).await?;
    let ticks = ticks(&call)?;
    if tick.closing {
        close(&call, &tick.server).await?;
        ticks.ends(who);
    } else {
        ticks.holds(who, tick.wait);
        stale |= hear(&call, &tick).await?;
    }
    let hold = || call.state.held.hold(call.guild(), &tick.server.1, &tick.present);
    let held = (!tick.wait.is_zero()).then(hold);
    let (seen, state, old) = tick.answer(&call, held.as_ref(), began + tick.wait).await?;
    let held = Held { time: began.elapsed(), early: began.elapsed() < tick.wait };
    let next = if tick.closing { Duration::ZERO } else { ticks.next(who, (!tick.first).then_some(held)) };
    let next_in_seconds = (next.as_secs_f64() * 100.0).ceil() / 100.0;
    let ticked = Ticked { guild_id: call.guild(), state, next_in_seconds, seen, acknowledged };
    Ok(Reply::data(&ticked)?.stale_if(stale || old))
}

/// The limit of later ticks, also for the first one.
fn ticks(call: &Call) -> Result<Ticks<'_>, ApiError> {
    let key = call.caller.key().ok_or_else(|| ApiError::forbidden("no_right", "only a key sends ticks"))?;
    let (limit, limits) = (RateLimit::ServerTick, &call.state.context.limits);
    Ok(Ticks { limits, counter: admission::counter(limit, key), rate: key.rate(limit) })
}

/// A tick as it is used.
struct Sent {
    server: OwnServer,
    heartbeat: (PlaceId, UniverseId, i32),
    first: bool,
    /// Those who joined come first.
    present: Vec<PlayId>,
    /// Whether these are all who are there.
    lists: bool,
    joined: usize,
    results: Vec<CommandResult>,
    sessions: Vec<String>,
    since: Option<String>,
    wait: Duration,
    closing: bool,
}

impl Sent {
    fn of(tick: Tick, guild: GuildId) -> Self {
        let lists = tick.players.is_some();
        let players = tick.players.map(|List(players)| players).unwrap_or_default();
        let joined = tick.joined.map(|List(joined)| joined).unwrap_or_default();
        let count = i32::try_from(players.len()).unwrap_or(PLAYERS_MAX);
        let count = tick.player_count.map_or(count, |Whole(count)| count);
        let known = entry::players(joined.iter().copied()).len();
        let closing = tick.closing.unwrap_or_default();
        let wait = tick.wait_seconds.map_or(0, |Whole(seconds)| u64::from(seconds.unsigned_abs()));
        // Those who joined are told about at once.
        let held = known == 0 && !closing;
        Self {
            server: (guild, tick.server_id.0),
            heartbeat: (tick.place_id, tick.universe_id, count),
            first: tick.sequence.0 == 1,
            joined: known,
            lists,
            present: entry::players(joined.into_iter().chain(players)),
            results: tick.results.map(|List(results)| results).unwrap_or_default(),
            sessions: tick.sessions.into_iter().flat_map(|List(all)| all).map(|Text(id)| id).collect(),
            wait: if held && tick.since.is_some() { Duration::from_secs(wait) } else { Duration::ZERO },
            since: tick.since.map(|Text(since)| since),
            closing,
        }
    }

    /// What is true now, or as soon as it differs from what the server knows, and whether it is from memory because the
    /// database is away.
    async fn answer(
        &self,
        call: &Call,
        held: Option<&HeldTick<'_>>,
        until: Instant,
    ) -> Result<(Seen, String, bool), ApiError> {
        let stops = call.state.context.shutdown.soft();
        loop {
            let (seen, stale) = self.look(call).await?;
            let state = state_of(&seen)?;
            let over = self.since.as_ref() != Some(&state) || Instant::now() >= until || stops.is_cancelled();
            let Some(held) = held.filter(|held| !over && !held.is_over()) else {
                return Ok((seen, state, stale));
            };
            let ends = seen.players.iter().filter_map(PlayerEntry::ends_at).min();
            let ends =
                ends.map_or(until, |end| Instant::now() + (end - call.now()).to_std().unwrap_or_default());
            tokio::select! {
                () = held.woken() => tokio::time::sleep(GATHERS).await,
                () = tokio::time::sleep_until(ends.min(until)) => {}
                () = stops.cancelled() => {}
            }
        }
    }

    async fn look(&self, call: &Call) -> Result<(Seen, bool), ApiError> {
        let (context, caches, now) = (&call.state.context, &call.state.caches, call.now());
        let place = Some(self.heartbeat.0);
        let (players, old) = entry::of(call, &self.present, self.joined, place).await?;
        let (commands, old_commands) = if self.closing {
            Default::default()
        } else {
            caches.commands.of_or_stale(context, &self.server, now).await?
        };
        let mut ended_sessions = Vec::new();
        for session in &self.sessions {
            // A text that is no id is an unknown session.
            let own = session.parse().map(|id| (call.guild(), id));
            let Ok(own) = own else {
                ended_sessions.push(session.clone());
                continue;
            };
            match caches.sessions.heartbeat(context, own, now).await.map_err(ApiError::from) {
                Ok(Some(true)) => call.state.heartbeats.note_session(own, now),
                Ok(_) => ended_sessions.push(session.clone()),
                // Not known while the database is away.
                Err(error) if error.kind() == Kind::Unavailable => {}
                Err(error) => return Err(error),
            }
        }
        Ok((Seen { players, commands: commands.to_vec(), ended_sessions }, old || old_commands))
    }
}

fn state_of(seen: &Seen) -> Result<String, ApiError> {
    if seen.players.is_empty() && seen.commands.is_empty() && seen.ended_sessions.is_empty() {
        return Ok("nothing".to_owned());
    }
    let hash = Sha256::digest(serde_json::to_vec(seen)?);
    Ok(hex::encode(&hash[..8]))
}

/// Records that the server is there. Whether the database is away: a later tick records it. One beyond the guild's cap is
/// answered, but not listed.
async fn hear(call: &Call, tick: &Sent) -> Result<bool, ApiError> {
    if !presence::is_due(call, &tick.server, tick.lists, WRITE_INTERVAL) {
        return Ok(false);
    }
    let ((guild, server), (place, universe, player_count)) = (tick.server.clone(), tick.heartbeat);
    let players = tick.lists.then(|| tick.present.iter().copied().collect::<BTreeSet<_>>());
    let players = players.map(|players| players.into_iter().collect());
    let heartbeat = Heartbeat { guild, server, place, universe, player_count, players, at: call.now() };
    match presence::hear(call, heartbeat).await {
        Err(error) if error.kind() == Kind::Unavailable => Ok(true),
        Err(error) if error.kind() == Kind::Rule => Ok(false),
        heard => heard.map(|()| false),
    }
}

/// Forgets the server: no command is queued for it any more.
async fn close(call: &Call, server: &OwnServer) -> Result<(), ApiError> {
    call.state.caches.known_servers.remove(server);
    call.state.heartbeats.forget_server(server);
    let mut work = UnitOfWork::begin(call).await?;
    if game_server::remove(work.tx(), server.0, &server.1).await? {
        work.announce([Event::CommandAcknowledged { guild: server.0, server_id: server.1.clone() }]);
        work.finish().await?;
    }
    Ok(())
}
