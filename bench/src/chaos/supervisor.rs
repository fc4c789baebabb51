//! The processes of the deployment and their supervisor, which restarts ended processes after a pause.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::caller::Balancer;
use super::plan::Plan;
use super::skew::Skew;
use testkit::{Deployment, Running, http_client};

pub(super) const TICK: Duration = Duration::from_millis(25);
/// Start timeout of a process, on a machine under load.
const BOOTS_WITHIN: Duration = Duration::from_secs(60);
const PROBE: Duration = Duration::from_secs(2);

enum State {
    Down { until: Instant },
    Booting { since: Instant },
    Up,
}

pub(super) struct ProcessSlot {
    pub(super) role: &'static str,
    /// Its index within the role.
    pub(super) number: usize,
    running: Option<Running>,
    state: State,
}

pub(super) struct Supervisor<'w> {
    deployment: &'w Deployment,
    balancer: Arc<Balancer>,
    pub(super) slots: Vec<ProcessSlot>,
    http: reqwest::Client,
    ended_by_themselves: Vec<String>,
    skew: Option<Skew>,
}

impl<'w> Supervisor<'w> {
    /// Starts all processes of the plan and waits until they are ready.
    pub(super) async fn start(
        deployment: &'w Deployment,
        plan: &Plan,
        balancer: &Arc<Balancer>,
    ) -> anyhow::Result<Self> {
        let roles: &[(&'static str, usize)] = if plan.embedded {
            &[("serve", 1)]
        } else {
            &[("api", plan.apis), ("worker", plan.workers), ("scheduler", plan.schedulers)]
        };
        let now = Instant::now();
        let slots = roles.iter().flat_map(|(role, count)| {
            (0..*count).map(move |number| ProcessSlot {
                role,
                number,
                running: None,
                state: State::Down { until: now },
            })
        });
        let mut supervisor = Self {
            deployment,
            balancer: Arc::clone(balancer),
            slots: slots.collect(),
            http: http_client(),
            ended_by_themselves: Vec::new(),
            skew: Skew::of(plan.skew_seconds)?,
        };
        supervisor.until_all_are_up().await;
        Ok(supervisor)
    }

    pub(super) async fn until_all_are_up(&mut self) {
        let deadline = Instant::now() + BOOTS_WITHIN;
        while self.up().count() < self.slots.len() {
            assert!(Instant::now() < deadline, "the processes do not all come up");
            self.look_after().await;
            tokio::time::sleep(TICK).await;
        }
    }

    pub(super) fn up(&self) -> impl Iterator<Item = usize> {
        self.slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| matches!(slot.state, State::Up))
            .map(|(index, _)| index)
    }

    /// Starts the processes that are due, and detects ready and ended ones.
    pub(super) async fn look_after(&mut self) {
        for index in 0..self.slots.len() {
            self.note_end(index);
            match self.slots[index].state {
                State::Down { until } if Instant::now() >= until => self.boot(index),
                State::Booting { since } => {
                    if self.is_ready(index).await {
                        self.slots[index].state = State::Up;
                    } else {
                        let name = self.slots[index].running.as_ref().map(|running| running.process.name());
                        assert!(since.elapsed() < BOOTS_WITHIN, "{name:?} does not become ready");
                    }
                }
                State::Down { .. } | State::Up => {}
            }
        }
    }

    /// SIGKILL now, restart after the pause.
    pub(super) fn kill(&mut self, index: usize, pause: Duration) {
        let slot = &mut self.slots[index];
        if let Some(mut running) = slot.running.take() {
            running.process.kill();
        }
        slot.state = State::Down { until: Instant::now() + pause };
    }

    /// Names and final log lines of processes that ended without being killed.
    pub(super) fn ended_by_themselves(self) -> Vec<String> {
        self.ended_by_themselves
    }

    fn note_end(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        let Some(running) = &mut slot.running else { return };
        let Some(status) = running.process.has_ended() else { return };
        let log = running.process.log();
        let last = log.lines().last().unwrap_or_default();
        self.ended_by_themselves.push(format!("{}: {status}: {last}", running.process.name()));
        slot.running = None;
        slot.state = State::Down { until: Instant::now() };
    }

    fn boot(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        let skewed = slot.number == 0 && matches!(slot.role, "worker" | "serve");
        let running = match &self.skew {
            Some(skew) if skewed => self.deployment.spawn_with(slot.role, &skew.variables()),
            _ => self.deployment.spawn(slot.role),
        };
        if matches!(slot.role, "api" | "serve") {
            self.balancer.set(slot.number, &running.base);
        }
        slot.running = Some(running);
        slot.state = State::Booting { since: Instant::now() };
    }

    async fn is_ready(&self, index: usize) -> bool {
        let Some(running) = &self.slots[index].running else { return false };
        let url = format!("{}/health/ready", running.base);
        let answer = self.http.get(url).timeout(PROBE).send().await;
        answer.is_ok_and(|answer| answer.status().is_success())
    }
}
