//! Claims and plain ends, many in one statement. A batch is whatever came while the one before was written, so an
//! idle system waits for nothing and a busy one pays one commit for many jobs.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use entities::JobId;
use entities::job::lifecycle::Held;
use entities::job::{Model, batch};
use futures_util::FutureExt;
use sea_orm::DbErr;
use sea_orm::prelude::Json;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio_util::task::TaskTracker;

use super::LEASE;
use crate::Queue;

/// Statements of one sort in flight on Postgres: one is written while the next is filled. SQLite has one writer.
const IN_FLIGHT: usize = 2;

type Asked<I, O> = (I, oneshot::Sender<Result<O, DbErr>>);
type Answers<O> = Vec<oneshot::Sender<Result<O, DbErr>>>;
type Source<I, O> = Arc<Mutex<mpsc::UnboundedReceiver<Asked<I, O>>>>;

/// Starts tasks that hand what has gathered to `write`, until nobody can ask any more. A batch that panics is refused,
/// and the next one is written.
fn start<I, O, F>(
    tasks: &TaskTracker,
    count: usize,
    write: impl Fn(Vec<I>, Answers<O>) -> F + Clone + Send + 'static,
) -> mpsc::UnboundedSender<Asked<I, O>>
where
    I: Send + 'static,
    O: Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let (sender, receiver) = mpsc::unbounded_channel();
    let source = Arc::new(Mutex::new(receiver));
    for _ in 0..count {
        let (source, write) = (Arc::clone(&source), write.clone());
        tasks.spawn(async move {
            while let Some((items, answers)) = gather(&source).await {
                if AssertUnwindSafe(write(items, answers)).catch_unwind().await.is_err() {
                    tracing::error!("a batch of the job table broke off: a bug, see the log");
                }
            }
        });
    }
    sender
}

async fn ask<I, O>(sender: &mpsc::UnboundedSender<Asked<I, O>>, item: I) -> Result<O, DbErr> {
    let (answer, answered) = oneshot::channel();
    let gone = || DbErr::Custom("the batch was not written".to_owned());
    sender.send((item, answer)).map_err(|_| gone())?;
    answered.await.map_err(|_| gone())?
}

/// Takes what has gathered; `None` when nobody can ask any more.
async fn gather<I, O>(source: &Source<I, O>) -> Option<(Vec<I>, Answers<O>)> {
    let mut asked = Vec::new();
    let count = source.lock().await.recv_many(&mut asked, batch::MOST).await;
    (count > 0).then(|| asked.into_iter().unzip())
}

fn refuse<O>(error: &DbErr, answers: Answers<O>) {
    for answer in answers {
        // Whoever no longer listens was cut; its lease ends by itself.
        drop(answer.send(Err(DbErr::Custom(error.to_string()))));
    }
}

fn writers(queue: &Queue) -> usize {
    if queue.database.is_postgres() { IN_FLIGHT } else { 1 }
}

/// Claims jobs for one worker.
pub(super) struct Claimer(mpsc::UnboundedSender<Asked<JobId, Option<Model>>>);

impl Claimer {
    pub(super) fn start(queue: &Queue, worker: &str) -> Self {
        let (own, worker) = (queue.clone(), worker.to_owned());
        Self(start(queue.shutdown.services(), writers(queue), move |jobs, answers| {
            let (queue, worker) = (own.clone(), worker.clone());
            async move { claim(&queue, &worker, (jobs, answers)).await }
        }))
    }

    /// `None`: the job is not queued any more.
    pub(super) async fn claim(&self, job: JobId) -> Result<Option<Model>, DbErr> {
        ask(&self.0, job).await
    }
}

async fn claim(queue: &Queue, worker: &str, (jobs, answers): (Vec<JobId>, Answers<Option<Model>>)) {
    let now = queue.clock.now();
    match batch::claim(queue.database.write(), &jobs, worker, (now, now + LEASE)).await {
        Ok(rows) => {
            let mut rows: HashMap<JobId, Model> = rows.into_iter().map(|row| (row.job_id, row)).collect();
            for (job, answer) in jobs.iter().zip(answers) {
                drop(answer.send(Ok(rows.remove(job))));
            }
        }
        Err(error) => refuse(&error, answers),
    }
}

/// Ends jobs well that have nothing else to write.
pub(crate) struct Finisher(mpsc::UnboundedSender<Asked<(Held, Json), bool>>);

impl Finisher {
    pub(super) fn start(queue: &Queue) -> Self {
        let own = queue.clone();
        Self(start(queue.shutdown.services(), writers(queue), move |ended, answers| {
            let queue = own.clone();
            async move { succeed(&queue, ended, answers).await }
        }))
    }

    /// False: the claim is not the newest any more.
    pub(crate) async fn succeed(&self, held: Held, result: Json) -> Result<bool, DbErr> {
        ask(&self.0, (held, result)).await
    }
}

async fn succeed(queue: &Queue, ended: Vec<(Held, Json)>, answers: Answers<bool>) {
    match write(queue, &ended).await {
        Ok(hit) => {
            let hit: std::collections::HashSet<JobId> = hit.into_iter().collect();
            for ((held, _), answer) in ended.iter().zip(answers) {
                drop(answer.send(Ok(hit.contains(&held.job))));
            }
        }
        Err(error) => refuse(&error, answers),
    }
}

/// One statement, which commits itself. A fail point needs the commit apart from it.
async fn write(queue: &Queue, ended: &[(Held, Json)]) -> Result<Vec<JobId>, DbErr> {
    let now = queue.clock.now();
    if !runtime::has_fail_point("before_commit") {
        return batch::succeed(queue.database.write(), ended, now).await;
    }
    let transaction = queue.database.begin().await?;
    let hit = batch::succeed(&transaction, ended, now).await?;
    runtime::fail_point("before_commit", "batch").await;
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
        let sender = start(&tasks, 2, double);
        for _ in 0..5 {
            assert!(ask(&sender, 0).await.is_err());
            assert_eq!(ask(&sender, 21).await.ok(), Some(42));
        }
        drop(sender);
        tasks.close();
        tasks.wait().await;
    }
}
