//! Single syncs without a waiting caller, one member after the other, and their rows.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde_json::json;

use testkit::{Answer, Api, Deployment, Guild, JobRow, JobState, eventually};

pub(crate) const WAIT_LIMIT: Duration = Duration::from_secs(60);
/// Includes the start of a process and one round of the safety net.
const FIRST_DONE_WITHIN: Duration = Duration::from_secs(30);

pub(crate) struct Orders<'a> {
    deployment: &'a Deployment,
    next: Cell<usize>,
    /// Two of each guild.
    keys: RefCell<[[String; 2]; 2]>,
}

impl<'a> Orders<'a> {
    pub(crate) fn new(deployment: &'a Deployment) -> Self {
        let keys = [deployment.guild(), deployment.other_guild()];
        let keys = keys.map(|guild| [guild.admin_key.clone(), guild.game_key.clone()]);
        Self { deployment, next: Cell::new(0), keys: RefCell::new(keys) }
    }

    /// From now on other keys are used, whose windows are unused: the processes go on, whatever they are connected to.
    pub(crate) async fn renew_keys(&self) {
        for (place, guild) in [self.deployment.guild(), self.deployment.other_guild()].into_iter().enumerate()
        {
            for number in 0..2 {
                let create = ["keys", "create", "--guild", &guild.id, "--name", "orders"];
                let owner = ["--owner", &guild.members[0].chat];
                let key = self.deployment.command(&[&create[..], &owner].concat()).await.succeeded();
                key.trim().clone_into(&mut self.keys.borrow_mut()[place][number]);
            }
        }
    }

    /// A key of the first guild; they alternate.
    pub(crate) fn key(&self, number: usize) -> String {
        self.keys.borrow()[0][number % 2].clone()
    }

    /// The caller and the member of the next order. Guilds and keys alternate, so that no rate limit refuses a call.
    pub(crate) fn next(&self) -> (Api, String) {
        let number = self.next.replace(self.next.get() + 1);
        let (guild, turn) =
            ([self.deployment.guild(), self.deployment.other_guild()][number % 2], number / 2);
        let key = self.keys.borrow()[number % 2][turn % 2].clone();
        let member = &guild.members[turn % guild.members.len()];
        (self.deployment.api().key(&key).header("prefer", "respond-async"), member.chat.clone())
    }

    /// Enqueues one sync. Returns its job and the response time.
    pub(crate) async fn one(&self) -> (String, Duration) {
        let (api, member) = self.next();
        let asked = Instant::now();
        let answer: Answer = api.post("/interactions/sync", json!({ "user_id": member })).await;
        let took = asked.elapsed();
        assert_eq!(answer.status, 202, "{answer}");
        (answer.body["data"]["job_id"].as_str().unwrap().to_owned(), took)
    }

    pub(crate) async fn some(&self, count: usize) -> HashSet<String> {
        let mut jobs = HashSet::new();
        for _ in 0..count {
            jobs.insert(self.one().await.0);
        }
        assert_eq!(jobs.len(), count, "two orders were answered with one job");
        jobs
    }

    async fn rows(&self, jobs: &HashSet<String>) -> Vec<JobRow> {
        let mut rows = self.deployment.job_rows("sync_member").await;
        rows.retain(|row| jobs.contains(&row.job_id.to_string()));
        assert_eq!(rows.len(), jobs.len(), "a job has no row");
        rows
    }

    pub(crate) async fn assert_queued(&self, jobs: &HashSet<String>) {
        for row in self.rows(jobs).await {
            assert_eq!((row.state, row.attempt), (JobState::Queued, 0), "{row:?}");
        }
    }

    /// Waits until one of the jobs is done. Returns the time since `start`.
    pub(crate) async fn first_done(&self, jobs: &HashSet<String>, start: Instant) -> Duration {
        eventually("the first job is done", FIRST_DONE_WITHIN, async || {
            self.rows(jobs).await.iter().any(|row| row.state == JobState::Succeeded).then(|| start.elapsed())
        })
        .await
    }

    /// Waits until every job has succeeded, each in its first attempt.
    pub(crate) async fn all_done(&self, jobs: &HashSet<String>) {
        let rows = eventually("all jobs are done", WAIT_LIMIT, async || {
            let rows = self.rows(jobs).await;
            rows.iter().all(|row| row.state == JobState::Succeeded).then_some(rows)
        })
        .await;
        for row in rows {
            assert_eq!((row.attempt, row.error.as_ref()), (1, None), "{row:?}");
        }
    }

    /// Asserts that each member of an order has the role and nickname of their rank.
    pub(crate) async fn assert_members_are_right(&self) {
        let guilds: [&Guild; 2] = [self.deployment.guild(), self.deployment.other_guild()];
        for number in 0..self.next.get() {
            let guild = guilds[number % 2];
            let member = &guild.members[number / 2 % guild.members.len()];
            assert!(self.deployment.simulator.is_right(guild, member).await, "{}", member.chat);
        }
    }
}
