//! Commands that wait for a game server (docs/rules.md 7): returned by every poll, oldest first, until
//! acknowledged or too old.

use std::collections::HashSet;

use chrono::Duration;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, InsertStatement, LockType, Query};
use sea_orm::{Condition, DatabaseBackend, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::audit_entry::NewEntry;
use crate::by_id::{ROWS_PER_STATEMENT, by_id, no_relations};
use crate::sweep::{self, Due};
use crate::{ChatId, CommandId, Conn, GuildId, Page, PlayId, Result, Timestamp, game_server, lists};

/// A command older than this expires (docs/rules.md 7).
pub const LIFETIME: Duration = Duration::minutes(10);

/// The command that removes a player from a game.
pub const KICK: &str = "kick";

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "server_command")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub command_id: CommandId,
    pub guild_id: GuildId,
    pub server_id: String,
    /// The command's `type` in the API, such as `kick`.
    pub kind: String,
    pub target_id: String,
    pub reason: String,
    pub issued_by: ChatId,
    pub issued_at: Timestamp,
    pub state: State,
    pub ack_status: Option<AckStatus>,
    pub ack_message: Option<String>,
    /// Time of acknowledgement or expiry.
    pub ended_at: Option<Timestamp>,
}

no_relations!();

by_id!(CommandId: find, newest);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum State {
    Queued,
    Acknowledged,
    Expired,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum AckStatus {
    Ok,
    Error,
}

/// A command to insert, for one server or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommand {
    pub kind: String,
    pub target: String,
    pub reason: String,
    pub issued_by: ChatId,
}

/// Queues a command for the guild's servers, each copy under its own id; returns the copies that wait. There is none for a
/// server that has shut down meanwhile: the insertion reads the servers itself, and their rows stay until it commits.
pub async fn queue(
    conn: &impl Conn,
    guild: GuildId,
    command: &NewCommand,
    mut servers: Vec<(CommandId, String)>,
    now: Timestamp,
) -> Result<Vec<(CommandId, String)>> {
    let mut queued = HashSet::new();
    for servers in servers.chunks(ROWS_PER_STATEMENT) {
        for row in conn.query_all(&insertion(conn, guild, command, servers, now)).await? {
            queued.insert(row.try_get::<CommandId>("", Column::CommandId.as_str())?);
        }
    }
    servers.retain(|(id, _)| queued.contains(id));
    Ok(servers)
}

fn insertion(
    conn: &impl Conn,
    guild: GuildId,
    command: &NewCommand,
    servers: &[(CommandId, String)],
    now: Timestamp,
) -> InsertStatement {
    let rows = servers.iter().map(|(id, server)| -> [Value; 2] { [(*id).into(), server.clone().into()] });
    let server = (game_server::Entity, game_server::Column::ServerId);
    let values: [(Column, Expr); 9] = [
        (Column::CommandId, Expr::col(("given", "column1"))),
        (Column::GuildId, Expr::value(guild)),
        (Column::ServerId, Expr::col(server)),
        (Column::Kind, Expr::value(command.kind.clone())),
        (Column::TargetId, Expr::value(command.target.clone())),
        (Column::Reason, Expr::value(command.reason.clone())),
        (Column::IssuedBy, Expr::value(command.issued_by)),
        (Column::IssuedAt, Expr::value(now)),
        (Column::State, Expr::value(State::Queued)),
    ];
    let (columns, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
    let mut rows_of = Query::select();
    rows_of
        .exprs(values)
        .from_subquery(lists::exactly(conn, rows.collect()), "given")
        .from(game_server::Entity)
        .and_where(Expr::col((game_server::Entity, game_server::Column::GuildId)).eq(guild))
        .and_where(Expr::col(server).equals(("given", "column2")));
    if conn.get_database_backend() == DatabaseBackend::Postgres {
        rows_of.lock_with_tables(LockType::KeyShare, [game_server::Entity]);
    }
    let mut insert = Query::insert();
    insert.into_table(Entity).columns(columns).returning(Query::returning().column(Column::CommandId));
    // Fails only where the numbers of columns differ.
    drop(insert.select_from(rows_of));
    insert
}

/// Pending commands of a server, oldest first.
pub async fn waiting(
    conn: &impl Conn,
    guild: GuildId,
    server: &str,
    now: Timestamp,
    limit: u64,
) -> Result<Vec<Model>> {
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::ServerId.eq(server))
        .filter(Column::State.eq(State::Queued))
        .filter(Column::IssuedAt.gt(now - LIFETIME))
        .order_by_asc(Column::IssuedAt)
        .order_by_asc(Column::CommandId)
        .limit(limit)
        .all(conn)
        .await
}

/// The result of an acknowledgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acknowledged {
    Now(Model),
    /// Already acknowledged; the first status stays.
    Before(Model),
    Unknown,
}

/// The acknowledgement of a command by its server.
#[derive(Debug, Clone, Copy)]
pub struct Ack<'a> {
    pub server: &'a str,
    pub command: CommandId,
    pub status: AckStatus,
    pub message: Option<&'a str>,
}

/// Records that a server has applied a command, even one that expired meanwhile.
pub async fn acknowledge(
    conn: &impl Conn,
    guild: GuildId,
    ack: Ack<'_>,
    now: Timestamp,
) -> Result<Acknowledged> {
    let acknowledged = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Acknowledged))
        .col_expr(Column::AckStatus, Expr::value(ack.status))
        .col_expr(Column::AckMessage, Expr::value(ack.message.map(str::to_owned)))
        .col_expr(Column::EndedAt, Expr::value(now))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::ServerId.eq(ack.server))
        .filter(Column::CommandId.eq(ack.command))
        .filter(Column::State.ne(State::Acknowledged))
        .exec_with_returning(conn)
        .await?;
    if let Some(command) = acknowledged.into_iter().next() {
        return Ok(Acknowledged::Now(command));
    }
    let found = find(conn, guild, ack.command).await?.filter(|command| command.server_id == ack.server);
    Ok(found.map_or(Acknowledged::Unknown, Acknowledged::Before))
}

/// Commands of a guild, or of one server, newest first.
pub async fn list(
    conn: &impl Conn,
    guild: GuildId,
    server: Option<&str>,
    page: Page<CommandId>,
) -> Result<Vec<Model>> {
    let shown = Condition::all().add_option(server.map(|server| Column::ServerId.eq(server)));
    newest(guild, page).filter(shown).all(conn).await
}

/// The commands by which a ban of this time removes the player from games, by server; they are kept for an hour after their
/// end.
pub async fn kicks(conn: &impl Conn, guild: GuildId, player: PlayId, at: Timestamp) -> Result<Vec<Model>> {
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::IssuedAt.eq(at))
        .filter(Column::Kind.eq(KICK))
        .filter(Column::TargetId.eq(player.to_string()))
        .order_by_asc(Column::ServerId)
        .all(conn)
        .await
}

/// Expires up to `limit` commands that were not acknowledged in time (their audit entries: [`expiry_entry`]).
pub async fn sweep(conn: &impl Conn, now: Timestamp, limit: u64) -> Result<Vec<Model>> {
    let over =
        Condition::all().add(Column::State.eq(State::Queued)).add(Column::IssuedAt.lte(now - LIFETIME));
    let expire = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Expired))
        .col_expr(Column::EndedAt, Expr::value(now));
    let due = Due { rows: over, id: Column::CommandId, since: Column::IssuedAt };
    sweep::close(conn, expire, due, limit).await
}

/// Deletes up to `limit` commands that ended before this time.
pub async fn forget(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    sweep::delete::<Entity>(conn, Condition::all().add(Column::EndedAt.lt(before)), Column::EndedAt, limit)
        .await
}

/// The audit entry of a row that the sweep has closed.
pub fn expiry_entry(command: &Model) -> NewEntry {
    NewEntry {
        guild: command.guild_id,
        action: "commands.expire",
        target: command.command_id.to_string(),
        metadata: json!({
            "server_id": command.server_id, "type": command.kind, "target_id": command.target_id,
            "issued_by": command.issued_by,
        }),
    }
}
