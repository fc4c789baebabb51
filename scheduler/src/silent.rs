//! Sweeps of what fell silent in games: staff sessions, game servers, commands nobody acknowledged. Each is over by its
//! times, sweep or no sweep; the sweep writes that down.
//!
//! A server that goes offline leaves no audit entry: its row says since when, and a game starts and stops hundreds a
//! day.

use std::time::Duration;

use entities::{game_server, server_command, staff_session};
use runtime::{Context, Event};
use sea_orm::DbErr;

use crate::schedules::BATCH;

/// Servers that were not heard of for this long are forgotten, with their commands: every new one has a new id.
const KEEP_SERVERS: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Sessions without a heartbeat for 120 s end at their last one (docs/rules.md 6).
pub(crate) async fn sessions(context: &Context) -> Result<u64, DbErr> {
    let transaction = context.database.begin().await?;
    let ended = staff_session::sweep_silent(&transaction, context.clock.now(), BATCH).await?;
    transaction.commit().await?;
    for session in &ended {
        let (guild, session) = (session.guild_id, session.session_id);
        context.events.publish(Event::SessionEnded { guild, session });
    }
    Ok(ended.len() as u64)
}

/// Servers without a heartbeat for 90 s are offline (docs/rules.md 7).
pub(crate) async fn servers(context: &Context) -> Result<u64, DbErr> {
    let gone = game_server::sweep_offline(context.database.write(), context.clock.now(), BATCH).await?;
    Ok(gone.len() as u64)
}

pub(crate) async fn old_servers(context: &Context) -> Result<u64, DbErr> {
    let before = context.clock.now() - KEEP_SERVERS;
    game_server::forget(context.database.write(), before, BATCH).await
}

/// Commands that were not acknowledged within ten minutes (docs/rules.md 7).
pub(crate) async fn commands(context: &Context) -> Result<u64, DbErr> {
    let transaction = context.database.begin().await?;
    let expired = server_command::expire(&transaction, context.clock.now(), BATCH).await?;
    transaction.commit().await?;
    Ok(expired.len() as u64)
}
