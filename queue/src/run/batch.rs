//! Claims and plain ends, many in one statement. A batch is whatever came while the one before was written, so an
//! idle system waits for nothing and a busy one pays one commit for many jobs.

use std::collections::{HashMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use entities::JobId;
use entities::job::{Claim, Model, claim, run, turns};
use futures_util::FutureExt;
use sea_orm::DbErr;
use sea_orm::prelude::Json;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

use super::heartbeat::{CLAIM_TIMEOUT, Registration};
use crate::Queue;

type Asked<I, O> = (I, oneshot::Sender<Result<O, DbErr>>);
type Answers<O> = Vec<oneshot::Sender<Result<O, DbErr>>>;

/// Starts a task that hands what has gathered to `write`, one batch at a time, until nobody can ask any more. A batch
/// that panics is refused, and the next one is written.
fn start<I, O, F>(
    tasks: &TaskTracker,
    most: usize,
    write: impl Fn(Vec<I>, Answers<O>) -> F + Send + 'static,
) -> mpsc::UnboundedSender<Asked<I, O>>
where
    I: Send + 'static,
    O: Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let (sender, mut receiver) = mpsc::unbounded_channel();
    tasks.spawn(async move {
        while let Some((items, answers)) = gather(&mut receiver, most).await {
            if AssertUnwindSafe(write(items, answers)).catch_unwind().await.is_err() {
                tracing::error!("a batch of the job table broke off: a bug, see the log");
            }
        }
    });
    sender
}

async fn ask<I, O>(sender: &mpsc::UnboundedSender<Asked<I, O>>, item: I) -> Result<O, DbErr> {
    let (answer, answered) = oneshot::channel();
    let gone = || DbErr::Custom("the batch was not written".to_owned());
    sender.send((item, answer)).map_err(|_| gone())?;
    answered.await.map_err(|_| gone())?
}

/// Takes what has gathered; `None` when nobody can ask any more.
async fn gather<I, O>(
    source: &mut mpsc::UnboundedReceiver<Asked<I, O>>,
    most: usize,
) -> Option<(Vec<I>, Answers<O>)> {
    let mut asked = Vec::new();
    let count = source.recv_many(&mut asked, most).await;
    (count > 0).then(|| asked.into_iter().unzip())
}

fn refuse<O>(error: &DbErr, answers: Answers<O>) {
    for answer in answers {
        // A receiver that is gone was cut.
        drop(answer.send(Err(DbErr::Custom(error.to_string()))));
    }
}

type Wanted = (Claim, Arc<Registration>);

/// Claims published jobs for one process.
pub(super) struct Claimer(mpsc::UnboundedSender<Asked<Wanted, Option<Model>>>);

impl Claimer {
    pub(super) fn start(queue: &Queue) -> Self {
        let own = queue.clone();
        Self(start(
            queue.shutdown.services(),
            claim::most(queue.database.is_postgres()),
            move |wanted, answers| {
                let queue = own.clone();
                async move { claim(&queue, wanted, answers).await }
            },
        ))
    }

    /// `None`: the job is not queued any more as it was published.
    pub(super) async fn claim(
        &self,
        published: Claim,
        registration: &Arc<Registration>,
    ) -> Result<Option<Model>, DbErr> {
        ask(&self.0, (published, Arc::clone(registration))).await
    }
}

async fn claim(queue: &Queue, wanted: Vec<Wanted>, answers: Answers<Option<Model>>) {
    // All of a batch asked within moments of each other. Under the name of an older one nothing would be claimed twice,
    // and what is claimed under a name that is void is rescued.
    let Some((_, registration)) = wanted.last() else { return };
    let jobs: Vec<Claim> = wanted.iter().map(|(claim, _)| *claim).collect();
    let claiming = claim::published(queue.database.write(), &jobs, &registration.name, queue.clock.now());
    let late = |_| DbErr::Custom("the database did not answer a claim in time".to_owned());
    match tokio::time::timeout(CLAIM_TIMEOUT, claiming).await.map_err(late).flatten() {
        Ok(rows) => {
            let mut rows: HashMap<JobId, Model> = rows.into_iter().map(|row| (row.job_id, row)).collect();
            for (job, answer) in jobs.iter().zip(answers) {
                drop(answer.send(Ok(rows.remove(&job.job))));
            }
        }
        Err(error) => refuse(&error, answers),
    }
}

/// Ends jobs well that have nothing else to write.
pub(crate) struct Finisher(mpsc::UnboundedSender<Asked<(Claim, Json), bool>>);

impl Finisher {
    pub(super) fn start(queue: &Queue) -> Self {
        let own = queue.clone();
        Self(start(
            queue.shutdown.services(),
            claim::most(queue.database.is_postgres()),
            move |ended, answers| {
                let queue = own.clone();
                async move { succeed(&queue, ended, answers).await }
            },
        ))
    }

    /// False: the claim is lost.
    pub(crate) async fn succeed(&self, claim: Claim, result: Json) -> Result<bool, DbErr> {
        ask(&self.0, (claim, result)).await
    }
}

async fn succeed(queue: &Queue, results: Vec<(Claim, Json)>, answers: Answers<bool>) {
    let ended = match write(queue, &results).await {
        Ok(ended) => ended,
        Err(error) => return refuse(&error, answers),
    };
    let hit: HashSet<JobId> = ended.iter().map(|ended| ended.job_id).collect();
    for ((claim, _), answer) in results.iter().zip(answers) {
        drop(answer.send(Ok(hit.contains(&claim.job))));
    }
    let waiting = ended.iter().filter(|ended| ended.holds_others);
    let turns: HashSet<_> = waiting.filter_map(|ended| Some((ended.guild_id?, ended.class))).collect();
    for (guild, class) in turns {
        match turns::release(queue.database.write(), (guild, class), turns::share(class), queue.clock.now())
            .await
        {
            Ok(released) => queue.publish(released),
            // The next end of the guild releases them, or the leader.
            Err(error) => tracing::warn!(%error, "cannot release the next jobs of a guild"),
        }
    }
}

/// One statement, which commits itself. A fail point needs the commit apart from it.
async fn write(queue: &Queue, results: &[(Claim, Json)]) -> Result<Vec<run::Ended>, DbErr> {
    let now = queue.clock.now();
    if !runtime::has_fail_point("before_commit") {
        return run::succeed(queue.database.write(), results, now).await;
    }
    let transaction = queue.database.begin().await?;
    let hit = run::succeed(&transaction, results, now).await?;
    for ended in &hit {
        runtime::fail_point("before_commit", ended.class.name()).await;
    }
    transaction.commit().await?;
    Ok(hit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Doubles numbers; a batch with a zero in it panics.
    async fn double(items: Vec<u32>, answers: Answers<u32>) {
        assert!(!items.contains(&0), "as the test wants it");
        for (item, answer) in items.into_iter().zip(answers) {
            drop(answer.send(Ok(item * 2)));
        }
    }

    #[tokio::test]
    async fn a_batch_that_panics_is_refused_and_the_next_is_written() {
        let tasks = TaskTracker::new();
        let sender = start(&tasks, 128, double);
        for _ in 0..5 {
            assert!(ask(&sender, 0).await.is_err());
            assert_eq!(ask(&sender, 21).await.ok(), Some(42));
        }
        drop(sender);
        tasks.close();
        tasks.wait().await;
    }
}
