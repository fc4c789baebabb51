//! Single syncs at an even rate, as from dashboards: the time until each started, and its caller's latency.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;

use crate::figures::{Figures, float, percentile};
use testkit::{Api, Deployment, Guild, JobRow};

pub(crate) struct Singles<'a> {
    deployment: &'a Deployment,
    /// A key, its guild, and a member not synced yet.
    calls: Vec<(Api, &'a str, &'a str)>,
    each: Duration,
}

pub(crate) struct Waits {
    /// Milliseconds from commit to start.
    pub(crate) started: Vec<f64>,
    /// Milliseconds until the answer.
    pub(crate) answered: Vec<f64>,
    /// Syncs whose caller got a 202.
    pub(crate) late: usize,
}

impl<'a> Singles<'a> {
    /// One call for each member; guilds and their two keys alternate, so that no quota is reached.
    pub(crate) fn new(deployment: &'a Deployment, guilds: &'a [Guild], each: Duration) -> Self {
        let most = guilds.iter().map(|guild| guild.members.len()).max().unwrap_or(0);
        let mut calls = Vec::new();
        for member in (0..most).rev() {
            for guild in guilds {
                let Some(user) = guild.members.get(member) else { continue };
                let key = if member % 2 == 0 { &guild.admin_key } else { &guild.game_key };
                calls.push((deployment.api_of(guild).key(key), guild.id.as_str(), user.chat.as_str()));
            }
        }
        Self { deployment, calls, each }
    }

    /// Sends the next `count` calls, one each interval, whether or not earlier ones are answered.
    pub(crate) async fn run(&mut self, count: usize) -> Waits {
        let calls = self.calls.split_off(self.calls.len().saturating_sub(count));
        let users: HashSet<&str> = calls.iter().map(|(_, _, user)| *user).collect();
        let begun = Instant::now();
        let sent = calls.into_iter().zip(0_u32..).map(|((api, guild, user), number)| {
            let due = self.each * number;
            async move {
                tokio::time::sleep(due.saturating_sub(begun.elapsed())).await;
                let asked = Instant::now();
                let answer =
                    api.post("/interactions/sync", json!({ "guild_id": guild, "user_id": user })).await;
                assert!(matches!(answer.status, 200 | 202), "{answer}");
                (asked.elapsed().as_secs_f64() * 1_000.0, answer.status)
            }
        });
        let answers = join_all(sent).await;
        let rows = self.deployment.job_rows("sync_member").await;
        let asked_for = |row: &&JobRow| row.args["user"].as_str().is_some_and(|user| users.contains(user));
        let started = rows.iter().filter(asked_for).filter_map(|row| {
            let wait = row.started_at? - row.created_at;
            Some(wait.to_std().unwrap_or_default().as_secs_f64() * 1_000.0)
        });
        Waits {
            started: started.collect(),
            late: answers.iter().filter(|(_, status)| *status == 202).count(),
            answered: answers.into_iter().map(|(wait, _)| wait).collect(),
        }
    }
}

impl Waits {
    pub(crate) fn report(&self, figures: &Figures) {
        figures.report("single syncs sent", float(self.answered.len()));
        for (what, waits) in [("commit to start, ms", &self.started), ("caller's wait, ms", &self.answered)] {
            for percent in [50, 99, 100] {
                figures.report(&format!("{what}, p{percent}"), percentile(waits, percent));
            }
        }
        figures.report("answered 202, still running", float(self.late));
    }

    /// Reports, and checks that all have started, at least this many, and in time.
    pub(crate) fn check(&self, least: usize, most_ms: f64, figures: &mut Figures) {
        self.report(figures);
        let started = float(self.started.len());
        figures.at_least("of them started", started, float(self.answered.len().max(least)));
        figures.at_most("commit to start, ms, p99", percentile(&self.started, 99), most_ms);
    }
}
