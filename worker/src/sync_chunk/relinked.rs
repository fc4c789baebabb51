//! Members who are linked to another game account than when the plan was made, or to none: what the plan says is not for them.

use std::collections::HashMap;

use entities::{ChatId, GuildId, PlayId, link};
use jobs::bulk_sync::PlannedChange;
use jobs::linking;
use queue::run::{JobContext, JobError};
use runtime::UnitOfWork;
use sea_orm::{ConnectionTrait, DbErr};

use crate::errors::queue_error;

/// The linked game account of each user who has one.
pub(super) async fn accounts(
    conn: &impl ConnectionTrait,
    guild: GuildId,
    users: &[ChatId],
) -> Result<HashMap<ChatId, PlayId>, DbErr> {
    let links = link::find_by_chats(conn, guild, users).await?;
    Ok(links.into_iter().map(|link| (link.chat_id, link.play_id)).collect())
}

/// A call that was under way when a link ended may have come after the job that took away what the link gave: that is done
/// once more.
pub(super) async fn correct(
    job: &JobContext,
    work: &mut UnitOfWork,
    guild: GuildId,
    members: &[&PlannedChange],
) -> Result<(), JobError> {
    let users: Vec<ChatId> = members.iter().map(|planned| planned.user).collect();
    let linked = accounts(work.tx(), guild, &users).await?;
    let stands = |planned: &PlannedChange| {
        linked.get(&planned.user).is_some_and(|play| planned.play.is_none_or(|planned| planned == *play))
    };
    let changed: Vec<ChatId> =
        members.iter().filter(|planned| !stands(planned)).map(|planned| planned.user).collect();
    linking::correct(work, guild, &changed, &job.actor()).await.map_err(queue_error)
}
