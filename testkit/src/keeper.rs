//! The process that keeps a shared deployment: a test program runs [`keep`] as its test `keeper`.

use crate::deployment::Deployment;
use crate::shared::{serve, to_keep};

/// Starts the deployment that this process was started for, and keeps it; does nothing in any other process.
pub fn keep() {
    let Some(mode) = to_keep() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let deployment = Deployment::start_shared(mode).await;
        serve(mode, |number| deployment.tenancy(number)).await;
        deployment.close().await;
    });
}
