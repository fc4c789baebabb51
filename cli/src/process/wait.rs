//! Servers that start at the same time as this process.

use std::time::Duration;

use anyhow::bail;
use runtime::{Shutdown, StartError};
use tokio::time::Instant;

use crate::output;

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(500);

#[derive(clap::Args, Clone, Copy)]
pub(crate) struct WaitArgs {
    /// Seconds to wait at the start for servers that are not up yet, and for `migrate`; 60 in the container image
    #[arg(long, env = "GUILDHALL_WAIT_FOR_SERVERS", value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=3_600))]
    wait_for_servers: u64,
}

impl WaitArgs {
    /// The result of the first attempt that does not fail for want of a server, or of the last one in time.
    pub(crate) async fn until_up<T>(
        self,
        shutdown: &Shutdown,
        tell: impl Fn(&anyhow::Error),
        attempt: impl AsyncFn() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let deadline = Instant::now() + Duration::from_secs(self.wait_for_servers);
        let mut told = false;
        loop {
            let error = match attempt().await {
                Err(error) if passes(&error) && Instant::now() + PAUSE <= deadline => error,
                ended => return ended,
            };
            if !told {
                tell(&error);
                told = true;
            }
            if shutdown.soft().clone().run_until_cancelled_owned(tokio::time::sleep(PAUSE)).await.is_none() {
                bail!("stopped while waiting: {error}");
            }
        }
    }
}

/// For processes.
pub(crate) fn log(error: &anyhow::Error) {
    tracing::warn!(%error, "waiting for it");
}

/// For commands, which log nothing.
pub(crate) fn note(error: &anyhow::Error) {
    output::note(&format!("guildhall: waiting for it: {error}"));
}

/// What a server that starts, or a migration that runs, looks like.
fn passes(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<StartError>();
    matches!(cause, Some(StartError::Unreachable { .. } | StartError::OldSchema { .. }))
}
