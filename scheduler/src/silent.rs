//! Sweeps of what fell silent in games: staff sessions, game servers, commands nobody acknowledged. Each is over by its
//! times, sweep or no sweep; the sweep writes that down.
//!
//! A server that goes offline leaves no audit entry: its row says since when, and a game starts and stops hundreds a
//! day.

use std::time::Duration;

use entities::{game_server, server_command, staff_session};
use runtime::{Context, Event};
use sea_orm::DbErr;

/// Rows in one transaction, so that no sweep holds locks for long.
const BATCH: u64 = 500;
/// Servers that were not heard of for this long are forgotten, with their commands: every new one has a new id.
const KEEP_SERVERS: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Sessions without a heartbeat for 120 s end at their last one (decisions 6).
pub(crate) async fn sessions(context: &Context) -> Result<u64, DbErr> {
    let mut total = 0;
    loop {
        let transaction = context.database.begin().await?;
        let ended = staff_session::sweep_silent(&transaction, context.clock.now(), BATCH).await?;
        transaction.commit().await?;
        for session in &ended {
            let (guild, session) = (session.guild_id, session.session_id);
            context.events.publish(Event::SessionEnded { guild, session });
        }
        total += ended.len() as u64;
        if is_last(context, ended.len() as u64) {
            return Ok(total);
        }
    }
}

/// Servers without a heartbeat for 90 s are offline (decisions 7).
pub(crate) async fn servers(context: &Context) -> Result<u64, DbErr> {
    let mut total = 0;
    loop {
        let now = context.clock.now();
        let gone = game_server::sweep_offline(context.database.write(), now, BATCH).await?.len() as u64;
        total += gone;
        if is_last(context, gone) {
            return Ok(total);
        }
    }
}

pub(crate) async fn old_servers(context: &Context) -> Result<u64, DbErr> {
    let mut total = 0;
    loop {
        let before = context.clock.now() - KEEP_SERVERS;
        let forgotten = game_server::forget(context.database.write(), before, BATCH).await?;
        total += forgotten;
        if is_last(context, forgotten) {
            return Ok(total);
        }
    }
}

/// Commands that were not acknowledged within ten minutes (decisions 7).
pub(crate) async fn commands(context: &Context) -> Result<u64, DbErr> {
    let mut total = 0;
    loop {
        let transaction = context.database.begin().await?;
        let expired = server_command::expire(&transaction, context.clock.now(), BATCH).await?.len() as u64;
        transaction.commit().await?;
        total += expired;
        if is_last(context, expired) {
            return Ok(total);
        }
    }
}

fn is_last(context: &Context, moved: u64) -> bool {
    moved < BATCH || context.shutdown.soft().is_cancelled()
}
