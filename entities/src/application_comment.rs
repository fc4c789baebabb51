//! What staff say about a submission among themselves (docs/rules.md 7).

use sea_orm::ActiveValue::Set;
use sea_orm::entity::prelude::*;

use crate::by_id::{by_id, no_relations};
use crate::{
    ChatId, CommentId, Conn, GuildId, Page, Result, SubmissionId, Timestamp, application_submission,
};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "application_comment")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub comment_id: CommentId,
    pub guild_id: GuildId,
    pub submission_id: SubmissionId,
    /// The applicant.
    pub chat_id: ChatId,
    pub author_id: ChatId,
    pub body: String,
    pub created_at: Timestamp,
}

no_relations!();

by_id!(CommentId: newest);

pub async fn add(
    conn: &impl Conn,
    about: &application_submission::Model,
    author: ChatId,
    body: String,
    now: Timestamp,
) -> Result<Model> {
    let row = ActiveModel {
        guild_id: Set(about.guild_id),
        submission_id: Set(about.submission_id),
        chat_id: Set(about.chat_id),
        author_id: Set(author),
        body: Set(body),
        created_at: Set(now),
        ..Default::default()
    };
    row.insert(conn).await
}

/// Those about one submission, newest first.
pub async fn list(
    conn: &impl Conn,
    guild: GuildId,
    submission: SubmissionId,
    page: Page<CommentId>,
) -> Result<Vec<Model>> {
    newest(guild, page).filter(Column::SubmissionId.eq(submission)).all(conn).await
}
