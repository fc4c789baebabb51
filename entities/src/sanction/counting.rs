//! Which bans, mutes and lifts count as staff actions (docs/rules.md 6): a change of a counted one does not.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, SimpleExpr};
use sea_orm::{QueryOrder, QuerySelect, QueryTrait};

use super::change::Target;
use super::model::{Column, Entity, Lifted, Model};
use crate::{ChatId, Conn, GuildId, Person, Result, SanctionId, Timestamp, lists};

/// For this long after a moderator imposed or lifted one of a person, further ones do not count.
const REPEATED_WITHIN: Duration = Duration::from_secs(24 * 3600);
/// A sanction that is imposed again within this time of its lift, by any moderator, was lifted by mistake.
const RESTORED_WITHIN: Duration = Duration::from_secs(3600);
/// Newest rows of each account that are read.
const ROWS_PER_ACCOUNT: u64 = 50;

/// The newest sanctions of some people, and those that a transaction adds.
#[derive(Debug, Default)]
pub struct Recent {
    rows: BTreeMap<SanctionId, Model>,
    /// Those whose lift the transaction has undone.
    restored: BTreeSet<SanctionId>,
}

/// The effect of a new sanction on statistics.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Imposed {
    pub counts: bool,
    /// The moderators and times of the lifts that it undoes, which no longer count. In a transaction each is undone once.
    pub undone: Vec<(ChatId, Timestamp)>,
}

impl Recent {
    pub async fn read(conn: &impl Conn, guild: GuildId, people: &[Person]) -> Result<Self> {
        // Each account once: many may concern one person.
        let chats: BTreeSet<_> = people.iter().filter_map(|person| person.chat).collect();
        let plays: BTreeSet<_> = people.iter().filter_map(|person| person.play).collect();
        let newest = |column: Column| {
            move |[account]: [SimpleExpr; 1]| {
                let rows =
                    Entity::find().filter(Column::GuildId.eq(guild)).filter(column.into_expr().eq(account));
                rows.order_by_desc(Column::SanctionId).limit(ROWS_PER_ACCOUNT).into_query()
            }
        };
        let chats = chats.into_iter().map(|chat| [chat.into()]).collect();
        let plays = plays.into_iter().map(|play| [play.into()]).collect();
        let mut recent = Self::default();
        recent.note(lists::of_each(conn, chats, newest(Column::ChatId)).await?);
        recent.note(lists::of_each(conn, plays, newest(Column::PlayId)).await?);
        Ok(recent)
    }

    /// The number of the one in this place that a new one restores.
    pub fn restored(&self, target: Target, now: Timestamp) -> Option<i64> {
        let lifted = self.of(target).filter(|row| row.place_id == target.place);
        let lifted = lifted.filter_map(|row| Some((lifted_by_mistake(row, now)?.1, row.number)));
        lifted.max().map(|(_, number)| number)
    }

    /// Call it for each in order, with its person and the sanctions that it closed.
    pub fn impose(&mut self, person: Person, new: &Model, closed: &[Model]) -> Imposed {
        let (by, now) = (new.moderator_id, new.created_at);
        let target = Target { kind: new.kind, person, place: None };
        let was_in_force = closed.iter().any(|row| row.lifted_how == Some(Lifted::Superseded));
        let lifts = self.of(target).filter_map(|row| Some((row.sanction_id, lifted_by_mistake(row, now)?)));
        let lifts: Vec<_> = lifts.collect();
        let is_change = was_in_force || self.of(target).any(|row| row.in_force(now) || acted(row, by, now));
        let counts = !is_change && lifts.is_empty();
        let undone = lifts.into_iter().filter(|(row, _)| self.restored.insert(*row));
        let undone = undone.map(|(_, lift)| lift).collect();
        self.note(closed.iter().chain([new]).cloned());
        Imposed { counts, undone }
    }

    /// Whether a lift counts; `closed` is what it closed.
    pub fn lift(&mut self, target: Target, by: ChatId, closed: &[Model], now: Timestamp) -> bool {
        let is_change =
            closed.iter().any(|row| row.moderator_id == by) || self.of(target).any(|row| acted(row, by, now));
        self.note(closed.iter().cloned());
        !is_change
    }

    fn of(&self, target: Target) -> impl Iterator<Item = &Model> {
        self.rows.values().filter(move |row| target.concerns(row))
    }

    /// The rows as they are.
    fn note(&mut self, rows: impl IntoIterator<Item = Model>) {
        self.rows.extend(rows.into_iter().map(|row| (row.sanction_id, row)));
    }
}

/// The moderator and time of a lift after which a new one is a restored one.
fn lifted_by_mistake(row: &Model, now: Timestamp) -> Option<(ChatId, Timestamp)> {
    let lift = (row.lifted_by?, row.lifted_at?);
    let is_mistake = row.lifted_how == Some(Lifted::Lifted) && is_within(lift.1, RESTORED_WITHIN, now);
    is_mistake.then_some(lift)
}

/// The moderator imposed or lifted it a short time ago.
fn acted(row: &Model, by: ChatId, now: Timestamp) -> bool {
    let imposed = row.moderator_id == by && is_within(row.created_at, REPEATED_WITHIN, now);
    imposed
        || (row.lifted_by == Some(by) && row.lifted_at.is_some_and(|at| is_within(at, REPEATED_WITHIN, now)))
}

fn is_within(at: Timestamp, time: Duration, now: Timestamp) -> bool {
    at + time > now
}
