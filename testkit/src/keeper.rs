//! The keeper process of a shared deployment: a test program runs [`keep`] as its test `keeper`.

use crate::deployment::Deployment;
use crate::shared::{serve, to_keep};

/// Starts and keeps the deployment that this process was started for; a no-op in any other process.
pub fn keep() {
    let Some(mode) = to_keep() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let deployment = Deployment::start_shared(mode).await;
        serve(mode, |number| deployment.tenancy(number)).await;
        deployment.close().await;
    });
}
