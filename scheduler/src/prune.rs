//! Deletes rows whose retention has ended.

use std::time::Duration;

use entities::audit_chain::{self, Chain};
use entities::{
    change_log, console_link, console_session, game_server, idempotency, import, job, link_attempt,
    retention, server_command, staff_action, staff_session,
};
use runtime::{Context, Kept};
use sea_orm::DbErr;

use crate::batch::ROWS_PER_BATCH;

/// Successful jobs of periodic tasks are kept this long: there are thousands a day.
const PERIODIC_JOBS_KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// Servers without a heartbeat for this long are deleted, with their commands: every new server has a new id.
const SERVERS_KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Ended commands are kept this long, so that a server may acknowledge one late or twice.
const COMMANDS_KEPT: Duration = Duration::from_secs(60 * 60);

/// Rows of the table of retention in one transaction: there may be millions.
const ROWS_PER_TRANSACTION: u64 = 1_000;

/// Events stay in the change log for this long: far longer than any process goes without reading it, whatever the clocks.
const EVENTS_KEPT: Duration = Duration::from_secs(30 * 60);

pub(crate) async fn change_log(context: &Context) -> Result<u64, DbErr> {
    change_log::prune(context.database.write(), context.clock.now() - EVENTS_KEPT, ROWS_PER_BATCH).await
}

pub(crate) async fn commands(context: &Context) -> Result<u64, DbErr> {
    let before = context.clock.now() - COMMANDS_KEPT;
    server_command::forget(context.database.write(), before, ROWS_PER_BATCH).await
}

/// Ended sessions of the console, unused links, and imports that can no longer be undone.
pub(crate) async fn console(context: &Context) -> Result<u64, DbErr> {
    let (conn, now) = (context.database.write(), context.clock.now());
    let signed_in = console_link::prune(conn, now).await? + console_session::prune(conn, now).await?;
    let imports = import::prune(conn, now).await?;
    Ok(signed_in + imports + link_attempt::prune(conn, now).await?)
}

pub(crate) async fn idempotency_keys(context: &Context) -> Result<u64, DbErr> {
    idempotency::sweep(context.database.write(), context.clock.now(), ROWS_PER_BATCH).await
}

/// Jobs of periodic tasks that succeeded.
pub(crate) async fn ticks(context: &Context) -> Result<u64, DbErr> {
    let before = context.clock.now() - PERIODIC_JOBS_KEPT;
    job::old::prune_maintenance(context.database.write(), before, ROWS_PER_BATCH).await
}

/// A batch of each type of row of the table of retention. One that fails does not block the others.
pub(crate) async fn retention(context: &Context) -> Result<u64, DbErr> {
    let (mut rows, mut failed) = (0, None);
    for kept in Kept::ALL {
        match batch(context, *kept).await {
            Ok(deleted) => rows += deleted,
            Err(error) => {
                tracing::warn!(%error, rows = kept.row().what, "cannot delete old rows");
                failed = Some(error);
            }
        }
    }
    match failed {
        Some(error) if rows == 0 => Err(error),
        _ => Ok(rows),
    }
}

async fn batch(context: &Context, kept: Kept) -> Result<u64, DbErr> {
    let conn = context.database.begin().await?;
    let before = context.clock.now() - context.retention.of(kept);
    let rows = match kept {
        Kept::Jobs => job::old::prune(&conn, before, ROWS_PER_TRANSACTION).await,
        Kept::AuditEntries => audit_chain::old::delete(&conn, None, before, ROWS_PER_TRANSACTION).await,
        Kept::SyncEntries => {
            audit_chain::old::delete(&conn, Some(Chain::MemberSyncs), before, ROWS_PER_TRANSACTION).await
        }
        Kept::Sanctions => retention::sanctions(&conn, before, ROWS_PER_TRANSACTION).await,
        Kept::Flags => retention::flags(&conn, before, ROWS_PER_TRANSACTION).await,
        Kept::Sessions => staff_session::sum::fold(&conn, before, ROWS_PER_TRANSACTION).await,
        Kept::Actions => staff_action::old::fold(&conn, before, ROWS_PER_TRANSACTION).await,
        Kept::LeaveRequests => retention::leave_requests(&conn, before, ROWS_PER_TRANSACTION).await,
        Kept::PendingActions => retention::pending_actions(&conn, before, ROWS_PER_TRANSACTION).await,
        Kept::Submissions => retention::submissions(&conn, before, ROWS_PER_TRANSACTION).await,
        Kept::Keys => retention::keys(&conn, before, ROWS_PER_TRANSACTION).await,
    }?;
    conn.commit().await?;
    Ok(rows)
}

pub(crate) async fn servers(context: &Context) -> Result<u64, DbErr> {
    let before = context.clock.now() - SERVERS_KEPT;
    game_server::forget(context.database.write(), before, ROWS_PER_BATCH).await
}
