//! Deletes rows whose retention has ended.

use std::time::Duration;

use entities::{change_log, console_link, console_session, game_server, idempotency, job, server_command};
use runtime::Context;
use sea_orm::DbErr;

use crate::batch::BATCH;

/// Finished jobs are kept this long.
const KEEP_JOBS: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Successful jobs of periodic tasks are kept this long: there are thousands a day.
const KEEP_PERIODIC: Duration = Duration::from_secs(24 * 60 * 60);
/// Servers without a heartbeat for this long are deleted, with their commands: every new server has a new id.
const KEEP_SERVERS: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Commands that are over are kept this long, so that a server may acknowledge one late or twice.
const KEEP_COMMANDS: Duration = Duration::from_secs(60 * 60);

/// Events stay in the change log for this long: far longer than any process goes without reading it, whatever the clocks.
const KEEP_EVENTS: Duration = Duration::from_secs(30 * 60);

pub(crate) async fn change_log(context: &Context) -> Result<u64, DbErr> {
    change_log::prune(context.database.write(), context.clock.now() - KEEP_EVENTS, BATCH).await
}

pub(crate) async fn commands(context: &Context) -> Result<u64, DbErr> {
    let before = context.clock.now() - KEEP_COMMANDS;
    server_command::forget(context.database.write(), before, BATCH).await
}

/// Sessions of the console that have ended, and links into it that nobody used.
pub(crate) async fn console(context: &Context) -> Result<u64, DbErr> {
    let (conn, now) = (context.database.write(), context.clock.now());
    Ok(console_link::prune(conn, now).await? + console_session::prune(conn, now).await?)
}

pub(crate) async fn idempotency_keys(context: &Context) -> Result<u64, DbErr> {
    idempotency::sweep(context.database.write(), context.clock.now(), BATCH).await
}

pub(crate) async fn jobs(context: &Context) -> Result<u64, DbErr> {
    let (conn, now) = (context.database.write(), context.clock.now());
    let deleted = job::listing::prune(conn, now - KEEP_JOBS, BATCH).await?;
    Ok(deleted + job::listing::prune_maintenance(conn, now - KEEP_PERIODIC, BATCH).await?)
}

pub(crate) async fn servers(context: &Context) -> Result<u64, DbErr> {
    let before = context.clock.now() - KEEP_SERVERS;
    game_server::forget(context.database.write(), before, BATCH).await
}
