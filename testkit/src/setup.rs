//! The parameters of a deployment.

use crate::fixture::Fixture;
use crate::servers::Servers;

/// Whether the single process reads events; where there are several, whether a process for them is started.
pub(crate) const EVENTS: &str = "GUILDHALL_CHAT_EVENTS";
/// With it commands of the chat platform come by HTTP.
pub(crate) const PUBLIC_KEY: &str = "GUILDHALL_CHAT_PUBLIC_KEY";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Embedded,
    Distributed,
}

impl Mode {
    pub fn embedded_if(embedded: bool) -> Self {
        if embedded { Self::Embedded } else { Self::Distributed }
    }
}

#[derive(Clone)]
pub struct Setup {
    pub mode: Mode,
    /// Members of each of the two guilds.
    pub members: usize,
    /// The platforms' latency.
    pub latency_ms: u32,
    /// The number of processes of each role; one in most tests.
    pub processes: usize,
    /// Servers other than those of `./test`.
    pub servers: Option<Servers>,
    /// Extra environment for every process; an empty value unsets a variable.
    pub env: Vec<(String, String)>,
    /// Guilds of these sizes in which no member is in sync, instead of the two with `members`.
    pub sizes: Vec<usize>,
    /// In the guilds of these sizes half of the members lack their role and half have an old nickname.
    pub renamed_half: bool,
    /// The limits that the simulator enforces, as for `guildhall simulate --rate-limit`.
    pub limits: &'static str,
    /// Maximum extra latency beyond `latency_ms`, each way.
    pub jitter_ms: u32,
}

impl Setup {
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            members: 30,
            latency_ms: 0,
            processes: 1,
            servers: None,
            env: Vec::new(),
            sizes: Vec::new(),
            renamed_half: false,
            limits: "off",
            jitter_ms: 0,
        }
    }

    #[must_use]
    pub fn members(self, members: usize) -> Self {
        Self { members, ..self }
    }

    #[must_use]
    pub fn latency_ms(self, latency_ms: u32) -> Self {
        Self { latency_ms, ..self }
    }

    #[must_use]
    pub fn sizes(self, sizes: &[usize]) -> Self {
        Self { sizes: sizes.to_vec(), ..self }
    }

    #[must_use]
    pub fn renamed_half(self) -> Self {
        Self { renamed_half: true, ..self }
    }

    /// The simulator's limits, and the matching pace: the chat platform's global one (`fast`), or all (`discord`).
    #[must_use]
    pub fn paced(self, limits: &'static str) -> Self {
        let paced = Self { limits, ..self }.env("GUILDHALL_CHAT_RATE", "");
        if limits == "discord" { paced.env("GUILDHALL_PLAY_RATE", "") } else { paced }
    }

    pub(crate) fn fixture(&self) -> Fixture {
        match (self.sizes.is_empty(), self.renamed_half) {
            (true, _) => Fixture::new(2, self.members),
            (false, false) => Fixture::differing(&self.sizes),
            (false, true) => Fixture::differing(&self.sizes).renamed_half(),
        }
    }

    /// The events of the chat platform are read.
    #[must_use]
    pub fn events(self) -> Self {
        self.env(EVENTS, "on")
    }

    /// Commands of the chat platform come by the event stream, as without a public address.
    #[must_use]
    pub fn commands_by_stream(self) -> Self {
        self.events().env(PUBLIC_KEY, "")
    }

    #[must_use]
    pub fn processes(self, processes: usize) -> Self {
        Self { processes, ..self }
    }

    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }
}
