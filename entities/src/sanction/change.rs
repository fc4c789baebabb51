//! Creates and closes sanctions. Every function needs a [`Change`]: the transaction's revision.

use std::collections::{BTreeMap, HashMap, HashSet};

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, Condition, UpdateMany};

use super::model::{
    ALTERNATIVES_PER_STATEMENT, ActiveModel, Column, Entity, Lifted, MirrorState, Model, SanctionKind, Slot,
    expired_or, of_many,
};
use super::number::Numbered;
use crate::moderation_revision::Change;
use crate::{ChatId, GuildId, KeyId, Person, PlaceId, SanctionId, Subject, Timestamp};

/// A sanction to insert.
#[derive(Debug, Clone)]
pub struct NewSanction {
    pub kind: SanctionKind,
    /// The account that the moderator names.
    pub subject: Subject,
    /// Whose account that is.
    pub person: Person,
    pub place: Option<PlaceId>,
    pub reason: String,
    pub moderator: ChatId,
    /// The key that names the moderator; `None`: a person who is signed in, or a file of an operator.
    pub key: Option<KeyId>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    /// The number of the one that it restores.
    pub number: Option<i64>,
}

impl NewSanction {
    pub(super) fn slot(&self) -> Slot {
        let (chat, play) = (self.subject.chat(), self.subject.play());
        Slot { kind: self.kind, chat, play, place: self.place }
    }

    /// The slot of the person's other account.
    fn twin(&self) -> Option<Slot> {
        let Person { chat, play } = self.person;
        let (chat, play) = if self.subject.chat().is_some() { (None, play) } else { (chat, None) };
        (chat.is_some() || play.is_some()).then_some(Slot { chat, play, ..self.slot() })
    }

    fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        std::iter::once(self.slot()).chain(self.twin())
    }

    fn numbered(&self) -> Numbered {
        Numbered { slot: self.slot(), twin: self.twin(), restored: self.number }
    }
}

#[derive(Debug, Clone)]
pub struct Created {
    pub sanction: Model,
    /// The older sanctions it replaced, now closed. `lifted_how` marks those that had expired before.
    pub closed: Vec<Model>,
}

/// Writes sanctions, each in place of the open ones of its person and place; of several of one person and place the later
/// supersedes the earlier. In the order of `new`.
pub async fn create<C: ConnectionTrait>(
    conn: &C,
    change: &mut Change,
    new: Vec<NewSanction>,
) -> Result<Vec<Created>, DbErr> {
    let mut left: Vec<_> = new.into_iter().enumerate().collect();
    let mut created = BTreeMap::new();
    while !left.is_empty() {
        let mut met = HashSet::new();
        let (round, later): (Vec<_>, _) =
            left.into_iter().partition(|(_, new)| met.insert((new.kind, new.person, new.place)));
        left = later;
        let mut places: HashMap<_, _> = round.iter().map(|(place, new)| (new.slot(), *place)).collect();
        let round = round.into_iter().map(|(_, new)| new).collect();
        let made = create_distinct(conn, change, round).await?;
        created.extend(made.into_iter().map(|made| (places.remove(&made.sanction.slot()), made)));
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

/// Every column is set, so that all rows of one insert have the same ones.
fn row(change: &Change, new: NewSanction, number: i64) -> ActiveModel {
    ActiveModel {
        sanction_id: NotSet,
        guild_id: Set(change.guild),
        number: Set(number),
        kind: Set(new.kind),
        chat_id: Set(new.subject.chat()),
        play_id: Set(new.subject.play()),
        place_id: Set(new.place),
        reason: Set(new.reason),
        moderator_id: Set(new.moderator),
        key_id: Set(new.key),
        created_at: Set(new.created_at),
        expires_at: Set(new.expires_at),
        lifted_at: Set(None),
        lifted_how: Set(None),
        lifted_by: Set(None),
        lift_reason: Set(None),
        mirror_state: Set(MirrorState::None),
        mirror_chat_id: Set(None),
        mirror_job_id: Set(None),
        mirror_error: Set(None),
        revision: Set(change.revision),
    }
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

/// Closes what each moderator closes, for each moderator and reason.
async fn close_all<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    how: Lifted,
    rows: impl Iterator<Item = ((ChatId, Option<String>), Condition)>,
) -> Result<Vec<Model>, DbErr> {
    let mut moderators: BTreeMap<_, Vec<Condition>> = BTreeMap::new();
    for (by, rows) in rows {
        moderators.entry(by).or_default().push(rows);
    }
    let mut closed = Vec::new();
    for ((by, reason), rows) in moderators {
        for part in rows.chunks(ALTERNATIVES_PER_STATEMENT) {
            let closing =
                closing(change, how, Some(by)).col_expr(Column::LiftReason, Expr::value(reason.clone()));
            let any = part.iter().cloned().fold(Condition::any(), Condition::add);
            closed.append(&mut closing.filter(any).exec_with_returning(conn).await?);
        }
    }
    Ok(closed)
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

/// The update that closes open sanctions; its caller names those of the change's guild.
pub(super) fn closing(change: &Change, how: Lifted, by: Option<ChatId>) -> UpdateMany<Entity> {
    Entity::update_many()
        .col_expr(Column::LiftedAt, Expr::value(change.now))
        .col_expr(Column::LiftedHow, expired_or(how, change.now))
        .col_expr(Column::LiftedBy, Expr::value(by))
        .col_expr(Column::Revision, Expr::value(change.revision))
        .filter(Column::LiftedAt.is_null())
}
