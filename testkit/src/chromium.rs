//! One headless Chromium for all tests, kept as shared deployments are.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::shared::{Kept, Shared, acquire};
use crate::wait::eventually;

const STARTS_WITHIN: Duration = Duration::from_secs(30);

/// The address of the protocol of its developer tools; it runs at least until this is dropped.
pub struct Chromium(Shared<Listening>);

#[derive(Serialize, Deserialize)]
pub(crate) struct Listening {
    address: String,
}

impl Chromium {
    pub async fn shared() -> Self {
        Self(acquire(Kept::Browser).await)
    }

    pub fn address(&self) -> &str {
        &self.0.tenancy.address
    }
}

pub(crate) struct Instance {
    address: String,
    // In this order: the process ends before its folder is deleted.
    _process: Group,
    _folder: TempDir,
}

/// The process and its children, which end together: the program may be a script that starts the browser.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0.id().and_then(|id| Pid::from_raw(id.try_into().unwrap())) {
            // It may have ended by itself.
            let _ended = kill_process_group(group, Signal::KILL);
        }
    }
}

/// `GUILDHALL_TEST_CHROMIUM`, or Debian's package, which `./test` installs: a headless build.
fn program() -> PathBuf {
    let named = std::env::var_os("GUILDHALL_TEST_CHROMIUM").map(PathBuf::from);
    let file = named.unwrap_or_else(|| PathBuf::from("/usr/bin/chromium-headless-shell"));
    assert!(file.is_file(), "no {}: install it, or set GUILDHALL_TEST_CHROMIUM", file.display());
    file
}

impl Instance {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("guildhall-browser-").tempdir().unwrap();
        let mut command = Command::new(program());
        command.args([
            "--headless",
            "--no-sandbox",
            "--remote-debugging-port=0",
            "--no-first-run",
            "--disable-gpu",
        ]);
        command.args(["--disable-quic", "--disable-background-networking", "--disable-dev-shm-usage"]);
        command.arg(format!("--user-data-dir={}", folder.path().display())).arg("about:blank");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = Group(command.process_group(0).spawn().unwrap());
        let file = folder.path().join("DevToolsActivePort");
        let address = eventually("Chromium listens", STARTS_WITHIN, async || {
            let text = std::fs::read_to_string(&file).ok()?;
            let (port, path) = text.trim().split_once('\n')?;
            Some(format!("ws://127.0.0.1:{port}{path}"))
        })
        .await;
        Self { address, _process: process, _folder: folder }
    }

    pub(crate) fn listening(&self) -> Listening {
        Listening { address: self.address.clone() }
    }
}
