//! What an entry's metadata says: before and after of each field.

use std::collections::BTreeSet;

use serde_json::Value;

/// Fields that a list names.
const NAMED: usize = 4;

/// A field of the changed object. Empty: it did not exist.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) before: String,
    pub(super) after: String,
    /// In words, beside the colours.
    pub(super) change: &'static str,
}

/// The fields of `before` and `after`; other metadata are fields that were noted.
pub(super) fn fields(metadata: &Value) -> Vec<Field> {
    let (before, after) = (&metadata["before"], &metadata["after"]);
    let mut fields = Vec::new();
    for name in names(before).union(&names(after)) {
        let (old, new) = (shown(&before[*name]), shown(&after[*name]));
        let change = match (old.is_empty(), new.is_empty()) {
            (true, _) => "added",
            (_, true) => "removed",
            _ if old == new => "same",
            _ => "changed",
        };
        fields.push(Field { name: (*name).to_owned(), before: old, after: new, change });
    }
    for name in names(metadata).into_iter().filter(|name| !matches!(*name, "before" | "after")) {
        let after = shown(&metadata[name]);
        fields.push(Field { name: name.to_owned(), before: String::new(), after, change: "noted" });
    }
    fields
}

fn names(value: &Value) -> BTreeSet<&str> {
    value.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

/// Texts as they are, other values as JSON; empty where there is none.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The names of the first fields that changed.
pub(super) fn summary(metadata: &Value) -> String {
    let fields: Vec<_> = fields(metadata).into_iter().filter(|field| field.change != "same").collect();
    let mut names: Vec<_> = fields.iter().take(NAMED).map(|field| field.name.clone()).collect();
    if fields.len() > NAMED {
        names.push(format!("{} more", fields.len() - NAMED));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn before_and_after_stand_side_by_side() {
        let metadata =
            json!({ "before": { "rank": 5, "gone": "x" }, "after": { "rank": 6, "new": [1] }, "kind": "k" });
        let changes: Vec<_> =
            fields(&metadata).into_iter().map(|f| (f.name, f.before, f.after, f.change)).collect();
        let row = |name: &str, before: &str, after: &str, change| {
            (name.to_owned(), before.to_owned(), after.to_owned(), change)
        };
        let expected = [
            row("gone", "x", "", "removed"),
            row("new", "", "[1]", "added"),
            row("rank", "5", "6", "changed"),
            row("kind", "", "k", "noted"),
        ];
        assert_eq!(changes, expected);
        assert_eq!(summary(&metadata), "gone, new, rank, kind");
        assert_eq!(summary(&json!("text")), "");
    }
}
