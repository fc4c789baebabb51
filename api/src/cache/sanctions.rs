//! Bans, mutes and links by account, so that game servers' checks need no query while nothing changes.
//!
//! Entries are keyed by account, and each check merges the person's two accounts: a ban invalidates the person's accounts
//! only, and a new link invalidates no sanctions. An account without sanctions has an entry too. Whether a sanction is in
//! force is decided by the clock at each check.

use std::sync::Arc;

use entities::{GuildId, Person, PlaceId, SanctionKind, Subject, Timestamp, sanction};
use runtime::{Freshness, Pool};
use sea_orm::DbErr;

use crate::cache::event_fed::EventFed;

/// Cached accounts, for sanctions and for persons each.
const CAPACITY: u64 = 100_000;

type Account = (GuildId, Subject);

pub(crate) struct Sanctions {
    persons: EventFed<Account, Person>,
    sanctions: EventFed<Account, Arc<[sanction::Model]>>,
}

/// A check for a ban or mute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question {
    pub(crate) guild: GuildId,
    pub(crate) kind: SanctionKind,
    pub(crate) subject: Subject,
    /// `None`: anywhere.
    pub(crate) place: Option<PlaceId>,
    pub(crate) now: Timestamp,
}

impl Sanctions {
    pub(crate) fn new(freshness: &Freshness) -> Self {
        Self { persons: EventFed::new(freshness, CAPACITY), sanctions: EventFed::new(freshness, CAPACITY) }
    }

    /// The sanction that applies; of several the one that ends last.
    pub(crate) async fn find(&self, conn: &Pool, ask: Question) -> Result<Option<sanction::Model>, DbErr> {
        let mut found: Vec<sanction::Model> = Vec::new();
        for account in accounts(ask.guild, self.person(conn, ask).await?) {
            let read = async {
                let person = account.1.into();
                sanction::active::of_person(conn, account.0, person, ask.now).await.map(Arc::from)
            };
            let sanctions = self.sanctions.get_or_load(&account, read).await?;
            let applies = |row: &&sanction::Model| {
                row.kind == ask.kind
                    && row.in_force(ask.now)
                    && ask.place.is_none_or(|place| row.applies_in(place))
            };
            found.extend(sanctions.iter().filter(applies).cloned());
        }
        Ok(found.into_iter().max_by_key(sanction::Model::end_order))
    }

    async fn person(&self, conn: &Pool, ask: Question) -> Result<Person, DbErr> {
        let read = Person::resolve(conn, ask.guild, ask.subject);
        self.persons.get_or_load(&(ask.guild, ask.subject), read).await
    }

    /// A ban or mute of one of the person's accounts was imposed or ended.
    pub(crate) fn forget(&self, guild: GuildId, person: Person) {
        for account in accounts(guild, person) {
            self.sanctions.forget(&account);
        }
    }

    /// A link changed: rare, and cheap to read again.
    pub(crate) fn forget_persons(&self) {
        self.persons.forget_all();
    }

    pub(crate) fn forget_all(&self) {
        self.persons.forget_all();
        self.sanctions.forget_all();
    }
}

fn accounts(guild: GuildId, person: Person) -> impl Iterator<Item = Account> + Send {
    let subjects = [person.chat.map(Subject::Chat), person.play.map(Subject::Play)];
    subjects.into_iter().flatten().map(move |subject| (guild, subject))
}
