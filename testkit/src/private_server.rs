//! A server private to a test, which may stop and kill it without an effect on other tests.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::process::signal;
use crate::servers::variable;

pub struct PrivateServer {
    kind: &'static str,
    folder: PathBuf,
    script: String,
    tls: bool,
}

impl PrivateServer {
    /// Starts `kind` (`postgres`, `rabbitmq`, `redis`) in a folder of this name.
    pub fn start(kind: &'static str, name: &str) -> Self {
        Self::start_with(kind, name, false)
    }

    /// Like [`start`](Self::start), but only over TLS, with a certificate of [`authority`](Self::authority).
    pub fn start_with_tls(kind: &'static str, name: &str) -> Self {
        Self::start_with(kind, name, true)
    }

    fn start_with(kind: &'static str, name: &str, tls: bool) -> Self {
        let folder = PathBuf::from(variable("GUILDHALL_TEST_PRIVATE_DIR")).join(name);
        let server = Self { kind, folder, script: variable("GUILDHALL_TEST_SERVICES"), tls };
        server.run("start");
        server
    }

    pub fn url(&self) -> String {
        self.printed(match self.kind {
            "redis" => "GUILDHALL_TEST_REDIS_URL",
            "postgres" => "GUILDHALL_TEST_DATABASE_URL",
            _ => "GUILDHALL_TEST_AMQP_URL",
        })
    }

    /// The file with the certificate of the authority that the server's is from.
    pub fn authority(&self) -> String {
        self.printed("GUILDHALL_TEST_AUTHORITY")
    }

    fn printed(&self, variable: &str) -> String {
        let printed = self.run("env");
        let line = printed
            .lines()
            .find_map(|line| line.strip_prefix("export ")?.strip_prefix(variable)?.strip_prefix('='));
        line.unwrap().trim_matches('\'').to_owned()
    }

    pub fn stop(&self) {
        self.run("stop");
    }

    pub fn kill(&self) {
        self.run("kill");
    }

    /// Stops the server and deletes its data; port and password stay.
    pub fn wipe(&self) {
        self.run("wipe");
    }

    /// Freezes Redis as a whole (SIGSTOP), then continues it: its scripts and its clock stop too.
    pub fn stall(&self, span: Duration) {
        let process = self.redis_process();
        signal("-STOP", process);
        std::thread::sleep(span);
        signal("-CONT", process);
    }

    /// The process id of the Redis server.
    pub fn redis_process(&self) -> u32 {
        let mut connection = redis::Client::open(self.url()).unwrap().get_connection().unwrap();
        let info: redis::InfoDict = redis::cmd("INFO").arg("server").query(&mut connection).unwrap();
        info.get("process_id").unwrap()
    }

    /// Runs `rabbitmqctl` on the server, as an operator would.
    pub fn ctl(&self, arguments: &[&str]) {
        self.run_with("ctl", arguments);
    }

    /// Restarts it on the same port and data.
    pub fn start_again(&self) {
        self.run("start");
    }

    fn run(&self, command: &str) -> String {
        self.run_with(command, &[])
    }

    fn run_with(&self, command: &str, arguments: &[&str]) -> String {
        let output = Command::new(&self.script)
            .args([command, self.kind])
            .args(arguments)
            .env("GUILDHALL_SERVICES_DIR", &self.folder)
            .env("GUILDHALL_SERVICES_TLS", if self.tls { "on" } else { "off" })
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} {command} {}: {errors}", self.script, self.kind);
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        // Its data stays below target/, for the next run.
        let _ = Command::new(&self.script)
            .args(["kill", self.kind])
            .env("GUILDHALL_SERVICES_DIR", &self.folder)
            .output();
    }
}
