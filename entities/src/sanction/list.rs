//! The lists of sanctions in force that game servers keep, and what changed in them since a revision.
//!
//! A list shows one sanction for each person: the one that ends last.

use std::collections::{BTreeSet, HashMap, HashSet};

use sea_orm::entity::prelude::*;
use sea_orm::{QueryOrder, QuerySelect, Select};

use super::model::{self, Column, Entity, Lifted, Model, Places, SanctionKind, in_force};
use crate::{ChatId, GuildId, Page, Person, PlaceId, PlayId, SanctionId, Subject, Timestamp};

/// One of the lists that game servers keep.
#[derive(Debug, Clone, Copy)]
pub struct List {
    pub guild: GuildId,
    pub kind: SanctionKind,
    pub places: Places,
}

/// The number of rows in force. It only decreases between two changes.
pub async fn count<C: ConnectionTrait>(conn: &C, list: List, now: Timestamp) -> Result<u64, DbErr> {
    of_list(list).filter(in_force(now)).count(conn).await
}

/// A sanction as game servers keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub sanction_id: SanctionId,
    pub chat_id: Option<ChatId>,
    /// The game id, known directly or by a link.
    pub play_id: Option<PlayId>,
    pub place_id: Option<PlaceId>,
    pub reason: String,
    pub expires_at: Option<Timestamp>,
    pub lifted_at: Option<Timestamp>,
    pub lifted_how: Option<Lifted>,
    pub revision: i64,
    /// Another one of the same person in the list ends later. Only the one that ends last is shown for a
    /// person.
    pub is_outlasted: bool,
}

impl Listed {
    /// `play`: the game user of the person.
    pub(super) fn new(row: Model, play: Option<PlayId>, is_outlasted: bool) -> Self {
        Self {
            is_outlasted,
            sanction_id: row.sanction_id,
            chat_id: row.chat_id,
            play_id: row.play_id.or(play),
            place_id: row.place_id,
            reason: row.reason,
            expires_at: row.expires_at,
            lifted_at: row.lifted_at,
            lifted_how: row.lifted_how,
            revision: row.revision,
        }
    }

    /// The game id where it is known, so that a game server can match players with it.
    pub fn identifier(&self) -> Option<Subject> {
        self.play_id.map(Subject::Play).or(self.chat_id.map(Subject::Chat))
    }

    pub fn in_force(&self, now: Timestamp) -> bool {
        self.lifted_at.is_none() && self.expires_at.is_none_or(|end| end > now)
    }
}

/// The rows that are shown, in pages, newest first.
pub async fn page<C: ConnectionTrait>(
    conn: &C,
    list: List,
    now: Timestamp,
    page: Page<SanctionId>,
) -> Result<Vec<Listed>, DbErr> {
    let (mut shown, mut rest) = (Vec::new(), page);
    while rest.limit > 0 {
        let rows = rest.of(of_list(list).filter(in_force(now)), Column::SanctionId).all(conn).await?;
        let is_last = (rows.len() as u64) < rest.limit;
        rest.cursor = rows.last().map(|row| row.sanction_id);
        let people = People::of(conn, list, &rows, now).await?;
        shown.extend(people.list(rows).into_iter().filter(|row| !row.is_outlasted));
        rest.limit = if is_last { 0 } else { page.limit - shown.len() as u64 };
    }
    Ok(shown)
}

/// The difference between an old state of a list and the current one.
#[derive(Debug, Default)]
pub struct Changes {
    /// The shown rows of the people concerned, in the order of change.
    pub shown: Vec<Listed>,
    /// Rows that are not or no longer shown.
    pub gone: Vec<SanctionId>,
}

/// The changes after `revision`; `None`: there are more than `limit`, so read the whole list instead.
///
/// If a row changed, all rows of its person are read: an unchanged one is shown again once the one that
/// outlasted it is lifted. An expiry is not a change: game servers see it in `expires_at`, and the shown row
/// ends last.
pub async fn changes_since<C: ConnectionTrait>(
    conn: &C,
    list: List,
    revision: i64,
    now: Timestamp,
    limit: u64,
) -> Result<Option<Changes>, DbErr> {
    let changed = of_list(list).filter(Column::Revision.gt(revision)).order_by_asc(Column::Revision);
    let changed = changed.order_by_asc(Column::SanctionId).limit(limit + 1).all(conn).await?;
    if changed.is_empty() {
        return Ok(Some(Changes::default()));
    }
    if changed.len() as u64 > limit {
        return Ok(None);
    }
    let people = People::of(conn, list, &changed, now).await?;
    let mut current = people.in_force.clone();
    current.sort_by_key(|row| (row.revision, row.sanction_id));
    let (outlasted, shown): (Vec<_>, Vec<_>) =
        people.list(current).into_iter().partition(|row| row.is_outlasted);
    let is_shown: HashSet<_> = shown.iter().map(|row| row.sanction_id).collect();
    let met = changed.iter().map(|row| row.sanction_id).chain(outlasted.iter().map(|row| row.sanction_id));
    let gone: BTreeSet<_> = met.filter(|id| !is_shown.contains(id)).collect();
    Ok(Some(Changes { shown, gone: gone.into_iter().collect() }))
}

/// The people whom rows are against, with all that is in force against them in a list. Read by account, in statements of
/// their own: joined to the rows, Postgres would read all rows of a new guild for each, until it has
/// statistics of them.
struct People {
    places: Places,
    of: HashMap<Subject, Person>,
    in_force: Vec<Model>,
}

impl People {
    async fn of(conn: &impl crate::Conn, list: List, rows: &[Model], now: Timestamp) -> Result<Self, DbErr> {
        let subjects: Vec<_> = rows.iter().filter_map(Model::subject).collect();
        let people = Person::resolve_all(conn, list.guild, &subjects).await?;
        let in_force = if people.is_empty() {
            Vec::new()
        } else {
            let theirs = model::of_many(conn, list.guild, &people);
            of_list(list).filter(theirs).filter(in_force(now)).all(conn).await?
        };
        let accounts =
            people.iter().flat_map(|&person| person.accounts().map(move |account| (account, person)));
        Ok(Self { places: list.places, of: accounts.collect(), in_force })
    }

    /// The rows as game servers keep them.
    fn list(&self, rows: Vec<Model>) -> Vec<Listed> {
        let mut last = HashMap::new();
        for row in &self.in_force {
            let (key, end) = (self.key(row), row.end_order());
            if last.get(&key).is_none_or(|known| *known < end) {
                last.insert(key, end);
            }
        }
        let listed = |row: Model| {
            let is_outlasted = last.get(&self.key(&row)).is_some_and(|last| *last > row.end_order());
            let play = self.person(&row).play;
            Listed::new(row, play, is_outlasted)
        };
        rows.into_iter().map(listed).collect()
    }

    /// One row of each key is shown. In a list of all places the place is part of the key: a server must not
    /// miss the rows of its place.
    fn key(&self, row: &Model) -> (Person, Option<PlaceId>) {
        (self.person(row), row.place_id.filter(|_| matches!(self.places, Places::All)))
    }

    fn person(&self, row: &Model) -> Person {
        let known = row.subject().and_then(|subject| self.of.get(&subject)).copied();
        known.unwrap_or(Person { chat: row.chat_id, play: row.play_id })
    }
}

pub(super) fn of_list(list: List) -> Select<Entity> {
    Entity::find()
        .filter(Column::GuildId.eq(list.guild))
        .filter(Column::Kind.eq(list.kind))
        .filter(list.places.condition())
}
