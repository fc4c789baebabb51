//! Bindings: who fulfils a condition, such as a rank in a game group, gets a chat role (docs/rules.md 5).

mod condition;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{OnConflict, UnionType};
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, QueryOrder, QuerySelect, QueryTrait};
use serde::Serialize;
use utoipa::ToSchema;

use crate::by_id::{by_id, no_relations};
use crate::{BindingId, Conn, GroupId, GroupRoleId, GuildId, Result, RoleId, Timestamp, guild, lists};

pub use condition::{Condition, Kind, Misfit, Parts};

/// Largest priority of a nickname template.
pub const PRIORITY_MAX: i32 = 1000;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "binding")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub binding_id: BindingId,
    pub guild_id: GuildId,
    pub kind: Kind,
    pub group_id: Option<GroupId>,
    pub rank: Option<i32>,
    pub role_id: RoleId,
    pub created_at: Timestamp,
    pub min_rank: Option<i32>,
    pub max_rank: Option<i32>,
    pub group_role_id: Option<GroupRoleId>,
    pub priority: i32,
    pub nickname_template: Option<String>,
}

no_relations!();

by_id!(BindingId: delete);

/// A binding of a guild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    pub id: BindingId,
    pub rule: Rule,
    pub created_at: Timestamp,
}

/// The rule itself, without its place in the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "RuleFields")]
pub struct Rule {
    pub condition: Condition,
    pub role_id: RoleId,
    /// Among the matching bindings with a template the highest one names the member.
    pub priority: i32,
    /// `None`: the binding names nobody.
    pub nickname_template: Option<String>,
}

/// A rule in JSON.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = BindingRule)]
pub struct RuleFields {
    #[serde(rename = "type")]
    kind: Kind,
    /// Of the types that begin with `group_`.
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<GroupId>,
    /// Of `group_rank`. 0: not in the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 255, example = 100)]
    rank: Option<i32>,
    /// Of `group_rank_range`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 255, example = 50)]
    min_rank: Option<i32>,
    /// Of `group_rank_range`; included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 255, example = 100)]
    max_rank: Option<i32>,
    /// Of `group_role`.
    #[serde(skip_serializing_if = "Option::is_none")]
    group_role_id: Option<GroupRoleId>,
    role_id: RoleId,
    /// Of the bindings that match and have a template, the one with the highest priority names the member, of equal
    /// ones the oldest.
    #[schema(minimum = 0, maximum = 1000, example = 10)]
    priority: i32,
    /// Null: the binding names nobody. Empty: it leaves nicknames alone.
    #[schema(required, max_length = 200, example = "[{rank_name}] {play_username}")]
    nickname_template: Option<String>,
}

impl Rule {
    /// Without a nickname template.
    pub fn new(condition: Condition, role_id: RoleId) -> Self {
        Self { condition, role_id, priority: 0, nickname_template: None }
    }

    fn row(self) -> ActiveModel {
        let Parts { group_id, rank, min_rank, max_rank, group_role_id } = self.condition.parts();
        ActiveModel {
            binding_id: NotSet,
            guild_id: NotSet,
            created_at: NotSet,
            kind: Set(self.condition.kind()),
            group_id: Set(group_id),
            rank: Set(rank),
            min_rank: Set(min_rank),
            max_rank: Set(max_rank),
            group_role_id: Set(group_role_id),
            role_id: Set(self.role_id),
            priority: Set(self.priority),
            nickname_template: Set(self.nickname_template),
        }
    }
}

impl From<Rule> for RuleFields {
    fn from(rule: Rule) -> Self {
        let Parts { group_id, rank, min_rank, max_rank, group_role_id } = rule.condition.parts();
        let Rule { condition, role_id, priority, nickname_template } = rule;
        let kind = condition.kind();
        Self { kind, group_id, rank, min_rank, max_rank, group_role_id, role_id, priority, nickname_template }
    }
}

impl TryFrom<Model> for Binding {
    type Error = DbErr;

    fn try_from(row: Model) -> Result<Self> {
        let Model { binding_id: id, kind, group_id, rank, min_rank, max_rank, group_role_id, .. } = row;
        let parts = Parts { group_id, rank, min_rank, max_rank, group_role_id };
        let condition = Condition::new(kind, parts)
            .map_err(|misfit| DbErr::Type(format!("binding {id} is no binding: {misfit}")))?;
        let Model { role_id, priority, nickname_template, created_at, .. } = row;
        Ok(Self { id, rule: Rule { condition, role_id, priority, nickname_template }, created_at })
    }
}

/// All bindings of a guild, oldest first.
pub async fn list(conn: &impl Conn, guild: GuildId) -> Result<Vec<Binding>> {
    let rows = Entity::find().filter(Column::GuildId.eq(guild)).order_by_asc(Column::BindingId);
    rows.all(conn).await?.into_iter().map(TryInto::try_into).collect()
}

pub async fn find(conn: &impl Conn, guild: GuildId, id: BindingId) -> Result<Option<Binding>> {
    let row = Entity::find_by_id(id).filter(Column::GuildId.eq(guild));
    row.one(conn).await?.map(TryInto::try_into).transpose()
}

/// The subset of these roles that syncs of the guild manage: a binding names them, for whomever, or they are its
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

/// Adds a binding; `None` if the guild already has one with this condition and role.
pub async fn add(conn: &impl Conn, guild: GuildId, rule: Rule, now: Timestamp) -> Result<Option<Binding>> {
    let conflict = OnConflict::new().do_nothing().to_owned();
    let row = ActiveModel { guild_id: Set(guild), created_at: Set(now), ..rule.clone().row() };
    let added = Entity::insert(row).on_conflict(conflict).exec_without_returning(conn).await?;
    if added == 0 { Ok(None) } else { find_same(conn, guild, &rule).await }
}

/// The guild's binding with this condition and role.
pub async fn find_same(conn: &impl Conn, guild: GuildId, rule: &Rule) -> Result<Option<Binding>> {
    let Parts { group_id, rank, min_rank, max_rank, group_role_id } = rule.condition.parts();
    let same = Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::Kind.eq(rule.condition.kind()))
        .filter(Column::RoleId.eq(rule.role_id))
        .apply_if(group_id, |rows, group| rows.filter(Column::GroupId.eq(group)))
        .apply_if(rank, |rows, rank| rows.filter(Column::Rank.eq(rank)))
        .apply_if(min_rank, |rows, rank| rows.filter(Column::MinRank.eq(rank)))
        .apply_if(max_rank, |rows, rank| rows.filter(Column::MaxRank.eq(rank)))
        .apply_if(group_role_id, |rows, role| rows.filter(Column::GroupRoleId.eq(role)));
    same.one(conn).await?.map(TryInto::try_into).transpose()
}

/// Replaces the rule of a binding. The unique indexes reject a condition and role that the guild already has.
pub async fn replace(conn: &impl Conn, guild: GuildId, binding: BindingId, rule: Rule) -> Result<()> {
    let change = ActiveModel { binding_id: Set(binding), ..rule.row() };
    Entity::update(change).validate()?.filter(Column::GuildId.eq(guild)).exec(conn).await?;
    Ok(())
}
