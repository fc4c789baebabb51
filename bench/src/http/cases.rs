//! The measured requests and the targets of each.

use serde_json::{Value, json};
use testkit::{Guild, Member};
use uuid::Uuid;

use super::floor::Floor;
use super::targets::Target::{self, Ceiling, CpuMicros, Like, Rate, Tail};

/// Staff members of each guild, each with a session.
pub(super) const STAFF: usize = 4;
/// Ids of a Shield batch: the maximum.
const BATCH: usize = 200;
/// Bans in a row before the same are lifted: more than are under way at once.
const BANS: usize = 500;

/// One request, about a guild and one of its members.
pub(super) struct Ask<'a> {
    pub(super) guild: &'a Guild,
    pub(super) index: usize,
    pub(super) member: &'a Member,
    /// Differs from request to request.
    pub(super) n: usize,
}

pub(super) enum Call {
    Get(String),
    Post(String, Value),
}

/// The kinds of requests of a case.
pub(super) enum Requests {
    /// One with each key, repeatedly.
    Each(fn(&Ask) -> Call),
    /// Each guild is asked once.
    Unloaded,
}

pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) requests: Requests,
    /// Other than the usual number.
    pub(super) connections: Option<usize>,
    pub(super) targets: &'static [Target],
}

const fn each(name: &'static str, call: fn(&Ask) -> Call, targets: &'static [Target]) -> Case {
    Case { name, requests: Requests::Each(call), connections: None, targets }
}

const HALF: &[Target] = &[Ceiling(0.5), Tail(2.0)];
const CACHED: &[Target] = &[Ceiling(0.5), Tail(2.0), CpuMicros(15.0)];
const HEARTBEAT: &[Target] = &[Ceiling(0.4), Tail(2.0)];

pub(super) const ALL: &[Case] = &[
    each("ban-status", ban_status, CACHED),
    each("ban-status, unseen", unseen, &[Ceiling(0.5), Tail(2.0), CpuMicros(15.0), Like("ban-status", 0.9)]),
    Case { connections: Some(1_000), ..each("ban-status, 1,000 connections", ban_status, HALF) },
    Case {
        requests: Requests::Unloaded,
        ..each("ban-status, unloaded", ban_status, &[Target::Floor(Floor::Select, 0.5)])
    },
    each(
        "shield check",
        |ask| Call::Get(format!("/shield/check/{}", ask.member.play)),
        &[Ceiling(0.4), Tail(2.0), CpuMicros(15.0)],
    ),
    each(
        "shield batch of 200",
        |ask| {
            let ids: Vec<usize> = (0..BATCH).map(|id| 1 + ask.n % 7 + id * 31).collect();
            Call::Post("/shield/batch".to_owned(), json!({ "play_ids": ids }))
        },
        &[Rate(10_000.0)],
    ),
    each("empty command poll", |ask| Call::Get(format!("/play/servers/s{}/commands", ask.n % 10)), HALF),
    each("tick of 30 players", tick, HEARTBEAT),
    each(
        "players check of 30",
        |ask| {
            Call::Post("/play/players/check".to_owned(), json!({ "place_id": 1, "play_ids": players(ask) }))
        },
        HEARTBEAT,
    ),
    each(
        "server heartbeat",
        |ask| {
            let server = format!("s{}", ask.n % 10);
            let body = json!({ "server_id": server, "place_id": 1, "universe_id": 2, "player_count": 3 });
            Call::Post("/play/servers/heartbeat".to_owned(), body)
        },
        HEARTBEAT,
    ),
    each(
        "staff heartbeat",
        |ask| {
            let session = session(ask.index, ask.n);
            Call::Post("/staff/play/heartbeat".to_owned(), json!({ "session_id": session }))
        },
        HEARTBEAT,
    ),
    each("lookup", |ask| Call::Get(format!("/lookup/chat/{}", ask.member.chat)), HALF),
    each(
        "staff verify",
        |ask| Call::Post("/staff/play/verify".to_owned(), json!({ "play_id": ask.member.play })),
        HALF,
    ),
    each(
        "play permissions",
        |ask| Call::Get(format!("/guilds/{}/staff/play/{}/permissions", ask.guild.id, ask.member.play)),
        HALF,
    ),
    each(
        "active bans",
        |ask| Call::Get(format!("/moderation/{}/play/bans/active", ask.guild.id)),
        &[Rate(5_000.0)],
    ),
    each("ban", |ask| ban(ask, ask.n), &[Target::Floor(Floor::Commit, 0.4)]),
    each(
        "ban and unban",
        |ask| {
            let whom = ask.n / (2 * BANS) * BANS + ask.n % BANS;
            if (ask.n / BANS).is_multiple_of(2) { ban(ask, whom) } else { unban(ask, whom) }
        },
        &[Target::Floor(Floor::Commit, 0.4)],
    ),
];

/// The session of a staff member of this guild.
pub(super) fn session(guild: usize, n: usize) -> Uuid {
    Uuid::from_u128((guild * STAFF + n % STAFF + 1) as u128)
}

fn ban_status(ask: &Ask) -> Call {
    Call::Get(format!("/moderation/{}/ban-status/{}", ask.guild.id, ask.member.play))
}

/// Players of a server, some of them members.
fn players(ask: &Ask) -> Vec<i64> {
    let members = ask.guild.members.iter().map(|member| member.play).skip(ask.n % 10).step_by(10);
    members.take(10).chain((0..20).map(|n| 6_000_000_000 + n)).collect()
}

fn tick(ask: &Ask) -> Call {
    let body = json!({ "server_id": format!("s{}", ask.n % 10), "place_id": 1, "universe_id": 2,
                       "sequence": 2 + ask.n / 10, "players": players(ask) });
    Call::Post("/play/servers/tick".to_owned(), body)
}

/// No guild has a member with such an id.
fn unseen(ask: &Ask) -> Call {
    let id = 7_000_000_000_000 + ask.n * 104_729;
    Call::Get(format!("/moderation/{}/ban-status/{id}", ask.guild.id))
}

fn ban(ask: &Ask, whom: usize) -> Call {
    sanction(ask, "ban", whom)
}

fn unban(ask: &Ask, whom: usize) -> Call {
    sanction(ask, "unban", whom)
}

fn sanction(ask: &Ask, verb: &str, whom: usize) -> Call {
    let body = json!({ "identifier": (91_000_000 + whom).to_string(), "reason": "exploiting",
                       "moderator_id": ask.guild.members[0].chat });
    Call::Post(format!("/moderation/{}/play/{verb}", ask.guild.id), body)
}
