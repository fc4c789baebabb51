//! Time, and all servers in it.

use std::rc::Rc;
use std::time::Duration;

use rand::RngExt as _;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::network::{Network, Outcome, Sent};
use crate::seen::Place;
use crate::server::Server;
use crate::shared::{Due, InFlight, Pace, Shared};

/// In real time a condition may begin to hold without an event.
const LOOKED_AGAIN: Duration = Duration::from_millis(50);

pub struct World {
    shared: Rc<Shared>,
    arrivals: UnboundedReceiver<(u64, Outcome)>,
    pub servers: Vec<Server>,
}

impl World {
    pub fn new(seed: u64, pace: Pace) -> Self {
        let (network, arrivals) = Network::new();
        let shared = Shared::new(seed, pace, network);
        Self { shared: Rc::new(shared), arrivals, servers: Vec::new() }
    }

    /// Adds a server without players; its script has not begun. Returns its index.
    pub fn add(&mut self, place: Place) -> mlua::Result<usize> {
        let index = self.servers.len();
        self.servers.push(Server::new(index, place, self.shared.clone())?);
        Ok(index)
    }

    pub fn network(&self) -> &Network {
        &self.shared.network
    }

    /// Virtual seconds since the beginning.
    pub fn now(&self) -> f64 {
        self.shared.now()
    }

    /// Takes what was sent since it was last taken.
    pub fn take_sent(&self) -> Vec<Sent> {
        self.shared.sent.take()
    }

    /// Whether the server waits for the answer to a call of this path for at least so long.
    pub fn is_held(&self, server: usize, path: &str, seconds: f64) -> bool {
        let since = self.now() - seconds;
        let calls = self.shared.in_flight.borrow();
        calls.values().any(|call| call.server == server && call.path == path && call.at <= since)
    }

    /// A number that the seed decides.
    pub fn random(&self, range: std::ops::Range<usize>) -> usize {
        self.shared.random.borrow_mut().random_range(range)
    }

    pub async fn run_for(&mut self, seconds: f64) {
        let ends = self.now() + seconds;
        self.run_until(ends, |_| false).await;
    }

    /// Runs until the condition holds or the seconds have passed; returns whether it holds.
    pub async fn run_within(&mut self, seconds: f64, is_so: impl Fn(&Self) -> bool) -> bool {
        let ends = self.now() + seconds;
        self.run_until(ends, is_so).await
    }

    async fn run_until(&mut self, ends: f64, is_so: impl Fn(&Self) -> bool) -> bool {
        loop {
            if is_so(self) {
                return true;
            }
            let next = self.shared.agenda.borrow().next_at().filter(|at| *at <= ends);
            if self.shared.pace == Pace::Real && !self.reached(next.unwrap_or(ends)).await {
                continue;
            }
            let Some((at, due)) = next.and_then(|_| self.shared.agenda.borrow_mut().take()) else {
                self.shared.now.set(ends);
                return is_so(self);
            };
            self.shared.now.set(at.max(self.shared.now.get()));
            match due {
                Due::Callback(callback) => self.call(|| callback.call::<()>(())),
                Due::Answer(number) => self.deliver(number).await,
            }
        }
    }

    /// Waits for this time; false: it is to be looked again, because an answer came, or for a condition.
    async fn reached(&mut self, at: f64) -> bool {
        let left = Duration::from_secs_f64((at - self.now()).max(0.0));
        tokio::select! {
            biased;
            Some((number, outcome)) = self.arrivals.recv() => {
                self.arrived(number, outcome);
                self.deliver(number).await;
                false
            }
            () = tokio::time::sleep(left.min(LOOKED_AGAIN)) => left <= LOOKED_AGAIN,
        }
    }

    fn arrived(&self, number: u64, outcome: Outcome) {
        if let Some(call) = self.shared.in_flight.borrow_mut().get_mut(&number) {
            call.outcome = Some(outcome);
        }
    }

    async fn deliver(&mut self, number: u64) {
        while self.shared.in_flight.borrow().get(&number).is_some_and(|call| call.outcome.is_none()) {
            let Some((arrived, outcome)) = self.arrivals.recv().await else { return };
            self.arrived(arrived, outcome);
        }
        let Some(InFlight { server, path, callback, outcome, .. }) =
            self.shared.in_flight.borrow_mut().remove(&number)
        else {
            return;
        };
        let outcome = outcome.unwrap_or_else(|| Err("no outcome".to_owned()));
        let outcome = outcome.map(|answer| self.shared.network.rewritten(&path, answer));
        let status = outcome.as_ref().map_or(0, |answer| answer.status);
        let at = self.now();
        self.shared.sent.borrow_mut().push(Sent { server, path, status, at });
        let server = &self.servers[server];
        self.call(|| server.answered(&callback, outcome));
    }

    #[expect(clippy::unused_self, reason = "reads as what the world does")]
    fn call(&self, run: impl FnOnce() -> mlua::Result<()>) {
        if let Err(error) = run() {
            panic!("the platform's script failed: {error}");
        }
    }
}
