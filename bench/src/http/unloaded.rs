//! Guilds whose bans are not in memory: each has one key, which is, and is checked once.

use entities::api_key::{self, Scopes};
use entities::key_text::KeyText;
use entities::{GuildId, guild};
use runtime::Clock;
use sea_orm::ActiveValue::Set;
use sea_orm::{ConnectionTrait, EntityTrait, IntoActiveModel};
use testkit::{Deployment, guild_row};

use super::cases::Call;
use super::load::{ROWS, wire};

/// Guilds of a round, more than are checked in its one second.
pub(super) const GUILDS: usize = 60_000;
/// Seconds in which the keys of a round are asked for.
pub(super) const KEYS_LOAD_WITHIN: u64 = 12;

const FIRST: i64 = 8_000_000_000_000_000_000;

/// Adds the guilds of all rounds. Returns the requests of each round.
pub(super) async fn add(deployment: &Deployment, rounds: usize) -> anyhow::Result<Vec<Vec<String>>> {
    let connection = deployment.connect().await;
    let ids = (FIRST..).take(rounds * GUILDS);
    let all: Vec<_> =
        ids.map(|id| Ok((id.try_into()?, KeyText::generate()))).collect::<anyhow::Result<_>>()?;
    for chunk in all.chunks(ROWS) {
        insert(&connection, chunk).await?;
    }
    connection.close().await?;
    let request = |(guild, key): &(GuildId, KeyText)| {
        wire(&Call::Get(format!("/moderation/{guild}/ban-status/77")), &key.reveal())
    };
    Ok(all.chunks(GUILDS).map(|round| round.iter().map(request).collect()).collect())
}

/// The same keys in calls that read nothing of their guild.
pub(super) fn other_calls(requests: &[String]) -> Vec<String> {
    let other = |request: &String| {
        let rest = request.split_once(" HTTP/1.1").map_or("", |(_, rest)| rest);
        format!("GET /shield/check/77 HTTP/1.1{rest}")
    };
    requests.iter().map(other).collect()
}

async fn insert(conn: &impl ConnectionTrait, all: &[(GuildId, KeyText)]) -> anyhow::Result<()> {
    let now = Clock::system().now();
    let guilds = all.iter().map(|(id, _)| guild_row(*id, now).into_active_model());
    let keys = all.iter().map(|(guild, text)| {
        Ok(api_key::ActiveModel {
            guild_id: Set(*guild),
            public_id: Set(text.public_id().to_owned()),
            secret_hash: Set(text.secret_hash().to_vec()),
            name: Set("load".to_owned()),
            owner_id: Set(9.try_into()?),
            scopes: Set(Scopes::default_set().to_string()),
            created_at: Set(now),
            hot_path_factor: Set(1),
            ..Default::default()
        })
    });
    let keys: Vec<_> = keys.collect::<anyhow::Result<_>>()?;
    guild::Entity::insert_many(guilds).exec_without_returning(conn).await?;
    api_key::Entity::insert_many(keys).exec_without_returning(conn).await?;
    Ok(())
}
