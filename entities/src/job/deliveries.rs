//! The deliveries of a webhook: its jobs.

use sea_orm::QuerySelect;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};

use super::model::{Column, Entity, Model};
use crate::log_channel::POST_NEWS;
use crate::{Conn, GuildId, JobId, Page, Result, WebhookId, lists};

/// The kind of these jobs, whose argument `webhook` is in an index.
pub const DELIVER_WEBHOOK: &str = "deliver_webhook";

/// Whether jobs of this kind bring entries of the audit log to somebody.
pub fn delivers_the_log(kind: &str) -> bool {
    [DELIVER_WEBHOOK, POST_NEWS].contains(&kind)
}

/// Newest first.
pub async fn list(
    conn: &impl Conn,
    guild: GuildId,
    webhook: WebhookId,
    page: Page<JobId>,
) -> Result<Vec<Model>> {
    page.of(of(guild, webhook), Column::JobId).all(conn).await
}

pub async fn find(conn: &impl Conn, guild: GuildId, webhook: WebhookId, job: JobId) -> Result<Option<Model>> {
    of(guild, webhook).filter(Column::JobId.eq(job)).one(conn).await
}

/// How many have not ended, at most `limit`.
pub async fn count_open(conn: &impl Conn, guild: GuildId, webhook: WebhookId, limit: u64) -> Result<u64> {
    let mut open = of(guild, webhook).filter(Column::FinishedAt.is_null()).select_only().expr(Expr::value(1));
    lists::count(conn, QuerySelect::query(&mut open).limit(limit).take()).await
}

/// A literal, so that the index of these jobs is used.
fn of(guild: GuildId, webhook: WebhookId) -> Select<Entity> {
    let own = Expr::cust("CAST(args ->> 'webhook' AS text)").eq(webhook.to_string());
    let kind = Expr::cust(format!("kind = '{DELIVER_WEBHOOK}'"));
    Entity::find().filter(Column::GuildId.eq(guild)).filter(kind).filter(own)
}
