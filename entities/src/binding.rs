//! Bindings: a rank in a game group calls for a chat role (docs/rules.md 5).

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{OnConflict, UnionType};
use sea_orm::{ActiveValue::Set, IntoActiveModel, QueryOrder, QuerySelect, QueryTrait};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::by_id::{by_id, no_relations};
use crate::{BindingId, Conn, GroupId, GuildId, Result, RoleId, Timestamp, guild, lists};

/// Kinds of binding. The API has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = BindingType)]
pub enum Kind {
    GroupRank,
}

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "binding")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub binding_id: BindingId,
    pub guild_id: GuildId,
    pub kind: Kind,
    pub group_id: GroupId,
    /// 0 to 255; 0 means "not in the group" (docs/rules.md 5).
    pub rank: i32,
    pub role_id: RoleId,
    pub created_at: Timestamp,
}

no_relations!();

by_id!(BindingId: find, find_for_update, delete);

/// The rule itself, without its place in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, DeriveIntoActiveModel, ToSchema)]
pub struct Rule {
    #[serde(rename = "type")]
    pub kind: Kind,
    pub group_id: GroupId,
    /// 0: not in the group.
    #[schema(minimum = 0, maximum = 255, example = 100)]
    pub rank: i32,
    pub role_id: RoleId,
}

impl Model {
    pub fn rule(&self) -> Rule {
        Rule { kind: self.kind, group_id: self.group_id, rank: self.rank, role_id: self.role_id }
    }
}

/// All bindings of a guild, oldest first.
pub async fn list(conn: &impl Conn, guild: GuildId) -> Result<Vec<Model>> {
    Entity::find().filter(Column::GuildId.eq(guild)).order_by_asc(Column::BindingId).all(conn).await
}

/// The subset of these roles that syncs of the guild manage: a binding names them, for any rank, or they are its
/// verified or unverified role (docs/rules.md 5).
pub async fn managed_roles(conn: &impl Conn, guild: GuildId, roles: &[RoleId]) -> Result<Vec<RoleId>> {
    let mut managed = Entity::find()
        .select_only()
        .column(Column::RoleId)
        .filter(Column::GuildId.eq(guild))
        .filter(lists::any_of(conn, Column::RoleId, roles.iter().copied()));
    for role in [guild::Column::VerifiedRole, guild::Column::UnverifiedRole] {
        let of_guild = guild::Entity::find()
            .select_only()
            .column(role)
            .filter(guild::Column::GuildId.eq(guild))
            .filter(lists::any_of(conn, role, roles.iter().copied()));
        QuerySelect::query(&mut managed).union(UnionType::Distinct, of_guild.into_query());
    }
    managed.into_tuple().all(conn).await
}

/// Adds a binding; `None` if the guild already has the same binding.
pub async fn add(conn: &impl Conn, guild: GuildId, rule: Rule, now: Timestamp) -> Result<Option<Model>> {
    let conflict =
        OnConflict::columns([Column::GuildId, Column::Kind, Column::GroupId, Column::Rank, Column::RoleId])
            .do_nothing()
            .to_owned();
    let row = ActiveModel { guild_id: Set(guild), created_at: Set(now), ..rule.into_active_model() };
    let added = Entity::insert(row).on_conflict(conflict).exec_without_returning(conn).await?;
    if added == 0 { Ok(None) } else { find_rule(conn, guild, rule).await }
}

/// The guild's binding with exactly this rule.
pub async fn find_rule(conn: &impl Conn, guild: GuildId, rule: Rule) -> Result<Option<Model>> {
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::Kind.eq(rule.kind))
        .filter(Column::GroupId.eq(rule.group_id))
        .filter(Column::Rank.eq(rule.rank))
        .filter(Column::RoleId.eq(rule.role_id))
        .one(conn)
        .await
}

/// Replaces the rule of a binding. The unique index rejects a rule that the guild already has.
pub async fn replace(conn: &impl Conn, guild: GuildId, binding: BindingId, rule: Rule) -> Result<()> {
    let change = ActiveModel { binding_id: Set(binding), ..rule.into_active_model() };
    Entity::update(change).validate()?.filter(Column::GuildId.eq(guild)).exec(conn).await?;
    Ok(())
}
