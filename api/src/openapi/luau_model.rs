//! The script for Roblox games as a model that Studio inserts, so that a game gets the version of the service it calls. Its
//! sources are in `sdk/luau/src`.

use std::sync::LazyLock;

macro_rules! modules {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!("../../../sdk/luau/src/", $name, ".luau")))),*]
    };
}

const MAIN: &str = include_str!("../../../sdk/luau/src/init.luau");
const MODULES: &[(&str, &str)] =
    modules!["Chat", "Commands", "Http", "Notice", "Options", "Outbox", "Roster", "Sessions", "Ticks"];

/// In Roblox' XML format.
pub(super) static MODEL: LazyLock<String> = LazyLock::new(|| {
    let children: String = MODULES.iter().map(|(name, source)| item(name, source, "")).collect();
    format!("<roblox version=\"4\">\n{}</roblox>\n", item("Guildhall", MAIN, &children))
});

fn item(name: &str, source: &str, children: &str) -> String {
    // A section of text cannot hold its own end.
    let source = source.replace("]]>", "]]]]><![CDATA[>");
    format!(
        "<Item class=\"ModuleScript\" referent=\"{name}\"><Properties><string name=\"Name\">{name}</string>\
         <ProtectedString name=\"Source\"><![CDATA[{source}]]></ProtectedString></Properties>\n{children}</Item>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_of_the_script_is_in_the_model() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../sdk/luau/src");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
        let mut names: Vec<String> = files.map(|name| name.to_str().unwrap().replace(".luau", "")).collect();
        names.sort_unstable();
        let mut known: Vec<_> = MODULES.iter().map(|(name, _)| (*name).to_owned()).collect();
        known.push("init".to_owned());
        known.sort_unstable();
        assert_eq!(known, names);
        assert_eq!(MODEL.matches("class=\"ModuleScript\"").count(), names.len());
        assert!(MODEL.contains("return { start = begin }") && MODEL.ends_with("</roblox>\n"));
    }
}
