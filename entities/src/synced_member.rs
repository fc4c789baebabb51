//! The state in which a sync left each linked member, as digests (`jobs/src/member_state.rs`): an event of the chat platform
//! that shows another one says that somebody else changed the member. And who is out of step: whom the last look at all members
//! found to differ.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{
    ActiveValue::NotSet, ActiveValue::Set, Condition, FromJsonQueryResult, QueryOrder, QuerySelect,
};
use serde::{Deserialize, Serialize};

use crate::by_id::no_relations;
use crate::{ChatId, Conn, GroupId, GuildId, Result, RoleId, Timestamp, lists};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "synced_member")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub chat_id: ChatId,
    pub states: States,
    /// When an event last led to a sync.
    pub repaired_at: Option<Timestamp>,
    /// What a sync would change (`jobs/src/bulk_sync.rs`, `OutOfStep`).
    pub due: Option<Json>,
    /// Since when something is due.
    pub due_since: Option<Timestamp>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct States {
    /// `None`: no sync has seen the member.
    pub end: Option<i64>,
    /// On the way there, where a sync makes its changes one after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passing: Vec<i64>,
    /// Until when events of these may come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passing_until: Option<Timestamp>,
    /// The name of the account, which is unique on the chat platform; empty: not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The managed roles at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RoleId>,
    /// The player's ranks in the bound groups when the member was last found right, or first seen; none: not in the group.
    #[serde(default, skip_serializing_if = "Ranks::is_empty")]
    pub ranks: Ranks,
}

pub type Ranks = BTreeMap<GroupId, Vec<i16>>;

impl States {
    /// Whether a sync left the member in this state, or may just have passed it.
    pub fn explain(&self, state: i64, now: Timestamp) -> bool {
        let passes = self.passing_until.is_some_and(|until| now < until) && self.passing.contains(&state);
        self.end == Some(state) || passes
    }
}

no_relations!();

/// Members per statement.
const MEMBERS: usize = 500;

/// Notes the states of members who are linked; of others nothing is kept.
pub async fn note(conn: &impl Conn, guild: GuildId, states: Vec<(ChatId, States)>) -> Result<()> {
    for part in states.chunks(MEMBERS) {
        let row = |(chat, states): &(ChatId, States)| ActiveModel {
            guild_id: Set(guild),
            chat_id: Set(*chat),
            states: Set(states.clone()),
            repaired_at: NotSet,
            due: NotSet,
            due_since: NotSet,
        };
        let newer =
            OnConflict::columns([Column::GuildId, Column::ChatId]).update_column(Column::States).to_owned();
        Entity::insert_many(part.iter().map(row)).on_conflict(newer).exec_without_returning(conn).await?;
    }
    Ok(())
}

/// Notes what is due of members who are linked. Who was out of step before is so since then.
pub async fn note_due(
    conn: &impl Conn,
    guild: GuildId,
    due: Vec<(ChatId, Json)>,
    now: Timestamp,
) -> Result<()> {
    for part in due.chunks(MEMBERS) {
        let row = |(chat, due): &(ChatId, Json)| ActiveModel {
            guild_id: Set(guild),
            chat_id: Set(*chat),
            states: Set(States::default()),
            due: Set(Some(due.clone())),
            due_since: Set(Some(now)),
            repaired_at: NotSet,
        };
        let since = Expr::cust("COALESCE(synced_member.due_since, excluded.due_since)");
        let mut conflict = OnConflict::columns([Column::GuildId, Column::ChatId]);
        conflict.update_column(Column::Due).value(Column::DueSince, since);
        Entity::insert_many(part.iter().map(row)).on_conflict(conflict).exec_without_returning(conn).await?;
    }
    Ok(())
}

/// Notes that nothing is due of these members.
pub async fn settle(conn: &impl Conn, guild: GuildId, users: &[ChatId]) -> Result<()> {
    if users.is_empty() {
        return Ok(());
    }
    let settled = Entity::update_many()
        .col_expr(Column::Due, Expr::value(Option::<Json>::None))
        .col_expr(Column::DueSince, Expr::value(Option::<Timestamp>::None));
    let these = lists::any_of(conn, Column::ChatId, users.iter().copied());
    settled.filter(out_of_step(guild)).filter(these).exec(conn).await?;
    Ok(())
}

fn out_of_step(guild: GuildId) -> Condition {
    Condition::all().add(Column::GuildId.eq(guild)).add(Column::DueSince.is_not_null())
}

/// How many are out of step; `before`: since an earlier time.
pub async fn count_due(conn: &impl Conn, guild: GuildId, before: Option<Timestamp>) -> Result<u64> {
    let due = out_of_step(guild).add_option(before.map(|time| Column::DueSince.lt(time)));
    Entity::find().filter(due).count(conn).await
}

/// Who is out of step among users with an id above `after`, up to `up_to`.
pub async fn due_between(
    conn: &impl Conn,
    guild: GuildId,
    after: Option<ChatId>,
    up_to: Option<ChatId>,
) -> Result<Vec<ChatId>> {
    let range = Condition::all()
        .add_option(after.map(|after| Column::ChatId.gt(after)))
        .add_option(up_to.map(|up_to| Column::ChatId.lte(up_to)));
    let due = Entity::find().select_only().column(Column::ChatId).filter(out_of_step(guild)).filter(range);
    due.into_tuple().all(conn).await
}

/// Who is out of step, by id, at most `limit` after `after`.
pub async fn list_due(
    conn: &impl Conn,
    guild: GuildId,
    after: Option<ChatId>,
    limit: u64,
) -> Result<Vec<Model>> {
    let rows = Entity::find().filter(out_of_step(guild));
    let rows = rows.filter(Condition::all().add_option(after.map(|after| Column::ChatId.gt(after))));
    rows.order_by_asc(Column::ChatId).limit(limit).all(conn).await
}

/// What is noted of one member.
pub async fn find(conn: &impl Conn, guild: GuildId, user: ChatId) -> Result<Option<Model>> {
    Entity::find_by_id((guild, user)).one(conn).await
}

pub async fn find_many(conn: &impl Conn, guild: GuildId, users: &[ChatId]) -> Result<Vec<Model>> {
    let rows = Entity::find().filter(Column::GuildId.eq(guild));
    rows.filter(lists::any_of(conn, Column::ChatId, users.iter().copied())).all(conn).await
}

/// Notes that an event leads to a sync of the member; false: one did less than `pause` ago. A member whom no sync has seen yet
/// gets a row.
pub async fn may_repair(
    conn: &impl Conn,
    guild: GuildId,
    user: ChatId,
    now: Timestamp,
    pause: TimeDelta,
) -> Result<bool> {
    let row = ActiveModel {
        guild_id: Set(guild),
        chat_id: Set(user),
        states: Set(States::default()),
        repaired_at: Set(Some(now)),
        due: NotSet,
        due_since: NotSet,
    };
    let long_ago =
        Expr::col((Entity, Column::RepairedAt))
            .is_null()
            .or(Expr::col((Entity, Column::RepairedAt)).lte(now - pause));
    let mut conflict = OnConflict::columns([Column::GuildId, Column::ChatId]);
    let conflict = conflict.update_column(Column::RepairedAt).action_and_where(long_ago).to_owned();
    let written = Entity::insert(row).on_conflict(conflict).exec_without_returning(conn).await?;
    Ok(written > 0)
}

/// Who leaves may come back with nothing.
pub async fn forget(conn: &impl Conn, guild: GuildId, users: &[ChatId]) -> Result<()> {
    if !users.is_empty() {
        let these = lists::any_of(conn, Column::ChatId, users.iter().copied());
        Entity::delete_many().filter(Column::GuildId.eq(guild)).filter(these).exec(conn).await?;
    }
    Ok(())
}
