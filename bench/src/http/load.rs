//! The product's data before it is measured, and the prepared requests.

use chrono::TimeDelta;
use entities::{SessionId, staff_session};
use runtime::Clock;
use sea_orm::{EntityTrait, IntoActiveModel};
use serde_json::{Value, json};
use testkit::{Deployment, Fixture, Guild, Mode, Setup, key_with};

use super::cases::{Ask, Call, STAFF, session};

/// Keys of each guild at most: rate limits count by key, and only those of hot paths are lifted.
pub(crate) const KEYS: usize = 1_000;
/// So that the sweep of silent sessions leaves them open.
const SESSION: TimeDelta = TimeDelta::days(1);
/// Rows of a statement.
pub(super) const ROWS: usize = 1_000;

/// So that no rate limit is reached on hot paths.
const UNLIMITED: &str = "UPDATE api_key SET hot_path_factor = 1000";

/// Rows of each guild beside the fixture.
pub(crate) struct Each {
    pub(crate) keys: usize,
    pub(crate) bans: usize,
}

/// A deployment with that fixture, none of whose processes runs yet, and no rate limit on hot paths.
pub(crate) async fn deployment(embedded: bool, fixture: Fixture, each: Each) -> Deployment {
    deployment_of(Setup::new(Mode::embedded_if(embedded)), fixture, each).await
}

/// The same with other settings.
pub(crate) async fn deployment_of(setup: Setup, fixture: Fixture, each: Each) -> Deployment {
    // JSON is what a process writes where no terminal is.
    let setup = setup.env("RUST_LOG", "error").env("GUILDHALL_LOG_FORMAT", "json");
    let file = file(&fixture, each);
    let deployment = Deployment::seeded_with(setup, fixture, &file).await;
    deployment.execute(UNLIMITED).await;
    deployment
}

/// The fixture with its keys and bans, as `guildhall seed` reads it.
fn file(fixture: &Fixture, each: Each) -> Value {
    let mut file = fixture.json();
    for (index, guild) in fixture.guilds.iter().enumerate() {
        let owner = &guild.members[0].chat;
        let key = |n| json!({ "name": format!("load {n}"), "text": text(index, n), "owner_id": owner });
        let ban = |n: usize| {
            json!({ "identifier": (90_000_000 + n).to_string(), "reason": "exploiting", "moderator_id": owner,
                    "created_at": "2026-04-12T18:33:21Z" })
        };
        let guild = &mut file["guilds"][index];
        guild["keys"] = (0..each.keys).map(key).collect();
        guild["bans"] = (0..each.bans).map(ban).collect();
    }
    file
}

pub(crate) fn text(guild: usize, key: usize) -> String {
    // Of 300,000 hashes two would be the same.
    key_with(&format!("{:08x}", guild * KEYS + key), guild, &format!("load {key}"))
}

/// Opens the sessions.
pub(super) async fn open_sessions(deployment: &Deployment) -> anyhow::Result<()> {
    let (mut rows, now) = (Vec::new(), Clock::system().now());
    for (index, guild) in deployment.fixture.guilds.iter().enumerate() {
        for (n, member) in guild.members.iter().enumerate().take(STAFF) {
            let row = staff_session::Model {
                session_id: SessionId(session(index, n)),
                guild_id: guild.id.parse()?,
                staff_id: member.chat.parse()?,
                play_id: member.play.try_into()?,
                place_id: 1.try_into()?,
                server_id: "s1".to_owned(),
                started_second: now.into(),
                heartbeat_second: (now + SESSION).into(),
                ended_second: None,
            };
            rows.push(row.into_active_model());
        }
    }
    let connection = deployment.connect().await;
    for rows in rows.chunks(ROWS) {
        staff_session::Entity::insert_many(rows.to_vec()).exec_without_returning(&connection).await?;
    }
    Ok(connection.close().await?)
}

/// One request with each key, in their wire format. Neighbours are about different guilds.
pub(super) fn requests(call: fn(&Ask) -> Call, fixture: &Fixture, keys: usize) -> Vec<String> {
    let guilds = fixture.guilds.iter().enumerate();
    let all = (0..keys).flat_map(|key| guilds.clone().map(move |(index, guild)| (index, guild, key)));
    let request = |(index, guild, key): (usize, &Guild, usize)| {
        let member = &guild.members[key * 37 % guild.members.len()];
        let n = key * fixture.guilds.len() + index;
        wire(&call(&Ask { guild, index, member, n }), &text(index, key))
    };
    all.map(request).collect()
}

/// A request in its wire format.
pub(super) fn wire(call: &Call, key: &str) -> String {
    let head = format!("Host: bench\r\nX-API-Key: {key}\r\n");
    match call {
        Call::Get(path) => format!("GET {path} HTTP/1.1\r\n{head}\r\n"),
        Call::Post(path, body) => {
            let body = body.to_string();
            let length = body.len();
            format!(
                "POST {path} HTTP/1.1\r\n{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
            )
        }
    }
}
