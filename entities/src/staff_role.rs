//! Staff roles and their permissions, on the chat side and in the game (docs/rules.md 6 and 8).

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, FromJsonQueryResult, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::by_id::{by_id, no_relations};
use crate::{Conn, GuildId, Result, RoleId, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "staff_role")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub role_id: RoleId,
    pub role_name: String,
    pub permissions: Permissions,
    pub play_permissions: Permissions,
    pub created_at: Timestamp,
}

no_relations!();

// A role that members hold cannot be deleted: check [`crate::staff_member::count_with_role`] first.
by_id!(RoleId: find, find_for_update, delete);

/// What a staff role can permit on the chat side: reading or writing an area of the API.
pub const CHAT_PERMISSIONS: [&str; 16] = [
    "lookup.read",
    "links.write",
    "moderation.read",
    "moderation.write",
    "staff.read",
    "staff.write",
    "bindings.read",
    "bindings.write",
    "sync.write",
    "roles.write",
    "shield.read",
    "shield.write",
    "audit.read",
    "tickets.write",
    "settings.read",
    "settings.write",
];

/// What games know as permissions; a staff role can have any others too.
pub const PLAY_PERMISSIONS: [&str; 6] = ["kick", "ban", "unban", "mute", "unmute", "warn"];

/// The most characters of a permission in games.
pub const PLAY_PERMISSION_MAX: usize = 50;

/// A permission in games: any word that the games of the guild agree on.
pub fn is_play_permission(word: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.:-".contains(&byte);
    (1..=PLAY_PERMISSION_MAX).contains(&word.len()) && word.bytes().all(fits)
}

/// Names of permissions, in the order the guild gave them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, FromJsonQueryResult, ToSchema)]
#[serde(transparent)]
pub struct Permissions(pub Vec<String>);

/// A role as its guild describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRole {
    pub role: RoleId,
    pub role_name: String,
    pub permissions: Vec<String>,
    pub play_permissions: Vec<String>,
}

/// Adds the role or replaces its name and permissions.
pub async fn upsert(conn: &impl Conn, guild: GuildId, role: NewRole, now: Timestamp) -> Result<Model> {
    let conflict = OnConflict::columns([Column::GuildId, Column::RoleId])
        .update_columns([Column::RoleName, Column::Permissions, Column::PlayPermissions])
        .to_owned();
    let row = ActiveModel {
        guild_id: Set(guild),
        role_id: Set(role.role),
        role_name: Set(role.role_name),
        permissions: Set(Permissions(role.permissions)),
        play_permissions: Set(Permissions(role.play_permissions)),
        created_at: Set(now),
    };
    Entity::insert(row).on_conflict(conflict).exec_with_returning(conn).await
}

/// Roles of a guild by name.
pub async fn list(conn: &impl Conn, guild: GuildId) -> Result<Vec<Model>> {
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .order_by_asc(Column::RoleName)
        .order_by_asc(Column::RoleId)
        .all(conn)
        .await
}

/// Whether a role of the guild has this name; the role is locked until the transaction ends.
pub async fn is_named(conn: &impl Conn, guild: GuildId, name: &str) -> Result<bool> {
    let named = Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::RoleName.eq(name));
    Ok(named.order_by_asc(Column::RoleId).lock_exclusive().one(conn).await?.is_some())
}

/// The first of these ids that is not a staff role of the guild.
pub async fn first_unknown(conn: &impl Conn, guild: GuildId, roles: &[RoleId]) -> Result<Option<RoleId>> {
    let known = list(conn, guild).await?;
    Ok(roles.iter().copied().find(|role| known.iter().all(|known| known.role_id != *role)))
}
