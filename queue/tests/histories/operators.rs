//! What operators do in a history.

use entities::job::Class;
use entities::job_pause::{self, Note, Scope};

use super::step::Cause;
use super::world::World;

impl World {
    pub(super) async fn cancel(&mut self) {
        let Some(job) = self.pick_job() else { return };
        self.tell(format!("cancel {}", self.number(job)));
        let transaction = self.database.begin().await.unwrap();
        let (_, event) = self.leader.cancel(&transaction, job).await.unwrap().unwrap();
        transaction.commit().await.unwrap();
        let runtime::Event::JobsCancelled { jobs } = event else { panic!("{event:?}") };
        if self.random.percent(50) {
            for process in self.processes.iter().flatten() {
                jobs.iter().for_each(|job| process.running.cancel(*job));
            }
        }
        self.check(Cause::Cancel).await;
    }

    pub(super) async fn retry_by_hand(&mut self) {
        let Some(job) = self.pick_job() else { return };
        self.tell(format!("retry {}", self.number(job)));
        let transaction = self.database.begin().await.unwrap();
        let row = self.row(job).clone();
        // A job that is retried after its end plans anew.
        let old = self.chunks_of(job).filter(|_| !row.state.is_open());
        let chunks: Vec<_> = old.map(|chunk| chunk.job_id).collect();
        let retried =
            crate::retry(&transaction, &row, crate::Unlimited, self.leader.clock.now()).await.unwrap();
        transaction.commit().await.unwrap();
        if let crate::Retry::Queued(row) = retried {
            self.retired.extend(chunks);
            self.leader.publish([row.message()]);
        }
        self.check(Cause::Retry).await;
    }

    pub(super) async fn pause_or_resume(&mut self) {
        let class = Class::ALL[self.random.below(3)];
        let scope = if self.random.percent(50) { Scope::Class(class) } else { Scope::Guild(self.guild) };
        let conn = self.database.write();
        let created = job_pause::create(conn, scope, Note::default(), self.leader.clock.now()).await.unwrap();
        if !created {
            job_pause::delete(conn, scope).await.unwrap();
        }
        self.tell(format!("{scope:?} is paused: {created}"));
        self.pauses = job_pause::list(self.database.write()).await.unwrap();
    }
}
