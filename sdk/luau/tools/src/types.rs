//! The types of all modules.
//!
//! The analyser reads one file and does not follow `require`. So the modules are written one after another into one source:
//! without their `require` and `return`, and with `Http.Answer` as `Answer`. Types need names of their own for that.

use std::collections::BTreeMap;
use std::path::Path;

use luau_analyze::{Checker, Severity};

/// Of names that two modules use for different locals.
const EXPECTED: [&str; 2] = ["shadows previous declaration", "was never used"];

struct Module {
    name: String,
    lines: Vec<String>,
    requires: Vec<String>,
    types: Vec<String>,
}

fn required(line: &str) -> Option<String> {
    let path = line.split_once("require(\"")?.1.split_once('"')?.0;
    path.rsplit('/').next().map(str::to_owned)
}

fn exported(line: &str) -> Option<&str> {
    line.strip_prefix("export type ")?.split([' ', '<']).next()
}

fn read(file: &Path) -> Module {
    let text = std::fs::read_to_string(file).expect("a module is readable");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_strict = lines.first().is_some_and(|line| line == "--!strict");
    assert!(is_strict, "{} does not begin with --!strict", file.display());
    let requires = lines.iter().filter_map(|line| required(line)).collect();
    let types = lines.iter().filter_map(|line| exported(line)).map(str::to_owned).collect();
    let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
    Module { name, lines, requires, types }
}

/// Each after those that it requires.
fn in_order(modules: &BTreeMap<String, Module>) -> Vec<&Module> {
    fn add<'a>(name: &str, modules: &'a BTreeMap<String, Module>, ordered: &mut Vec<&'a Module>) {
        let module = modules.get(name).unwrap_or_else(|| panic!("there is no module {name}"));
        if ordered.iter().any(|known| known.name == name) {
            return;
        }
        for required in &module.requires {
            add(required, modules, ordered);
        }
        ordered.push(module);
    }
    let mut ordered = Vec::new();
    for name in modules.keys() {
        add(name, modules, &mut ordered);
    }
    ordered
}

/// The line as it stands in the one source; as long as before, so that positions stay.
fn joined(line: &str, is_last: bool, modules: &BTreeMap<String, Module>) -> String {
    let is_reexport = exported(line).is_some_and(|name| line.ends_with(&format!(".{name}")));
    if line.starts_with("--!") || required(line).is_some() || is_reexport {
        return String::new();
    }
    if line.starts_with("return ") && !is_last {
        return String::new();
    }
    let mut line = line.to_owned();
    for module in modules.values() {
        for name in &module.types {
            let qualified = format!("{}.{name}", module.name);
            let plain = format!("{}{name}", " ".repeat(module.name.len() + 1));
            let mut from = 0;
            while let Some(at) = line[from..].find(&qualified).map(|at| at + from) {
                let after = line[at + qualified.len()..].chars().next();
                if !after.is_some_and(|next| next.is_alphanumeric() || next == '_') {
                    line.replace_range(at..at + qualified.len(), &plain);
                }
                from = at + qualified.len();
            }
        }
    }
    line
}

/// Prints what is wrong; whether nothing is.
pub(crate) fn check(definitions: &Path, folder: &Path) -> bool {
    let files = std::fs::read_dir(folder).expect("the folder is readable");
    let files = files.map(|entry| entry.expect("the folder is readable").path());
    let modules = files.filter(|file| file.extension().is_some_and(|ending| ending == "luau"));
    let modules: BTreeMap<String, Module> =
        modules.map(|file| read(&file)).map(|module| (module.name.clone(), module)).collect();
    let ordered = in_order(&modules);
    let last = ordered.last().expect("there is a module").name.clone();
    let mut source = String::from("--!strict\n");
    let mut places = vec![(String::new(), 0)];
    for module in &ordered {
        for (number, line) in module.lines.iter().enumerate() {
            source += &joined(line, module.name == last, &modules);
            source.push('\n');
            places.push((module.name.clone(), number + 1));
        }
    }
    let mut checker = Checker::new().expect("the analyser starts");
    let definitions = std::fs::read_to_string(definitions).expect("the definitions are readable");
    checker.add_definitions(&definitions).unwrap_or_else(|error| panic!("the definitions: {error}"));
    let result = checker.check(&source).expect("the analyser answers");
    let mut found = 0;
    for diagnostic in &result.diagnostics {
        let is_warning = matches!(diagnostic.severity, Severity::Warning);
        if is_warning && EXPECTED.iter().any(|expected| diagnostic.message.contains(expected)) {
            continue;
        }
        let place = places.get(diagnostic.line as usize);
        let (file, line) = place.map_or(("?", 0), |(file, line)| (file.as_str(), *line));
        println!("{}/{file}.luau:{line}:{}: {}", folder.display(), diagnostic.col + 1, diagnostic.message);
        found += 1;
    }
    println!("{} modules, {} lines: {found} type errors", ordered.len(), places.len() - 1);
    found == 0
}
