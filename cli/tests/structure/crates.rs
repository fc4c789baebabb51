//! The crates of the workspace, and what they import of each other, as their manifests say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::workspace;

/// Crates that run as processes of their own.
const PROCESSES: [&str; 4] = ["api", "worker", "scheduler", "gateway"];
/// What no process of an installation contains.
const OUTSIDE: [&str; 5] = ["bench", "cli", "sdk/luau/harness", "simulator", "testkit"];

/// What each crate imports, without what only its tests import. A crate is named by its folder.
pub(crate) fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let mut metadata = Command::new(env!("CARGO"));
    metadata.args(["metadata", "--no-deps", "--offline", "--format-version=1"]).current_dir(workspace());
    let metadata: Value = serde_json::from_slice(&metadata.output().unwrap().stdout).unwrap();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let packages = metadata["packages"].as_array().unwrap();
    let folder = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let folder = manifest.parent().unwrap().strip_prefix(workspace().canonicalize().unwrap()).unwrap();
        folder.to_str().unwrap().to_owned()
    };
    let members: BTreeMap<_, _> = packages.iter().map(|package| (name(package), folder(package))).collect();
    let imported = |package: &Value| {
        let all = package["dependencies"].as_array().unwrap().iter();
        let all = all.filter(|dependency| dependency["kind"].is_null()).map(name);
        all.filter_map(|name| members.get(&name).cloned()).collect()
    };
    packages.iter().map(|package| (folder(package), imported(package))).collect()
}

fn reached(from: &str, imports: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let (mut reached, mut left) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(name) = left.pop() {
        left.extend(imports[&name].iter().filter(|next| reached.insert((*next).clone())).cloned());
    }
    reached
}

#[test]
fn no_process_reaches_another_one() {
    let imports = imports();
    for process in PROCESSES {
        let reached = reached(process, &imports);
        for other in PROCESSES.iter().chain(&OUTSIDE) {
            assert!(!reached.contains(*other), "{process} contains {other}, by way of {reached:?}");
        }
    }
}

#[test]
fn a_way_through_a_third_crate_counts() {
    let graph = [("api", vec!["console"]), ("console", vec!["scheduler"]), ("scheduler", vec![])];
    let graph = graph.map(|(from, to)| (from.to_owned(), to.into_iter().map(str::to_owned).collect())).into();
    assert!(reached("api", &graph).contains("scheduler"));
}

/// The table of crates in docs/architecture.md: folder to its column "imports".
fn table() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(workspace().join("docs/architecture.md")).unwrap();
    let rows = text.split_once("\n| folder | content | imports |\n").unwrap().1;
    let rows = rows.lines().skip(1).take_while(|line| line.starts_with('|'));
    let cells =
        |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    rows.map(cells)
        .map(|row| (row[0].trim_matches('`').trim_end_matches('/').to_owned(), row[2].clone()))
        .collect()
}

#[test]
fn the_table_of_crates_says_what_the_manifests_say() {
    let (table, imports) = (table(), imports());
    for (name, imported) in imports {
        let row = table.get(&name).unwrap_or_else(|| panic!("{name} has no row in docs/architecture.md"));
        let said: BTreeSet<String> = match row.as_str() {
            "none" => BTreeSet::new(),
            listed => listed.split(", ").map(|name| name.trim_matches('`').to_owned()).collect(),
        };
        assert_eq!(said, imported, "the row of {name} in docs/architecture.md");
    }
}
