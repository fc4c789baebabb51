//! The state in which a sync left each linked member, as digests (`jobs/src/member_state.rs`): an event of the chat platform
//! that shows another one says that somebody else changed the member. And who is out of step: whom the last look at all members
//! found to differ.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, LockType, OnConflict, Query};
use sea_orm::{Condition, DatabaseBackend, FromJsonQueryResult, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};

use crate::by_id::no_relations;
use crate::{ChatId, Conn, GroupId, GuildId, Result, RoleId, Timestamp, link, lists};

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
    let newer =
        OnConflict::columns([Column::GuildId, Column::ChatId]).update_column(Column::States).to_owned();
    let rows = states.into_iter().map(|(chat, states)| [chat.into(), states.into()]).collect();
    insert(conn, guild, [Column::ChatId, Column::States], rows, newer).await?;
    Ok(())
}

/// Notes what is due of members who are linked. Who was out of step before is so since then.
pub async fn note_due(
    conn: &impl Conn,
    guild: GuildId,
    due: Vec<(ChatId, Json)>,
    now: Timestamp,
) -> Result<()> {
    let since = Expr::cust("COALESCE(synced_member.due_since, excluded.due_since)");
    let mut conflict = OnConflict::columns([Column::GuildId, Column::ChatId]);
    let conflict = conflict.update_column(Column::Due).value(Column::DueSince, since).to_owned();
    let row = |(chat, due): (ChatId, Json)| [chat.into(), States::default().into(), due.into(), now.into()];
    let columns = [Column::ChatId, Column::States, Column::Due, Column::DueSince];
    insert(conn, guild, columns, due.into_iter().map(row).collect(), conflict).await?;
    Ok(())
}

/// Inserts rows, each of a user in the first column, without those of users whose link has ended: a sync goes on beside the
/// changes of links, and may end after the link of a member that it has read. Returns how many it wrote.
async fn insert<const N: usize>(
    conn: &impl Conn,
    guild: GuildId,
    columns: [Column; N],
    rows: Vec<[Value; N]>,
    conflict: OnConflict,
) -> Result<u64> {
    let mut written = 0;
    for part in rows.chunks(MEMBERS) {
        let mut linked = Query::select();
        linked
            .expr(Expr::val(guild))
            .exprs((1..=N).map(|column| Expr::col(("given", format!("column{column}")))))
            .from_subquery(lists::exactly(conn, part.to_vec()), "given")
            .from(link::Entity)
            .and_where(Expr::col((link::Entity, link::Column::GuildId)).eq(guild))
            .and_where(Expr::col((link::Entity, link::Column::ChatId)).equals(("given", "column1")));
        if conn.get_database_backend() == DatabaseBackend::Postgres {
            linked.lock_with_tables(LockType::KeyShare, [link::Entity]);
        }
        let mut insert = Query::insert();
        insert.into_table(Entity).columns([&[Column::GuildId], &columns[..]].concat());
        insert.select_from(linked).map_err(|error| DbErr::Custom(error.to_string()))?;
        written += conn.execute(insert.on_conflict(conflict.clone())).await?.rows_affected();
    }
    Ok(written)
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

/// Notes that an event leads to a sync of the member; false: one did less than `pause` ago, or they are not linked. A member whom no sync has seen yet
/// gets a row.
pub async fn may_repair(
    conn: &impl Conn,
    guild: GuildId,
    user: ChatId,
    now: Timestamp,
    pause: TimeDelta,
) -> Result<bool> {
    let long_ago =
        Expr::col((Entity, Column::RepairedAt))
            .is_null()
            .or(Expr::col((Entity, Column::RepairedAt)).lte(now - pause));
    let mut conflict = OnConflict::columns([Column::GuildId, Column::ChatId]);
    let conflict = conflict.update_column(Column::RepairedAt).action_and_where(long_ago).to_owned();
    let row = [user.into(), States::default().into(), now.into()];
    let columns = [Column::ChatId, Column::States, Column::RepairedAt];
    Ok(insert(conn, guild, columns, vec![row], conflict).await? > 0)
}

/// Who leaves may come back with nothing.
pub async fn forget(conn: &impl Conn, guild: GuildId, users: &[ChatId]) -> Result<()> {
    if !users.is_empty() {
        let these = lists::any_of(conn, Column::ChatId, users.iter().copied());
        Entity::delete_many().filter(Column::GuildId.eq(guild)).filter(these).exec(conn).await?;
    }
    Ok(())
}
