//! Decides what is killed or stalled and when: drawn from the seed, spread over the run by the number of answered
//! calls.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use tokio::task::JoinHandle;

use super::caller::Told;
use super::plan::Plan;
use super::servers::PrivateServers;
use super::supervisor::{Supervisor, TICK};

/// Pause before a killed process is restarted, milliseconds: from an immediate supervisor to a slow one.
const PROCESS_PAUSE: std::ops::Range<u64> = 0..2_500;
const BROKER_PAUSE: std::ops::Range<u64> = 0..4_000;
const STALL: Duration = Duration::from_secs(2);
/// No strike in the last part of the calls: all strikes have to happen under load.
const STRUCK: f64 = 0.97;
const ONE_OF_ALL_KINDS: usize = 10;
/// Roles whose processes are all killed at once, in turns.
const AS_A_WHOLE: [&str; 3] = ["worker", "scheduler", "api"];

#[derive(Clone, Copy, Debug)]
enum Target {
    /// Any ready process.
    One,
    /// All processes of the role at once.
    All(&'static str),
    Broker,
    Redis,
}

pub(super) struct Kills {
    /// The number of answers before the strike.
    due: Vec<(usize, Target)>,
    calls: usize,
}

/// The executed strikes, for the report.
#[derive(Default)]
pub(super) struct Strikes {
    /// Processes killed, by role.
    pub(super) processes: BTreeMap<&'static str, usize>,
    /// How often all processes of a role were dead at once.
    pub(super) wholes: BTreeMap<&'static str, usize>,
    pub(super) broker: usize,
    /// Stalls.
    pub(super) redis: usize,
    pub(super) log: Vec<String>,
    pub(super) answered_after: Duration,
    pub(super) over_after: Duration,
}

impl Kills {
    pub(super) fn draw(plan: &Plan, rng: &mut StdRng) -> Self {
        let mut targets = vec![Target::One; plan.kills];
        if !plan.embedded {
            targets.extend(
                AS_A_WHOLE.into_iter().cycle().take(plan.kills.div_ceil(ONE_OF_ALL_KINDS)).map(Target::All),
            );
            targets.extend(std::iter::repeat_n(Target::Broker, plan.broker_kills));
            targets.extend(std::iter::repeat_n(Target::Redis, plan.redis_stalls));
        }
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a part of the calls"
        )]
        let last = (plan.jobs as f64 * STRUCK) as usize;
        let mut due: Vec<_> =
            targets.into_iter().map(|target| (rng.random_range(0..last.max(1)), target)).collect();
        due.sort_by_key(|(after, _)| *after);
        Self { due, calls: plan.jobs }
    }

    /// Strikes after enough answered calls, until all strikes are done and all calls answered.
    pub(super) async fn strike(
        self,
        supervisor: &mut Supervisor<'_>,
        (answered, calling): (&AtomicUsize, &JoinHandle<Vec<Told>>),
        servers: Option<&PrivateServers>,
        rng: &mut StdRng,
    ) -> anyhow::Result<Strikes> {
        let mut strikes = Strikes::default();
        let mut striker =
            Striker { began: Instant::now(), servers, outage: None, stall: None, strikes: &mut strikes };
        let mut due = self.due.into_iter().peekable();
        let mut tenths = (1..=10).map(|tenth| self.calls * tenth / 10).peekable();
        while due.peek().is_some() || !calling.is_finished() || striker.is_striking() {
            supervisor.look_after().await;
            striker.note_return().await?;
            let reached = answered.load(Ordering::Relaxed);
            if tenths.next_if(|tenth| reached >= *tenth).is_some() {
                println!("{reached} answered after {:.0?}", striker.began.elapsed());
            }
            if let Some((after, target)) = due.peek().copied()
                && (reached >= after || calling.is_finished())
                && striker.hit(supervisor, (target, reached), rng)
            {
                due.next();
            }
            tokio::time::sleep(TICK).await;
        }
        Ok(strikes)
    }
}

struct Striker<'s> {
    began: Instant,
    servers: Option<&'s PrivateServers>,
    /// The broker is down or starting.
    outage: Option<JoinHandle<Duration>>,
    /// Redis is frozen.
    stall: Option<JoinHandle<()>>,
    strikes: &'s mut Strikes,
}

impl Striker<'_> {
    /// False: no target is available now.
    fn hit(
        &mut self,
        supervisor: &mut Supervisor<'_>,
        (target, reached): (Target, usize),
        rng: &mut StdRng,
    ) -> bool {
        // A process that starts while Redis is frozen exits with an error, as documented.
        if self.is_stalled() && !matches!(target, Target::Broker) {
            return false;
        }
        match target {
            Target::One => {
                let up: Vec<usize> = supervisor.up().collect();
                let Some(victim) = up.choose(rng) else { return false };
                self.kill(supervisor, &[*victim], reached, rng);
            }
            Target::All(role) => {
                let of_role = supervisor.seats.iter().filter(|seat| seat.role == role).count();
                let up: Vec<usize> =
                    supervisor.up().filter(|index| supervisor.seats[*index].role == role).collect();
                if up.len() < of_role {
                    return false;
                }
                self.kill(supervisor, &up, reached, rng);
                *self.strikes.wholes.entry(role).or_default() += 1;
            }
            Target::Broker => {
                if self.outage.is_some() {
                    return false;
                }
                self.kill_broker(reached, rng);
            }
            Target::Redis => {
                if self.is_striking() || supervisor.up().count() < supervisor.seats.len() {
                    return false;
                }
                self.stall_redis(reached);
            }
        }
        true
    }

    fn is_striking(&self) -> bool {
        self.outage.is_some() || self.is_stalled()
    }

    fn is_stalled(&self) -> bool {
        self.stall.as_ref().is_some_and(|stall| !stall.is_finished())
    }

    fn stall_redis(&mut self, reached: usize) {
        let Some(redis) = self.servers.map(|servers| Arc::clone(&servers.redis)) else { return };
        self.strikes.redis += 1;
        self.note(reached, "Redis stalled for 2 s");
        self.stall = Some(tokio::task::spawn_blocking(move || redis.stall(STALL)));
    }

    fn kill(&mut self, supervisor: &mut Supervisor<'_>, victims: &[usize], reached: usize, rng: &mut StdRng) {
        for index in victims {
            let pause = Duration::from_millis(rng.random_range(PROCESS_PAUSE));
            supervisor.kill(*index, pause);
            let seat = &supervisor.seats[*index];
            *self.strikes.processes.entry(seat.role).or_default() += 1;
            self.note(reached, &format!("{} {} killed, started after {pause:.1?}", seat.role, seat.number));
        }
    }

    fn kill_broker(&mut self, reached: usize, rng: &mut StdRng) {
        let Some(broker) = self.servers.map(|servers| Arc::clone(&servers.broker)) else { return };
        let pause = Duration::from_millis(rng.random_range(BROKER_PAUSE));
        self.strikes.broker += 1;
        self.note(reached, &format!("broker killed, started after {pause:.1?}"));
        self.outage = Some(tokio::task::spawn_blocking(move || {
            let began = Instant::now();
            broker.kill();
            std::thread::sleep(pause);
            broker.start_again();
            began.elapsed()
        }));
    }

    async fn note_return(&mut self) -> anyhow::Result<()> {
        if let Some(outage) = self.outage.take_if(|outage| outage.is_finished()) {
            let lasted = outage.await.context("the broker does not come back")?;
            let at = self.began.elapsed();
            self.strikes.log.push(format!("{at:>8.1?}  broker is back after {lasted:.1?}"));
        }
        Ok(())
    }

    fn note(&mut self, reached: usize, what: &str) {
        let at = self.began.elapsed();
        self.strikes.log.push(format!("{at:>8.1?}  {reached:>7} answered: {what}"));
    }
}
