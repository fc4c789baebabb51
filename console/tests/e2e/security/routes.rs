//! The pages and calls of people with what each needs, from the list that was reviewed (`rights.snap`): not
//! from the tables under test. A test of the console compares it with these.

use std::collections::BTreeSet;

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

/// Where pages are: those of members are below the last two.
const ROOTS: [&str; 3] = ["/console", "/link", "/apply"];
/// Pages whose query names the object.
const NEED_A_QUERY: [&str; 1] = ["/console/instance/jobs/retry"];

/// A parameter that names nothing.
pub(super) const UNKNOWN: &str = "4000000000";

impl Row {
    fn read(line: &str) -> Self {
        let (row, who) = line.split_once(" = ").unwrap();
        let (method, path) = row.split_once(' ').unwrap();
        Self { method: method.to_owned(), path: path.to_owned(), who: Who::read(who) }
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

    /// The number of literal parts of this row, if it matches the path.
    pub(crate) fn fits(&self, path: &str) -> Option<usize> {
        let (own, asked) = (self.path.split('/'), path.split('/'));
        let fits = own.clone().count() == asked.clone().count()
            && own.clone().zip(asked).all(|(own, asked)| own.starts_with('{') || own == asked);
        fits.then(|| own.filter(|part| !part.starts_with('{')).count())
    }

    /// The address in a guild, with parameters of unknown objects.
    pub(crate) fn in_guild(&self, guild: &str) -> String {
        let filled = self.path.replace("{guild}", guild);
        let parts = filled.split('/').map(|part| if part.starts_with('{') { UNKNOWN } else { part });
        parts.collect::<Vec<_>>().join("/")
    }
}

impl Who {
    fn read(text: &str) -> Self {
        match text {
            "everybody" => Self::Open,
            "signed in" => Self::Own,
            "operator" => Self::Operator,
            "staff" => Self::Staff,
            "admin" => Self::Admin,
            permission => Self::Permission(permission.to_owned()),
        }
    }
}

/// The pages of the reviewed list, and the calls of the API that people make.
fn reviewed() -> (Vec<Row>, Vec<Row>) {
    let (_, text) = include_str!("rights.snap").split_once("\n---\n").unwrap();
    text.lines()
        .filter(|line| line.contains(" = "))
        .map(Row::read)
        .partition(|row| ROOTS.contains(&&*format!("/{}", row.path.split('/').nth(1).unwrap_or_default())))
}

pub(crate) fn rows() -> Vec<Row> {
    reviewed().0
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
fn what_people_need_is_what_was_reviewed() {
    let (pages, calls) = reviewed();
    let find = |rows: &[Row], method: &str, path: &str| {
        rows.iter().find(|row| row.method == method && row.path == path).map(|row| row.who.clone())
    };
    let needs = |name: &str| Some(Who::Permission(name.to_owned()));
    assert_eq!(find(&pages, "GET", "/console"), Some(Who::Own));
    assert_eq!(find(&pages, "GET", "/console/guilds/{guild}"), Some(Who::Staff));
    assert_eq!(
        find(&pages, "POST", "/console/guilds/{guild}/bindings/{binding}/remove"),
        needs("bindings.write")
    );
    assert_eq!(
        find(&pages, "POST", "/console/guilds/{guild}/members/{member}/roles/give"),
        needs("roles.write")
    );
    assert_eq!(find(&calls, "POST", "/interactions/roles/assign"), needs("roles.write"));
    assert_eq!(find(&calls, "POST", "/guilds/{guildId}/keys"), Some(Who::Admin));
    let held: Vec<_> = permissions().into_iter().collect();
    let mut known = entities::staff_role::CHAT_PERMISSIONS.map(str::to_owned).to_vec();
    known.sort();
    assert_eq!(held, known);
}
