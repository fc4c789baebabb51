//! The archive of `deploy/release` and its install script, with a script in place of the optimised program.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::binary;

/// What is installed beside the manual pages, below `/usr/local` unless it is in `/etc`.
const INSTALLED: [&str; 15] = [
    "bin/guildhall",
    "lib/sysusers.d/guildhall.conf",
    "share/bash-completion/completions/guildhall",
    "share/doc/guildhall/CHANGELOG.md",
    "share/doc/guildhall/LICENSE",
    "share/doc/guildhall/README.md",
    "share/doc/guildhall/docs/operations.md",
    "share/doc/guildhall/docs/rules.md",
    "share/fish/vendor_completions.d/guildhall.fish",
    "share/zsh/site-functions/_guildhall",
    "etc/guildhall/guildhall.env",
    "etc/systemd/system/guildhall-api.service",
    "etc/systemd/system/guildhall-scheduler.service",
    "etc/systemd/system/guildhall-worker@.service",
    "etc/systemd/system/guildhall.service",
];
const ENVIRONMENT: &str = "etc/guildhall/guildhall.env";

fn run(program: &Path, args: &[&str], env: &[(&str, &Path)]) -> String {
    let mut command = Command::new(program);
    // A caller's own place is not the default.
    command.env_remove("PREFIX").env_remove("DESTDIR");
    let done = command.args(args).envs(env.iter().copied()).output().unwrap();
    assert!(done.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Packs into the folder, and returns the archive.
fn pack(folder: &Path) -> PathBuf {
    let program = folder.with_file_name("guildhall");
    fs::write(&program, format!("#!/bin/sh\nexec {} \"$@\"\n", binary().display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let release = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/release");
    let env = [("RELEASE_DIR", folder), ("SOURCE_DATE_EPOCH", Path::new("1700000000"))];
    let sums = run(&release, &[program.to_str().unwrap()], &env);
    folder.join(sums.split_whitespace().nth(1).unwrap())
}

/// The files below a folder, by their paths in it.
fn files(folder: &Path) -> BTreeSet<String> {
    let find = run(Path::new("find"), &[folder.to_str().unwrap(), "-type", "f", "-printf", "%P\\n"], &[]);
    find.lines().map(str::to_owned).collect()
}

#[test]
fn an_archive_is_the_same_twice_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, again) = (pack(&folder.path().join("one")), pack(&folder.path().join("two")));
    assert_eq!(fs::read(&archive).unwrap(), fs::read(again).unwrap());
    let unpacked = folder.path().join("unpacked");
    fs::create_dir(&unpacked).unwrap();
    let place = ["-xzf", archive.to_str().unwrap(), "-C", unpacked.to_str().unwrap(), "--strip-components=1"];
    run(Path::new("tar"), &place, &[]);
    for packed in ["deploy/compose.yaml", "deploy/kubernetes/api.yaml", "deploy/prometheus/alerts.yaml"] {
        assert!(unpacked.join(packed).is_file(), "{packed}");
    }

    let (root, install) = (folder.path().join("root"), unpacked.join("install"));
    let env = [("DESTDIR", root.as_path())];
    let run_install = |args: &[&str]| run(&install, args, &env);
    run_install(&[]);
    let installed = files(&root);
    for file in INSTALLED {
        let below = if file.starts_with("etc/") { file.to_owned() } else { format!("usr/local/{file}") };
        assert!(installed.contains(&below), "{below} is not in {installed:?}");
    }
    assert!(
        installed.iter().filter(|file| file.starts_with("usr/local/share/man/man1/guildhall")).count() > 40
    );
    let environment = root.join(ENVIRONMENT);
    assert_eq!(environment.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    run_install(&["--uninstall"]);
    assert_eq!(files(&root), BTreeSet::new());
    assert!(!root.join("etc/guildhall").exists() && !root.join("usr/local/share/doc/guildhall").exists());

    // What an operator wrote stays, through another install and after the program is gone.
    run_install(&[]);
    fs::write(&environment, "GUILDHALL_CHAT_TOKEN=secret\n").unwrap();
    run_install(&[]);
    run_install(&["--uninstall"]);
    assert_eq!(files(&root), BTreeSet::from([ENVIRONMENT.to_owned()]));
    assert_eq!(fs::read_to_string(environment).unwrap(), "GUILDHALL_CHAT_TOKEN=secret\n");
}

#[test]
fn units_start_the_program_where_it_was_installed() {
    let folder = tempfile::tempdir().unwrap();
    let archive = pack(&folder.path().join("one"));
    run(Path::new("tar"), &["-xzf", archive.to_str().unwrap(), "-C", folder.path().to_str().unwrap()], &[]);
    let unpacked = folder.path().join(archive.file_name().unwrap().to_str().unwrap().replace(".tar.gz", ""));
    let root = folder.path().join("root");
    run(&unpacked.join("install"), &[], &[("DESTDIR", &root), ("PREFIX", Path::new("/opt/guildhall"))]);
    for (unit, role) in [("guildhall", "serve"), ("guildhall-api", "api"), ("guildhall-worker@", "worker")] {
        let unit = fs::read_to_string(root.join(format!("etc/systemd/system/{unit}.service"))).unwrap();
        assert!(unit.contains(&format!("ExecStart=/opt/guildhall/bin/guildhall {role}\n")), "{unit}");
    }
    assert!(root.join("opt/guildhall/bin/guildhall").is_file());
}
