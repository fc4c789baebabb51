//! A worker process of a test, its jobs and its rows.

use std::time::Duration;

use entities::audit_entry::{self, Actor};
use entities::job::{Model, listing};
use entities::{JobId, job_failure, link};
use queue::{Answer, Draft, Enqueued, Payload, Queue};
use runtime::{Context, UnitOfWork};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::Value;

use crate::fixture::{DEADLINE, chat, guild_id};

pub(crate) struct Process {
    pub(crate) context: Context,
    pub(crate) queue: Queue,
}

impl Process {
    pub(crate) async fn enqueue<P: Payload>(&self, payload: &P) -> JobId {
        let actor = Actor { actor_id: 42, key_id: None, request_id: None };
        let draft = Draft::new(guild_id(), payload, actor).unwrap();
        let mut work = UnitOfWork::begin(&self.context).await.unwrap();
        let enqueued = draft.enqueue(&mut work).await.unwrap();
        self.queue.publish(work.commit().await.unwrap());
        enqueued.job
    }

    /// Enqueues and waits for the end.
    pub(crate) async fn run<P: Payload>(&self, payload: &P) -> Answer {
        let job = self.enqueue(payload).await;
        self.finish(job).await
    }

    pub(crate) async fn succeed<P: Payload>(&self, payload: &P) -> Value {
        match self.run(payload).await {
            Answer::Succeeded(result) => result,
            other => panic!("{other:?}"),
        }
    }

    /// The `(status, error, message)` of a job that fails.
    pub(crate) async fn fail<P: Payload>(&self, payload: &P) -> (u16, String, String) {
        match self.run(payload).await {
            Answer::Failed(failure) => (failure.status, failure.error, failure.message),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn finish(&self, job: JobId) -> Answer {
        self.finish_within(job, DEADLINE).await
    }

    pub(crate) async fn finish_within(&self, job: JobId, longest: Duration) -> Answer {
        let answer = self.queue.call(Enqueued::joined(job), longest).await.unwrap();
        match answer {
            Some(answer) => answer,
            None => panic!("not ended in time: {:?}", self.row(job).await),
        }
    }

    pub(crate) async fn row(&self, job: JobId) -> Model {
        listing::find_any(self.context.database.read(), job).await.unwrap().unwrap()
    }

    pub(crate) async fn chunks(&self, parent: JobId) -> Vec<Model> {
        use entities::job::{Column, Entity};
        let found = Entity::find().filter(Column::ParentId.eq(parent));
        found.all(self.context.database.read()).await.unwrap()
    }

    /// `(chat id, error)` of each member that failed, by chat id.
    pub(crate) async fn failures(&self, job: JobId) -> Vec<(i64, String)> {
        let rows =
            job_failure::list(self.context.database.read(), job, entities::Page::first(1_000)).await.unwrap();
        let mut failures: Vec<_> = rows.into_iter().map(|row| (row.chat_id.get(), row.error)).collect();
        failures.sort();
        failures
    }

    /// The message of the only failed member.
    pub(crate) async fn failure_message(&self, job: JobId) -> String {
        let mut rows =
            job_failure::list(self.context.database.read(), job, entities::Page::first(2)).await.unwrap();
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows.remove(0).message
    }

    pub(crate) async fn audit(&self, action: &str) -> Vec<audit_entry::Model> {
        audit_entry::list(
            self.context.database.read(),
            guild_id(),
            Some(action),
            entities::Page::first(1_000),
        )
        .await
        .unwrap()
    }

    pub(crate) async fn linked_name(&self, id: i64) -> String {
        let link = link::find_by_chat(self.context.database.read(), guild_id(), chat(id)).await.unwrap();
        link.unwrap().play_username
    }
}
