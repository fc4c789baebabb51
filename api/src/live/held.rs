//! Ticks of game servers that are held back until something concerns their server.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entities::{GuildId, PlayId};
use runtime::Event;
use tokio::sync::Notify;

#[derive(Default)]
pub(crate) struct HeldTicks(Mutex<HashMap<GuildId, Vec<Arc<Held>>>>);

/// A tick, for as long as this exists.
pub(crate) struct HeldTick<'a> {
    ticks: &'a HeldTicks,
    guild: GuildId,
    held: Arc<Held>,
}

struct Held {
    server: String,
    /// Sorted.
    players: Vec<PlayId>,
    woken: Notify,
    /// A newer tick is there, or should be: this one does not know all who are there.
    over: AtomicBool,
}

impl Held {
    fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.woken.notify_one();
    }
}

impl HeldTicks {
    pub(crate) fn hold(&self, guild: GuildId, server: &str, players: &[PlayId]) -> HeldTick<'_> {
        let mut players = players.to_vec();
        players.sort_unstable();
        let held = Arc::new(Held {
            server: server.to_owned(),
            players,
            woken: Notify::new(),
            over: AtomicBool::new(false),
        });
        self.lock().entry(guild).or_default().push(held.clone());
        HeldTick { ticks: self, guild, held }
    }

    /// Has the server's tick answered: a newer one is there, or somebody has joined whom it does not know.
    pub(crate) fn end(&self, guild: GuildId, server: &str) {
        if let Some(all) = self.lock().get(&guild) {
            all.iter().filter(|held| held.server == server).for_each(|held| held.end());
        }
    }

    /// Call it after the caches have heard the event.
    pub(crate) fn hear(&self, event: &Event) {
        match event {
            Event::Moderation { guild, play_id: Some(play), .. } => {
                self.wake(*guild, |held| held.players.binary_search(play).is_ok());
            }
            Event::CommandQueued { guild, servers, .. } => {
                let servers: HashSet<_> = servers.iter().map(|(_, server)| server.as_str()).collect();
                self.wake(*guild, |held| servers.contains(held.server.as_str()));
            }
            Event::Resync => {
                self.lock().values().flatten().for_each(|held| held.woken.notify_one());
            }
            _ => {}
        }
    }

    fn wake(&self, guild: GuildId, concerns: impl Fn(&Held) -> bool) {
        if let Some(all) = self.lock().get(&guild) {
            all.iter().filter(|held| concerns(held)).for_each(|held| held.woken.notify_one());
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<GuildId, Vec<Arc<Held>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldTick<'_> {
    /// Resolves when something has concerned the server since this began, or since it last resolved.
    pub(crate) async fn woken(&self) {
        self.held.woken.notified().await;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.held.over.load(Ordering::Relaxed)
    }
}

impl Drop for HeldTick<'_> {
    fn drop(&mut self) {
        let mut ticks = self.ticks.lock();
        if let Some(all) = ticks.get_mut(&self.guild) {
            all.retain(|held| !Arc::ptr_eq(held, &self.held));
            if all.is_empty() {
                ticks.remove(&self.guild);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use entities::{ChatId, CommandId, Subject};
    use futures_util::FutureExt;
    use runtime::ModerationVerb;

    use super::*;

    fn play(id: i64) -> PlayId {
        id.try_into().unwrap()
    }

    fn ban(guild: GuildId, play_id: PlayId) -> Event {
        Event::Moderation {
            guild,
            verb: ModerationVerb::Ban,
            identifier: Subject::Play(play_id),
            reason: String::new(),
            place_id: None,
            chat_id: None::<ChatId>,
            play_id: Some(play_id),
            revision: 1,
        }
    }

    fn command(guild: GuildId, server: &str) -> Event {
        let servers = vec![(CommandId(uuid::Uuid::nil()), server.to_owned())];
        let (kind, target_id, reason) = ("kick".to_owned(), "1".to_owned(), String::new());
        Event::CommandQueued {
            guild,
            kind,
            target_id,
            reason,
            issued_at: "2026-11-26T12:00:00Z".parse().unwrap(),
            servers,
        }
    }

    #[test]
    fn a_tick_wakes_for_its_players_and_its_commands() {
        let ticks = HeldTicks::default();
        let [own, other]: [GuildId; 2] = ["1".parse().unwrap(), "2".parse().unwrap()];
        let tick = ticks.hold(own, "a", &[play(9), play(7)]);
        let woken = || tick.woken().now_or_never().is_some();
        for event in [ban(other, play(7)), ban(own, play(8)), command(own, "b"), command(other, "a")] {
            ticks.hear(&event);
            assert!(!woken(), "{event:?}");
        }
        for event in [ban(own, play(7)), command(own, "a"), Event::Resync] {
            ticks.hear(&event);
            assert!(woken(), "{event:?}");
        }
        assert!(!tick.is_over());
        ticks.end(own, "b");
        assert!(!tick.is_over() && !woken());
        ticks.end(own, "a");
        assert!(tick.is_over() && woken());
        drop(tick);
        assert!(ticks.lock().is_empty());
    }
}
