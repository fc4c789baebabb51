//! `deploy/roll` with a `docker` that the test writes: a container is a file with its state.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::workspace;

const DOCKER: &str = r#"#!/usr/bin/env bash
set -euo pipefail
cd "$CONTAINERS"
last="${!#}"
case "$*" in
    "compose rm "*) { grep -lx exited ./* || true; } | xargs -r rm ;;
    "compose ps "*) { grep -Lx exited ./* || true; } ;;
    "compose up "*)
        # It starts those that are stopped.
        sed -i 's/exited/healthy/' ./*
        [[ "$*" =~ \ worker=([0-9]+)\  ]]
        until [ "$(ls | wc -l)" -ge "${BASH_REMATCH[1]}" ]; do echo "$NEW" >"new-$RANDOM"; done
        ;;
    "inspect "*) cat "$last" ;;
    "rm "*) rm "$last" ;;
esac
"#;

/// Those that there are, with their states; `new` is that of each that is made.
fn roll(containers: &[(&str, &str)], new: &str) -> (TempDir, Output) {
    let folder = tempfile::tempdir().unwrap();
    let docker = folder.path().join("docker");
    fs::write(&docker, DOCKER).unwrap();
    fs::set_permissions(&docker, fs::Permissions::from_mode(0o755)).unwrap();
    let place = folder.path().join("containers");
    fs::create_dir(&place).unwrap();
    for (name, state) in containers {
        fs::write(place.join(name), format!("{state}\n")).unwrap();
    }
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(workspace().join("deploy/roll"));
    command.arg("worker").env("PATH", path).env("CONTAINERS", place).env("NEW", new);
    let done = command.output().unwrap();
    (folder, done)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("containers")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_old_container_that_hangs_or_was_stopped_is_in_nobodys_way() {
    let (folder, done) = roll(&[("one", "healthy"), ("two", "unhealthy"), ("three", "exited")], "healthy");
    assert!(done.status.success(), "{done:?}");
    let left = names(folder.path());
    assert!(left.len() == 2 && left.iter().all(|name| name.starts_with("new-")), "{left:?}");
}

#[test]
fn a_new_container_that_is_not_healthy_is_removed() {
    let (folder, done) = roll(&[("one", "healthy"), ("two", "healthy")], "unhealthy");
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains("the new container is not healthy and is removed"), "{said}");
    assert_eq!(names(folder.path()), ["one", "two"]);
}
