//! Bans, mutes and links by account, so that the checks of game servers ask the database nothing while nothing changed.
//!
//! A row is kept under the one account it names, and a person's two accounts are put together at each check: so a ban
//! drops what is known of its own account and no more, and a link made later needs no ban to be read again. Accounts
//! without a row are remembered as such. Whether a row is in force is decided by the clock at each check.

use std::sync::Arc;
use std::time::Duration;

use entities::{GuildId, Person, PlaceId, SanctionKind, Subject, Timestamp, sanction};
use runtime::Pool;
use runtime::{Event, Events};
use sea_orm::DbErr;
use tokio::sync::broadcast::error::RecvError;

use crate::remembered::Remembered;

/// Accounts kept, of sanctions and of persons each.
const CAPACITY: u64 = 100_000;
/// With events trusted: a bound on what a bug or a lost event can do.
const TRUSTED_LIFE: Duration = Duration::from_secs(60);

type Account = (GuildId, Subject);

pub(crate) struct StatusCache {
    persons: Remembered<Account, Person>,
    sanctions: Remembered<Account, Arc<[sanction::Model]>>,
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
            sanctions: Remembered::new(events.clone(), CAPACITY, TRUSTED_LIFE),
        }
    }

    /// The ban or mute that applies; of several the one that ends last.
    pub(super) async fn find(
        &self,
        conn: &Pool,
        kind: SanctionKind,
        ask: Question,
    ) -> Result<Option<sanction::Model>, DbErr> {
        let mut found: Vec<sanction::Model> = Vec::new();
        for account in accounts(ask.guild, self.person(conn, ask).await?) {
            let read = async {
                let person = account.1.into();
                sanction::active::of_person(conn, account.0, person, ask.now).await.map(Arc::from)
            };
            let sanctions = known(&self.sanctions, &account, read).await?;
            let applies = |row: &&sanction::Model| {
                row.kind == kind
                    && row.in_force(ask.now)
                    && ask.place.is_none_or(|place| row.applies_in(place))
            };
            found.extend(sanctions.iter().filter(applies).cloned());
        }
        Ok(found.into_iter().max_by_key(sanction::Model::end_order))
    }

    async fn person(&self, conn: &Pool, ask: Question) -> Result<Person, DbErr> {
        let read = Person::resolve(conn, ask.guild, ask.subject);
        known(&self.persons, &(ask.guild, ask.subject), read).await
    }

    /// A ban or mute of one of the person's accounts was made or ended.
    pub(super) async fn changed(&self, guild: GuildId, person: Person) {
        for account in accounts(guild, person) {
            self.sanctions.forget(&account).await;
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
                self.sanctions.forget_all();
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
