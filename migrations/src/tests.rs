//! Programs and schemas of different releases.

use super::*;

fn later(names: &[&str]) -> Difference {
    compare(CHANGES.map(|change| change.name).iter().chain(names).map(ToString::to_string).collect())
}

#[test]
fn a_program_runs_on_later_schemas_until_what_it_uses_is_removed() {
    let newest = CHANGES[CHANGES.len() - 1].name.split_once('_').unwrap().0;
    let contracted = format!("m9002_drop_nickname_after_{newest}");
    for allowed in [&[][..], &["m9001_more"], &["m9001_more", &contracted]] {
        let found = later(allowed);
        assert_eq!((found.unknown.len(), found.refused.len(), found.pending.len()), (allowed.len(), 0, 0));
    }
    let found = later(&["m9001_more", "m9002_drop_nickname_after_m9001"]);
    assert_eq!(found.refused, ["m9002_drop_nickname_after_m9001"]);
}

#[test]
fn a_schema_of_another_line_is_refused() {
    let found = compare(vec!["m9001_more".to_owned()]);
    assert_eq!((found.pending.len(), found.refused), (CHANGES.len(), vec!["m9001_more".to_owned()]));
}

/// The first words of a statement, without its comments.
fn words(statement: &str) -> Vec<String> {
    let code = statement.lines().filter(|line| !line.trim_start().starts_with("--"));
    code.flat_map(str::split_whitespace).map(str::to_owned).collect()
}

/// Triggers that older programs survive: of the audit log they only insert rows, and their retention leaves the rows to
/// a newer one's; the numbers of sanctions they count before the trigger, which then finds them counted.
const SURVIVED: [&str; 4] =
    ["audit_entry_erased", "audit_entry_deleted", "audit_entry_truncated", "sanction_numbered"];

/// The first statement that an older program might not survive.
fn contracting(change: &Change) -> Option<String> {
    let statements: Vec<Vec<String>> = change.statements(true).map(|statement| words(&statement)).collect();
    let is_new = |table: &String| {
        statements.iter().any(|words| words.starts_with(&["CREATE".into(), "TABLE".into(), table.clone()]))
    };
    let expands = |words: &Vec<String>| {
        let at = |word: &str| words.iter().position(|found| found == word);
        match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [] | ["CREATE", "TABLE" | "INDEX" | "FUNCTION", ..] => true,
            ["CREATE", "TRIGGER", name, ..] if SURVIVED.contains(name) => true,
            ["CREATE", "UNIQUE", "INDEX", ..] | ["CREATE", "TRIGGER", ..] => {
                is_new(&words[at("ON").unwrap() + 1])
            }
            ["ALTER", "TABLE", _, "ADD", "COLUMN", ..] => at("NOT").is_none() || at("DEFAULT").is_some(),
            _ => false,
        }
    };
    statements.iter().find(|words| !expands(words)).map(|words| words.join(" "))
}

#[test]
fn a_change_that_older_programs_do_not_survive_says_so_in_its_name() {
    for change in CHANGES.iter().filter(|change| !change.name.contains("_after_")) {
        assert_eq!(contracting(change), None, "{}: CONTRIBUTING.md, Expand and contract", change.name);
    }
    for sql in [
        "DROP TABLE guild;\n",
        "ALTER TABLE guild DROP COLUMN name;\n",
        "ALTER TABLE guild RENAME COLUMN name TO title;\n",
        "-- A comment.\nALTER TABLE guild ADD COLUMN size bigint NOT NULL;\n",
        "CREATE UNIQUE INDEX guild_name ON guild (name);\n",
        "CREATE TABLE item (a bigint);\n\nUPDATE guild SET name = '';\n",
    ] {
        assert!(contracting(&Change { name: "m9001_x", sql }).is_some(), "{sql}");
    }
}
