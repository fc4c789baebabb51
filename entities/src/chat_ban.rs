//! Bans on the chat platform that Guildhall made or was about to make. They distinguish its bans from those of other
//! bots and moderators (docs/rules.md 4).
//!
//! A mirror job writes its row before it calls the platform, and again as made afterwards ([`put`]); when the platform's ban is lifted, all rows of the user are deleted ([`forget`]). After a crash in between, the next
//! run knows that a ban with this reason may be its own. Rows belong to a chat user, not to a sanction: a newer ban
//! inherits the platform ban of an older one.

use std::collections::HashSet;

use sea_orm::QuerySelect;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;

use crate::by_id::no_relations;
use crate::{ChatId, Conn, GuildId, JobId, Result, lists};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "chat_ban")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub chat_id: ChatId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub job_id: JobId,
    /// The reason as sent to the platform.
    pub reason: String,
    /// False: it is unknown whether the platform executed the ban.
    pub made: bool,
}

no_relations!();

/// Writes the row of a job, which may exist.
pub async fn put(conn: &impl Conn, ban: Model) -> Result<()> {
    let known = OnConflict::columns([Column::GuildId, Column::ChatId, Column::JobId])
        .update_columns([Column::Reason, Column::Made])
        .to_owned();
    let row = ActiveModel::from(ban).reset_all();
    Entity::insert(row).on_conflict(known).exec_without_returning(conn).await?;
    Ok(())
}

pub async fn of_user(conn: &impl Conn, guild: GuildId, chat: ChatId) -> Result<Vec<Model>> {
    Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::ChatId.eq(chat)).all(conn).await
}

/// The users who have a row.
pub async fn among(conn: &impl Conn, guild: GuildId, users: &[ChatId]) -> Result<HashSet<ChatId>> {
    let rows = Entity::find()
        .select_only()
        .column(Column::ChatId)
        .filter(Column::GuildId.eq(guild))
        .filter(lists::any_of(conn, Column::ChatId, users.iter().copied()));
    Ok(rows.into_tuple::<ChatId>().all(conn).await?.into_iter().collect())
}

/// Deletes the rows of these jobs.
pub async fn forget(
    conn: &impl Conn,
    guild: GuildId,
    chat: ChatId,
    jobs: impl IntoIterator<Item = JobId>,
) -> Result<()> {
    Entity::delete_many()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::ChatId.eq(chat))
        .filter(lists::any_of(conn, Column::JobId, jobs))
        .exec(conn)
        .await?;
    Ok(())
}
