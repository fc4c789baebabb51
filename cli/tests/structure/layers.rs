//! The order of folders in `api/src`, as docs/architecture.md lists it: each imports only what comes after it.

use std::path::Path;

use crate::modules::Crate;
use crate::workspace;

/// The folders in the sentence of docs/architecture.md that lists them.
fn layers() -> Vec<String> {
    let text = std::fs::read_to_string(workspace().join("docs/architecture.md")).unwrap();
    let listed = text.split_once("Imports in `api/src` run one way:").unwrap().1;
    let listed = listed.split_once('.').unwrap().0;
    listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The folder of a file, or its own name at the top.
fn layer(file: &Path) -> String {
    let below = file.strip_prefix("api/src").unwrap().with_extension("");
    below.iter().next().unwrap().to_str().unwrap().to_owned()
}

fn upward(layers: &[String], imports: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let place = |name: &str| {
        layers.iter().position(|layer| layer == name).unwrap_or_else(|| panic!("{name} is in no layer"))
    };
    let upward = imports.into_iter().filter(|(from, to)| place(from) > place(to));
    upward.map(|(from, to)| format!("{from} imports {to}")).collect()
}

#[test]
fn folders_of_the_api_import_only_those_below() {
    let imports = Crate::read(&workspace().join("api"), &workspace()).imports();
    let all = imports.iter().flat_map(|(from, targets)| targets.iter().map(move |to| (from, to)));
    let all = all.map(|(from, to)| (layer(from), layer(to))).filter(|(from, _)| from != "lib");
    let found = upward(&layers(), all);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn an_import_of_a_folder_above_is_found() {
    let layers = ["server", "cache"].map(str::to_owned);
    let import = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert!(upward(&layers, [import("server", "cache"), import("cache", "cache")]).is_empty());
    assert_eq!(upward(&layers, [import("cache", "server")]), ["cache imports server"]);
}
