//! Starts, kills and restarts the processes of a deployment.

use std::cell::RefMut;
use std::time::Duration;

use serde_json::Value;

use crate::client::http_client;
use crate::deployment::Deployment;
use crate::job_rows::JobRow;
use crate::process::{Process, Roles, Running, Spawn, free_address};
use crate::setup::{EVENTS, Mode, PUBLIC_KEY};
use crate::wait::{eventually, eventually_ok};

/// Start timeout of a process on a busy machine.
const READY_WITHIN: Duration = Duration::from_secs(30);

const JOB_ENDS_WITHIN: Duration = Duration::from_secs(40);

impl Deployment {
    pub fn roles(&self) -> RefMut<'_, Roles> {
        self.assert_own();
        self.roles.borrow_mut()
    }

    /// Starts all processes of the setup concurrently, and waits until each is ready.
    pub async fn start_all(&self) {
        self.wait_for_simulator().await;
        if self.mode() == Mode::Embedded {
            let serve = self.spawn("serve");
            self.roles().apis.push(serve);
        } else {
            for _ in 0..self.setup.processes {
                let (api, worker, scheduler) =
                    (self.spawn("api"), self.spawn("worker"), self.spawn("scheduler"));
                let mut roles = self.roles();
                roles.apis.push(api);
                roles.workers.push(worker);
                roles.schedulers.push(scheduler);
                drop(roles);
                if self.variable(EVENTS) == Some("on") {
                    let gateway = self.spawn("gateway");
                    self.roles().gateways.push(gateway);
                }
            }
        }
        self.wait_until_ready().await;
    }

    /// Starts one more process of the role, without waiting for it.
    pub fn spawn(&self, role: &str) -> Running {
        self.spawn_with(role, &[])
    }

    /// Like [`spawn`](Self::spawn), with settings for this process alone, which override the common ones.
    pub fn spawn_with(&self, role: &str, extra: &[(&str, &str)]) -> Running {
        self.spawn_by(Process::spawn, role, extra)
    }

    /// Like [`spawn_with`](Self::spawn_with), by one of the ways to start a [`Process`].
    pub fn spawn_by(&self, spawn: Spawn, role: &str, extra: &[(&str, &str)]) -> Running {
        let metrics = free_address();
        let mut env = self.env.clone();
        env.push(("GUILDHALL_METRICS_LISTEN".to_owned(), metrics.clone()));
        let address = if matches!(role, "serve" | "api") { free_address() } else { metrics.clone() };
        env.push(("GUILDHALL_LISTEN".to_owned(), address.clone()));
        env.extend(extra.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let process = spawn(&format!("{role}-{address}"), &[role], &env, self.folder());
        Running { process, base: format!("http://{address}"), metrics: format!("http://{metrics}") }
    }

    /// Ends the embedded process by `end` and starts a new one on the same data.
    pub async fn restart_serve(&self, end: impl AsyncFnOnce(&mut Process)) {
        let mut old = self.roles().apis.remove(0);
        end(&mut old.process).await;
        let serve = self.spawn("serve");
        self.roles().apis.push(serve);
        self.wait_until_ready().await;
    }

    pub async fn add_worker(&self) {
        let worker = self.spawn("worker");
        self.roles().workers.push(worker);
        self.wait_until_ready().await;
    }

    /// The deployment's worker process that runs the job of this row.
    pub fn take_worker_of(&self, row: &JobRow) -> Running {
        // host:process:random
        let pid: u32 = row.worker.as_deref().unwrap().split(':').nth(1).unwrap().parse().unwrap();
        let mut roles = self.roles();
        let index = roles.workers.iter().position(|worker| worker.process.id() == pid).unwrap();
        roles.workers.remove(index)
    }

    /// As if the process had been silent for longer than a worker may be; the leader finds it dead at its next look.
    pub async fn let_be_silent(&self, process: &Process) {
        let silent = format!(
            "UPDATE worker SET heartbeat_at = heartbeat_at - INTERVAL '1 minute' WHERE name LIKE '%:{}:%'",
            process.id()
        );
        self.execute(&silent).await;
    }

    pub async fn wait_until_ready(&self) {
        let http = http_client();
        let bases: Vec<String> = self.roles().all().map(|running| running.base.clone()).collect();
        for base in bases {
            let url = format!("{base}/health/ready");
            let what = format!("{url} is ready, and connected to all it needs");
            eventually(&what, READY_WITHIN, async || {
                self.assert_all_run();
                let report: Value = http.get(&url).send().await.ok()?.json().await.ok()?;
                let connected = report["dependencies"].as_object()?.values().all(|state| state == "ok");
                (report["status"] == "ready" && connected).then_some(())
            })
            .await;
        }
        self.take_interactions().await;
    }

    /// Interactions of the chat platform are sent to the first API process, if it takes them.
    async fn take_interactions(&self) {
        if self.variable(PUBLIC_KEY).is_none_or(str::is_empty) {
            return;
        }
        let first = self.roles().apis.first().map(|api| api.base.clone());
        if let (Some(base), false) = (first, self.simulator_ended()) {
            self.simulator.set_interactions_endpoint(&format!("{base}/chat/interactions")).await;
        }
    }

    /// Waits until the simulator has read its fixture.
    pub async fn wait_for_simulator(&self) {
        let url = format!("{}/control/routes", self.simulator.base);
        let http = http_client();
        eventually("the simulator answers", READY_WITHIN, async || {
            assert!(!self.simulator_ended(), "the simulator ended");
            http.get(&url).send().await.ok().map(drop)
        })
        .await;
    }

    fn simulator_ended(&self) -> bool {
        self.simulate.borrow_mut().as_mut().is_some_and(|process| process.has_ended().is_some())
    }

    fn assert_all_run(&self) {
        for running in self.roles().all() {
            if let Some(status) = running.process.has_ended() {
                panic!("{} ended: {status}: {}", running.process.name(), running.process.log());
            }
        }
    }
}

impl Deployment {
    pub async fn job_ended(&self, job: &str) -> Value {
        self.job_of(&self.guild().admin_key, job).await
    }

    /// Waits for the end of a job of the guild with this key.
    pub async fn job_of(&self, key: &str, job: &str) -> Value {
        let api = self.api().key(key);
        eventually_ok("the job ends", JOB_ENDS_WITHIN, async || {
            let shown = api.get(&format!("/jobs/{job}")).await.ok();
            if shown["finished_at"].is_null() { Err(shown) } else { Ok(shown) }
        })
        .await
    }
}

impl Deployment {
    /// Resets every window, as if hours had passed.
    pub async fn forget_quotas(&self) {
        self.execute("DELETE FROM bulk_sync").await;
        match self.mode() {
            Mode::Embedded => self.restart_serve(async |serve| serve.kill()).await,
            Mode::Distributed => {
                let mut apis = std::mem::take(&mut self.roles().apis);
                // They would report what they have admitted.
                apis.iter_mut().for_each(|api| api.process.kill());
                self.forget_shared_windows().await;
                let apis = apis.iter().map(|_| self.spawn("api")).collect();
                self.roles().apis = apis;
                self.wait_until_ready().await;
            }
        }
    }
}

impl Deployment {
    /// Runs a schedule's task now, instead of at its next tick.
    pub async fn run_schedule(&self, name: &str) {
        let what = format!("schedule {name} is known");
        eventually(&what, READY_WITHIN, async || {
            (self.command(&["schedules", "run", name]).await.code == Some(0)).then_some(())
        })
        .await;
    }

    /// The newest audit entries of the first guild with this action.
    pub async fn audit(&self, action: &str) -> Vec<Value> {
        let path = format!("/guilds/{}/audit-logs?action={action}", self.guild().id);
        self.api().get(&path).await.ok()["entries"].as_array().unwrap().clone()
    }
}
