//! What systemd hears of each process, by a socket like its own.

use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use testkit::{Deployment, Mode, both_modes, eventually};

both_modes!(systemd_hears_of_start_life_and_end(own));

const WITHIN: Duration = Duration::from_secs(30);

async fn systemd_hears_of_start_life_and_end(deployment: &Deployment) {
    let roles: &[&str] = match deployment.mode() {
        Mode::Embedded => &["serve"],
        Mode::Distributed => &["api", "worker", "scheduler"],
    };
    // A data folder admits one `serve`.
    let mut old = std::mem::take(&mut *deployment.roles());
    for running in old.all() {
        running.process.terminate();
        running.process.ended(WITHIN).await;
    }
    for role in roles {
        let place = deployment.folder().join(format!("{role}.socket"));
        let socket = UnixDatagram::bind(&place).unwrap();
        socket.set_nonblocking(true).unwrap();
        let watched = [("NOTIFY_SOCKET", place.to_str().unwrap()), ("WATCHDOG_USEC", "600000")];
        let mut running = deployment.spawn_with(role, &watched);
        let hears = async |state: &str| {
            eventually(&format!("{role} says {state}"), WITHIN, async || {
                let mut heard = [0; 256];
                let length = socket.recv(&mut heard).ok()?;
                String::from_utf8_lossy(&heard[..length]).contains(state).then_some(())
            })
            .await;
        };
        for state in ["READY=1", "WATCHDOG=1", "WATCHDOG=1"] {
            hears(state).await;
        }
        running.process.terminate();
        hears("STOPPING=1").await;
        assert!(running.process.ended(WITHIN).await.success());
    }
}
