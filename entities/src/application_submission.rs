//! Submissions to application panels (docs/rules.md 7).

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, Condition};

use crate::by_id::{by_id, no_relations};
use crate::{ChatId, Conn, GuildId, Page, PanelId, Result, SubmissionId, Timestamp};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "application_submission")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub submission_id: SubmissionId,
    pub panel_id: PanelId,
    /// The applicant.
    pub chat_id: ChatId,
    pub answers: Json,
    pub created_at: Timestamp,
}

no_relations!();

by_id!(SubmissionId: find, newest, next_id);

/// A submission to insert.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSubmission {
    /// `None`: the service assigns the number.
    pub id: Option<SubmissionId>,
    pub panel: PanelId,
    pub applicant: ChatId,
    pub answers: Json,
}

/// Adds a submission; `None` if the guild already has one with this id. Fails on the foreign key when the panel is
/// unknown. Needs a transaction.
pub async fn add(
    conn: &impl Conn,
    guild: GuildId,
    submission: NewSubmission,
    now: Timestamp,
) -> Result<Option<Model>> {
    let id = match submission.id {
        Some(id) => id,
        None => next_id(conn, guild).await?,
    };
    let row = ActiveModel {
        guild_id: Set(guild),
        submission_id: Set(id),
        panel_id: Set(submission.panel),
        chat_id: Set(submission.applicant),
        answers: Set(submission.answers),
        created_at: Set(now),
    };
    let taken = OnConflict::columns([Column::GuildId, Column::SubmissionId]).do_nothing().to_owned();
    let added = Entity::insert_many([row]).on_conflict(taken).exec_with_returning(conn).await?;
    Ok(added.into_iter().next())
}

/// Submissions of a guild, or to one panel, newest first.
pub async fn list(
    conn: &impl Conn,
    guild: GuildId,
    panel: Option<PanelId>,
    page: Page<SubmissionId>,
) -> Result<Vec<Model>> {
    let shown = Condition::all().add_option(panel.map(|panel| Column::PanelId.eq(panel)));
    newest(guild, page).filter(shown).all(conn).await
}
