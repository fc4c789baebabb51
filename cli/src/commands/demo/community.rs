//! Data of the simulated community beside its members, so that no page of the console is empty: staff, bans
//! and applications of the last weeks, and game servers that are live while the demo runs.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::Context as _;
use chrono::{SecondsFormat, TimeDelta};
use entities::sanction::history::{self, Filter};
use entities::staff_action::{ActionType, NewAction};
use entities::{GuildId, Page, PlayId, SanctionKind, Timestamp, approval};
use futures_util::future::join_all;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use super::expected::Expected;
use super::http_client::HttpClient;

/// A tick is held back for so long, in seconds, while nothing happens.
const LONGEST_WAIT: u32 = 20;
const AFTER_FAILURE: Duration = Duration::from_secs(5);
const PLACE: &str = "1818";
const UNIVERSE: &str = "99";
/// Servers with their place and the number of their players at the start.
const SERVERS: [(&str, &str, usize); 3] =
    [("arena-1", PLACE, 18), ("arena-2", PLACE, 11), ("lobby-1", "1820", 34)];
/// The members after the owner are staff.
const STAFF: usize = 5;
const ON_DUTY: usize = 2;
/// The first member who was banned; the others follow.
const FIRST_BANNED: usize = 120;
/// Days ago, duration of the ban in days (0: permanent), reason.
const BANS: [(i64, i64, &str); 14] = [
    (29, 0, "Exploiting: speed hack"),
    (26, 60, "Scamming in trades"),
    (24, 30, "Harassment in voice chat"),
    (23, 0, "Exploiting: aim assistance"),
    (19, 30, "Advertising another server"),
    (18, 0, "Account of a banned player"),
    (14, 90, "Threats against staff"),
    (13, 0, "Exploiting: flying"),
    (9, 14, "Spam"),
    (8, 0, "Sold game items for money"),
    (5, 30, "Griefing after a warning"),
    (3, 0, "Exploiting: item duplication"),
    (2, 14, "Insults"),
    (1, 7, "Spam"),
];
/// A member, a reason, and how long the mute lasts, in seconds.
const MUTES: [(usize, &str, u32); 3] =
    [(160, "Caps and spam in chat", 3_600), (161, "Insults", 86_400), (162, "Spoilers", 7_200)];

/// The fixture with all of it except the servers.
pub(super) fn fixture(text: &str, now: Timestamp) -> anyhow::Result<String> {
    let mut file: Value = serde_json::from_str(text).context("the demo's fixture cannot be read")?;
    let guild = &mut file["guilds"][0];
    let chat = |guild: &Value, member: usize| guild["links"][member]["chat_id"].clone();
    let ago = |days| time(now - TimeDelta::days(days));
    let roles = json!([
        { "role_id": "7000000000000001003", "role_name": "Moderator", "play_permissions": ["kick", "ban", "mute", "warn"],
          "permissions": ["lookup.read", "moderation.read", "moderation.write", "staff.read", "audit.read"] },
        { "role_id": "7000000000000001002", "role_name": "Helper", "play_permissions": ["kick", "warn"],
          "permissions": ["lookup.read", "moderation.read"] },
    ]);
    let staff = (1..=STAFF).map(|member| {
        let role = &roles[usize::from(member > 3)]["role_id"];
        json!({ "chat_id": chat(guild, member), "role_id": role, "joined_at": ago(200) })
    });
    let staff: Vec<_> = staff.collect();
    let bans = BANS.iter().enumerate().map(|(place, (days, lasts, reason))| {
        let ends = (*lasts > 0).then(|| ago(days - lasts));
        json!({ "identifier": guild["links"][FIRST_BANNED + place]["play_id"].to_string(), "reason": reason,
                "moderator_id": chat(guild, 1 + place % 3), "created_at": ago(*days), "expires_at": ends })
    });
    let bans: Vec<_> = bans.collect();
    let submission = |number: usize, answer: &str| {
        json!({ "panel_id": 1, "submission_id": number, "chat_id": chat(guild, 200 + number),
                "answers": { "Why do you want to help?": answer, "Hours a week": (5 * number).to_string() } })
    };
    let submissions =
        json!([submission(1, "I am here every evening."), submission(2, "I was staff of another game.")]);
    guild["submissions"] = submissions;
    guild["panels"] = json!([{ "panel_id": 1, "name": "Helpers", "questions": [
        { "label": "Why do you want to help?", "kind": "paragraph", "required": true },
        { "label": "Hours a week", "kind": "choice", "options": ["5", "10", "20"], "required": true },
    ] }]);
    guild["bans"] = bans.into();
    guild["staff"] = staff.into();
    guild["staff_roles"] = roles;
    Ok(file.to_string())
}

fn time(at: Timestamp) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Game servers with staff on duty, and what staff did today.
pub(super) struct GameServers<'e> {
    api: &'e HttpClient,
    sessions: Vec<Value>,
    /// On each server, and those who come and go.
    players: [Vec<PlayId>; SERVERS.len()],
}

impl<'e> GameServers<'e> {
    pub(super) async fn open(api: &'e HttpClient, expected: &Expected) -> anyhow::Result<Self> {
        let members = &expected.members;
        let mut servers = Self { api, sessions: Vec::new(), players: players(expected) };
        for (server, _) in SERVERS.iter().enumerate() {
            servers.tick(server, 1, &Value::Null, &HashSet::new()).await?;
        }
        for member in &members[1..=ON_DUTY] {
            let found = api.get(&format!("/lookup/chat/{}", member.chat_id)).await?;
            let session =
                json!({ "play_id": found["data"]["play_id"], "place_id": PLACE, "server_id": SERVERS[0].0 });
            let started = api.post("/staff/play/session/start", &session).await?;
            servers.sessions.push(started["data"]["session_id"].clone());
        }
        for (member, reason, seconds) in MUTES {
            let mute = json!({ "identifier": members[member].chat_id, "reason": reason, "duration_seconds": seconds,
                               "moderator_id": members[1 + member % 3].chat_id });
            api.post(&format!("/moderation/{}/play/mute", expected.guild), &mute).await?;
        }
        Ok(servers)
    }

    /// The servers are live, and run their commands, for as long as it is polled.
    pub(super) async fn stay(&self) {
        join_all((0..SERVERS.len()).map(|server| self.run(server))).await;
    }

    async fn run(&self, server: usize) {
        let (mut answer, mut kicked) = (Value::Null, HashSet::new());
        for sequence in 2_u32.. {
            match self.tick(server, sequence, &answer, &kicked).await {
                Ok(next) => answer = next,
                Err(error) => tracing::warn!(%error, "a tick of a game server of the demo failed"),
            }
            let commands = answer["commands"].as_array().into_iter().flatten();
            let kicks = commands.filter(|command| command["type"] == "kick");
            kicked.extend(kicks.filter_map(|kick| kick["target_id"].as_str()?.parse::<PlayId>().ok()));
            tokio::time::sleep(
                answer["next_in_seconds"].as_f64().map_or(AFTER_FAILURE, Duration::from_secs_f64),
            )
            .await;
        }
    }

    /// Tells who is there, and what became of the commands of the last answer. Staff are on the first server.
    async fn tick(
        &self,
        server: usize,
        sequence: u32,
        last: &Value,
        kicked: &HashSet<PlayId>,
    ) -> anyhow::Result<Value> {
        let ((name, place, count), players) = (SERVERS[server], &self.players[server]);
        // Some come and go.
        let here = players.iter().take(count + sequence as usize * 7 % 5);
        let here: Vec<_> = here.filter(|player| !kicked.contains(player)).collect();
        let commands = last["commands"].as_array().into_iter().flatten();
        let results: Vec<_> = commands
            .map(|command| json!({ "command_id": command["id"], "status": "ok", "message": "done" }))
            .collect();
        let mut tick = json!({
            "server_id": name, "place_id": place, "universe_id": UNIVERSE, "sequence": sequence,
            "players": here, "results": results, "wait_seconds": LONGEST_WAIT,
            "sessions": if server == 0 { self.sessions.as_slice() } else { &[] },
        });
        if let Some(state) = last["state"].as_str() {
            tick["since"] = state.into();
        }
        Ok(self.api.post("/play/servers/tick", &tick).await?["data"].take())
    }
}

/// Each server has somebody who is not linked, and somebody who is muted. Staff are on the first one.
fn players(expected: &Expected) -> [Vec<PlayId>; SERVERS.len()] {
    let mut members = expected.members.iter().skip(1).map(|member| member.play_id);
    let mut strangers = expected.strangers.iter().copied();
    let mut muted = MUTES.iter().map(|(member, ..)| expected.members[*member].play_id);
    SERVERS.map(|(_, _, count)| {
        let first = strangers.next().into_iter().chain(muted.next());
        first.chain(members.by_ref().take(count + 2)).collect()
    })
}

/// The bans of the fixture count for those who imposed them, as they would have at the time.
pub(super) async fn count_bans(
    conn: &impl ConnectionTrait,
    guild: GuildId,
    now: Timestamp,
) -> anyhow::Result<()> {
    let mut bans =
        history::list(conn, guild, Filter::of(SanctionKind::Ban), Page::first(BANS.len() as u64), now)
            .await?;
    bans.sort_by_key(|ban| ban.created_at);
    for ban in bans {
        let action = NewAction {
            guild,
            staff: ban.moderator_id,
            action_type: ActionType::Ban,
            target: ban.subject().map(|subject| subject.to_string()).unwrap_or_default(),
            details: json!({ "id": ban.sanction_id, "reason": ban.reason }),
            session: None,
            counts: true,
        };
        approval::record(conn, vec![action], ban.created_at).await?;
    }
    Ok(())
}
