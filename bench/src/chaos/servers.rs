//! The broker and the Redis that the chaos test kills and stalls.

use std::sync::Arc;

use anyhow::Context as _;
use testkit::PrivateServer;

use super::plan::Plan;

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
