//! Runs `wrk` with prepared requests, and reads what it measured.

use std::cell::Cell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

/// Requests are prepared texts, one a line with escaped line ends, sent in order repeatedly, starting after
/// the number in the argument.
const SCRIPT: &str = r#"
local requests, at = {}, 0
for line in io.lines("REQUESTS") do requests[#requests + 1] = line:gsub("\\r\\n", "\r\n") end
function init(arguments)
  at = tonumber(arguments[1])
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("measured %d %d %d %d %d %d\n", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), latency:percentile(99.9),
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
"#;

/// What one run measured; times in milliseconds.
#[derive(Debug, Clone, Default)]
pub(super) struct Round {
    pub(super) requests: f64,
    pub(super) rate: f64,
    percentiles: [f64; 3],
    pub(super) errors: f64,
    /// Of the process, for each request.
    pub(super) cpu_micros: f64,
    pub(super) memory_mib: f64,
}

impl Round {
    pub(super) const HEADINGS: &str = "requests/s   p50 ms   p99 ms p99.9 ms   CPU µs  memory MiB  errors";

    /// Of each figure by itself.
    pub(super) fn median(rounds: &[Self]) -> Self {
        let median = |figure: &dyn Fn(&Self) -> f64| {
            let mut figures: Vec<f64> = rounds.iter().map(figure).collect();
            figures.sort_by(f64::total_cmp);
            figures[figures.len() / 2]
        };
        Self {
            requests: median(&|round| round.requests),
            rate: median(&|round| round.rate),
            percentiles: [0, 1, 2].map(|at: usize| median(&|round| round.percentiles[at])),
            errors: rounds.iter().map(|round| round.errors).sum(),
            cpu_micros: median(&|round| round.cpu_micros),
            memory_mib: median(&|round| round.memory_mib),
        }
    }

    pub(super) fn p99(&self) -> f64 {
        self.percentiles[1]
    }
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p50, p99, p999] = self.percentiles;
        write!(f, "{:>10.0} {p50:>8.2} {p99:>8.2} {p999:>8.2}", self.rate)?;
        write!(f, " {:>8.1} {:>11.0} {:>7.0}", self.cpu_micros, self.memory_mib, self.errors)
    }
}

/// Prepared requests. Each run continues where the previous one ended, so that alternating runs reach all of
/// them.
pub(super) struct Script {
    file: PathBuf,
    sent: Cell<f64>,
}

/// Writes the requests and the script.
pub(super) fn script(folder: &Path, requests: &[String]) -> anyhow::Result<Script> {
    let (list, script) = (folder.join("requests.txt"), folder.join("requests.lua"));
    let lines: Vec<String> = requests.iter().map(|request| request.replace("\r\n", r"\r\n")).collect();
    std::fs::write(&list, lines.join("\n") + "\n")?;
    std::fs::write(&script, SCRIPT.replace("REQUESTS", &list.display().to_string()))?;
    Ok(Script { file: script, sent: Cell::default() })
}

pub(super) fn run(script: &Script, base: &str, connections: usize, seconds: u64) -> anyhow::Result<Round> {
    let mut wrk = Command::new("wrk");
    wrk.args(["--threads", "1", "--connections", &connections.to_string()]);
    wrk.args(["--duration", &format!("{seconds}s"), "--script"]).arg(&script.file).arg(base);
    wrk.args(["--".to_owned(), script.sent.get().to_string()]);
    let output = wrk.output().context("cannot run wrk; Debian's package is called wrk")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("measured "));
    let line = line.with_context(|| format!("wrk measured nothing: {text}"))?;
    let figures: Vec<f64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    let [requests, micros, p50, p99, p999, errors] = figures[..] else {
        anyhow::bail!("not understood: {line}")
    };
    script.sent.set(script.sent.get() + requests);
    let percentiles = [p50, p99, p999].map(|micros| micros / 1e3);
    let rate = requests / micros * 1e6;
    Ok(Round { requests, rate, percentiles, errors, ..Round::default() })
}
