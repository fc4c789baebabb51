//! The heartbeat of a worker process. A process without a row was declared dead: it drops its runs and
//! registers anew.

use std::sync::Arc;
use std::time::Duration;

use entities::worker;
use tokio::sync::watch;

use super::registration::{HEARTBEAT_INTERVAL, HEARTBEAT_RETRY_PAUSE, Registration};
use super::running::Running;
use super::strays::Strays;
use crate::Queue;

/// Keeps the process registered until it ends; the newest registration is in `current`.
pub(super) async fn keep(
    queue: Queue,
    identity: worker::Model,
    running: Running,
    current: watch::Sender<Option<Arc<Registration>>>,
) {
    let mut strays = Strays::default();
    for number in 1_u32.. {
        let Some(registration) = register(&queue, &identity, number).await else { return };
        current.send_replace(Some(Arc::clone(&registration)));
        if keep_one(&queue, &registration, &running, &mut strays).await {
            // Jobs still running under it are rescued at once.
            drop(worker::delete(queue.database.write(), &registration.name).await);
            return;
        }
        tracing::warn!(worker = registration.name, "declared dead: its runs are dropped, registering anew");
    }
}

pub(super) async fn register(
    queue: &Queue,
    identity: &worker::Model,
    number: u32,
) -> Option<Arc<Registration>> {
    let name = if number == 1 { identity.name.clone() } else { format!("{}#{number}", identity.name) };
    loop {
        let asked = (queue.clock.steady(), queue.clock.now());
        let row = worker::Model { name: name.clone(), ..identity.clone() };
        match worker::register(queue.database.vital(), row, asked.1).await {
            Ok(()) => return Some(Arc::new(Registration::new(name, asked))),
            Err(error) => {
                runtime::warn_throttled!(%error, "cannot register this worker process, trying again");
            }
        }
        if over(queue, HEARTBEAT_RETRY_PAUSE).await {
            return None;
        }
    }
}

/// True: the process ends; false: it was declared dead.
async fn keep_one(
    queue: &Queue,
    registration: &Registration,
    running: &Running,
    strays: &mut Strays,
) -> bool {
    let look = async {
        loop {
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
            if let Err(error) = strays.look(queue, registration, running).await {
                runtime::warn_throttled!(%error, "cannot read the claims of this process");
            }
        }
    };
    // Concurrently: the read waits for a connection that jobs may hold.
    tokio::select! {
        ends = beat(queue, registration) => ends,
        () = look => true,
    }
}

/// True: the process ends; false: it was declared dead.
async fn beat(queue: &Queue, registration: &Registration) -> bool {
    let mut pause = HEARTBEAT_INTERVAL;
    loop {
        if over(queue, pause).await {
            return true;
        }
        pause = match registration.beat(queue).await {
            Ok(false) => return false,
            Ok(true) => HEARTBEAT_INTERVAL,
            Err(error) => {
                runtime::warn_throttled!(%error, "heartbeat failed, trying again");
                HEARTBEAT_RETRY_PAUSE
            }
        };
    }
}

/// Whether the process ended within the pause. It sends heartbeats until then, also while it drains.
async fn over(queue: &Queue, pause: Duration) -> bool {
    tokio::time::timeout(pause, queue.shutdown.tracker().wait()).await.is_ok()
}
