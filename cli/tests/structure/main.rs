//! Dependencies within the workspace: no import cycles between files, and no process crate imports another.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod modules;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use modules::Crate;

const CRATES: [&str; 13] = [
    "api",
    "bench",
    "cli",
    "entities",
    "jobs",
    "migrations",
    "platforms",
    "queue",
    "runtime",
    "scheduler",
    "simulator",
    "testkit",
    "worker",
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn crates() -> impl Iterator<Item = (&'static str, PathBuf)> {
    CRATES.into_iter().map(|name| (name, workspace().join(name))).filter(|(_, folder)| folder.exists())
}

/// Every cycle, as its files and the imports between them.
fn cycles(imports: &BTreeMap<PathBuf, Vec<PathBuf>>) -> Vec<String> {
    let edges =
        imports.iter().flat_map(|(from, targets)| targets.iter().map(|to| (from.as_path(), to.as_path())));
    let graph: DiGraphMap<&Path, ()> = DiGraphMap::from_edges(edges);
    let show = |cycle: Vec<&Path>| {
        let inside = graph.all_edges().filter(|(from, to, ())| cycle.contains(from) && cycle.contains(to));
        let arrows = inside.map(|(from, to, ())| format!("  {} -> {}", from.display(), to.display()));
        format!("a cycle of {} files:\n{}", cycle.len(), arrows.collect::<Vec<_>>().join("\n"))
    };
    tarjan_scc(&graph).into_iter().filter(|files| files.len() > 1).map(show).collect()
}

#[test]
fn files_have_no_import_cycle() {
    let found: Vec<String> =
        crates().flat_map(|(_, folder)| cycles(&Crate::read(&folder, &workspace()).imports())).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn processes_never_import_each_other() {
    for name in ["api", "worker", "scheduler"] {
        let manifest = std::fs::read_to_string(workspace().join(name).join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dev-dependencies]").next().unwrap();
        for other in ["api", "worker", "scheduler", "simulator", "testkit", "bench", "cli"] {
            assert!(!dependencies.contains(&format!("\n{other}.workspace")), "{name} depends on {other}");
        }
    }
}

#[test]
fn a_cycle_is_found_and_a_shared_file_is_not_one() {
    let graph = |edges: &[(&str, &str)]| {
        let mut imports: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for (from, to) in edges {
            imports.entry(from.into()).or_default().push(to.into());
        }
        cycles(&imports).len()
    };
    assert_eq!(graph(&[("a", "b"), ("b", "c"), ("a", "c")]), 0);
    assert_eq!(graph(&[("a", "b"), ("b", "c"), ("c", "a")]), 1);
}
