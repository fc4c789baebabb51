//! The database's rows for the calls, read without the product's own queries; periodic tasks have no guild.

use std::time::{Duration, Instant};

use entities::{GuildId, JobId, SubmissionId, TicketId, audit_entry, idempotency, job, ticket};
use sea_orm::{
    ColumnTrait, DatabaseConnection, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, QuerySelect,
};
use serde_json::Value;

use testkit::Deployment;

#[derive(Debug, FromQueryResult)]
pub(super) struct JobRow {
    pub(super) job_id: JobId,
    pub(super) guild_id: Option<GuildId>,
    pub(super) kind: String,
    pub(super) args: Value,
    pub(super) state: job::State,
    /// The number of claims.
    pub(super) token: i64,
    pub(super) error: Option<Value>,
}

#[derive(Debug, FromQueryResult)]
pub(super) struct AuditRow {
    pub(super) guild_id: GuildId,
    pub(super) action: String,
    pub(super) target_id: String,
}

#[derive(Debug, FromQueryResult)]
pub(super) struct AnswerRow {
    pub(super) idempotency_key: String,
    pub(super) job_id: Option<JobId>,
}

#[derive(Debug, FromQueryResult)]
pub(super) struct TicketRow {
    pub(super) guild_id: GuildId,
    pub(super) submission_id: SubmissionId,
    pub(super) ticket_id: TicketId,
}

pub(super) struct Rows {
    pub(super) jobs: Vec<JobRow>,
    pub(super) audit: Vec<AuditRow>,
    pub(super) answers: Vec<AnswerRow>,
    pub(super) tickets: Vec<TicketRow>,
}

pub(super) async fn read(deployment: &Deployment) -> anyhow::Result<Rows> {
    let connection = deployment.connect().await;
    let (jobs, answers) = {
        use job::Column::{Args, Error, GuildId, JobId, Kind, State, Token};
        let jobs = job::Entity::find()
            .select_only()
            .columns([JobId, GuildId, Kind, Args, State, Token, Error])
            .filter(GuildId.is_not_null());
        let answers = idempotency::Entity::find()
            .select_only()
            .columns([idempotency::Column::IdempotencyKey, idempotency::Column::JobId]);
        (jobs.into_model().all(&connection).await?, answers.into_model().all(&connection).await?)
    };
    use audit_entry::Column::{Action, GuildId, TargetId};
    let audit = audit_entry::Entity::find().select_only().columns([GuildId, Action, TargetId]);
    use ticket::Column as Ticket;
    let tickets = ticket::Entity::find().select_only().columns([
        Ticket::GuildId,
        Ticket::SubmissionId,
        Ticket::TicketId,
    ]);
    let audit = audit.into_model().all(&connection).await?;
    let tickets = tickets.into_model().all(&connection).await?;
    connection.close().await?;
    Ok(Rows { jobs, audit, answers, tickets })
}

/// Waits until no job is open, or no job has ended for longer than the timeout.
pub(super) async fn until_over(deployment: &Deployment, standstill: Duration) -> anyhow::Result<()> {
    let connection = deployment.connect().await;
    let (mut left, mut since) = (u64::MAX, Instant::now());
    loop {
        let now = open(&connection).await?;
        if now == 0 {
            break;
        }
        if now != left {
            (left, since) = (now, Instant::now());
        }
        if since.elapsed() > standstill {
            println!("{now} jobs do not end");
            break;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    connection.close().await?;
    Ok(())
}

async fn open(connection: &DatabaseConnection) -> anyhow::Result<u64> {
    let of_calls = job::Entity::find().filter(job::Column::GuildId.is_not_null());
    Ok(of_calls.filter(job::Column::FinishedAt.is_null()).count(connection).await?)
}
