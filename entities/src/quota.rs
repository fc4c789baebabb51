//! Quotas (docs/rules.md 6): a target for a metric in a period, for all staff or for one role.

use std::collections::HashMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, Condition, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};

use crate::staff_action::{self, ActionType};
use crate::{ChatId, GuildId, QuotaId, Timestamp, staff_member, staff_role, staff_session};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "quota")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub quota_id: QuotaId,
    pub guild_id: GuildId,
    pub name: String,
    pub metric: Metric,
    pub target: i64,
    pub period: Period,
    /// A role's name; none: all staff.
    pub scope_role: Option<String>,
    /// Actions of this type by those it covers count only when approved, for this quota and everywhere else.
    pub requires_approval: bool,
    pub created_at: Timestamp,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// What a quota measures: actions of one type, minutes in sessions, or sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
#[serde(rename_all = "snake_case")]
pub enum Metric {
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
    #[sea_orm(string_value = "minutes")]
    Minutes,
    #[sea_orm(string_value = "sessions")]
    Sessions,
}

impl Metric {
    /// The action it counts; none for minutes and sessions.
    pub fn action_type(self) -> Option<ActionType> {
        match self {
            Self::Ban => Some(ActionType::Ban),
            Self::Unban => Some(ActionType::Unban),
            Self::Mute => Some(ActionType::Mute),
            Self::Unmute => Some(ActionType::Unmute),
            Self::Warn => Some(ActionType::Warn),
            Self::Kick => Some(ActionType::Kick),
            Self::Custom => Some(ActionType::Custom),
            Self::Minutes | Self::Sessions => None,
        }
    }
}

/// In the guild's time zone, weeks from the guild's first day (docs/rules.md 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
#[serde(rename_all = "snake_case")]
pub enum Period {
    #[sea_orm(string_value = "day")]
    Day,
    #[sea_orm(string_value = "week")]
    Week,
    #[sea_orm(string_value = "month")]
    Month,
    #[sea_orm(string_value = "all")]
    All,
}

/// A quota as its guild describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewQuota {
    pub name: String,
    pub metric: Metric,
    pub target: i64,
    pub period: Period,
    pub scope_role: Option<String>,
    pub requires_approval: bool,
}

pub async fn add<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    quota: NewQuota,
    now: Timestamp,
) -> Result<Model, DbErr> {
    let row = ActiveModel {
        quota_id: NotSet,
        guild_id: Set(guild),
        name: Set(quota.name),
        metric: Set(quota.metric),
        target: Set(quota.target),
        period: Set(quota.period),
        scope_role: Set(quota.scope_role),
        requires_approval: Set(quota.requires_approval),
        created_at: Set(now),
    };
    row.insert(conn).await
}

pub async fn find<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    quota: QuotaId,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(quota).filter(Column::GuildId.eq(guild)).one(conn).await
}

/// Like [`find`], and the row is locked until the transaction ends.
pub async fn find_for_update<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    quota: QuotaId,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(quota).filter(Column::GuildId.eq(guild)).lock_exclusive().one(conn).await
}

/// Quotas of a guild, newest first, older than the cursor.
pub async fn list<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    (cursor, limit): (Option<QuotaId>, u64),
) -> Result<Vec<Model>, DbErr> {
    let wanted = Condition::all()
        .add(Column::GuildId.eq(guild))
        .add_option(cursor.map(|cursor| Column::QuotaId.lt(cursor)));
    Entity::find().filter(wanted).order_by_desc(Column::QuotaId).limit(limit).all(conn).await
}

/// Writes every field that a guild may change.
pub async fn save<C: ConnectionTrait>(conn: &C, quota: &Model) -> Result<(), DbErr> {
    let change = ActiveModel {
        quota_id: Set(quota.quota_id),
        name: Set(quota.name.clone()),
        metric: Set(quota.metric),
        target: Set(quota.target),
        period: Set(quota.period),
        scope_role: Set(quota.scope_role.clone()),
        requires_approval: Set(quota.requires_approval),
        ..Default::default()
    };
    Entity::update(change).validate()?.filter(Column::GuildId.eq(quota.guild_id)).exec(conn).await?;
    Ok(())
}

pub async fn delete<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    quota: QuotaId,
) -> Result<Option<Model>, DbErr> {
    let deleted = Entity::delete_many()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::QuotaId.eq(quota))
        .exec_with_returning(conn)
        .await?;
    Ok(deleted.into_iter().next())
}

/// A role was renamed: quotas of its old name follow, unless another role still has that name. Returns how many.
pub async fn follow_role<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    (old, new): (&str, &str),
) -> Result<u64, DbErr> {
    let holders = staff_role::Entity::find()
        .filter(staff_role::Column::GuildId.eq(guild))
        .filter(staff_role::Column::RoleName.eq(old))
        .count(conn)
        .await?;
    if holders > 0 {
        return Ok(0);
    }
    let moved = Entity::update_many()
        .col_expr(Column::ScopeRole, Expr::value(new))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::ScopeRole.eq(old))
        .exec(conn)
        .await?;
    Ok(moved.rows_affected)
}

/// Whether some quota that covers this member wants such actions approved.
pub async fn wants_approval<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    staff: ChatId,
    action_type: ActionType,
) -> Result<bool, DbErr> {
    let own_roles = Query::select()
        .column((staff_role::Entity, staff_role::Column::RoleName))
        .from(staff_member::Entity)
        .inner_join(
            staff_role::Entity,
            Condition::all()
                .add(staff_role::Column::GuildId.into_expr().eq(staff_member::Column::GuildId.into_expr()))
                .add(staff_role::Column::RoleId.into_expr().eq(staff_member::Column::RoleId.into_expr())),
        )
        .and_where(staff_member::Column::GuildId.eq(guild))
        .and_where(staff_member::Column::ChatId.eq(staff))
        .to_owned();
    let found: Option<QuotaId> = Entity::find()
        .select_only()
        .column(Column::QuotaId)
        .filter(Column::GuildId.eq(guild))
        .filter(Column::RequiresApproval.eq(true))
        .filter(Expr::col((Entity, Column::Metric)).eq(action_type.name()))
        .filter(
            Condition::any().add(Column::ScopeRole.is_null()).add(Column::ScopeRole.in_subquery(own_roles)),
        )
        .limit(1)
        .into_tuple()
        .one(conn)
        .await?;
    Ok(found.is_some())
}

/// How far one staff member has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub staff_id: ChatId,
    pub current: i64,
}

/// Progress of every member that the quota covers since the period began, highest first, ties by chat id.
pub async fn progress<C: ConnectionTrait>(
    conn: &C,
    quota: &Model,
    since: Option<Timestamp>,
    now: Timestamp,
) -> Result<Vec<Progress>, DbErr> {
    let measured = measure(conn, quota, since).await?;
    let members = staff_member::list(conn, quota.guild_id, now).await?;
    let mut rows: Vec<Progress> = members
        .iter()
        .filter(|member| quota.scope_role.as_ref().is_none_or(|role| *role == member.role_name))
        .map(|member| Progress {
            staff_id: member.chat_id,
            current: measured.get(&member.chat_id).copied().unwrap_or(0),
        })
        .collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.current), row.staff_id));
    Ok(rows)
}

async fn measure<C: ConnectionTrait>(
    conn: &C,
    quota: &Model,
    since: Option<Timestamp>,
) -> Result<HashMap<ChatId, i64>, DbErr> {
    let guild = quota.guild_id;
    let Some(action) = quota.metric.action_type() else {
        let totals = staff_session::totals::of_guild(conn, guild, since).await?;
        let minutes = quota.metric == Metric::Minutes;
        return Ok(totals
            .iter()
            .map(|total| (total.staff_id, if minutes { total.seconds / 60 } else { total.sessions }))
            .collect());
    };
    let tallies = staff_action::totals::of_guild(conn, guild, &[action], since).await?;
    Ok(tallies.iter().map(|tally| (tally.staff_id, tally.count)).collect())
}
