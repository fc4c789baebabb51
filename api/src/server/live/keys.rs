//! Keys of open sockets: a key that is revoked or expires closes its sockets within a second (docs/rules.md 1 and 7).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use entities::api_key::{self, Model};
use runtime::Event;
use sea_orm::DbErr;
use tokio::sync::broadcast::error::RecvError;

use crate::state::State;

/// Half of the promised second: the other half is for the check.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Keys in one statement.
const BATCH: usize = 1_000;

/// The clock decides expiry. Rows are read only if an event, or a lack of events, shows that they may have
/// changed.
pub(crate) fn watch(state: Arc<State>) -> impl Future<Output = ()> + Send {
    let mut events = state.context.events.subscribe();
    async move {
        let mut tick = tokio::time::interval(CHECK_INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // Keys whose rows are to be read.
        let mut changed = BTreeSet::new();
        loop {
            tokio::select! {
                _ = tick.tick() => {
                    state.live.end_expired_keys(state.context.clock.now());
                    if !state.context.events.freshness().is_fresh() {
                        changed.extend(state.live.keys());
                    }
                }
                event = events.recv() => match event {
                    Ok(Event::KeyChanged { public_id }) if state.live.uses_key(&public_id) => {
                        changed.insert(public_id.into());
                    }
                    Ok(Event::Resync) | Err(RecvError::Lagged(_)) => changed.extend(state.live.keys()),
                    Ok(_) => {}
                    Err(RecvError::Closed) => return,
                },
            }
            if !changed.is_empty() {
                changed = check(&state, changed).await;
            }
        }
    }
}

/// Returns the keys whose rows could not be read: their sockets stay open.
async fn check(state: &State, keys: BTreeSet<Arc<str>>) -> BTreeSet<Arc<str>> {
    let all: Vec<Arc<str>> = keys.into_iter().collect();
    let mut unread = BTreeSet::new();
    for keys in all.chunks(BATCH) {
        // While the database is away, expiry must not wait for it.
        match state.context.events.freshness().unless_lost(read(state, keys)).await {
            Some(Ok(rows)) => keys.iter().for_each(|key| apply(state, key, rows.get(&**key))),
            failed => {
                tracing::debug!(?failed, "cannot read the keys of sockets");
                unread.extend(keys.iter().cloned());
            }
        }
    }
    unread
}

async fn read(state: &State, keys: &[Arc<str>]) -> Result<HashMap<String, Model>, DbErr> {
    let rows =
        api_key::find_by_public_ids(state.context.database.read(), keys.iter().map(|key| &**key)).await?;
    Ok(rows.into_iter().map(|row| (row.public_id.clone(), row)).collect())
}

fn apply(state: &State, key: &str, row: Option<&Model>) {
    match row {
        Some(row) if row.is_live(state.context.clock.now()) => state.live.set_expiry(key, row.expires_at),
        _ => state.live.end_key(key),
    }
}
