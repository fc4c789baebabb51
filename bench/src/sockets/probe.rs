//! Ban checks in a thread of their own, over one connection, independent of the rest.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context as _;

const PAUSE: Duration = Duration::from_millis(1);

pub(super) struct Probe {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<anyhow::Result<Vec<f64>>>,
}

impl Probe {
    /// Sends these requests in turns.
    pub(super) fn start(address: &str, requests: Vec<String>) -> anyhow::Result<Self> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let stop = Arc::<AtomicBool>::default();
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut took = Vec::new();
            for request in requests.iter().cycle() {
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                let asked = Instant::now();
                exchange(&mut stream, request)?;
                took.push(asked.elapsed().as_secs_f64() * 1e3);
                std::thread::sleep(PAUSE);
            }
            Ok(took)
        });
        Ok(Self { stop, thread })
    }

    /// Milliseconds of each check.
    pub(super) fn finish(self) -> anyhow::Result<Vec<f64>> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| anyhow::anyhow!("the probe panicked"))?
    }
}

fn exchange(stream: &mut TcpStream, request: &str) -> anyhow::Result<()> {
    stream.write_all(request.as_bytes())?;
    let (mut answer, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let read = stream.read(&mut part)?;
        anyhow::ensure!(read > 0, "the connection of the probe was closed");
        answer.extend_from_slice(&part[..read]);
        let text = std::str::from_utf8(&answer)?;
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        anyhow::ensure!(head.starts_with("HTTP/1.1 200"), "{text}");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.context("no length")?.parse()? {
            return Ok(());
        }
    }
}
