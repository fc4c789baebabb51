//! Bans, mutes and links by account, so that the checks of game servers ask the database nothing while nothing changed.
//!
//! A row is kept under the one account it names, and a person's two accounts are put together at each check: so a ban
//! drops what is known of its own account and no more, and a link made later needs no ban to be read again. Accounts
//! without a row are remembered as such. Whether a row is in force is decided by the clock at each check.

use std::sync::Arc;
use std::time::Duration;

use entities::{GuildId, Person, PlaceId, Subject, Timestamp, ban, mute};
use runtime::Pool;
use runtime::{Event, Events};
use sea_orm::DbErr;
use tokio::sync::broadcast::error::RecvError;

use crate::remembered::Remembered;

/// Accounts kept, of bans, of mutes and of persons each.
const CAPACITY: u64 = 100_000;
/// With events trusted: a bound on what a bug or a lost event can do.
const TRUSTED_LIFE: Duration = Duration::from_secs(60);

type Account = (GuildId, Subject);

pub(crate) struct StatusCache {
    persons: Remembered<Account, Person>,
    bans: Remembered<Account, Arc<[ban::Model]>>,
    mutes: Remembered<Account, Arc<[mute::Model]>>,
}

/// Whether somebody is banned or muted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    pub(super) guild: GuildId,
    pub(super) subject: Subject,
    /// None: anywhere.
    pub(super) place: Option<PlaceId>,
    pub(super) now: Timestamp,
}

impl StatusCache {
    pub(crate) fn new(events: &Events) -> Self {
        Self {
            persons: Remembered::new(events.clone(), CAPACITY, TRUSTED_LIFE),
            bans: Remembered::new(events.clone(), CAPACITY, TRUSTED_LIFE),
            mutes: Remembered::new(events.clone(), CAPACITY, TRUSTED_LIFE),
        }
    }

    /// The ban that applies; of several the one that ends last.
    pub(super) async fn ban(&self, conn: &Pool, ask: Question) -> Result<Option<ban::Model>, DbErr> {
        let mut found: Vec<ban::Model> = Vec::new();
        for account in accounts(ask.guild, self.person(conn, ask).await?) {
            let read = async {
                let person = account.1.into();
                ban::active::of_person(conn, account.0, (person, None), ask.now).await.map(Arc::from)
            };
            let bans = known(&self.bans, &account, read).await?;
            let applies = |ban: &&ban::Model| {
                ban.in_force(ask.now) && ask.place.is_none_or(|place| ban.applies_in(place))
            };
            found.extend(bans.iter().filter(applies).cloned());
        }
        Ok(found.into_iter().max_by_key(|ban| (ban.expires_at.is_none(), ban.expires_at, ban.ban_id)))
    }

    /// The mute that applies; of several the one that ends last.
    pub(super) async fn mute(&self, conn: &Pool, ask: Question) -> Result<Option<mute::Model>, DbErr> {
        let mut found: Vec<mute::Model> = Vec::new();
        for account in accounts(ask.guild, self.person(conn, ask).await?) {
            let read = async {
                let person = account.1.into();
                mute::of_person(conn, account.0, (person, None), ask.now).await.map(Arc::from)
            };
            let mutes = known(&self.mutes, &account, read).await?;
            let applies = |mute: &&mute::Model| {
                mute.in_force(ask.now) && ask.place.is_none_or(|place| mute.applies_in(place))
            };
            found.extend(mutes.iter().filter(applies).cloned());
        }
        Ok(found.into_iter().max_by_key(|mute| (mute.expires_at.is_none(), mute.expires_at, mute.mute_id)))
    }

    async fn person(&self, conn: &Pool, ask: Question) -> Result<Person, DbErr> {
        let read = Person::resolve(conn, ask.guild, ask.subject);
        known(&self.persons, &(ask.guild, ask.subject), read).await
    }

    /// A ban or mute of one of the person's accounts was made or ended.
    pub(super) async fn changed(&self, guild: GuildId, person: Person) {
        for account in accounts(guild, person) {
            self.bans.forget(&account).await;
            self.mutes.forget(&account).await;
        }
    }

    pub(super) async fn hear(&self, event: Result<Event, RecvError>) {
        match event {
            Ok(Event::Moderation { guild, chat_id, play_id, .. }) => {
                self.changed(guild, Person { chat: chat_id, play: play_id }).await;
            }
            // Rare, and cheap to read again.
            Ok(Event::LinksChanged { .. }) => self.persons.forget_all(),
            Ok(Event::Resync) | Err(_) => {
                self.persons.forget_all();
                self.bans.forget_all();
                self.mutes.forget_all();
            }
            Ok(_) => {}
        }
    }
}

fn accounts(guild: GuildId, person: Person) -> impl Iterator<Item = Account> + Send {
    let subjects = [person.chat.map(Subject::Chat), person.play.map(Subject::Play)];
    subjects.into_iter().flatten().map(move |subject| (guild, subject))
}

async fn known<V: Clone + Send + Sync + 'static>(
    cache: &Remembered<Account, V>,
    account: &Account,
    read: impl Future<Output = Result<V, DbErr>>,
) -> Result<V, DbErr> {
    match cache.get(account).await {
        Some(value) => Ok(value),
        None => cache.load(account, read).await,
    }
}

#[cfg(test)]
mod tests;
