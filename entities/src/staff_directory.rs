//! Staff members as responses describe them: with game account, role, and duty state.

use std::collections::HashMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, FromQueryResult, QueryOrder, QuerySelect, QueryTrait, Select};

use crate::staff_member::{Column, Entity};
use crate::staff_role::{self, Permissions};
use crate::{ChatId, Conn, GuildId, PlayId, Result, RoleId, Timestamp, link, staff_session};

/// A member with all fields of a response.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Described {
    pub chat_id: ChatId,
    /// `None`: no link.
    pub play_id: Option<PlayId>,
    /// The same.
    pub play_username: Option<String>,
    pub role_id: RoleId,
    pub role_name: String,
    pub permissions: Permissions,
    pub play_permissions: Permissions,
    pub joined_at: Timestamp,
    /// Staff because of the role on the chat platform.
    pub by_role: bool,
    /// Has a live session.
    pub on_duty: bool,
}

/// All members of a guild by chat id.
pub async fn list(conn: &impl Conn, guild: GuildId, now: Timestamp) -> Result<Vec<Described>> {
    described(guild, now).order_by_asc(Column::ChatId).into_model().all(conn).await
}

pub async fn find(
    conn: &impl Conn,
    guild: GuildId,
    chat: ChatId,
    now: Timestamp,
) -> Result<Option<Described>> {
    described(guild, now).filter(Column::ChatId.eq(chat)).into_model().one(conn).await
}

/// The data of a staff member for games.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct PlayStaff {
    pub chat_id: ChatId,
    pub role_name: String,
    pub play_permissions: Permissions,
}

/// The members who are linked, by their game account.
pub async fn by_play(conn: &impl Conn, guild: GuildId) -> Result<HashMap<PlayId, PlayStaff>> {
    #[derive(FromQueryResult)]
    struct Linked {
        play_id: PlayId,
        #[sea_orm(nested)]
        staff: PlayStaff,
    }
    let rows: Vec<Linked> = linked(guild).column(link::Column::PlayId).into_model().all(conn).await?;
    Ok(rows.into_iter().map(|row| (row.play_id, row.staff)).collect())
}

/// The member linked to a game account.
pub async fn find_by_play(conn: &impl Conn, guild: GuildId, play: PlayId) -> Result<Option<PlayStaff>> {
    linked(guild).filter(link::Column::PlayId.eq(play)).into_model().one(conn).await
}

fn linked(guild: GuildId) -> Select<Entity> {
    let own = |column: Column| Expr::col((Entity, column));
    let mut select = Entity::find()
        .select_only()
        .column(Column::ChatId)
        .columns([staff_role::Column::RoleName, staff_role::Column::PlayPermissions])
        .filter(Column::GuildId.eq(guild));
    QueryTrait::query(&mut select)
        .inner_join(staff_role::Entity, role_of(own))
        .inner_join(link::Entity, link_of(own));
    select
}

/// Joins a member to its role.
fn role_of(own: fn(Column) -> Expr) -> Condition {
    Condition::all()
        .add(staff_role::Column::GuildId.into_expr().eq(own(Column::GuildId)))
        .add(staff_role::Column::RoleId.into_expr().eq(own(Column::RoleId)))
}

/// Joins a member to its link.
fn link_of(own: fn(Column) -> Expr) -> Condition {
    Condition::all()
        .add(link::Column::GuildId.into_expr().eq(own(Column::GuildId)))
        .add(link::Column::ChatId.into_expr().eq(own(Column::ChatId)))
}

fn described(guild: GuildId, now: Timestamp) -> Select<Entity> {
    let own = |column: Column| Expr::col((Entity, column));
    let session = staff_session::live(now)
        .add(staff_session::Column::GuildId.into_expr().eq(own(Column::GuildId)))
        .add(staff_session::Column::StaffId.into_expr().eq(own(Column::ChatId)));
    let mut select = Entity::find()
        .select_only()
        .columns([Column::ChatId, Column::RoleId, Column::JoinedAt, Column::ByRole])
        .columns([link::Column::PlayId, link::Column::PlayUsername])
        .column(staff_role::Column::RoleName)
        .column(staff_role::Column::Permissions)
        .column(staff_role::Column::PlayPermissions)
        .column_as(staff_session::Column::SessionId.is_not_null(), "on_duty")
        .filter(Column::GuildId.eq(guild));
    QueryTrait::query(&mut select)
        .inner_join(staff_role::Entity, role_of(own))
        .left_join(link::Entity, link_of(own))
        .left_join(staff_session::Entity, session);
    select
}
