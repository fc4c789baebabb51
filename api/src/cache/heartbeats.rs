//! Heartbeats of staff sessions and game servers, and uses of keys, collected and written in batches, within half a
//! second and at the end of the process. Failed writes are retried, so a short outage loses none.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use entities::game_server::{self, Heartbeat};
use entities::{GuildId, KeyId, SessionId, Timestamp, api_key, staff_session};
use runtime::Context;
use sea_orm::DbErr;

use crate::cache::commands::OwnServer;
use crate::cache::sessions::OwnSession;

/// Ids in one statement.
const BATCH: usize = 1_000;
/// Heartbeats of each kind held while the database is down; further ones are dropped, and repeat within their interval.
const HELD: usize = 100_000;

#[derive(Default)]
pub(crate) struct Heartbeats {
    sessions: Mutex<HashMap<SessionId, (GuildId, Timestamp)>>,
    servers: Mutex<HashMap<(GuildId, String), Heartbeat>>,
    keys: Mutex<Vec<KeyId>>,
    /// Held while a batch is written: its holder knows that no write is under way.
    writing: tokio::sync::Mutex<()>,
}

impl Heartbeats {
    pub(crate) fn note_session(&self, (guild, session): OwnSession, at: Timestamp) {
        let mut waiting = lock(&self.sessions);
        if waiting.len() < HELD {
            let (_, latest) = waiting.entry(session).or_insert((guild, at));
            *latest = at.max(*latest);
        }
    }

    pub(crate) fn note_server(&self, mut heartbeat: Heartbeat) {
        let mut waiting = lock(&self.servers);
        if waiting.len() < HELD {
            let server = (heartbeat.guild, heartbeat.server.clone());
            // One without a list does not take away that of the previous.
            let previous = waiting.get_mut(&server).and_then(|previous| previous.players.take());
            heartbeat.players = heartbeat.players.or(previous);
            waiting.insert(server, heartbeat);
        }
    }

    /// The server has shut down.
    pub(crate) fn forget_server(&self, server: &OwnServer) {
        lock(&self.servers).remove(server);
    }

    pub(crate) fn note_key(&self, key: KeyId) {
        let mut waiting = lock(&self.keys);
        if waiting.len() < HELD {
            waiting.push(key);
        }
    }

    /// Writes the pending session heartbeats, before a session is ended or measured. Returns the sessions that had
    /// ended.
    pub(crate) async fn write_sessions(&self, context: &Context) -> Result<Vec<OwnSession>, DbErr> {
        let _turn = self.writing.lock().await;
        let waiting = std::mem::take(&mut *lock(&self.sessions));
        let mut by_second: HashMap<i64, Vec<(OwnSession, Timestamp)>> = HashMap::new();
        for (session, (guild, at)) in waiting {
            by_second.entry(at.timestamp()).or_default().push(((guild, session), at));
        }
        let (mut over, mut failure) = (Vec::new(), None);
        for heard in by_second.into_values().flat_map(|heard| chunks(&heard)) {
            match write_chunk(context, &heard).await {
                Ok(ended) => over.extend(ended),
                Err(error) => {
                    heard.into_iter().for_each(|(session, at)| self.note_session(session, at));
                    failure = Some(error);
                }
            }
        }
        failure.map_or(Ok(over), Err)
    }

    /// Writes the pending server heartbeats, before servers are listed.
    pub(crate) async fn write_servers(&self, context: &Context) -> Result<(), DbErr> {
        let _turn = self.writing.lock().await;
        let waiting: Vec<Heartbeat> = std::mem::take(&mut *lock(&self.servers)).into_values().collect();
        if waiting.is_empty() {
            return Ok(());
        }
        let written = game_server::heartbeat(context.database.write(), &waiting).await;
        if written.is_err() {
            // A newer one may be pending by now.
            let mut newer = lock(&self.servers);
            for heartbeat in waiting {
                newer.entry((heartbeat.guild, heartbeat.server.clone())).or_insert(heartbeat);
            }
        }
        written
    }

    /// Writes that keys were used.
    pub(crate) async fn write_keys(&self, context: &Context) -> Result<(), DbErr> {
        let waiting = std::mem::take(&mut *lock(&self.keys));
        for (done, keys) in waiting.chunks(BATCH).enumerate() {
            let written = api_key::touch(context.database.write(), keys, context.clock.now()).await;
            if written.is_err() {
                waiting[done * BATCH..].iter().for_each(|key| self.note_key(*key));
                return written;
            }
        }
        Ok(())
    }
}

fn chunks(heard: &[(OwnSession, Timestamp)]) -> Vec<Vec<(OwnSession, Timestamp)>> {
    heard.chunks(BATCH).map(<[_]>::to_vec).collect()
}

/// Writes the heartbeats of one second. Returns those whose session has ended.
async fn write_chunk(context: &Context, heard: &[(OwnSession, Timestamp)]) -> Result<Vec<OwnSession>, DbErr> {
    let Some(at) = heard.iter().map(|(_, at)| *at).max() else { return Ok(Vec::new()) };
    let ids: Vec<SessionId> = heard.iter().map(|((_, session), _)| *session).collect();
    let mut alive = staff_session::heartbeat(context.database.write(), &ids, at).await?;
    alive.sort_unstable();
    let own = heard.iter().map(|(own, _)| *own);
    Ok(own.filter(|(_, session)| alive.binary_search(session).is_err()).collect())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use entities::PlayId;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_timestamp(second, 0).unwrap()
    }

    #[test]
    fn the_latest_heartbeat_of_a_session_is_pending() {
        let (heartbeats, session) = (Heartbeats::default(), SessionId(uuid::Uuid::nil()));
        let own = ("5".parse().unwrap(), session);
        for second in [3, 9, 4] {
            heartbeats.note_session(own, at(second));
        }
        assert_eq!(lock(&heartbeats.sessions)[&session].1, at(9));
    }

    #[test]
    fn a_heartbeat_without_a_list_of_players_keeps_the_one_that_is_pending() {
        let heartbeats = Heartbeats::default();
        let guild = "5".parse().unwrap();
        let pending = |player_count, players| {
            let (place, universe) = ("2".parse().unwrap(), "3".parse().unwrap());
            let server = "s".to_owned();
            let at = at(i64::from(player_count));
            heartbeats.note_server(Heartbeat { guild, server, place, universe, player_count, players, at });
            let servers = lock(&heartbeats.servers);
            let kept = &servers[&(guild, "s".to_owned())];
            (kept.player_count, kept.players.clone())
        };
        let [one, two] = ["501", "502"].map(|player| vec![player.parse::<PlayId>().unwrap()]);
        assert_eq!(pending(1, Some(one.clone())), (1, Some(one.clone())));
        assert_eq!(pending(2, None), (2, Some(one)));
        assert_eq!(pending(3, Some(two.clone())), (3, Some(two)));
        assert_eq!(pending(4, Some(vec![])), (4, Some(vec![])));
    }

    #[test]
    fn a_batch_has_a_bounded_size() {
        let own = (("5".parse().unwrap(), SessionId(uuid::Uuid::nil())), at(1));
        let sizes: Vec<usize> = chunks(&vec![own; 2 * BATCH + 1]).iter().map(Vec::len).collect();
        assert_eq!(sizes, [BATCH, BATCH, 1]);
    }
}
