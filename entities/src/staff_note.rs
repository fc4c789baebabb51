//! Notes about staff members (docs/rules.md 6).

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, Condition, IntoActiveModel};

use crate::by_id::{by_id, no_relations};
use crate::{ChatId, Conn, GuildId, NoteId, Page, Result, Timestamp};

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

no_relations!();

by_id!(NoteId: find, find_for_update, delete, newest);

/// A note to insert.
#[derive(Debug, Clone, DeriveIntoActiveModel)]
pub struct NewNote {
    pub staff_id: ChatId,
    pub author_id: ChatId,
    pub body: String,
}

pub async fn add(conn: &impl Conn, guild: GuildId, note: NewNote, now: Timestamp) -> Result<Model> {
    let row = note.into_active_model();
    let row = ActiveModel { guild_id: Set(guild), created_at: Set(now), updated_at: Set(now), ..row };
    row.insert(conn).await
}

/// Notes of a guild, or about one member, newest first.
pub async fn list(
    conn: &impl Conn,
    guild: GuildId,
    staff: Option<ChatId>,
    page: Page<NoteId>,
) -> Result<Vec<Model>> {
    let about = Condition::all().add_option(staff.map(|staff| Column::StaffId.eq(staff)));
    newest(guild, page).filter(about).all(conn).await
}

/// Replaces the text of a note; `None` if it does not exist.
pub async fn edit(
    conn: &impl Conn,
    guild: GuildId,
    note: NoteId,
    body: &str,
    now: Timestamp,
) -> Result<Option<Model>> {
    let edited = Entity::update_many()
        .col_expr(Column::Body, Expr::value(body))
        .col_expr(Column::UpdatedAt, Expr::value(now))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::NoteId.eq(note))
        .exec_with_returning(conn)
        .await?;
    Ok(edited.into_iter().next())
}
