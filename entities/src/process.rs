//! The processes of an instance that live, by their heartbeats: [`worker`] has those that run jobs, [`api_process`] the
//! others.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::job::{Class, time};
use crate::{Conn, Result, Timestamp, api_process, worker};

/// Without a heartbeat for this long a process counts as dead.
pub const DEAD_AFTER: Duration = Duration::from_secs(15);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    Api,
    Worker,
    Scheduler,
    Gateway,
}

impl Role {
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Whether a process whose last heartbeat was then is alive; both times by the database's clock.
pub fn is_alive(heartbeat: Timestamp, now: Timestamp) -> bool {
    heartbeat > now || (now - heartbeat).to_std().is_ok_and(|silent| silent < DEAD_AFTER)
}

impl worker::Model {
    /// Without classes that it does not run.
    pub fn slots(&self) -> BTreeMap<Class, u64> {
        let of = |class: &Class| self.slots[class.name()].as_u64().filter(|slots| *slots > 0);
        Class::ALL.iter().filter_map(|class| Some((*class, of(class)?))).collect()
    }

    /// Periodic tasks run in schedulers only.
    pub fn role(&self) -> Role {
        if self.slots().contains_key(&Class::Maintenance) { Role::Scheduler } else { Role::Worker }
    }
}

impl From<api_process::Role> for Role {
    fn from(role: api_process::Role) -> Self {
        match role {
            api_process::Role::Api => Self::Api,
            api_process::Role::Gateway => Self::Gateway,
        }
    }
}

/// How many processes of each role are alive, and of which classes they run jobs. `guildhall serve` counts once for each role.
#[derive(Debug, Default)]
pub struct Alive {
    pub roles: BTreeMap<Role, u64>,
    served: BTreeSet<Class>,
}

impl Alive {
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }

    /// The classes of which nobody runs jobs.
    pub fn unserved(&self) -> Vec<Class> {
        Class::ALL.iter().copied().filter(|class| !self.served.contains(class)).collect()
    }
}

pub async fn alive(conn: &impl Conn, now: Timestamp) -> Result<Alive> {
    let now = time::read(conn, now).await?;
    let mut alive = Alive::default();
    for process in api_process::list(conn).await? {
        if is_alive(process.heartbeat_at, now) {
            *alive.roles.entry(process.role.into()).or_default() += 1;
        }
    }
    for worker in worker::all(conn).await? {
        if is_alive(worker.heartbeat_at, now) {
            *alive.roles.entry(worker.role()).or_default() += 1;
            alive.served.extend(worker.slots().into_keys());
        }
    }
    Ok(alive)
}
