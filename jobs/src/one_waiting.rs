//! Jobs about one member that read the member when they run: at most one of a kind waits, because it covers whatever was
//! changed before, and none runs beside another.

use std::collections::HashMap;

use entities::audit_entry::Actor;
use entities::job::State;
use entities::job::insert::find_open_by_dedupe_keys;
use entities::{ChatId, GuildId, JobId};
use queue::{Draft, Payload, QueueError, enqueue_many};
use runtime::UnitOfWork;
use sea_orm::{ConnectionTrait, DbErr};

/// One job may run while another waits.
fn keys(user: ChatId) -> [String; 2] {
    [format!("event {user}"), format!("next event {user}")]
}

/// A job for each of the users about whom none waits.
pub(crate) async fn enqueue<P: Payload>(
    work: &mut UnitOfWork,
    guild: GuildId,
    jobs: Vec<(ChatId, P)>,
) -> Result<(), QueueError> {
    if jobs.is_empty() {
        return Ok(());
    }
    let both: Vec<String> = jobs.iter().flat_map(|(user, _)| keys(*user)).collect();
    let open = find_open_by_dedupe_keys(work.tx(), Some(guild), P::KIND, &both).await?;
    let mut open: HashMap<_, _> =
        open.into_iter().filter_map(|job| Some((job.dedupe_key?, job.state))).collect();
    let mut drafts = Vec::new();
    for (user, payload) in jobs {
        let [first, next] = keys(user);
        let key = match (open.get(&first), open.get(&next)) {
            (None, None | Some(State::Running)) => first,
            (Some(State::Running), None) => next,
            // One waits, or both run: the later one waits for the other, and has not read the member yet.
            _ => continue,
        };
        drafts.push(Draft::new(guild, &payload, Actor::service())?.once(&key));
        open.insert(key, State::Queued);
    }
    // Where another process enqueued one meanwhile, that one waits.
    Ok(enqueue_many(work, drafts).await?)
}

/// Whether another such job about the member runs, for which this one waits.
pub async fn runs_before<P: Payload>(
    conn: &impl ConnectionTrait,
    guild: GuildId,
    user: ChatId,
    own: JobId,
) -> Result<bool, DbErr> {
    let open = find_open_by_dedupe_keys(conn, Some(guild), P::KIND, &keys(user)).await?;
    Ok(open.iter().any(|job| job.state == State::Running && job.job_id < own))
}
