//! CPU time and memory of a process, as the system accounts them.

use std::time::Duration;

use anyhow::Context as _;

/// Clock ticks a second; the same on every Linux.
const TICKS: f64 = 100.0;

/// CPU time of a second in which a process runs only its schedules.
const IDLE_MICROS: f64 = 50_000.0;

pub(crate) struct Usage {
    cpu_seconds: f64,
    pub(crate) memory_mib: f64,
}

impl Usage {
    pub(crate) fn of(process: u32) -> anyhow::Result<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
        // The name of the program, in brackets, may contain spaces.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks =
            |at: usize| -> anyhow::Result<f64> { Ok(fields.get(at).context("a short line")?.parse()?) };
        let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = resident.and_then(|line| line.split_whitespace().next()).context("no resident memory")?;
        Ok(Self { cpu_seconds: (ticks(11)? + ticks(12)?) / TICKS, memory_mib: kib.parse::<f64>()? / 1024.0 })
    }

    /// Microseconds.
    pub(crate) fn cpu_since(&self, before: &Self) -> f64 {
        (self.cpu_seconds - before.cpu_seconds) * 1e6
    }
}

/// Waits until the process has finished what the calls before have begun.
pub(crate) async fn idle(process: u32) -> anyhow::Result<()> {
    let mut used = f64::INFINITY;
    while used > IDLE_MICROS {
        let before = Usage::of(process)?;
        tokio::time::sleep(Duration::from_secs(1)).await;
        used = Usage::of(process)?.cpu_since(&before);
    }
    Ok(())
}
