//! The plan of docs/architecture.md: no import cycles between files, crates that import what its table says, processes
//! that never reach each other, and the order of folders in `api`. And what `deploy` says about the image.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod containers;
mod crates;
mod layers;
mod modules;
mod pin;
mod roll;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use modules::Crate;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
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
    let imports = |name: &String| Crate::read(&workspace().join(name), &workspace()).imports();
    let found: Vec<String> = crates::imports().keys().flat_map(|name| cycles(&imports(name))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
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
