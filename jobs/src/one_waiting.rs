//! Jobs about one member that read the member when they run: at most one of a kind waits, because it covers whatever was
//! changed before, and none runs beside another.

use entities::audit_entry::Actor;
use entities::job::insert::find_open_by_dedupe_key;
use entities::job::{Class, Model, State};
use entities::{ChatId, GuildId, JobId};
use queue::{Draft, Payload, QueueError};
use runtime::UnitOfWork;
use sea_orm::{ConnectionTrait, DbErr};

/// One job may run while another waits.
fn keys(user: ChatId) -> [String; 2] {
    [format!("event {user}"), format!("next event {user}")]
}

pub(crate) async fn enqueue<P: Payload>(
    work: &mut UnitOfWork,
    (guild, user): (GuildId, ChatId),
    payload: &P,
    class: Class,
) -> Result<(), QueueError> {
    for key in keys(user) {
        match find_open_by_dedupe_key(work.tx(), Some(guild), P::KIND, &key).await? {
            Some(job) if job.state == State::Running => {}
            Some(_) => return Ok(()),
            None => {
                let draft = Draft::new(guild, payload, Actor::service())?.class(class).once(&key);
                let enqueued = draft.enqueue(work.tx(), work.now()).await?;
                work.publish(enqueued.message);
                return Ok(());
            }
        }
    }
    // Both run: the later one waits for the other, and has not read the member yet.
    Ok(())
}

/// Whether another such job about the member runs, for which this one waits.
pub async fn runs_before<P: Payload>(
    conn: &impl ConnectionTrait,
    guild: GuildId,
    user: ChatId,
    own: JobId,
) -> Result<bool, DbErr> {
    let earlier = |job: Model| job.state == State::Running && job.job_id < own;
    for key in keys(user) {
        let open = find_open_by_dedupe_key(conn, Some(guild), P::KIND, &key).await?;
        if open.is_some_and(earlier) {
            return Ok(true);
        }
    }
    Ok(false)
}
