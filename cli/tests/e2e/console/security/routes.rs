//! The table of `console/src/routes.rs`, read from its text, so that a new row is tested as soon as it is there.

use std::collections::BTreeSet;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Who {
    Open,
    Own,
    Operator,
    Staff,
    Permission(String),
    Admin,
}

#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) who: Who,
}

/// Pages that ask about what their query names.
const NEED_A_QUERY: [&str; 1] = ["/console/instance/jobs/retry"];

impl Row {
    fn read(line: &str) -> Self {
        let (method, rest) = line.split_once(' ').unwrap();
        let (path, who) = rest.trim_start_matches([' ', '"']).split_once('"').unwrap();
        let (method, path) = (method.to_owned(), path.to_owned());
        Self { method, path, who: Who::read(who.trim()).unwrap_or_else(|| panic!("{line}")) }
    }

    pub(crate) fn is_post(&self) -> bool {
        self.method == "POST"
    }

    pub(crate) fn is_of_guild(&self) -> bool {
        self.path.starts_with("/console/guilds/{guild}")
    }

    /// Whether it has parameters beside the guild, which name things that may not exist.
    pub(crate) fn names_a_thing(&self) -> bool {
        NEED_A_QUERY.contains(&&*self.path) || self.path.replace("{guild}", "").contains('{')
    }

    /// How many parts of a path this row names, if the path is one of its.
    pub(crate) fn fits(&self, path: &str) -> Option<usize> {
        let (own, asked) = (self.path.split('/'), path.split('/'));
        let fits = own.clone().count() == asked.clone().count()
            && own.clone().zip(asked).all(|(own, asked)| own.starts_with('{') || own == asked);
        fits.then(|| own.filter(|part| !part.starts_with('{')).count())
    }

    /// The address in a guild, with parameters that name nothing.
    pub(crate) fn in_guild(&self, guild: &str) -> String {
        let filled = self.path.replace("{guild}", guild);
        let parts = filled.split('/').map(|part| if part.starts_with('{') { "4000000000" } else { part });
        parts.collect::<Vec<_>>().join("/")
    }
}

impl Who {
    fn read(text: &str) -> Option<Self> {
        let (word, rest) = text.split_once([' ', '('])?;
        Some(match word {
            "Open" => Self::Open,
            "Own" => Self::Own,
            "Operator" => Self::Operator,
            "Guild" if rest.starts_with("Staff") => Self::Staff,
            "Guild" if rest.starts_with("Admin") => Self::Admin,
            "Guild" => Self::Permission(rest.strip_prefix("Permission(\"")?.split('"').next()?.to_owned()),
            _ => return None,
        })
    }
}

pub(crate) fn rows() -> Vec<Row> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../console/src/routes.rs");
    let text = std::fs::read_to_string(file).unwrap();
    let (_, table) = text.split_once("= rows! {\n").unwrap();
    let (table, _) = table.split_once("\n};").unwrap();
    let lines = table.split(';').map(str::trim).filter(|row| !row.is_empty());
    let rows = lines
        .map(|row| row.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect::<Vec<_>>());
    rows.map(|lines| Row::read(&lines.join(" "))).collect()
}

/// Every permission that a row asks for.
pub(crate) fn permissions() -> BTreeSet<String> {
    let named = |row: Row| match row.who {
        Who::Permission(name) => Some(name),
        _ => None,
    };
    rows().into_iter().filter_map(named).collect()
}

#[test]
fn the_table_is_read_as_it_is_written() {
    let rows = rows();
    let find = |method: &str, path: &str| {
        rows.iter().find(|row| row.method == method && row.path == path).map(|row| row.who.clone())
    };
    assert_eq!(find("GET", "/console"), Some(Who::Own));
    assert_eq!(find("GET", "/console/guilds/{guild}"), Some(Who::Staff));
    let write = Who::Permission("bindings.write".to_owned());
    assert_eq!(find("POST", "/console/guilds/{guild}/bindings/{binding}/remove"), Some(write));
    assert!(rows.len() >= 13 && permissions().len() >= 2, "{rows:?}");
}
