//! The row that shows a process which runs no jobs to operators. It is deleted at the end of the process, or a minute after a
//! crash.

use std::time::Duration;

use entities::api_process::{self, Model, Role};
use sea_orm::DbErr;

use crate::context::Context;
use crate::process_name::ProcessName;

/// A third of the silence after which a process counts as dead (`entities::process::DEAD_AFTER`).
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Rows of crashed processes are shown as silent for this long.
const FORGET_AFTER: Duration = Duration::from_secs(60);

/// Writes heartbeats until the second step of the shutdown.
pub async fn keep(context: &Context, role: Role) {
    let ProcessName { name, host, version } = ProcessName::new();
    let now = context.clock.now();
    let process = Model { name, host, version, started_at: now, heartbeat_at: now, role };
    let hard = context.shutdown.hard();
    loop {
        if let Err(error) = beat(context, &process).await {
            crate::warn_throttled!(%error, ?role, "cannot write the heartbeat of this process");
        }
        if hard.run_until_cancelled(tokio::time::sleep(HEARTBEAT_INTERVAL)).await.is_none() {
            break;
        }
    }
    drop(api_process::delete(context.database.write(), &process.name).await);
}

async fn beat(context: &Context, process: &Model) -> Result<(), DbErr> {
    let (conn, now) = (context.database.write(), context.clock.now());
    api_process::beat(conn, process, now).await?;
    api_process::delete_silent(conn, FORGET_AFTER, now).await.map(drop)
}
