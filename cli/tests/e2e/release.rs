//! The archive of `deploy/release` and its install script, with a script in place of the optimised program.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::binary;

/// How a name of another file ends.
const ENDS: [&str; 6] = [".yaml", ".yml", ".json", ".md", ".env", "Dockerfile"];

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

/// What a file of the archive names: YAML outside of its comments, Markdown by links. Relative to its folder or to the archive's.
fn named(archive: &Path, file: &str) -> Vec<(String, String)> {
    let text = || fs::read_to_string(archive.join(file)).unwrap();
    let extension = Path::new(file).extension().and_then(|end| end.to_str());
    let named: Vec<String> = if extension == Some("yaml") {
        let text = text();
        let code = text.lines().map(|line| if line.starts_with('#') { "" } else { line });
        let code = code.map(|line| line.split(" #").next().unwrap());
        let words =
            code.flat_map(|line| line.split(|one: char| one.is_whitespace() || "[]{},\"'".contains(one)));
        // What is mounted is named before the place where it is; a section of a page after it.
        let words = words.map(|word| word.split([':', '#']).next().unwrap());
        let is_file = |word: &&str| {
            let is_relative = word.starts_with("./") || word.starts_with("../") || *word == "..";
            let ends = ENDS.iter().any(|end| word.ends_with(*end));
            (is_relative || ends) && !word.starts_with('/')
        };
        words.filter(is_file).map(str::to_owned).collect()
    } else if extension == Some("md") {
        let text = text();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let files = links.map(|link| link.split('#').next().unwrap());
        files.filter(|link| !link.is_empty() && !link.contains(':')).map(str::to_owned).collect()
    } else {
        Vec::new()
    };
    named.into_iter().map(|name| (file.to_owned(), name)).collect()
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
    for packed in
        ["deploy/grafana/dashboards/api.json", "deploy/kubernetes/api.yaml", "deploy/prometheus/alerts.yaml"]
    {
        assert!(unpacked.join(packed).is_file(), "{packed}");
    }
    let named: Vec<_> = files(&unpacked).iter().flat_map(|file| named(&unpacked, file)).collect();
    assert!(named.len() > 10, "{named:?}");
    for (file, name) in named {
        let beside = unpacked.join(&file).with_file_name(&name);
        assert!(beside.exists() || unpacked.join(&name).exists(), "{file} names {name}, which is not packed");
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
    for (name, role) in [
        ("guildhall", "serve"),
        ("guildhall-api", "api"),
        ("guildhall-gateway", "gateway"),
        ("guildhall-scheduler", "scheduler"),
        ("guildhall-worker@", "worker"),
    ] {
        let unit = fs::read_to_string(root.join(format!("etc/systemd/system/{name}.service"))).unwrap();
        assert!(unit.contains(&format!("ExecStart=/opt/guildhall/bin/guildhall {role}\n")), "{unit}");
        assert!(unit.contains("\nTimeoutStartSec=infinity\n"), "{name} is killed while it waits: {unit}");
        // Several of one machine, each with a port for its metrics.
        let own = "\nEnvironmentFile=-/etc/guildhall/%N.env\n";
        assert_eq!(unit.contains(own), role != "serve", "{unit}");
    }
    assert!(root.join("opt/guildhall/bin/guildhall").is_file());
}
