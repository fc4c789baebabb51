//! Quotas (docs/rules.md 6): a target for a metric in a period, for all staff or for one role.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, Condition, QuerySelect};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use utoipa::ToSchema;

use crate::by_id::by_id;
use crate::staff_action::ActionType;
use crate::{ChatId, GuildId, QuotaId, Timestamp, staff_member, staff_role};

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
    /// A role's name; `None`: all staff.
    pub scope_role: Option<String>,
    /// Actions of this type by the covered staff count only when approved, for this quota and everywhere else.
    pub requires_approval: bool,
    pub created_at: Timestamp,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

by_id!(QuotaId: find, find_for_update, delete, list);

/// What a quota measures: actions of one type, minutes in sessions, or sessions.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    EnumIter,
    DeriveActiveEnum,
    IntoStaticStr,
    ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = QuotaMetric)]
pub enum Metric {
    Ban,
    Unban,
    Mute,
    Unmute,
    Warn,
    Kick,
    Custom,
    Minutes,
    Sessions,
}

impl Metric {
    /// The action it counts; `None` for minutes and sessions.
    pub fn action_type(self) -> Option<ActionType> {
        <&str>::from(self).parse().ok()
    }
}

/// In the guild's time zone, weeks from the guild's first day (docs/rules.md 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Period {
    Day,
    Week,
    Month,
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

/// Renames the role in its quotas, unless another role still has the old name. Returns the number of quotas changed.
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

/// Whether a quota that covers this member demands approval of such actions.
pub async fn demands_approval<C: ConnectionTrait>(
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
