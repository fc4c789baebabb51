//! The platforms as seen by a deployment's guilds. In a shared deployment counts and faults apply only to those guilds.

use serde_json::Value;

use crate::deployment::Deployment;

impl Deployment {
    /// Successful changes of members so far.
    pub async fn member_updates(&self) -> u64 {
        let mut updates = 0;
        for guild in &self.fixture.guilds {
            updates += self.simulator.updates_of(guild).await;
        }
        updates
    }

    /// Injects a fault into the route's next responses; see `guildhall simulate`.
    pub async fn fault(&self, mut fault: Value) {
        if self.shared.is_some() {
            fault["guild_id"] = self.guild().id.as_str().into();
        }
        self.simulator.fault(fault).await;
    }

    pub async fn clear_faults(&self) {
        let query = match &self.shared {
            Some(_) => format!("?guild_id={}", self.guild().id),
            None => String::new(),
        };
        self.simulator.clear_faults(&query).await;
    }
}
