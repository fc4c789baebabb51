//! Lets a simulator live in time.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::simulator::Simulator;

/// Makes changes at the pace that is set, until `stop`.
pub(crate) async fn live(simulator: Arc<Simulator>, stop: CancellationToken) {
    loop {
        let wait = simulator.life().wait();
        let due = async {
            match wait {
                Some(wait) => tokio::time::sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = simulator.repaced.notified() => {}
            () = due => {
                let mut life = simulator.life();
                let _ = life.step(&mut simulator.state_mut());
            }
        }
    }
}
