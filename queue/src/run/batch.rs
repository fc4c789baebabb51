//! Claims and plain ends, many in one statement. A batch is whatever came while the one before was written, so an
//! idle system waits for nothing and a busy one pays one commit for many jobs.

use std::collections::HashMap;
use std::sync::Arc;

use entities::JobId;
use entities::job::lifecycle::Held;
use entities::job::{Model, batch};
use sea_orm::DbErr;
use sea_orm::prelude::Json;
use tokio::sync::{Mutex, mpsc, oneshot};

use super::LEASE;
use crate::Queue;

/// Statements of one sort in flight on Postgres: one is written while the next is filled. SQLite has one writer.
const IN_FLIGHT: usize = 2;

type Asked<I, O> = (I, oneshot::Sender<Result<O, DbErr>>);
type Answers<O> = Vec<oneshot::Sender<Result<O, DbErr>>>;
type Source<I, O> = Arc<Mutex<mpsc::UnboundedReceiver<Asked<I, O>>>>;

async fn ask<I, O>(sender: &mpsc::UnboundedSender<Asked<I, O>>, item: I) -> Result<O, DbErr> {
    let (answer, answered) = oneshot::channel();
    let gone = || DbErr::Custom("the process is ending".to_owned());
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
        let (sender, receiver) = mpsc::unbounded_channel();
        let source = Arc::new(Mutex::new(receiver));
        for _ in 0..writers(queue) {
            let (queue, worker, source) = (queue.clone(), worker.to_owned(), Arc::clone(&source));
            queue.shutdown.services().clone().spawn(async move {
                while let Some((jobs, answers)) = gather(&source).await {
                    claim(&queue, &worker, (jobs, answers)).await;
                }
            });
        }
        Self(sender)
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
        let (sender, receiver) = mpsc::unbounded_channel();
        let source = Arc::new(Mutex::new(receiver));
        for _ in 0..writers(queue) {
            let (queue, source) = (queue.clone(), Arc::clone(&source));
            queue.shutdown.services().clone().spawn(async move {
                while let Some((ended, answers)) = gather(&source).await {
                    succeed(&queue, ended, answers).await;
                }
            });
        }
        Self(sender)
    }

    /// False: the claim is not the newest any more.
    pub(crate) async fn succeed(&self, held: Held, result: Json) -> Result<bool, DbErr> {
        ask(&self.0, (held, result)).await
    }
}

async fn succeed(queue: &Queue, ended: Vec<(Held, Json)>, answers: Answers<bool>) {
    match batch::succeed(queue.database.write(), &ended, queue.clock.now()).await {
        Ok(hit) => {
            let hit: std::collections::HashSet<JobId> = hit.into_iter().collect();
            for ((held, _), answer) in ended.iter().zip(answers) {
                drop(answer.send(Ok(hit.contains(&held.job))));
            }
        }
        Err(error) => refuse(&error, answers),
    }
}
