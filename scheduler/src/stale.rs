//! Sweeps of staff sessions and game servers whose heartbeats stopped. Both expire on time without a sweep; the sweep
//! records it.
//!
//! A server that goes offline writes no audit entry: its row holds the time, and a game starts and stops hundreds a
//! day.

use entities::{game_server, staff_session};
use runtime::{Context, Event, UnitOfWork};
use sea_orm::DbErr;

use crate::batch::ROWS_PER_BATCH;

/// Sessions without a heartbeat for 120 s end at their last one (docs/rules.md 6).
pub(crate) async fn sessions(context: &Context) -> Result<u64, DbErr> {
    let mut work = UnitOfWork::begin(context).await?;
    let ended = staff_session::sweep_stale(work.tx(), work.now(), ROWS_PER_BATCH).await?;
    let event =
        |row: &staff_session::Model| Event::SessionEnded { guild: row.guild_id, session: row.session_id };
    work.announce(ended.iter().map(event));
    work.audit_own(ended.iter().map(staff_session::expiry_entry));
    work.commit().await?;
    Ok(ended.len() as u64)
}

/// Servers without a heartbeat for 90 s are offline (docs/rules.md 7).
pub(crate) async fn servers(context: &Context) -> Result<u64, DbErr> {
    let gone =
        game_server::sweep_offline(context.database.write(), context.clock.now(), ROWS_PER_BATCH).await?;
    Ok(gone.len() as u64)
}
