//! The keeper process of what tests share: a test program runs [`keep`] as its test `keeper`.

use crate::chromium::Instance;
use crate::deployment::Deployment;
use crate::shared::{Kept, serve, to_keep};

/// Starts and keeps the shared deployment of this process; a no-op in any other process.
pub fn keep() {
    let Some(kept) = to_keep() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        match kept {
            Kept::Deployment(mode) => {
                let deployment = Deployment::start_shared(mode).await;
                serve(|number| deployment.tenancy(number)).await;
            }
            Kept::Browser => {
                let browser = Instance::start().await;
                serve(|_| browser.listening()).await;
            }
        }
    });
}
