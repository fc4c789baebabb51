//! Time, chance and the network, which all servers share.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::time::Instant;

use mlua::Function;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::agenda::Agenda;
use crate::network::{Call, Network, Outcome, Sent};

/// Virtual seconds of a call.
const LATENCY: std::ops::Range<f64> = 0.02..0.3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    Virtual,
    /// A second takes a second: for held ticks.
    Real,
}

pub(crate) enum Due {
    Callback(Function),
    /// The answer to the call of this number.
    Answer(u64),
}

pub(crate) struct InFlight {
    pub(crate) server: usize,
    pub(crate) path: String,
    /// When it was sent.
    pub(crate) at: f64,
    pub(crate) callback: Function,
    pub(crate) outcome: Option<Outcome>,
}

/// What servers use of the world.
pub(crate) struct Shared {
    pub(crate) pace: Pace,
    began: Instant,
    pub(crate) now: Cell<f64>,
    pub(crate) random: RefCell<SmallRng>,
    pub(crate) agenda: RefCell<Agenda<Due>>,
    pub(crate) in_flight: RefCell<HashMap<u64, InFlight>>,
    calls: Cell<u64>,
    pub(crate) sent: RefCell<Vec<Sent>>,
    pub(crate) network: Network,
}

impl Shared {
    pub(crate) fn new(seed: u64, pace: Pace, network: Network) -> Self {
        Self {
            pace,
            began: Instant::now(),
            now: Cell::new(0.0),
            random: RefCell::new(SmallRng::seed_from_u64(seed)),
            agenda: RefCell::new(Agenda::new()),
            in_flight: RefCell::default(),
            calls: Cell::new(0),
            sent: RefCell::default(),
            network,
        }
    }

    pub(crate) fn now(&self) -> f64 {
        match self.pace {
            Pace::Virtual => self.now.get(),
            Pace::Real => self.began.elapsed().as_secs_f64(),
        }
    }

    pub(crate) fn request(&self, server: usize, call: Call, callback: Function) {
        let number = self.calls.get() + 1;
        self.calls.set(number);
        let path = path_of(&call.url);
        let waiting = InFlight { server, path: path.clone(), at: self.now(), callback, outcome: None };
        self.in_flight.borrow_mut().insert(number, waiting);
        if self.pace == Pace::Virtual {
            let takes = self.random.borrow_mut().random_range(LATENCY);
            self.agenda.borrow_mut().enter(self.now() + takes, Due::Answer(number));
        }
        self.network.send(number, &path, call);
    }
}

fn path_of(url: &str) -> String {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    after_scheme.find('/').map_or("/", |at| &after_scheme[at..]).to_owned()
}
