//! The people at the sockets: session or token, and rights, are read again every ten seconds, once for all sockets of a
//! session, and soon after a change of the guild's staff (docs/rules.md 10).
//!
//! With the platform's answers, which the console keeps for 45 s, a lost right closes its sockets within a minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use console::{Console, LiveKey, LivePerson, LiveRefusal};
use entities::GuildId;
use futures_util::StreamExt;
use tokio::sync::watch;

use crate::live::sockets::Ending;

const CHECK_INTERVAL: Duration = Duration::from_secs(10);
/// Interval in which due checks are looked for.
const TICK: Duration = Duration::from_millis(500);
/// People that are checked at the same time.
const AT_ONCE: usize = 8;
/// Sockets stay open for this long while the database or the platform is away (docs/rules.md 4).
const UNREAD_FOR: Duration = Duration::from_secs(5 * 60);

/// What is known of a person.
#[derive(Clone)]
pub(crate) enum Standing {
    May(LivePerson),
    Over(Ending),
}

#[derive(Default)]
pub(crate) struct People(Mutex<HashMap<LiveKey, Watched>>);

struct Watched {
    standing: watch::Sender<Standing>,
    person: LivePerson,
    /// When the next check is due.
    due: Instant,
    /// The last check with a result.
    read: Instant,
}

impl People {
    fn lock(&self) -> MutexGuard<'_, HashMap<LiveKey, Watched>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows the rights of a person who was admitted just now.
    pub(crate) fn follow(&self, person: LivePerson) -> watch::Receiver<Standing> {
        let mut people = self.lock();
        let key = person.key();
        let known = people.get(&key).map(|known| known.standing.subscribe());
        if let Some(standing) = known.filter(|standing| matches!(*standing.borrow(), Standing::May(_))) {
            return standing;
        }
        let (sender, standing) = watch::channel(Standing::May(person.clone()));
        let now = Instant::now();
        people.insert(key, Watched { standing: sender, person, due: now + CHECK_INTERVAL, read: now });
        standing
    }

    /// Checks the people of a guild, or of all guilds, soon.
    pub(crate) fn check_soon(&self, guild: Option<GuildId>) {
        let now = Instant::now();
        let mut people = self.lock();
        let concerned = people.values_mut().filter(|known| guild.is_none_or(|it| it == known.person.guild()));
        concerned.for_each(|known| known.due = now);
    }

    /// The people whose check is due; first drops those without sockets.
    fn due(&self) -> Vec<(LiveKey, LivePerson)> {
        let now = Instant::now();
        let mut people = self.lock();
        people.retain(|_, known| known.standing.receiver_count() > 0);
        let due = people.iter_mut().filter(|(_, known)| known.due <= now);
        let due = due.map(|(key, known)| {
            // A change during the check makes it due again.
            known.due = now + CHECK_INTERVAL;
            (key.clone(), known.person.clone())
        });
        due.collect()
    }

    fn learn(&self, key: &LiveKey, checked: Result<LivePerson, LiveRefusal>) {
        let mut people = self.lock();
        let Some(known) = people.get_mut(key) else { return };
        let over = match checked {
            Ok(person) => {
                known.read = Instant::now();
                known.person = person.clone();
                known.standing.send_replace(Standing::May(person));
                return;
            }
            Err(LiveRefusal::Unavailable) if known.read.elapsed() < UNREAD_FOR => return,
            Err(LiveRefusal::Unavailable) => Ending::Failed,
            Err(_) => Ending::NoLongerAllowed,
        };
        known.standing.send_replace(Standing::Over(over));
        people.remove(key);
    }
}

pub(crate) async fn watch(people: Arc<People>, console: Arc<Console>) {
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        let checks = people.due().into_iter().map(async |(key, person)| {
            let checked = console.recheck_live(&person).await;
            people.learn(&key, checked);
        });
        futures_util::stream::iter(checks).buffer_unordered(AT_ONCE).collect::<()>().await;
    }
}
