//! Who is on a server, as its ticks list them (docs/rules.md 7).

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, DatabaseBackend, FromJsonQueryResult, FromQueryResult, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};

use super::{Column, Entity, PLAYERS, PLAYERS_AT, STALE_AFTER};
use crate::{Conn, GuildId, PlaceId, PlayId, Result, Timestamp};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Players(pub Vec<PlayId>);

/// A server with the players of its last list.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Present {
    pub server_id: String,
    pub place_id: PlaceId,
    pub player_count: i32,
    players: Option<Players>,
    players_at: Option<Timestamp>,
}

impl Present {
    /// Who is there, by id, and when the server said so; `None`: it has sent no list recently.
    pub fn list(&self, now: Timestamp) -> Option<(&[PlayId], Timestamp)> {
        let at = self.players_at.filter(|at| *at > now - STALE_AFTER)?;
        Some((&self.players.as_ref()?.0, at))
    }
}

fn of_guild(guild: GuildId) -> Select<Entity> {
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .select_only()
        .columns([Column::ServerId, Column::PlaceId, Column::PlayerCount])
        .expr_as(Expr::col((Entity, PLAYERS)), PLAYERS)
        .expr_as(Expr::col((Entity, PLAYERS_AT)), PLAYERS_AT)
}

/// Servers with a list that counts.
fn listed(guild: GuildId, now: Timestamp) -> Select<Entity> {
    let recent = Expr::col((Entity, PLAYERS_AT)).gt(now - STALE_AFTER);
    of_guild(guild).filter(Condition::all().add(recent)).order_by_desc(Column::LastHeartbeatAt)
}

pub async fn find(conn: &impl Conn, guild: GuildId, server: &str) -> Result<Option<Present>> {
    of_guild(guild).filter(Column::ServerId.eq(server)).into_model().one(conn).await
}

/// Those heard last, at most `limit`.
pub async fn list(conn: &impl Conn, guild: GuildId, now: Timestamp, limit: u64) -> Result<Vec<Present>> {
    listed(guild, now).limit(limit).into_model().all(conn).await
}

/// Where a player is. Looks at the live servers of one guild alone, of which there are a few thousand at most
/// (`Cap::GameServers`).
pub async fn with_player(
    conn: &impl Conn,
    guild: GuildId,
    play: PlayId,
    now: Timestamp,
) -> Result<Option<Present>> {
    let is_there = match conn.get_database_backend() {
        DatabaseBackend::Postgres => "players @> to_jsonb($1::bigint)",
        _ => "EXISTS (SELECT 1 FROM json_each(players) WHERE value = ?)",
    };
    let is_there = Expr::cust_with_values(is_there, [play.get()]);
    listed(guild, now).filter(is_there).into_model().one(conn).await
}
