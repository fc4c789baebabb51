//! The modules of a crate and the imports between their files, without test code.
//!
//! An import through a re-export counts as an import of the file that defines the name; the re-export itself does not.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syn::visit::Visit;
use syn::{Attribute, Item, ItemMod, ItemUse, Meta, UseTree, Visibility};

type ModulePath = Vec<String>;

/// The modules of a crate by path, each with its file.
pub(crate) struct Crate {
    files: BTreeMap<ModulePath, PathBuf>,
    /// Paths that a module names, as written.
    named: Vec<(ModulePath, ModulePath)>,
    /// Names that a module re-exports, with the path of each.
    exported: BTreeMap<(ModulePath, String), ModulePath>,
}

impl Crate {
    /// Files are named relative to `root`.
    pub(crate) fn read(folder: &Path, root: &Path) -> Self {
        let mut found = Self { files: BTreeMap::new(), named: Vec::new(), exported: BTreeMap::new() };
        for start in ["src/lib.rs", "src/main.rs"].map(|name| folder.join(name)) {
            if start.exists() {
                found.read_file(&start, root, Vec::new());
            }
        }
        found
    }

    fn read_file(&mut self, file: &Path, root: &Path, module: ModulePath) {
        let text =
            std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let name = file.strip_prefix(root).unwrap().to_path_buf();
        let plain = ["mod.rs", "lib.rs", "main.rs"].contains(&file.file_name().unwrap().to_str().unwrap());
        let inside = if plain { file.parent().unwrap().to_path_buf() } else { file.with_extension("") };
        self.read_items(&parsed.items, (&name, &inside, root), &module);
    }

    fn read_items(
        &mut self,
        items: &[Item],
        (file, folder, root): (&Path, &Path, &Path),
        module: &ModulePath,
    ) {
        self.files.insert(module.clone(), file.to_path_buf());
        let mut paths = Paths::default();
        for item in items {
            match item {
                item if is_for_tests(attributes(item)) => {}
                Item::Mod(child) => self.read_child(child, (file, folder, root), module),
                Item::Use(reexport) if !matches!(reexport.vis, Visibility::Inherited) => {
                    self.read_exports(reexport, module);
                }
                other => paths.visit_item(other),
            }
        }
        self.named.extend(paths.0.into_iter().map(|path| (module.clone(), path)));
    }

    fn read_exports(&mut self, reexport: &ItemUse, module: &ModulePath) {
        let mut paths = Paths::default();
        paths.visit_item_use(reexport);
        for path in paths.0 {
            let name = path.last().cloned().unwrap_or_default();
            self.exported.insert((module.clone(), name), path);
        }
    }

    fn read_child(
        &mut self,
        child: &ItemMod,
        (file, folder, root): (&Path, &Path, &Path),
        module: &ModulePath,
    ) {
        let name = child.ident.to_string();
        let path: ModulePath = module.iter().cloned().chain([name.clone()]).collect();
        let folder = folder.join(&name);
        if let Some((_, items)) = &child.content {
            return self.read_items(items, (file, &folder, root), &path);
        }
        let alone = folder.with_extension("rs");
        let file = if alone.exists() { alone } else { folder.join("mod.rs") };
        self.read_file(&file, root, path);
    }

    /// The files that each file imports.
    pub(crate) fn imports(&self) -> BTreeMap<PathBuf, Vec<PathBuf>> {
        let mut imports: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for (module, path) in &self.named {
            let from = &self.files[module];
            for to in self.files_of(module, path).into_iter().filter(|to| *to != from) {
                imports.entry(from.clone()).or_default().push(to.clone());
            }
        }
        imports
    }

    /// A glob imports every name that its module re-exports.
    fn files_of(&self, module: &ModulePath, path: &ModulePath) -> Vec<&PathBuf> {
        let Some((_, globbed)) = path.split_last().filter(|(last, _)| *last == "*") else {
            return self.file_of(module, path).into_iter().collect();
        };
        let globbed = globbed.to_vec();
        let whole = globbed.strip_prefix(&["crate".to_owned()]).unwrap_or(&globbed);
        let exported = self.exported.iter().filter(|((owner, _), _)| owner == whole);
        let exported = exported.filter_map(|((owner, _), path)| self.file_of(owner, path));
        exported.chain(self.file_of(module, &globbed)).collect()
    }

    /// The file of the deepest module that a path names; `None`: another crate's.
    fn file_of(&self, module: &ModulePath, path: &ModulePath) -> Option<&PathBuf> {
        let is_child = |name: &str| {
            self.files.contains_key(&module.iter().cloned().chain([name.to_owned()]).collect::<ModulePath>())
        };
        let (mut whole, rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (module.clone(), &path[1..]),
            "super" => (module.clone(), &path[..]),
            name if is_child(name) => (module.clone(), &path[..]),
            _ => return None,
        };
        for segment in rest {
            if segment == "super" {
                whole.pop();
            } else {
                whole.push(segment.clone());
            }
        }
        let mut rest = Vec::new();
        while !self.files.contains_key(&whole) {
            rest.push(whole.pop()?);
        }
        let exported = rest.pop().and_then(|name| self.exported.get(&(whole.clone(), name)));
        match exported {
            // The re-exporting module may take the name from another crate.
            Some(path) => self.file_of(&whole, path),
            None => self.files.get(&whole),
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        _ => &[],
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string().contains("test"),
        _ => false,
    })
}

/// Every path in some code, uses flattened.
#[derive(Default)]
struct Paths(Vec<ModulePath>);

impl Paths {
    fn flatten(&mut self, tree: &UseTree, before: &ModulePath) {
        let with =
            |name: &syn::Ident| before.iter().cloned().chain([name.to_string()]).collect::<ModulePath>();
        match tree {
            UseTree::Path(path) => self.flatten(&path.tree, &with(&path.ident)),
            UseTree::Name(name) => self.0.push(with(&name.ident)),
            UseTree::Rename(name) => self.0.push(with(&name.ident)),
            UseTree::Glob(_) => self.0.push(before.iter().cloned().chain(["*".to_owned()]).collect()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.flatten(tree, before)),
        }
    }
}

impl Visit<'_> for Paths {
    fn visit_item_use(&mut self, item: &ItemUse) {
        self.flatten(&item.tree, &Vec::new());
    }

    /// `pub(in path)` imports nothing.
    fn visit_vis_restricted(&mut self, _: &syn::VisRestricted) {}

    fn visit_path(&mut self, path: &syn::Path) {
        if path.segments.len() > 1 {
            self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        syn::visit::visit_path(self, path);
    }
}
