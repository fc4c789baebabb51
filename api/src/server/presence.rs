//! What shows this process to operators: the metrics of its caches, and its row. The row is deleted at the end of the process,
//! or a minute after a crash.

use std::sync::Arc;
use std::time::Duration;

use entities::Timestamp;
use entities::api_process::{self, Model};
use runtime::ProcessName;
use sea_orm::DbErr;

use crate::state::State;

/// A third of the silence after which a process counts as dead (`entities::process::DEAD_AFTER`).
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Rows of crashed processes are shown as silent for this long.
const FORGET_AFTER: Duration = Duration::from_secs(60);

pub(crate) async fn keep(state: Arc<State>) {
    let context = &state.context;
    let process = described(context.clock.now());
    let hard = context.shutdown.hard().clone();
    loop {
        state.caches.report();
        if let Err(error) = beat(&state, &process).await {
            runtime::warn_throttled!(%error, "cannot write the heartbeat of this API process");
        }
        if hard.run_until_cancelled(tokio::time::sleep(HEARTBEAT_INTERVAL)).await.is_none() {
            break;
        }
    }
    drop(api_process::delete(context.database.write(), &process.name).await);
}

async fn beat(state: &State, process: &Model) -> Result<(), DbErr> {
    let (conn, now) = (state.context.database.write(), state.context.clock.now());
    api_process::beat(conn, process, now).await?;
    api_process::delete_silent(conn, FORGET_AFTER, now).await.map(drop)
}

fn described(now: Timestamp) -> Model {
    let ProcessName { name, host, version } = ProcessName::new();
    Model { name, host, version, started_at: now, heartbeat_at: now }
}
