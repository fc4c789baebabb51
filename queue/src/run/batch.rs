//! Batches simple job ends into one statement. A batch holds the ends that arrived while the previous one was written,
//! so an idle system adds no latency and a busy one pays one commit for many jobs.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;

use entities::JobId;
use entities::job::{Claim, claim, run, turns};
use futures_util::FutureExt;
use sea_orm::DbErr;
use sea_orm::prelude::Json;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

use crate::Queue;

/// Starts a task that hands the collected items to `write`, one batch at a time, until all senders are dropped. A panic
/// in one batch does not stop the next.
fn start<I, F>(
    tasks: &TaskTracker,
    most: usize,
    write: impl Fn(Vec<I>) -> F + Send + 'static,
) -> mpsc::UnboundedSender<I>
where
    I: Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let (sender, mut receiver) = mpsc::unbounded_channel();
    tasks.spawn(async move {
        let mut batch = Vec::new();
        while receiver.recv_many(&mut batch, most).await > 0 {
            if AssertUnwindSafe(write(std::mem::take(&mut batch))).catch_unwind().await.is_err() {
                tracing::error!("a batch of job ends panicked: a bug, see the log");
            }
        }
    });
    sender
}

struct End {
    claim: Claim,
    result: Json,
    /// Whether it was written; false: the claim is lost.
    written: oneshot::Sender<Result<bool, DbErr>>,
}

/// Ends jobs that succeeded and write no other row.
pub(crate) struct Finisher(mpsc::UnboundedSender<End>);

impl Finisher {
    pub(super) fn start(queue: &Queue) -> Self {
        let (own, most) = (queue.clone(), claim::most(queue.database.is_postgres()));
        Self(start(queue.shutdown.services(), most, move |ends| {
            let queue = own.clone();
            async move { succeed(&queue, ends).await }
        }))
    }

    /// False: the claim is lost.
    pub(crate) async fn succeed(&self, claim: Claim, result: Json) -> Result<bool, DbErr> {
        let (written, answer) = oneshot::channel();
        let gone = || DbErr::Custom("the batch was not written".to_owned());
        self.0.send(End { claim, result, written }).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

async fn succeed(queue: &Queue, ends: Vec<End>) {
    let (asked, results): (Vec<_>, Vec<_>) =
        ends.into_iter().map(|end| ((end.claim.job, end.written), (end.claim, end.result))).unzip();
    let ended = write(queue, &results).await;
    let hit = ended.as_ref().map(|ended| ended.iter().map(|ended| ended.job_id).collect::<HashSet<JobId>>());
    for (job, written) in asked {
        let answer = hit.as_ref().map(|hit| hit.contains(&job));
        // The receiver of a cut run is gone.
        drop(written.send(answer.map_err(|error| DbErr::Custom(error.to_string()))));
    }
    let waiting = ended.iter().flatten().filter(|ended| ended.holds_others);
    let turns: HashSet<_> = waiting.filter_map(|ended| Some((ended.guild_id?, ended.class))).collect();
    for (guild, class) in turns {
        let conn = queue.database.write();
        match turns::release(conn, guild, class, turns::share(class), queue.clock.now()).await {
            Ok(released) => queue.publish(released),
            // The guild's next job end releases them, or the leader.
            Err(error) => runtime::warn_throttled!(%error, "cannot release the next jobs of a guild"),
        }
    }
}

/// One auto-committed statement. A fail point needs a separate commit.
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

    type Asked = (u32, oneshot::Sender<u32>);

    /// Doubles numbers; a batch with a zero in it panics.
    async fn double(batch: Vec<Asked>) {
        assert!(batch.iter().all(|(number, _)| *number != 0), "as the test wants it");
        for (number, answer) in batch {
            answer.send(number * 2).unwrap();
        }
    }

    #[tokio::test]
    async fn a_panicking_batch_fails_and_the_next_is_written() {
        let tasks = TaskTracker::new();
        let sender = start(&tasks, 128, double);
        for (number, doubled) in [(0, None), (21, Some(42)), (0, None), (4, Some(8))] {
            let (answer, answered) = oneshot::channel();
            sender.send((number, answer)).unwrap();
            assert_eq!(answered.await.ok(), doubled);
        }
        drop(sender);
        tasks.close();
        tasks.wait().await;
    }
}
