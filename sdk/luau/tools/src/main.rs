//! `luau-tools types DEFINITIONS FOLDER` checks the types of the modules of a folder, `luau-tools model FOLDER FILE` writes
//! them as a model file (`.rbxm`).

mod model;
mod types;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let fine = match arguments.as_slice() {
        ["types", definitions, folder] => types::check(Path::new(definitions), Path::new(folder)),
        ["model", folder, file] => model::write(Path::new(folder), Path::new(file)),
        _ => panic!("usage: luau-tools types DEFINITIONS FOLDER | model FOLDER FILE"),
    };
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
