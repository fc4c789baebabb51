//! The lines that the product's crates log in the process of a test.

use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use runtime::LogFormat;
use runtime::telemetry::subscriber;

/// All from `info` on, and what each request and run of a job ends with.
const FILTER: &str = "info,api=debug,queue=debug";

#[derive(Clone, Default)]
pub struct Logs(Arc<Mutex<Vec<u8>>>);

/// Logs as JSON from the first call on, for all tests of this process.
pub fn logs() -> &'static Logs {
    static LOGS: LazyLock<Logs> = LazyLock::new(|| {
        let logs = Logs::default();
        let writer = logs.clone();
        let lines = subscriber(LogFormat::Json, FILTER, move || writer.clone(), None).unwrap();
        tracing::dispatcher::set_global_default(lines).unwrap();
        logs
    });
    &LOGS
}

impl Logs {
    /// The lines with this text, such as an id.
    pub fn with(&self, text: &str) -> Vec<String> {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let log = String::from_utf8_lossy(&bytes);
        log.lines().filter(|line| line.contains(text)).map(str::to_owned).collect()
    }
}

impl Write for Logs {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(line)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
