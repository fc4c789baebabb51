//! Creates and closes sanctions. Every function needs a [`Change`]: the transaction's revision.

use std::collections::{BTreeMap, HashMap, HashSet};

use sea_orm::Condition;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, OnConflict};

use super::closing::close_all;
use super::model::{Column, Entity, Lifted, Model, SanctionKind, Slot, of_many};
use super::new::row;
pub use super::new::{Created, NewSanction};
use super::succession::{Later, succeed};
use crate::moderation_revision::Change;
use crate::{ChatId, GuildId, Person, PlaceId, SanctionId};

/// Writes sanctions, each in place of the open ones of its person and place; of several of one person and place the later
/// supersedes the earlier. In the order of `new`.
pub async fn create<C: ConnectionTrait>(
    conn: &C,
    change: &mut Change,
    new: Vec<NewSanction>,
) -> Result<Vec<Created>, DbErr> {
    let (mut firsts, mut places, mut later) = (Vec::new(), HashMap::new(), Vec::new());
    let mut met = HashMap::new();
    for (place, new) in new.into_iter().enumerate() {
        if let Some(before) = met.insert((new.kind, new.person, new.place), place) {
            later.push(Later { place, before, new });
        } else {
            places.insert(new.slot(), place);
            firsts.push(new);
        }
    }
    if firsts.is_empty() {
        return Ok(Vec::new());
    }
    let made = create_distinct(conn, change, firsts).await?;
    let placed = made.into_iter().filter_map(|made| Some((places.remove(&made.sanction.slot())?, made)));
    let mut created: BTreeMap<usize, Created> = placed.collect();
    if !later.is_empty() {
        succeed(conn, change, &mut created, later).await?;
    }
    Ok(created.into_values().collect())
}

/// Like [`create()`], of different persons or places, in any order.
async fn create_distinct<C: ConnectionTrait>(
    conn: &C,
    change: &mut Change,
    mut new: Vec<NewSanction>,
) -> Result<Vec<Created>, DbErr> {
    let slots: HashMap<Slot, Vec<Slot>> = new.iter().map(|new| (new.slot(), new.slots().collect())).collect();
    // Usually there is none to replace: then it takes one round trip, and one more for linked accounts.
    let of_others = open_twins(conn, change.guild, &new).await?;
    let taken = new.iter().filter_map(|new| Some((new.moderator, new.twin()?)));
    let taken = taken.filter(|(_, twin)| of_others.contains(twin));
    let taken = taken.map(|(by, twin)| ((by, None), twin.rows(change.guild)));
    let mut superseded = close_all(conn, change, Lifted::Superseded, taken).await?;
    let mut added = insert(conn, change, &new, &superseded).await?;
    if added.len() < new.len() {
        let free: HashSet<Slot> = added.iter().map(Model::slot).collect();
        new.retain(|new| !free.contains(&new.slot()));
        let taken = new.iter().map(|new| ((new.moderator, None), new.slot().rows(change.guild)));
        superseded.append(&mut close_all(conn, change, Lifted::Superseded, taken).await?);
        added.append(&mut insert(conn, change, &new, &superseded).await?);
    }
    let mut closed: HashMap<Slot, Vec<Model>> = HashMap::new();
    for row in superseded {
        closed.entry(row.slot()).or_default().push(row);
    }
    let with_closed = |sanction: Model| {
        let slots = slots.get(&sanction.slot()).into_iter().flatten();
        let closed = slots.flat_map(|slot| closed.remove(slot).unwrap_or_default()).collect();
        Created { sanction, closed }
    };
    Ok(added.into_iter().map(with_closed).collect())
}

/// The slots of other accounts that are not free.
async fn open_twins<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    new: &[NewSanction],
) -> Result<HashSet<Slot>, DbErr> {
    let twins: Vec<Slot> = new.iter().filter_map(NewSanction::twin).collect();
    if twins.is_empty() {
        return Ok(HashSet::new());
    }
    let people: Vec<Person> = twins.iter().map(|slot| Person { chat: slot.chat, play: slot.play }).collect();
    let open = Entity::find().filter(of_many(conn, guild, &people)).filter(Column::LiftedAt.is_null());
    Ok(open.all(conn).await?.iter().map(Model::slot).collect())
}

/// Returns those whose slot was free.
async fn insert<C: ConnectionTrait>(
    conn: &C,
    change: &mut Change,
    new: &[NewSanction],
    superseded: &[Model],
) -> Result<Vec<Model>, DbErr> {
    let unless_open = OnConflict::new().do_nothing().to_owned();
    let numbers = change.numbers.of(new.iter().map(NewSanction::numbered), superseded);
    let rows = new.iter().map(|new| row(change, new.clone(), numbers[&new.slot()]));
    let added = Entity::insert_many(rows).on_conflict(unless_open).exec_with_returning(conn).await?;
    change.numbers.take(&added);
    Ok(added)
}

/// A person's sanctions of one kind.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    pub kind: SanctionKind,
    pub person: Person,
    /// Each function that takes a target documents what `None` means.
    pub place: Option<PlaceId>,
}

impl Target {
    /// A sanction of every game covers each place.
    pub fn is_covered_by(&self, row: &Model) -> bool {
        self.concerns(row) && (row.place_id.is_none() || row.place_id == self.place)
    }

    /// It is of this kind and against this person.
    pub fn concerns(&self, row: &Model) -> bool {
        let Person { chat, play } = self.person;
        let is_theirs = (chat.is_some() && row.chat_id == chat) || (play.is_some() && row.play_id == play);
        row.kind == self.kind && is_theirs
    }
}

/// What a moderator lifts.
#[derive(Debug, Clone)]
pub struct Lift {
    /// Those of its place, or all of them if it names no place.
    pub target: Target,
    /// Leaves the others in force.
    pub only: Option<SanctionId>,
    pub by: ChatId,
    pub reason: Option<String>,
}

impl Lift {
    fn rows(&self, guild: GuildId) -> impl Iterator<Item = Condition> {
        let Self { target: Target { kind, person, place }, only, .. } = *self;
        let accounts = [
            person.chat.map(|chat| Column::ChatId.eq(chat)),
            person.play.map(|play| Column::PlayId.eq(play)),
        ];
        accounts.into_iter().flatten().map(move |account| {
            Condition::all()
                .add(Column::GuildId.eq(guild))
                .add(Column::Kind.eq(kind))
                .add(account)
                .add_option(place.map(|place| Column::PlaceId.eq(place)))
                .add_option(only.map(|only| Column::SanctionId.eq(only)))
        })
    }

    fn closes(&self, row: &Model) -> bool {
        self.target.concerns(row)
            && self.target.place.is_none_or(|place| row.place_id == Some(place))
            && self.only.is_none_or(|only| row.sanction_id == only)
    }
}

/// Lifts sanctions. Returns for each lift the rows that were open; `lifted_how` distinguishes rows in force from rows
/// that had expired before. If several lifts match a row, the first gets it.
pub async fn lift<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    lifts: &[Lift],
) -> Result<Vec<Vec<Model>>, DbErr> {
    let of = |lift: &Lift| (lift.by, lift.reason.clone());
    let rows = lifts.iter().flat_map(|lift| lift.rows(change.guild).map(move |rows| (of(lift), rows)));
    let mut lifted = vec![Vec::new(); lifts.len()];
    for row in close_all(conn, change, Lifted::Lifted, rows).await? {
        if let Some(first) = lifts.iter().position(|lift| lift.closes(&row)) {
            lifted[first].push(row);
        }
    }
    Ok(lifted)
}

/// Sets this revision on the open sanctions of accounts whose link changes: the active lists name the chat users by
/// another game id, and no longer list those of a game user who belongs to another person.
pub async fn relink<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    accounts: &[Person],
) -> Result<u64, DbErr> {
    let done = Entity::update_many()
        .col_expr(Column::Revision, Expr::value(change.revision))
        .filter(Column::LiftedAt.is_null())
        .filter(of_many(conn, change.guild, accounts))
        .exec(conn)
        .await?;
    Ok(done.rows_affected)
}
