//! Removes a guild in steps, so that no statement holds the locks of a large guild for long: [`begin`] hides
//! it from all other queries, [`delete_some`] deletes its rows a part at a time, [`finish`] deletes the rest.
//! A removal that was stopped can be resumed.

use sea_orm::Statement;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;

use super::{Column, Entity, Model, import};
use crate::some_rows::some_rows;
use crate::{Conn, GuildId, JobId, Result, Timestamp, job, moderation_revision};

/// Every table with rows of a guild, in an order in which no row is deleted before those that refer to it.
/// Tables that give access come first, then the jobs.
pub const TABLES: [&str; 39] = [
    "import",
    "webhook",
    "log_channel",
    "follow",
    "console_session",
    "console_link",
    "staff_member",
    "job",
    "job_pause",
    "bulk_sync",
    "chat_ban",
    "sanction",
    "moderation_revision",
    "pending_action",
    "staff_action",
    "staff_session",
    "staff_session_sum",
    "quota",
    "loa",
    "leave_request",
    "strike",
    "staff_note",
    "staff_role",
    "ticket",
    "application_comment",
    "application_submission",
    "application_panel",
    "server_command",
    "game_server",
    "registered_game",
    "link_attempt",
    "screened_member",
    "synced_member",
    "link",
    "binding",
    "audit_entry",
    "audit_chain",
    "api_key",
    "guild_import",
];

/// Marks the guild, and gives up its import. From the commit on [`find`](super::find) does not find it. `None`: it is
/// unknown. Needs a transaction.
pub async fn begin(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<Option<Model>> {
    let first = Expr::case(Column::RemovingSince.is_null(), Expr::value(now));
    let marked = Entity::update_many()
        .col_expr(Column::RemovingSince, first.finally(Expr::col(Column::RemovingSince)).into())
        .filter(Column::GuildId.eq(guild))
        .exec_with_returning(conn)
        .await?;
    import::give_up(conn, guild).await?;
    Ok(marked.into_iter().next())
}

/// Deletes the guild's unfinished jobs, parents before their chunks as workers lock them, and returns those that run.
pub async fn delete_open_jobs(conn: &impl Conn, guild: GuildId) -> Result<Vec<JobId>> {
    let running = job::cancel::lock_open(conn, guild).await?;
    let open = job::Entity::delete_many().filter(job::Column::GuildId.eq(guild));
    open.filter(job::Column::FinishedAt.is_null()).exec(conn).await?;
    Ok(running)
}

/// The guild, whether or not it is being removed.
pub async fn find(conn: &impl Conn, guild: GuildId) -> Result<Option<Model>> {
    Entity::find_by_id(guild).one(conn).await
}

/// Deletes up to `limit` of the guild's rows in one of [`TABLES`], and returns their number.
pub async fn delete_some(conn: &impl Conn, table: &'static str, guild: GuildId, limit: u64) -> Result<u64> {
    some(conn, &format!("DELETE FROM {table}"), table, "guild_id", guild, limit).await
}

/// Takes the guild out of up to `limit` flags that it set in Shield, and returns their number. The flags stay.
pub async fn disown_some(conn: &impl Conn, guild: GuildId, limit: u64) -> Result<u64> {
    let change = "UPDATE shield_flag SET flagged_by_guild = NULL";
    some(conn, change, "shield_flag", "flagged_by_guild", guild, limit).await
}

async fn some(
    conn: &impl Conn,
    change: &str,
    table: &str,
    column: &str,
    guild: GuildId,
    limit: u64,
) -> Result<u64> {
    let backend = conn.get_database_backend();
    let sql = format!("{change} WHERE {}", some_rows(backend, table, &format!("{column} = $1"), limit));
    let statement = Statement::from_sql_and_values(backend, sql, [guild.into()]);
    Ok(conn.execute_raw(statement).await?.rows_affected())
}

/// Deletes what is left of the guild, and the guild. Flags that it set in Shield stay, without their guild. The locks are
/// taken in the order of every change of bans: the revision, then rows, then the guild. Needs a transaction. False: the
/// guild is unknown.
pub async fn finish(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<bool> {
    if find(conn, guild).await?.is_none() {
        return Ok(false);
    }
    moderation_revision::begin(conn, guild, now).await?;
    for table in TABLES {
        delete_some(conn, table, guild, u64::from(u32::MAX)).await?;
    }
    Ok(Entity::delete_by_id(guild).exec(conn).await?.rows_affected == 1)
}
