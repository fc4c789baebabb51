//! What staff members did (interface 4.8, 4.13). Rows are only ever added.
//!
//! `nth` numbers the actions of one kind by one staff member without gaps, in the order of `created_at`; [`totals`]
//! reads totals off it. [`record`] alone writes rows: it keeps that order, and puts an action that needs approval on
//! the list of those that wait.

pub mod totals;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};

use crate::{ActionId, ChatId, GuildId, PendingId, SessionId, Timestamp, pending_action, quota};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "staff_action")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub action_id: ActionId,
    pub guild_id: GuildId,
    pub staff_id: ChatId,
    pub action_type: ActionType,
    /// Which of the member's actions of this type it is, from 1.
    pub nth: i64,
    pub target_id: String,
    pub details: Json,
    pub session_id: Option<SessionId>,
    /// False while it waits for approval, and when that was refused.
    pub counts: bool,
    pub created_at: Timestamp,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    EnumIter,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "String", db_type = "Text")]
#[serde(rename_all = "snake_case")]
pub enum ActionType {
    #[sea_orm(string_value = "ban")]
    Ban,
    #[sea_orm(string_value = "unban")]
    Unban,
    #[sea_orm(string_value = "mute")]
    Mute,
    #[sea_orm(string_value = "unmute")]
    Unmute,
    #[sea_orm(string_value = "warn")]
    Warn,
    #[sea_orm(string_value = "kick")]
    Kick,
    #[sea_orm(string_value = "custom")]
    Custom,
}

impl ActionType {
    pub const ALL: [Self; 7] =
        [Self::Ban, Self::Unban, Self::Mute, Self::Unmute, Self::Warn, Self::Kick, Self::Custom];

    pub fn name(self) -> &'static str {
        match self {
            Self::Ban => "ban",
            Self::Unban => "unban",
            Self::Mute => "mute",
            Self::Unmute => "unmute",
            Self::Warn => "warn",
            Self::Kick => "kick",
            Self::Custom => "custom",
        }
    }
}

/// An action to be recorded.
#[derive(Debug, Clone)]
pub struct NewAction {
    pub guild: GuildId,
    pub staff: ChatId,
    pub action_type: ActionType,
    pub target: String,
    pub details: Json,
    pub session: Option<SessionId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    pub action: ActionId,
    /// Set where a quota wants approval before the action counts.
    pub pending: Option<PendingId>,
}

/// Records an action. Needs a transaction.
pub async fn record<C: ConnectionTrait>(conn: &C, new: NewAction, now: Timestamp) -> Result<Recorded, DbErr> {
    let waits = quota::wants_approval(conn, new.guild, new.staff, new.action_type).await?;
    for _ in 0..MOST_TRIES {
        if let Some(action) = try_append(conn, &new, !waits, now).await? {
            let pending = if waits { Some(pending_action::submit(conn, &action, now).await?) } else { None };
            return Ok(Recorded { action: action.action_id, pending });
        }
    }
    Err(DbErr::Custom("no place in the sequence of a staff member's actions".to_owned()))
}

/// Each failed try means that another writer appended an action of the same member and type meanwhile.
const MOST_TRIES: usize = 100;

/// Appends with the number after the last; `None`: another transaction took that number, and has committed by now.
async fn try_append<C: ConnectionTrait>(
    conn: &C,
    new: &NewAction,
    counts: bool,
    now: Timestamp,
) -> Result<Option<Model>, DbErr> {
    let last = last(conn, new).await?;
    let row = ActiveModel {
        action_id: NotSet,
        guild_id: Set(new.guild),
        staff_id: Set(new.staff),
        action_type: Set(new.action_type),
        nth: Set(last.map_or(0, |(nth, _)| nth) + 1),
        target_id: Set(new.target.clone()),
        details: Set(new.details.clone()),
        session_id: Set(new.session),
        counts: Set(counts),
        // Clocks of two processes may differ: the order of the numbers is the order of the times.
        created_at: Set(last.map_or(now, |(_, at)| now.max(at))),
    };
    let taken = OnConflict::columns([Column::GuildId, Column::StaffId, Column::ActionType, Column::Nth])
        .do_nothing()
        .to_owned();
    let added = Entity::insert_many([row]).on_conflict(taken).exec_with_returning(conn).await?;
    Ok(added.into_iter().next())
}

async fn last<C: ConnectionTrait>(conn: &C, new: &NewAction) -> Result<Option<(i64, Timestamp)>, DbErr> {
    Entity::find()
        .select_only()
        .columns([Column::Nth, Column::CreatedAt])
        .filter(Column::GuildId.eq(new.guild))
        .filter(Column::StaffId.eq(new.staff))
        .filter(Column::ActionType.eq(new.action_type))
        .order_by_desc(Column::Nth)
        .limit(1)
        .into_tuple()
        .one(conn)
        .await
}

/// Actions of a guild, newest first, older than the cursor.
pub async fn list<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    (cursor, limit): (Option<ActionId>, u64),
) -> Result<Vec<Model>, DbErr> {
    let mut query =
        Entity::find().filter(Column::GuildId.eq(guild)).order_by_desc(Column::ActionId).limit(limit);
    if let Some(cursor) = cursor {
        query = query.filter(Column::ActionId.lt(cursor));
    }
    query.all(conn).await
}

/// The action was approved.
pub(crate) async fn let_count<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    action: ActionId,
) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::Counts, Expr::value(true))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::ActionId.eq(action))
        .exec(conn)
        .await?;
    Ok(())
}
