//! Servers that run the SDK itself, in Luau: `sdk/luau`. Their platform is the one that its tests play, in real time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use luau_harness::{Pace, Place, World as Platform};

use super::world::World;

/// How often kicks and calls are counted, s.
const LOOKED_AT: f64 = 0.02;

/// All servers of a life: they share a thread, as a virtual machine belongs to one.
pub(super) struct Servers {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<anyhow::Result<()>>,
}

impl Servers {
    pub(super) fn start(world: Arc<World>, servers: usize, life: &str, (base, key): (&str, &str)) -> Self {
        let (stop, script) = (Arc::new(AtomicBool::new(false)), script(base));
        let (stopped, life, secret) = (stop.clone(), life.to_owned(), key.to_owned());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let local = tokio::task::LocalSet::new();
            local.block_on(&runtime, async {
                let mut platform = Platform::new(1, Pace::Real);
                for number in 0..servers {
                    let job = format!("sdk-{life}-{number}");
                    let place = Place { job, place: 77, universe: 7, studio: false, secret: secret.clone() };
                    platform.add(place).map_err(failed)?;
                    platform.servers[number].run(&script).map_err(failed)?;
                    for player in world.players_of(number) {
                        platform.servers[number].join(player).map_err(failed)?;
                    }
                }
                let mut told = vec![0; servers];
                while !stopped.load(Ordering::Relaxed) {
                    platform.run_for(LOOKED_AT).await;
                    platform.take_sent().iter().for_each(|sent| world.answered(sent.status));
                    for (number, told) in told.iter_mut().enumerate() {
                        platform.servers[number].look(|seen| {
                            seen.kicked[*told..].iter().for_each(|(player, ..)| world.kick(number, *player));
                            *told = seen.kicked.len();
                        });
                    }
                }
                Ok(())
            })
        });
        Self { stop, thread }
    }

    pub(super) fn stop(self) -> anyhow::Result<()> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_else(|_| anyhow::bail!("the servers of the SDK panicked"))
    }
}

fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow::anyhow!("{error}")
}

/// The three lines of a new key's page.
fn script(base: &str) -> String {
    format!(
        "local key = game:GetService('HttpService'):GetSecret('guildhall')
         Guildhall.start({{ url = '{base}', key = key }})"
    )
}
