//! Guilds that the product has never heard of: each has one key and is asked about once, so nothing of it is in memory.

use entities::api_key::{self, Scopes};
use entities::key_text::KeyText;
use entities::{GuildId, guild};
use runtime::Clock;
use sea_orm::ActiveValue::Set;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, IntoActiveModel};
use testkit::{Deployment, guild_row, key_text};

use super::cases::Call;
use super::load::wire;

/// Guilds of a round, more than are asked about in its one second.
pub(super) const GUILDS: usize = 40_000;

const FIRST: i64 = 8_000_000_000_000_000_000;
/// Rows of a statement.
const ROWS: usize = 1_000;

/// Adds the guilds of all rounds. Returns the requests of each round.
pub(super) async fn add(deployment: &Deployment, rounds: usize) -> anyhow::Result<Vec<Vec<String>>> {
    let connection = deployment.connect().await;
    let numbers: Vec<usize> = (0..rounds * GUILDS).collect();
    for chunk in numbers.chunks(ROWS) {
        insert(&connection, chunk).await?;
    }
    connection.close().await?;
    let request = |number: &usize| {
        let path = format!("/moderation/{}/ban-status/77", FIRST + i64::try_from(*number)?);
        anyhow::Ok(wire(&Call::Get(path), &text(*number), ""))
    };
    numbers.chunks(GUILDS).map(|round| round.iter().map(request).collect()).collect()
}

async fn insert(conn: &impl ConnectionTrait, numbers: &[usize]) -> anyhow::Result<()> {
    let (now, mut guilds, mut keys) = (Clock::system().now(), Vec::new(), Vec::new());
    for number in numbers {
        let id = GuildId::try_from(FIRST + i64::try_from(*number)?)?;
        let text =
            KeyText::parse(&text(*number)).ok_or_else(|| DbErr::Custom("a malformed key".to_owned()))?;
        guilds.push(guild_row(id, now).into_active_model());
        keys.push(api_key::ActiveModel {
            guild_id: Set(id),
            public_id: Set(text.public_id().to_owned()),
            secret_hash: Set(text.secret_hash().to_vec()),
            name: Set("load".to_owned()),
            owner_id: Set(9.try_into()?),
            scopes: Set(Scopes::default_set().to_string()),
            created_at: Set(now),
            hot_path_factor: Set(1),
            ..Default::default()
        });
    }
    guild::Entity::insert_many(guilds).exec_without_returning(conn).await?;
    api_key::Entity::insert_many(keys).exec_without_returning(conn).await?;
    Ok(())
}

fn text(number: usize) -> String {
    key_text(number, "unloaded")
}
