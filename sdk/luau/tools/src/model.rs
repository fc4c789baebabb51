//! The model file: one `ModuleScript` named Guildhall with the other modules in it, as Rojo makes it of `init.luau`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

use rbx_dom_weak::types::Variant;
use rbx_dom_weak::{InstanceBuilder, WeakDom};

const NAME: &str = "Guildhall";

fn script(name: &str, source: &str) -> InstanceBuilder {
    InstanceBuilder::new("ModuleScript").with_name(name).with_property("Source", source)
}

/// Sources by the name of the module.
fn sources(folder: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder).expect("the folder is readable");
    let files = files.map(|entry| entry.expect("the folder is readable").path());
    let named = files.filter(|file| file.extension().is_some_and(|ending| ending == "luau")).map(|file| {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let name = if name == "init" { NAME.to_owned() } else { name };
        (name, std::fs::read_to_string(&file).expect("a module is readable"))
    });
    named.collect()
}

/// Writes the file, and whether it holds all modules when it is read again.
pub(crate) fn write(folder: &Path, file: &Path) -> bool {
    let sources = sources(folder);
    let children = sources.iter().filter(|(name, _)| *name != NAME).map(|(name, source)| script(name, source));
    let root = script(NAME, &sources[NAME]).with_children(children);
    let dom = WeakDom::new(root);
    let output = BufWriter::new(File::create(file).expect("the file can be made"));
    rbx_binary::to_writer(output, &dom, &[dom.root_ref()]).expect("the model is written");

    let read = rbx_binary::from_reader(BufReader::new(File::open(file).expect("the file is there")));
    let read = read.expect("the model is read");
    let held: BTreeMap<String, String> = read
        .descendants()
        .filter_map(|instance| match instance.properties.get(&"Source".into()) {
            Some(Variant::String(source)) => Some((instance.name.clone(), source.clone())),
            _ => None,
        })
        .collect();
    println!("{}: {} modules", file.display(), held.len());
    held == sources
}
