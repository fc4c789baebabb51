//! Bans on the chat platform that Guildhall made or was about to make. They distinguish its bans from those of other
//! bots and moderators (docs/rules.md 4).
//!
//! A mirror job writes its row before it calls the platform ([`begin`]) and completes it afterwards ([`complete`]);
//! when the platform's ban is lifted, all rows of the user are deleted ([`forget`]). After a crash in between, the next
//! run knows that a ban with this reason may be its own. Rows belong to a chat user, not to a sanction: a newer ban
//! inherits the platform ban of an older one.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;

use crate::{ChatId, GuildId, JobId, lists};

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

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// The job is about to ban the user on the platform.
pub async fn begin<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    chat: ChatId,
    job: JobId,
    reason: &str,
) -> Result<(), DbErr> {
    put(conn, Model { guild_id: guild, chat_id: chat, job_id: job, reason: reason.to_owned(), made: false })
        .await
}

/// The user is banned on the platform by the job, or by one before it.
pub async fn complete<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    chat: ChatId,
    job: JobId,
    reason: &str,
) -> Result<(), DbErr> {
    put(conn, Model { guild_id: guild, chat_id: chat, job_id: job, reason: reason.to_owned(), made: true })
        .await
}

async fn put<C: ConnectionTrait>(conn: &C, ban: Model) -> Result<(), DbErr> {
    let known = OnConflict::columns([Column::GuildId, Column::ChatId, Column::JobId])
        .update_columns([Column::Reason, Column::Made])
        .to_owned();
    let row = ActiveModel::from(ban).reset_all();
    Entity::insert(row).on_conflict(known).exec_without_returning(conn).await?;
    Ok(())
}

pub async fn of_user<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    chat: ChatId,
) -> Result<Vec<Model>, DbErr> {
    Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::ChatId.eq(chat)).all(conn).await
}

/// Deletes the rows of these jobs.
pub async fn forget<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    chat: ChatId,
    jobs: impl IntoIterator<Item = JobId>,
) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::ChatId.eq(chat))
        .filter(lists::any_of(conn, Column::JobId, jobs))
        .exec(conn)
        .await?;
    Ok(())
}
