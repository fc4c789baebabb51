//! State shared by all requests of a simulator: both platforms' state, and that of the control side.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use entities::{ChatId, PlayId};
use tokio::sync::Notify;

use crate::audit::AuditLog;
use crate::faults::Faults;
use crate::game::Game;
use crate::grants::Grants;
use crate::life::Life;
use crate::limits::Limiter;
use crate::options::SimulatorOptions;
use crate::signing_keys::SigningKeys;
use crate::state::SimulatorState;
use crate::stats::Stats;

pub(crate) struct Simulator {
    pub(crate) options: SimulatorOptions,
    /// Templates of the platform routes: the keys of faults and statistics.
    pub(crate) route_names: Vec<&'static str>,
    state: RwLock<SimulatorState>,
    records: Mutex<Records>,
    life: Mutex<Life>,
    /// The pace of [`Life`] changed.
    pub(crate) repaced: Notify,
}

/// State of the simulator beside that of the platforms.
#[derive(Default)]
pub(crate) struct Records {
    pub(crate) stats: Stats,
    pub(crate) faults: Faults,
    pub(crate) audit: AuditLog,
    pub(crate) limiter: Limiter,
    pub(crate) grants: Grants<ChatId>,
    pub(crate) play_grants: Grants<PlayId>,
    pub(crate) signing_keys: SigningKeys,
    pub(crate) game: Option<Game>,
}

impl Simulator {
    pub(crate) fn new(
        options: SimulatorOptions,
        route_names: Vec<&'static str>,
        state: SimulatorState,
    ) -> Self {
        let life = Mutex::new(Life::new(options.life));
        let (state, records) = (RwLock::new(state), Mutex::default());
        Self { options, route_names, state, records, life, repaced: Notify::new() }
    }

    /// Locked before the state.
    pub(crate) fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self) -> RwLockReadGuard<'_, SimulatorState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state_mut(&self) -> RwLockWriteGuard<'_, SimulatorState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}
