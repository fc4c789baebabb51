//! One process of the product: its log in a file, killed on drop. Only processes started here are ever ended.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use crate::wait::eventually;

/// Outside the system's ephemeral ports, so that no outgoing connection takes one in between.
const PORTS: std::ops::Range<u16> = 10_000..19_900;
const STRIDE: u32 = 7_999;
const SHOWN_LOG_LINES: usize = 60;

pub struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

/// A way to start a process, by its name, arguments, environment and folder.
pub type Spawn = fn(&str, &[&str], &[(String, String)], &Path) -> Process;

pub fn free_address() -> String {
    // Test processes run concurrently: each starts at another port and counts up. Of 400 processes in a row no two start
    // less than 24 ports apart.
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let span = u32::from(PORTS.end - PORTS.start);
    let start = std::process::id().wrapping_mul(STRIDE);
    loop {
        let step = u32::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let offset = u16::try_from(start.wrapping_add(step) % span).unwrap();
        let port = PORTS.start + offset;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return format!("127.0.0.1:{port}");
        }
    }
}

/// The product's binary: `GUILDHALL_TEST_BINARY`, else the one built beside this program.
pub fn binary() -> PathBuf {
    if let Some(named) = named("GUILDHALL_TEST_BINARY") {
        return named;
    }
    let this = std::env::current_exe().unwrap();
    // Test binaries are one folder below the programs.
    let found =
        this.ancestors().skip(1).take(2).map(|folder| folder.join("guildhall")).find(|file| file.is_file());
    found.unwrap_or_else(|| {
        panic!("no guildhall beside {}: build it, or set GUILDHALL_TEST_BINARY", this.display())
    })
}

/// The binary of the build before, for tests of upgrades: `GUILDHALL_TEST_OLD_BINARY`, else the same as [`binary`].
pub fn old_binary() -> PathBuf {
    named("GUILDHALL_TEST_OLD_BINARY").unwrap_or_else(binary)
}

fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(|file| std::path::absolute(file).unwrap())
}

/// The product's binary, without the caller's environment settings.
pub(crate) fn guildhall(args: &[&str], env: &[(String, String)], folder: &Path) -> Command {
    product(&binary(), args, env, folder)
}

fn product(program: &Path, args: &[&str], env: &[(String, String)], folder: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("GUILDHALL_")) {
        command.env_remove(name);
    }
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command.env_remove("RUST_LOG").env("GUILDHALL_LOG_FORMAT", "text");
    command.envs(env.iter().map(|(name, value)| (name, value)));
    command
}

impl Process {
    /// `name` names its log file in `folder`; a second process of this name appends.
    pub fn spawn(name: &str, args: &[&str], env: &[(String, String)], folder: &Path) -> Self {
        Self::spawn_command(name, guildhall(args, env, folder), folder)
    }

    /// The same, of the build before.
    pub fn spawn_old(name: &str, args: &[&str], env: &[(String, String)], folder: &Path) -> Self {
        Self::spawn_command(name, product(&old_binary(), args, env, folder), folder)
    }

    /// The same, with a closed standard error, as after `2>&1 | tee log` and the end of `tee`.
    pub fn spawn_unheard(name: &str, args: &[&str], env: &[(String, String)], folder: &Path) -> Self {
        let (_closed, log) = std::io::pipe().unwrap();
        let child = guildhall(args, env, folder).stdout(Stdio::null()).stderr(log).spawn().unwrap();
        Self { name: name.to_owned(), child, log: folder.join(format!("{name}.log")) }
    }

    /// The same with another program.
    pub fn spawn_command(name: &str, mut command: Command, folder: &Path) -> Self {
        let log = folder.join(format!("{name}.log"));
        let file = File::options().create(true).append(true).open(&log).unwrap();
        let child = command.stdout(file.try_clone().unwrap()).stderr(file).spawn().unwrap();
        Self { name: name.to_owned(), child, log }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its resident memory.
    pub fn memory_mib(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        resident.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1024.0
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    pub fn has_ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// Ends it like a crash: SIGKILL.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends it like an operator: SIGTERM.
    pub fn terminate(&self) {
        self.signal("-TERM");
    }

    /// Freezes it (SIGSTOP), its connections open, until [`thaw`](Self::thaw).
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    /// Whether it was stopped, by any sender.
    pub fn is_frozen(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        // The state follows the name, which may contain any character.
        stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
    }

    fn signal(&self, name: &str) {
        signal(name, self.child.id());
    }

    pub async fn ended(&mut self, within: Duration) -> ExitStatus {
        let what = format!("{} ends", self.name);
        eventually(&what, within, async || self.child.try_wait().unwrap()).await
    }
}

pub(crate) fn print_logs(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "log") {
            print_log(&entry.path());
        }
    }
}

fn print_log(file: &Path) {
    let log = std::fs::read_to_string(file).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    println!("---- end of {} ----", file.display());
    for line in &lines[lines.len().saturating_sub(SHOWN_LOG_LINES)..] {
        println!("{line}");
    }
}

/// Sends a signal, such as `-STOP`.
pub fn signal(name: &str, process: u32) {
    assert!(Command::new("kill").args([name, &process.to_string()]).status().unwrap().success());
}

impl Drop for Process {
    fn drop(&mut self) {
        if std::thread::panicking() {
            print_log(&self.log);
        }
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The processes of a deployment by role. Embedded, `serve` is the only api.
#[derive(Default)]
pub struct Roles {
    pub apis: Vec<Running>,
    pub workers: Vec<Running>,
    pub schedulers: Vec<Running>,
    /// With [`events`](crate::Setup::events).
    pub gateways: Vec<Running>,
}

pub struct Running {
    pub process: Process,
    pub base: String,
    /// Where its metrics are.
    pub metrics: String,
}

impl Roles {
    pub fn all(&mut self) -> impl Iterator<Item = &mut Running> {
        let background = self.workers.iter_mut().chain(&mut self.schedulers).chain(&mut self.gateways);
        self.apis.iter_mut().chain(background)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_in_a_row_start_apart() {
        let span = u32::from(PORTS.end - PORTS.start);
        let apart = (1..400).map(|later| later * STRIDE % span).map(|start| start.min(span - start)).min();
        assert_eq!(apart, Some(24));
    }
}
