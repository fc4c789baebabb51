//! Quotas (docs/rules.md 6): a target for a metric in a period, for all staff or for one role.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ActiveValue::Set, Condition, IntoActiveModel, QuerySelect, QueryTrait};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use utoipa::ToSchema;

use crate::by_id::{by_id, no_relations};
use crate::staff_action::ActionType;
use crate::{ChatId, Conn, GuildId, QuotaId, Result, Timestamp, staff_member, staff_role};

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

no_relations!();

by_id!(QuotaId: find, find_for_update, save, delete, list);

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
#[derive(Debug, Clone, PartialEq, Eq, DeriveIntoActiveModel)]
pub struct NewQuota {
    pub name: String,
    pub metric: Metric,
    pub target: i64,
    pub period: Period,
    pub scope_role: Option<String>,
    pub requires_approval: bool,
}

pub async fn add(conn: &impl Conn, guild: GuildId, quota: NewQuota, now: Timestamp) -> Result<Model> {
    let row = quota.into_active_model();
    ActiveModel { guild_id: Set(guild), created_at: Set(now), ..row }.insert(conn).await
}

/// How many quotas would be without a role if this one was deleted: those for its name, unless another role
/// has it too.
pub async fn count_for_role_alone(conn: &impl Conn, guild: GuildId, name: &str) -> Result<u64> {
    if roles_named(conn, guild, name).await? > 1 {
        return Ok(0);
    }
    Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::ScopeRole.eq(name)).count(conn).await
}

async fn roles_named(conn: &impl Conn, guild: GuildId, name: &str) -> Result<u64> {
    let named = staff_role::Entity::find().filter(staff_role::Column::GuildId.eq(guild));
    named.filter(staff_role::Column::RoleName.eq(name)).count(conn).await
}

/// Renames the role in its quotas, unless another role still has the old name. Returns the number of quotas changed.
pub async fn follow_role(conn: &impl Conn, guild: GuildId, old: &str, new: &str) -> Result<u64> {
    if roles_named(conn, guild, old).await? > 0 {
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

/// Finds a quota that covers this member and demands approval of such actions.
pub(crate) fn demanding_approval(guild: GuildId, staff: ChatId, action_type: ActionType) -> SelectStatement {
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
    Entity::find()
        .select_only()
        .column(Column::QuotaId)
        .filter(Column::GuildId.eq(guild))
        .filter(Column::RequiresApproval.eq(true))
        .filter(Expr::col((Entity, Column::Metric)).eq(action_type.name()))
        .filter(
            Condition::any().add(Column::ScopeRole.is_null()).add(Column::ScopeRole.in_subquery(own_roles)),
        )
        .into_query()
}
