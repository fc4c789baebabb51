//! What an entry's metadata says: before and after of each field, in words.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::labels;

/// Fields that a list names.
const NAMED: usize = 4;

/// A field of the changed object. Empty: it did not exist.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) label: String,
    /// As the API names it.
    pub(super) name: String,
    pub(super) before: String,
    pub(super) after: String,
    /// In words, beside the colours.
    pub(super) change: &'static str,
}

/// The fields of `before` and `after`; other metadata are fields that were noted. `words` has a field's value in words.
pub(super) fn fields(metadata: &Value, words: impl Fn(&str, &Value) -> String) -> Vec<Field> {
    let (before, after) = (&metadata["before"], &metadata["after"]);
    let field = |name: &str, before: String, after: String, change| Field {
        label: labels::label(name),
        name: name.to_owned(),
        before,
        after,
        change,
    };
    let mut fields = Vec::new();
    for name in names(before).union(&names(after)) {
        let (old, new) = (words(name, &before[*name]), words(name, &after[*name]));
        let change = match (old.is_empty(), new.is_empty()) {
            (true, _) => "added",
            (_, true) => "removed",
            _ if old == new => "same",
            _ => "changed",
        };
        fields.push(field(name, old, new, change));
    }
    for name in names(metadata).into_iter().filter(|name| !matches!(*name, "before" | "after")) {
        fields.push(field(name, String::new(), words(name, &metadata[name]), "noted"));
    }
    fields
}

fn names(value: &Value) -> BTreeSet<&str> {
    value.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

/// The labels of the first fields that changed.
pub(super) fn summary(metadata: &Value) -> String {
    let fields = fields(metadata, |_, value| if value.is_null() { String::new() } else { value.to_string() });
    let fields: Vec<_> = fields.into_iter().filter(|field| field.change != "same").collect();
    let mut names: Vec<_> = fields.iter().take(NAMED).map(|field| field.label.clone()).collect();
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
        let words = |_: &str, value: &Value| if value.is_null() { String::new() } else { value.to_string() };
        let changes: Vec<_> =
            fields(&metadata, words).into_iter().map(|f| (f.label, f.before, f.after, f.change)).collect();
        let row = |name: &str, before: &str, after: &str, change| {
            (name.to_owned(), before.to_owned(), after.to_owned(), change)
        };
        let expected = [
            row("Gone", "\"x\"", "", "removed"),
            row("New", "", "[1]", "added"),
            row("Rank", "5", "6", "changed"),
            row("Kind", "", "\"k\"", "noted"),
        ];
        assert_eq!(changes, expected);
        assert_eq!(summary(&metadata), "Gone, New, Rank, Kind");
        assert_eq!(summary(&json!("text")), "");
    }
}
