//! The measured requests, and the guilds they are about.

use serde_json::{Value, json};
use testkit::{Fixture, Guild, Member, key_text};

/// Keys of each guild: rate limits count by key.
const KEYS: usize = 100;

/// So that no rate limit is reached on hot paths.
pub(crate) const UNLIMITED: &str = "UPDATE api_key SET hot_path_factor = 1000";

pub(super) struct Case {
    pub(super) name: &'static str,
    /// The path of a GET, for a member and a number that differs from request to request.
    path: fn(&Guild, &Member, usize) -> String,
    /// The body of a POST instead.
    body: Option<fn(&Member, usize) -> Value>,
}

const fn get(name: &'static str, path: fn(&Guild, &Member, usize) -> String) -> Case {
    Case { name, path, body: None }
}

pub(super) const ALL: &[Case] = &[
    get("ban-status", |guild, member, _| format!("/moderation/{}/ban-status/{}", guild.id, member.play)),
    // No guild has a member with such an id.
    get("ban-status, unseen", |guild, _, n| {
        format!("/moderation/{}/ban-status/{}", guild.id, 7_000_000_000_000_usize + n * 104_729)
    }),
    get("mute-status", |guild, member, _| format!("/moderation/{}/mute-status/{}", guild.id, member.play)),
    get("shield check", |_, member, _| format!("/shield/check/{}", member.play)),
    get("empty command poll", |_, _, n| format!("/play/servers/s{}/commands", n % 10)),
    Case {
        name: "server heartbeat",
        path: |_, _, _| "/play/servers/heartbeat".to_owned(),
        body: Some(
            |_, n| json!({ "server_id": format!("s{}", n % 10), "place_id": 1, "universe_id": 2, "player_count": 3 }),
        ),
    },
    get("lookup", |_, member, _| format!("/lookup/chat/{}", member.chat)),
    Case {
        name: "staff verify",
        path: |_, _, _| "/staff/play/verify".to_owned(),
        body: Some(|member, _| json!({ "play_id": member.play })),
    },
    get("play permissions", |guild, member, _| {
        format!("/guilds/{}/staff/play/{}/permissions", guild.id, member.play)
    }),
    get("active bans", |guild, _, _| format!("/moderation/{}/play/bans/active", guild.id)),
    get("members", |guild, _, _| format!("/guilds/{}/members", guild.id)),
];

/// The fixture with its keys and bans, as `guildhall seed` reads it.
pub(crate) fn load(fixture: &Fixture, bans: usize) -> Value {
    let mut file = fixture.json();
    for (index, guild) in fixture.guilds.iter().enumerate() {
        let owner = &guild.members[0].chat;
        let key = |n| json!({ "name": format!("load {n}"), "text": text(index, n), "owner_id": owner });
        let ban = |n: usize| {
            json!({ "identifier": (90_000_000 + n).to_string(), "reason": "exploiting", "moderator_id": owner,
                    "created_at": "2026-04-12T18:33:21Z" })
        };
        let guild = &mut file["guilds"][index];
        guild["keys"] = (0..KEYS).map(key).collect();
        guild["bans"] = (0..bans).map(ban).collect();
    }
    file
}

fn text(guild: usize, key: usize) -> String {
    key_text(guild, &format!("load {key}"))
}

impl Case {
    /// One request with each key, in the form in which they go over the wire.
    pub(super) fn requests(&self, fixture: &Fixture) -> Vec<String> {
        let mut requests = Vec::new();
        for (index, guild) in fixture.guilds.iter().enumerate() {
            for n in 0..KEYS {
                let number = index * KEYS + n;
                let member = &guild.members[n * 37 % guild.members.len()];
                let path = (self.path)(guild, member, number);
                let key = format!("Host: bench\r\nX-API-Key: {}\r\n", text(index, n));
                requests.push(match self.body {
                    None => format!("GET {path} HTTP/1.1\r\n{key}\r\n"),
                    Some(body) => {
                        let body = body(member, number).to_string();
                        let length = body.len();
                        format!(
                            "POST {path} HTTP/1.1\r\n{key}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
                        )
                    }
                });
            }
        }
        requests
    }
}
