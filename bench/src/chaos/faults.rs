//! Decides what is killed or stalled and when: drawn from the seed, spread over the run by the number of answered
//! calls.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use testkit::PrivateServer;
use tokio::task::JoinHandle;

use super::caller::Load;
use super::plan::Plan;
use super::supervisor::{Supervisor, TICK};

/// Pause before a killed process is restarted, milliseconds: from an immediate supervisor to a slow one.
const PROCESS_PAUSE: std::ops::Range<u64> = 0..2_500;
const BROKER_PAUSE: std::ops::Range<u64> = 0..4_000;
const STALL: Duration = Duration::from_secs(2);
/// No fault in the last part of the calls: all faults have to happen under load.
const FAULTY_PERCENT: usize = 97;
/// One kill of a whole role for this many kills of single processes.
const SINGLE_KILLS_PER_ROLE_KILL: usize = 10;
/// Roles whose processes are all killed at once, in turns.
const ROLES: [&str; 3] = ["worker", "scheduler", "api"];

/// The servers under fault are private to the test.
pub(super) struct PrivateServers {
    pub(super) broker: Arc<PrivateServer>,
    pub(super) redis: Arc<PrivateServer>,
}

impl PrivateServers {
    pub(super) async fn start(plan: &Plan) -> anyhow::Result<Option<Self>> {
        if plan.embedded {
            return Ok(None);
        }
        let start = |kind| tokio::task::spawn_blocking(move || PrivateServer::start(kind, "chaos"));
        let broker = start("rabbitmq").await.context("the broker does not start")?;
        let redis = start("redis").await.context("Redis does not start")?;
        Ok(Some(Self { broker: Arc::new(broker), redis: Arc::new(redis) }))
    }
}

#[derive(Clone, Copy, Debug)]
enum Target {
    AnyProcess,
    /// All processes of the role at once.
    Role(&'static str),
    Broker,
    Redis,
}

/// The number of answers before each fault, ascending.
pub(super) struct FaultSchedule(Vec<(usize, Target)>);

#[derive(Debug, Default)]
pub struct FaultCounts {
    pub kills: BTreeMap<&'static str, usize>,
    /// How often all processes of a role were dead at once.
    pub(super) role_kills: BTreeMap<&'static str, usize>,
    pub broker_kills: usize,
    pub(super) redis_stalls: usize,
    /// Each fault with its time.
    pub(super) log: Vec<String>,
}

impl FaultSchedule {
    pub(super) fn draw(plan: &Plan, rng: &mut StdRng) -> Self {
        let mut targets = vec![Target::AnyProcess; plan.kills];
        if !plan.embedded {
            let role_kills = plan.kills.div_ceil(SINGLE_KILLS_PER_ROLE_KILL);
            targets.extend(ROLES.into_iter().cycle().take(role_kills).map(Target::Role));
            targets.extend(std::iter::repeat_n(Target::Broker, plan.broker_kills));
            targets.extend(std::iter::repeat_n(Target::Redis, plan.redis_stalls));
        }
        let last = (plan.jobs * FAULTY_PERCENT / 100).max(1);
        let mut due: Vec<_> = targets.into_iter().map(|target| (rng.random_range(0..last), target)).collect();
        due.sort_by_key(|(after, _)| *after);
        Self(due)
    }

    /// Injects each fault after enough answered calls, until all faults are over and all `calls` answered.
    pub(super) async fn inject(
        self,
        mut injector: FaultInjector<'_, '_>,
        load: &Load,
        calls: usize,
    ) -> anyhow::Result<FaultCounts> {
        let mut due = self.0.into_iter().peekable();
        let mut tenths = (1..=10).map(|tenth| calls * tenth / 10).peekable();
        while due.peek().is_some() || !load.is_finished() || injector.server_is_down() {
            injector.supervisor.look_after().await;
            injector.note_broker_return().await?;
            injector.answered = load.answered();
            if tenths.next_if(|tenth| injector.answered >= *tenth).is_some() {
                println!("{} answered after {:.0?}", injector.answered, injector.began.elapsed());
            }
            if let Some((after, target)) = due.peek().copied()
                && (injector.answered >= after || load.is_finished())
                && injector.inject(target)
            {
                due.next();
            }
            tokio::time::sleep(TICK).await;
        }
        Ok(injector.counts)
    }
}

pub(super) struct FaultInjector<'a, 'd> {
    supervisor: &'a mut Supervisor<'d>,
    servers: Option<&'a PrivateServers>,
    rng: &'a mut StdRng,
    began: Instant,
    /// Calls answered so far.
    answered: usize,
    /// The broker is down or starting.
    broker_outage: Option<JoinHandle<Duration>>,
    redis_stall: Option<JoinHandle<()>>,
    counts: FaultCounts,
}

impl<'a, 'd> FaultInjector<'a, 'd> {
    pub(super) fn new(
        supervisor: &'a mut Supervisor<'d>,
        servers: Option<&'a PrivateServers>,
        rng: &'a mut StdRng,
    ) -> Self {
        Self {
            supervisor,
            servers,
            rng,
            began: Instant::now(),
            answered: 0,
            broker_outage: None,
            redis_stall: None,
            counts: FaultCounts::default(),
        }
    }

    /// False: no target is available now.
    fn inject(&mut self, target: Target) -> bool {
        // A process that starts while Redis is frozen exits with an error, as documented.
        if self.redis_is_stalled() && !matches!(target, Target::Broker) {
            return false;
        }
        let up: Vec<usize> = self.supervisor.up().collect();
        match target {
            Target::AnyProcess => {
                let Some(victim) = up.choose(self.rng) else { return false };
                self.kill(&[*victim]);
            }
            Target::Role(role) => {
                let slots = &self.supervisor.slots;
                let of_role = slots.iter().filter(|slot| slot.role == role).count();
                let up: Vec<usize> = up.into_iter().filter(|index| slots[*index].role == role).collect();
                if up.len() < of_role {
                    return false;
                }
                self.kill(&up);
                *self.counts.role_kills.entry(role).or_default() += 1;
            }
            Target::Broker if self.broker_outage.is_some() => return false,
            Target::Broker => self.kill_broker(),
            Target::Redis if self.server_is_down() || up.len() < self.supervisor.slots.len() => return false,
            Target::Redis => self.stall_redis(),
        }
        true
    }

    fn server_is_down(&self) -> bool {
        self.broker_outage.is_some() || self.redis_is_stalled()
    }

    fn redis_is_stalled(&self) -> bool {
        self.redis_stall.as_ref().is_some_and(|stall| !stall.is_finished())
    }

    fn kill(&mut self, victims: &[usize]) {
        for index in victims {
            let pause = Duration::from_millis(self.rng.random_range(PROCESS_PAUSE));
            self.supervisor.kill(*index, pause);
            let slot = &self.supervisor.slots[*index];
            *self.counts.kills.entry(slot.role).or_default() += 1;
            self.note(&format!("{} {} killed, restarted after {pause:.1?}", slot.role, slot.number));
        }
    }

    fn kill_broker(&mut self) {
        let Some(broker) = self.servers.map(|servers| Arc::clone(&servers.broker)) else { return };
        let pause = Duration::from_millis(self.rng.random_range(BROKER_PAUSE));
        self.counts.broker_kills += 1;
        self.note(&format!("broker killed, restarted after {pause:.1?}"));
        self.broker_outage = Some(tokio::task::spawn_blocking(move || {
            let began = Instant::now();
            broker.kill();
            std::thread::sleep(pause);
            broker.start_again();
            began.elapsed()
        }));
    }

    fn stall_redis(&mut self) {
        let Some(redis) = self.servers.map(|servers| Arc::clone(&servers.redis)) else { return };
        self.counts.redis_stalls += 1;
        self.note("Redis stalled for 2 s");
        self.redis_stall = Some(tokio::task::spawn_blocking(move || redis.stall(STALL)));
    }

    async fn note_broker_return(&mut self) -> anyhow::Result<()> {
        if let Some(outage) = self.broker_outage.take_if(|outage| outage.is_finished()) {
            let lasted = outage.await.context("the broker does not come back")?;
            self.note(&format!("broker is back after {lasted:.1?}"));
        }
        Ok(())
    }

    fn note(&mut self, what: &str) {
        let (at, answered) = (self.began.elapsed(), self.answered);
        self.counts.log.push(format!("{at:>8.1?}  {answered:>7} answered: {what}"));
    }
}
