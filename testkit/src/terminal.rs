//! A command of the product whose standard streams are a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::{ffi::OsString, process::Child};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::command::Finished;
use crate::process::guildhall;

/// Runs a command to its end, with `input` typed. All it prints is in `stdout`.
pub fn run_on_terminal(args: &[&str], env: &[(String, String)], folder: &Path, input: &str) -> Finished {
    let (mut person, terminal) = open();
    let mut child = start(args, env, folder, terminal);
    person.write_all(input.as_bytes()).unwrap();
    let mut output = Vec::new();
    // The read fails when the command has ended and with it the last user of the terminal.
    let _ = person.read_to_end(&mut output);
    Finished {
        what: format!("guildhall {}, on a terminal", args.join(" ")),
        code: child.wait().unwrap().code(),
        stdout: String::from_utf8(output).unwrap(),
        stderr: String::new(),
    }
}

fn open() -> (File, OwnedFd) {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = OsString::from_vec(ptsname(&person, Vec::new()).unwrap().into_bytes());
    let terminal = File::options().read(true).write(true).open(name).unwrap();
    (person.into(), terminal.into())
}

fn start(args: &[&str], env: &[(String, String)], folder: &Path, terminal: OwnedFd) -> Child {
    let mut command = guildhall(args, env, folder);
    let copy = || terminal.try_clone().unwrap();
    command.env("TERM", "xterm").stdin(copy()).stdout(copy()).stderr(copy()).spawn().unwrap()
}
