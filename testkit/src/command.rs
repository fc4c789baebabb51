//! A command of the product that runs to its end.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::process::guildhall;

/// Enough to seed the largest fixture of a benchmark.
const TIME_LIMIT: Duration = Duration::from_mins(10);

#[derive(Debug)]
pub struct Finished {
    pub what: String,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

pub async fn run_command(args: &[&str], env: &[(String, String)], folder: &Path) -> Finished {
    run_into(args, env, folder, Stdio::piped()).await
}

pub(crate) async fn run_into(
    args: &[&str],
    env: &[(String, String)],
    folder: &Path,
    stdout: Stdio,
) -> Finished {
    finish(args, guildhall(args, env, folder), stdout).await
}

/// With this file as standard input.
pub(crate) async fn run_with_input(
    args: &[&str],
    env: &[(String, String)],
    folder: &Path,
    input: File,
) -> Finished {
    let mut command = guildhall(args, env, folder);
    command.stdin(input);
    finish(args, command, Stdio::piped()).await
}

async fn finish(args: &[&str], command: Command, stdout: Stdio) -> Finished {
    let what = format!("guildhall {}", args.join(" "));
    let mut command = tokio::process::Command::from(command);
    let child = command.kill_on_drop(true).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
    // Its standard output: the test may have closed the other end.
    drop(command);
    let output = tokio::time::timeout(TIME_LIMIT, child.wait_with_output())
        .await
        .unwrap_or_else(|_| panic!("{what} did not end within {TIME_LIMIT:?}"))
        .unwrap();
    Finished {
        what,
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Finished {
    #[track_caller]
    pub fn succeeded(self) -> String {
        assert_eq!(self.code, Some(0), "{}: {}", self.what, self.stderr);
        self.stdout
    }

    /// Asserts one clear message and a non-zero exit, and returns the message.
    #[track_caller]
    pub fn refused(self) -> String {
        let message = self.stderr.trim().to_owned();
        assert!(self.code.is_some_and(|code| code != 0), "{}: exit {:?}: {message}", self.what, self.code);
        assert!(!message.is_empty(), "{}: no message", self.what);
        assert!(message.lines().count() <= 3, "{}: not one clear message: {message}", self.what);
        assert!(!message.contains("panicked") && !message.contains("RUST_BACKTRACE"), "{message}");
        message
    }
}
