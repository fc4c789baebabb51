//! Staff members: who they are in the chat and in the game, which role they hold, and whether they are on duty.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ActiveValue::Set, Condition, FromQueryResult, QueryOrder, QuerySelect, QueryTrait, Select};

use crate::staff_role::{self, Permissions};
use crate::{ChatId, GuildId, PlayId, RoleId, Timestamp, link, staff_session};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "staff_member")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub chat_id: ChatId,
    pub role_id: RoleId,
    pub joined_at: Timestamp,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// A member with everything that the answers say about one.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Described {
    pub chat_id: ChatId,
    /// None: no link.
    pub play_id: Option<PlayId>,
    pub role_id: RoleId,
    pub role_name: String,
    pub permissions: Permissions,
    pub play_permissions: Permissions,
    pub joined_at: Timestamp,
    /// Has a session that is open and was heard of lately.
    pub on_duty: bool,
}

/// All members of a guild by chat id.
pub async fn list<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    now: Timestamp,
) -> Result<Vec<Described>, DbErr> {
    described(guild, now).order_by_asc(Column::ChatId).into_model().all(conn).await
}

pub async fn find<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    chat: ChatId,
    now: Timestamp,
) -> Result<Option<Described>, DbErr> {
    described(guild, now).filter(Column::ChatId.eq(chat)).into_model().one(conn).await
}

/// The member behind a game account.
pub async fn find_by_play<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    play: PlayId,
    now: Timestamp,
) -> Result<Option<Described>, DbErr> {
    described(guild, now).filter(link::Column::PlayId.eq(play)).into_model().one(conn).await
}

fn described(guild: GuildId, now: Timestamp) -> Select<Entity> {
    let own = |column: Column| Expr::col((Entity, column));
    let role = Condition::all()
        .add(staff_role::Column::GuildId.into_expr().eq(own(Column::GuildId)))
        .add(staff_role::Column::RoleId.into_expr().eq(own(Column::RoleId)));
    let linked = Condition::all()
        .add(link::Column::GuildId.into_expr().eq(own(Column::GuildId)))
        .add(link::Column::ChatId.into_expr().eq(own(Column::ChatId)));
    let session = staff_session::live(now)
        .add(staff_session::Column::GuildId.into_expr().eq(own(Column::GuildId)))
        .add(staff_session::Column::StaffId.into_expr().eq(own(Column::ChatId)));
    let mut select = Entity::find()
        .select_only()
        .columns([Column::ChatId, Column::RoleId, Column::JoinedAt])
        .column(link::Column::PlayId)
        .column(staff_role::Column::RoleName)
        .column(staff_role::Column::Permissions)
        .column(staff_role::Column::PlayPermissions)
        .column_as(staff_session::Column::SessionId.is_not_null(), "on_duty")
        .filter(Column::GuildId.eq(guild));
    QueryTrait::query(&mut select)
        .inner_join(staff_role::Entity, role)
        .left_join(link::Entity, linked)
        .left_join(staff_session::Entity, session);
    select
}

/// Makes somebody a member, or gives a member another role; `joined_at` of a member stays.
pub async fn upsert<C: ConnectionTrait>(conn: &C, member: Model) -> Result<Model, DbErr> {
    let conflict =
        OnConflict::columns([Column::GuildId, Column::ChatId]).update_column(Column::RoleId).to_owned();
    let row = ActiveModel {
        guild_id: Set(member.guild_id),
        chat_id: Set(member.chat_id),
        role_id: Set(member.role_id),
        joined_at: Set(member.joined_at),
    };
    Entity::insert(row).on_conflict(conflict).exec_with_returning(conn).await
}

/// Like [`upsert`], but `joined_at` is written too. Needs the role's row to be locked: a missing one is a bare error.
pub async fn put<C: ConnectionTrait>(conn: &C, member: Model) -> Result<(), DbErr> {
    let conflict = OnConflict::columns([Column::GuildId, Column::ChatId])
        .update_columns([Column::RoleId, Column::JoinedAt])
        .to_owned();
    let row = ActiveModel::from(member).reset_all();
    Entity::insert(row).on_conflict(conflict).exec_without_returning(conn).await?;
    Ok(())
}

/// Removes a member; `None`: was none. What was written about and by them stays.
pub async fn remove<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    chat: ChatId,
) -> Result<Option<Model>, DbErr> {
    let removed = Entity::delete_many()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::ChatId.eq(chat))
        .exec_with_returning(conn)
        .await?;
    Ok(removed.into_iter().next())
}

/// Locks the member's row until the transaction ends: changes that concern one member take turns.
pub async fn lock<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    chat: ChatId,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id((guild, chat)).lock_exclusive().one(conn).await
}

pub async fn count_with_role<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    role: RoleId,
) -> Result<u64, DbErr> {
    Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::RoleId.eq(role)).count(conn).await
}
