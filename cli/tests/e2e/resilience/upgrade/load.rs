//! Game servers and dashboards behind a load balancer, which sends calls to ready processes and goes to the next one where a
//! connection is refused. Every other failure counts.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use testkit::{Guild, TestDatabase, eventually, http_builder};

const CHECK_EVERY: Duration = Duration::from_millis(5);
const BAN_EVERY: Duration = Duration::from_millis(200);
const SYNC_EVERY: Duration = Duration::from_millis(200);
const FIRST_BANNED: usize = 900_000_001;
/// Less than the notice of a process that stops: whoever asks after that has heard `Connection: close`.
const IDLE_FOR: Duration = Duration::from_millis(500);
const ANSWERS_WITHIN: Duration = Duration::from_secs(40);
const JOBS_END_WITHIN: Duration = Duration::from_secs(40);

pub(super) struct Load<'a> {
    guilds: &'a [Guild],
    client: Client,
    bases: RefCell<Vec<String>>,
    turn: Cell<usize>,
    is_over: Cell<bool>,
    report: RefCell<Report>,
}

#[derive(Default)]
pub(super) struct Report {
    pub(super) checks: u64,
    pub(super) bans: i64,
    /// Ids of the accepted syncs.
    pub(super) jobs: BTreeSet<String>,
    pub(super) failures: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { checks, bans, jobs, failures } = self;
        write!(f, "{checks} checks, {bans} bans, {} syncs, {} failed", jobs.len(), failures.len())?;
        failures.iter().take(20).try_for_each(|failure| write!(f, "\n  {failure}"))
    }
}

impl<'a> Load<'a> {
    pub(super) fn new(guilds: &'a [Guild], bases: Vec<String>) -> Self {
        Self {
            guilds,
            client: http_builder().pool_idle_timeout(IDLE_FOR).timeout(ANSWERS_WITHIN).build().unwrap(),
            bases: RefCell::new(bases),
            turn: Cell::default(),
            is_over: Cell::default(),
            report: RefCell::default(),
        }
    }

    pub(super) async fn is_ready(&self, base: &str) -> bool {
        let asked = self.client.get(format!("{base}/health/ready")).send().await;
        asked.is_ok_and(|answer| answer.status().is_success())
    }

    pub(super) fn balance_over(&self, bases: Vec<String>) {
        *self.bases.borrow_mut() = bases;
    }

    /// Calls from the begin to the end of the event.
    pub(super) async fn run_beside(&self, event: impl Future<Output = ()>) -> Report {
        let event = async {
            event.await;
            self.is_over.set(true);
        };
        tokio::join!(
            event,
            self.repeat(CHECK_EVERY, async |guild, _| self.check(guild).await),
            self.repeat(BAN_EVERY, async |guild, n| self.ban(guild, n).await),
            self.repeat(SYNC_EVERY, async |guild, n| self.sync(guild, n).await),
        );
        self.report.take()
    }

    async fn repeat(&self, every: Duration, call: impl AsyncFn(&Guild, usize) -> Result<(), String>) {
        let mut turn = tokio::time::interval(every);
        for (n, guild) in self.guilds.iter().cycle().enumerate() {
            turn.tick().await;
            if self.is_over.get() {
                return;
            }
            if let Err(failure) = call(guild, n).await {
                self.report.borrow_mut().failures.push(failure);
            }
        }
    }

    async fn check(&self, guild: &Guild) -> Result<(), String> {
        let path = format!("/moderation/{}/ban-status/77", guild.id);
        self.call(guild, Method::GET, &path, None).await?;
        self.report.borrow_mut().checks += 1;
        Ok(())
    }

    /// A player that nobody banned before.
    async fn ban(&self, guild: &Guild, n: usize) -> Result<(), String> {
        let path = format!("/moderation/{}/play/ban", guild.id);
        let (player, moderator) = (FIRST_BANNED + n, &guild.members[0].chat);
        let ban = json!({ "identifier": player.to_string(), "reason": "r", "moderator_id": moderator });
        self.call(guild, Method::POST, &path, Some(ban)).await?;
        self.report.borrow_mut().bans += 1;
        Ok(())
    }

    async fn sync(&self, guild: &Guild, n: usize) -> Result<(), String> {
        let member = &guild.members[n / self.guilds.len() % guild.members.len()];
        let sync = json!({ "user_id": member.chat });
        let answer = self.call(guild, Method::POST, "/interactions/sync", Some(sync)).await?;
        let job = answer["data"]["job_id"].as_str().ok_or("a sync without a job")?;
        self.report.borrow_mut().jobs.insert(job.to_owned());
        Ok(())
    }

    /// The body of a successful answer of the first process that accepts the connection.
    async fn call(
        &self,
        guild: &Guild,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, String> {
        let mut bases = self.bases.borrow().clone();
        self.turn.set(self.turn.get() + 1);
        let first = self.turn.get() % bases.len();
        bases.rotate_left(first);
        for base in bases {
            let call = self.client.request(method.clone(), format!("{base}{path}"));
            let call = call.header("x-api-key", &guild.admin_key).header("prefer", "respond-async");
            match body.iter().fold(call, RequestBuilder::json).send().await {
                Err(error) if error.is_connect() => {}
                Err(error) => return Err(format!("{method} {path}: {error:?}")),
                Ok(answer) => return read(answer).await.map_err(|why| format!("{method} {path}: {why}")),
            }
        }
        Err(format!("{method} {path}: every process refuses connections"))
    }
}

async fn read(answer: Response) -> Result<Value, String> {
    let status = answer.status();
    let text = answer.text().await.map_err(|error| format!("{error:?}"))?;
    let body = serde_json::from_str(&text).ok().filter(|_| status.is_success());
    body.ok_or_else(|| format!("{status}: {text}"))
}

impl Report {
    /// Every accepted ban is there, and every accepted job succeeds.
    pub(super) async fn nothing_is_lost(&self, database: &TestDatabase) {
        assert_eq!(database.count("SELECT count(*) FROM sanction WHERE reason = 'r'").await, self.bans);
        let ids = self.jobs.iter().map(|id| format!("'{id}'")).collect::<Vec<_>>().join(", ");
        let open = format!("SELECT count(*) FROM job WHERE state <> 'succeeded' AND job_id IN ({ids})");
        let all = format!("SELECT count(*) FROM job WHERE job_id IN ({ids})");
        eventually("every accepted job succeeds", JOBS_END_WITHIN, async || {
            (database.count(&open).await == 0).then_some(())
        })
        .await;
        assert_eq!(usize::try_from(database.count(&all).await), Ok(self.jobs.len()));
    }
}
