//! One call that enqueues a job, repeated under one idempotency key until it succeeds, as a careful client does.

use std::time::{Duration, Instant};

use serde_json::json;

use testkit::{Answer, Api, Deployment, JobRow, JobState};

pub(super) const WAIT_LIMIT: Duration = Duration::from_secs(90);
/// The longest time of a request (30 s and the caller's wait), and a reserve for a loaded machine.
const DEADLINE: Duration = Duration::from_secs(38);
/// The shortest `Retry-After`.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) struct Order<'a> {
    deployment: &'a Deployment,
    api: Api,
    member: String,
    id: String,
}

thread_local! {
    static GIVEN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl<'a> Order<'a> {
    /// The sync of the next member, with this many seconds of wait.
    pub(super) fn next(deployment: &'a Deployment, wait: u32) -> Self {
        let number = GIVEN.replace(GIVEN.get() + 1);
        let id = format!("order-{number}");
        let api = deployment.api().header("idempotency-key", &id).header("prefer", &format!("wait={wait}"));
        let member = deployment.guild().members[number].chat.clone();
        Self { deployment, api, member, id }
    }

    /// Makes the call, which must be answered in time despite any fault. Returns the answer and its time.
    pub(super) async fn ask(&self) -> (Answer, Duration) {
        let asked = Instant::now();
        let answer = self.api.post("/interactions/sync", json!({ "user_id": self.member })).await;
        let took = asked.elapsed();
        assert!(took < DEADLINE, "{answer} took {took:?}");
        (answer, took)
    }

    /// Makes the call once, during the fault, and asserts that the answer is one of these: status and error word.
    pub(super) async fn sees(&self, fault: &str, expected: &[(u16, &str)]) -> Answer {
        let (answer, took) = self.ask().await;
        println!("{fault}: the caller saw {} {} after {took:.1?}", answer.status, answer.error());
        let seen = (answer.status, answer.error());
        assert!(expected.contains(&seen), "{fault}: {answer}, not one of {expected:?}");
        answer
    }

    /// Repeats the call until it succeeds, then asserts that one job succeeded and the member is correct.
    pub(super) async fn ends_well(&self) -> JobRow {
        let start = Instant::now();
        let row = loop {
            let (answer, _) = self.ask().await;
            // 202: the job runs; 409: the first call runs; 503: to be repeated later.
            assert!(matches!(answer.status, 200 | 202 | 409 | 503), "{}: {answer}", self.id);
            let mut rows = self.deployment.job_rows("sync_member").await;
            rows.retain(|row| row.args["user"] == self.member);
            assert!(rows.len() <= 1, "{}: an order was enqueued twice: {rows:?}", self.id);
            let done = rows.pop().filter(|row| row.state == JobState::Succeeded);
            match done {
                Some(row) if answer.status == 200 => break row,
                _ => assert!(start.elapsed() < WAIT_LIMIT, "{}: not done: {answer}", self.id),
            }
            tokio::time::sleep(PAUSE).await;
        };
        let guild = self.deployment.guild();
        let member = guild.members.iter().find(|member| member.chat == self.member).unwrap();
        assert!(
            self.deployment.simulator.is_right(guild, member).await,
            "{}: the member is not right",
            self.id
        );
        row
    }

    /// Like [`Order::ends_well`]; prints the time since the end of the fault.
    pub(super) async fn ends_well_after(&self, fault: &str) -> JobRow {
        let healed = Instant::now();
        let row = self.ends_well().await;
        let error = row.error.as_ref().map(|error| error["error"].to_string()).unwrap_or_default();
        println!("{fault}: done {:.1?} after healing, {} attempts {error}", healed.elapsed(), row.attempt);
        row
    }
}
