//! Actions of staff members (docs/rules.md 6). Rows are only inserted.
//!
//! `nth` numbers the actions of one kind by one staff member that count, without gaps, in the order of `counted_at`;
//! [`totals`] reads totals off it. [`crate::approval`] writes rows: an action that needs approval has no number until
//! its approval, so an action that waits or was rejected counts nowhere.

pub mod totals;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, QueryOrder, QuerySelect, SqlErr};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use utoipa::ToSchema;

use crate::by_id::{by_id, no_relations};
use crate::{ActionId, ChatId, Conn, GuildId, Result, SessionId, Timestamp};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "staff_action")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub action_id: ActionId,
    pub guild_id: GuildId,
    pub staff_id: ChatId,
    pub action_type: ActionType,
    /// The action's number among the member's counted actions of this type, from 1. `None` while it waits for approval
    /// and after a rejection.
    pub nth: Option<i64>,
    /// The time from which it counts: its approval, if it needed one.
    pub counted_at: Option<Timestamp>,
    pub target_id: String,
    pub details: Json,
    pub session_id: Option<SessionId>,
    pub created_at: Timestamp,
}

no_relations!();

by_id!(ActionId: list);

#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    EnumIter,
    DeriveActiveEnum,
    IntoStaticStr,
    VariantArray,
    EnumString,
    ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ActionType {
    Ban,
    Unban,
    Mute,
    Unmute,
    Warn,
    Kick,
    Custom,
}

impl ActionType {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// An action to insert.
#[derive(Debug, Clone)]
pub struct NewAction {
    pub guild: GuildId,
    pub staff: ChatId,
    pub action_type: ActionType,
    pub target: String,
    pub details: Json,
    pub session: Option<SessionId>,
}

/// One member's actions of one type, which are numbered together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sequence {
    pub(crate) guild: GuildId,
    pub(crate) staff: ChatId,
    pub(crate) action_type: ActionType,
}

/// Inserts a pending action, which has no number.
pub(crate) async fn add_waiting(conn: &impl Conn, new: NewAction, now: Timestamp) -> Result<Model> {
    row(&new, None, now).insert(conn).await
}

/// Inserts an action that counts.
pub(crate) async fn add(conn: &impl Conn, new: &NewAction, now: Timestamp) -> Result<Model> {
    for _ in 0..MOST_TRIES {
        if let Some(action) = try_append(conn, new, now).await? {
            return Ok(action);
        }
    }
    Err(no_number())
}

/// Each failed try means that another writer numbered an action of the same member and type meanwhile.
const MOST_TRIES: usize = 100;

fn no_number() -> DbErr {
    DbErr::Custom("no place in the sequence of a staff member's actions".to_owned())
}

/// Inserts with the next number; `None`: another transaction took that number and has committed.
async fn try_append(conn: &impl Conn, new: &NewAction, now: Timestamp) -> Result<Option<Model>> {
    let of = Sequence { guild: new.guild, staff: new.staff, action_type: new.action_type };
    let next = next(conn, of, now).await?;
    let taken = OnConflict::columns([Column::GuildId, Column::StaffId, Column::ActionType, Column::Nth])
        .target_and_where(Expr::col(Column::Nth).is_not_null())
        .do_nothing()
        .to_owned();
    let row = row(new, Some(next), now);
    let added = Entity::insert_many([row]).on_conflict(taken).exec_with_returning(conn).await?;
    Ok(added.into_iter().next())
}

fn row(new: &NewAction, number: Option<(i64, Timestamp)>, now: Timestamp) -> ActiveModel {
    ActiveModel {
        action_id: NotSet,
        guild_id: Set(new.guild),
        staff_id: Set(new.staff),
        action_type: Set(new.action_type),
        nth: Set(number.map(|(nth, _)| nth)),
        counted_at: Set(number.map(|(_, at)| at)),
        target_id: Set(new.target.clone()),
        details: Set(new.details.clone()),
        session_id: Set(new.session),
        created_at: Set(now),
    }
}

/// The next number, and the time from which it counts. Clocks of two processes may differ, so that time never precedes
/// the previous number's.
async fn next(conn: &impl Conn, of: Sequence, now: Timestamp) -> Result<(i64, Timestamp)> {
    let last: Option<(i64, Timestamp)> = Entity::find()
        .select_only()
        .columns([Column::Nth, Column::CountedAt])
        .filter(Column::GuildId.eq(of.guild))
        .filter(Column::StaffId.eq(of.staff))
        .filter(Column::ActionType.eq(of.action_type))
        // Written like the index's own condition, or the index is not used.
        .filter(Column::Nth.is_not_null())
        .order_by_desc(Column::Nth)
        .limit(1)
        .into_tuple()
        .one(conn)
        .await?;
    Ok(last.map_or((1, now), |(nth, at)| (nth + 1, std::cmp::max(now, at))))
}

/// Marks an action as approved: it counts from now on, as the member's next of its type. `conn` is a transaction.
pub(crate) async fn approve(conn: &impl Conn, of: Sequence, action: ActionId, now: Timestamp) -> Result<()> {
    for _ in 0..MOST_TRIES {
        // A number taken concurrently must not roll back the caller's transaction.
        conn.execute_unprepared("SAVEPOINT number").await?;
        match try_number(conn, of, action, now).await {
            Ok(()) => return conn.execute_unprepared("RELEASE SAVEPOINT number").await.map(drop),
            Err(error) if matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_))) => {
                conn.execute_unprepared("ROLLBACK TO SAVEPOINT number").await?;
            }
            Err(error) => return Err(error),
        }
    }
    Err(no_number())
}

async fn try_number(conn: &impl Conn, of: Sequence, action: ActionId, now: Timestamp) -> Result<()> {
    let (nth, counted_at) = next(conn, of, now).await?;
    Entity::update_many()
        .col_expr(Column::Nth, Expr::value(nth))
        .col_expr(Column::CountedAt, Expr::value(counted_at))
        .filter(Column::GuildId.eq(of.guild))
        .filter(Column::ActionId.eq(action))
        .exec(conn)
        .await?;
    Ok(())
}
