//! Tickets (docs/rules.md 7): each submission gets at most one. The row is written before the channel is
//! created and completed afterwards.

use std::collections::HashMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, JoinType, OnConflict, Query};
use sea_orm::{ActiveValue::Set, Condition, QuerySelect};
use serde::{Deserialize, Serialize};

use crate::by_id::{by_id, no_relations};
use crate::{
    ChannelId, ChatId, Conn, GuildId, JobId, PanelId, Result, SubmissionId, TicketId, Timestamp,
    application_submission, lists,
};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "ticket")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub ticket_id: TicketId,
    pub guild_id: GuildId,
    pub submission_id: SubmissionId,
    pub panel_id: PanelId,
    pub state: State,
    pub channel_id: Option<ChannelId>,
    /// The newest job that creates the channel.
    pub job_id: Option<JobId>,
    pub created_at: Timestamp,
    pub opened_at: Option<Timestamp>,
}

no_relations!();

by_id!(TicketId: find, list);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The channel is being created, or its creation failed and can be requested again.
    Creating,
    Open,
}

/// Result of a request for a ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    Fresh(Model),
    /// The submission has a ticket; the row is locked until the transaction ends.
    Existing(Model),
}

/// Reserves the only ticket of a submission. Needs a transaction.
pub async fn begin(
    conn: &impl Conn,
    guild: GuildId,
    submission: SubmissionId,
    panel: PanelId,
    now: Timestamp,
) -> Result<Begun> {
    let row = ActiveModel {
        guild_id: Set(guild),
        submission_id: Set(submission),
        panel_id: Set(panel),
        state: Set(State::Creating),
        created_at: Set(now),
        ..Default::default()
    };
    let taken = OnConflict::columns([Column::GuildId, Column::SubmissionId]).do_nothing().to_owned();
    let added = Entity::insert_many([row]).on_conflict(taken).exec_with_returning(conn).await?;
    if let Some(ticket) = added.into_iter().next() {
        return Ok(Begun::Fresh(ticket));
    }
    let existing = of_submission(guild, submission).lock_exclusive().one(conn).await?;
    existing.map(Begun::Existing).ok_or_else(|| DbErr::RecordNotFound("ticket vanished".to_owned()))
}

/// Sets the job that creates the channel.
pub async fn set_job(conn: &impl Conn, guild: GuildId, ticket: TicketId, job: JobId) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::JobId, Expr::value(job))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::TicketId.eq(ticket))
        .exec(conn)
        .await?;
    Ok(())
}

/// Completes a ticket; `None` if it already has a channel or is unknown.
pub async fn open(
    conn: &impl Conn,
    guild: GuildId,
    ticket: TicketId,
    channel: ChannelId,
    now: Timestamp,
) -> Result<Option<Model>> {
    let opened = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Open))
        .col_expr(Column::ChannelId, Expr::value(channel))
        .col_expr(Column::OpenedAt, Expr::value(now))
        .filter(Column::GuildId.eq(guild))
        .filter(Column::TicketId.eq(ticket))
        .filter(Column::State.eq(State::Creating))
        .exec_with_returning(conn)
        .await?;
    Ok(opened.into_iter().next())
}

pub async fn find_by_submission(
    conn: &impl Conn,
    guild: GuildId,
    submission: SubmissionId,
) -> Result<Option<Model>> {
    of_submission(guild, submission).one(conn).await
}

/// The tickets of these submissions.
pub async fn of_submissions(
    conn: &impl Conn,
    guild: GuildId,
    submissions: &[SubmissionId],
) -> Result<Vec<Model>> {
    let named = lists::any_of(conn, Column::SubmissionId, submissions.iter().copied());
    Entity::find().filter(Column::GuildId.eq(guild)).filter(named).all(conn).await
}

/// The applicant of each of these tickets.
pub async fn applicants(
    conn: &impl Conn,
    guild: GuildId,
    tickets: impl IntoIterator<Item = TicketId>,
) -> Result<HashMap<TicketId, ChatId>> {
    use application_submission::{Column as Of, Entity as Submission};
    let same = Condition::all()
        .add(Expr::col((Submission, Of::GuildId)).equals((Entity, Column::GuildId)))
        .add(Expr::col((Submission, Of::SubmissionId)).equals((Entity, Column::SubmissionId)));
    let found = Query::select()
        .column((Entity, Column::TicketId))
        .column((Submission, Of::ChatId))
        .from(Entity)
        .join(JoinType::InnerJoin, Submission, same)
        .and_where(Column::GuildId.eq(guild))
        .and_where(lists::any_of(conn, Column::TicketId, tickets))
        .take();
    let rows = conn.query_all(&found).await?;
    rows.iter().map(|row| Ok((row.try_get_by_index(0)?, row.try_get_by_index(1)?))).collect()
}

fn of_submission(guild: GuildId, submission: SubmissionId) -> Select<Entity> {
    Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::SubmissionId.eq(submission))
}
