//! Notes about staff members (docs/rules.md 6).

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, Condition, QueryOrder, QuerySelect};

use crate::{ChatId, GuildId, NoteId, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "staff_note")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub note_id: NoteId,
    pub guild_id: GuildId,
    pub staff_id: ChatId,
    pub author_id: ChatId,
    pub body: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// A note to be written.
#[derive(Debug, Clone)]
pub struct NewNote {
    pub staff: ChatId,
    pub author: ChatId,
    pub body: String,
}

pub async fn add<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    note: NewNote,
    now: Timestamp,
) -> Result<Model, DbErr> {
    let row = ActiveModel {
        note_id: NotSet,
        guild_id: Set(guild),
        staff_id: Set(note.staff),
        author_id: Set(note.author),
        body: Set(note.body),
        created_at: Set(now),
        updated_at: Set(now),
    };
    row.insert(conn).await
}

/// The row, locked until the transaction ends.
pub async fn find_for_update<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    note: NoteId,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(note).filter(Column::GuildId.eq(guild)).lock_exclusive().one(conn).await
}

/// Notes of a guild, or about one member, newest first, older than the cursor.
pub async fn list<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    staff: Option<ChatId>,
    (cursor, limit): (Option<NoteId>, u64),
) -> Result<Vec<Model>, DbErr> {
    let wanted = Condition::all()
        .add(Column::GuildId.eq(guild))
        .add_option(staff.map(|staff| Column::StaffId.eq(staff)))
        .add_option(cursor.map(|cursor| Column::NoteId.lt(cursor)));
    Entity::find().filter(wanted).order_by_desc(Column::NoteId).limit(limit).all(conn).await
}

/// Gives a note another text; `None`: no such note.
pub async fn edit<C: ConnectionTrait>(
    conn: &C,
    (guild, note): (GuildId, NoteId),
    body: &str,
    now: Timestamp,
) -> Result<Option<Model>, DbErr> {
    let edited = Entity::update_many()
        .col_expr(Column::Body, Expr::value(body))
        .col_expr(Column::UpdatedAt, Expr::value(now))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::NoteId.eq(note))
        .exec_with_returning(conn)
        .await?;
    Ok(edited.into_iter().next())
}

pub async fn delete<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    note: NoteId,
) -> Result<Option<Model>, DbErr> {
    let deleted = Entity::delete_many()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::NoteId.eq(note))
        .exec_with_returning(conn)
        .await?;
    Ok(deleted.into_iter().next())
}
