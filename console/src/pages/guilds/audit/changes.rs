//! The metadata of an entry: before and after of each field, in words.

use std::collections::BTreeSet;

use people::labels;
use serde_json::Value;

use crate::html::format::{When, shortened};

/// Fields that a list names.
const FIELDS_NAMED: usize = 3;
/// A field that was noted without a value.
const NOTHING: (&Shown, &Shown) = (&Shown::Nothing, &Shown::Nothing);
/// Letters of a value in a list.
const VALUE_LETTERS: usize = 40;

/// A value in words.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Nothing,
    Text(String),
    Time(When),
}

impl From<String> for Shown {
    fn from(text: String) -> Self {
        if text.is_empty() { Self::Nothing } else { Self::Text(text) }
    }
}

/// A field of the changed object. Nothing: it did not exist.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) label: String,
    /// As the API names it.
    pub(super) name: String,
    pub(super) before: Shown,
    pub(super) after: Shown,
    /// In words, beside the colours.
    pub(super) change: &'static str,
}

/// The fields of `before` and `after`; other metadata are fields that were noted. `words` has a field's value in words.
pub(super) fn fields(metadata: &Value, words: impl Fn(&str, &Value) -> Shown) -> Vec<Field> {
    let (before, after) = (&metadata["before"], &metadata["after"]);
    let field = |name: &str, before: Shown, after: Shown, change| Field {
        label: labels::label(name),
        name: name.to_owned(),
        before,
        after,
        change,
    };
    let mut fields = Vec::new();
    for name in names(before).union(&names(after)) {
        let (old, new) = (words(name, &before[*name]), words(name, &after[*name]));
        let change = match (&old, &new) {
            (Shown::Nothing, _) => "added",
            (_, Shown::Nothing) => "removed",
            _ if old == new => "same",
            _ => "changed",
        };
        fields.push(field(name, old, new, change));
    }
    for name in names(metadata).into_iter().filter(|name| !matches!(*name, "before" | "after")) {
        fields.push(field(name, Shown::Nothing, words(name, &metadata[name]), "noted"));
    }
    fields.retain(|field| (&field.before, &field.after) != NOTHING);
    fields
}

fn names(value: &Value) -> BTreeSet<&str> {
    value.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

/// The first fields that changed, with their values.
pub(super) fn summary(metadata: &Value, words: impl Fn(&str, &Value) -> String) -> String {
    let fields = fields(metadata, |name, value| words(name, value).into());
    let has_changed = |field: &Field| field.change != "same" && (&field.before, &field.after) != NOTHING;
    let mut fields: Vec<_> = fields.into_iter().filter(has_changed).collect();
    // The most relevant fields come first.
    fields.sort_by_key(|field| field.name != "reason");
    let mut parts: Vec<_> = fields.iter().take(FIELDS_NAMED).map(Field::in_short).collect();
    if fields.len() > FIELDS_NAMED {
        parts.push(format!("{} more", fields.len() - FIELDS_NAMED));
    }
    parts.join(" · ")
}

impl Field {
    fn in_short(&self) -> String {
        let text = |value: &Shown| match value {
            Shown::Text(text) => shortened(text, VALUE_LETTERS),
            Shown::Nothing | Shown::Time(_) => String::new(),
        };
        match self.change {
            "changed" => format!("{}: {} → {}", self.label, text(&self.before), text(&self.after)),
            "removed" => format!("{}: {} → none", self.label, text(&self.before)),
            _ => format!("{}: {}", self.label, text(&self.after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn as_json(value: &Value) -> String {
        if value.is_null() { String::new() } else { value.to_string() }
    }

    #[test]
    fn before_and_after_stand_side_by_side() {
        let metadata =
            json!({ "before": { "rank": 5, "gone": "x" }, "after": { "rank": 6, "new": [1] }, "kind": "k" });
        let changes: Vec<_> = fields(&metadata, |_, value| as_json(value).into())
            .into_iter()
            .map(|f| (f.label, f.before, f.after, f.change))
            .collect();
        let row = |name: &str, before: &str, after: &str, change| {
            (name.to_owned(), Shown::from(before.to_owned()), Shown::from(after.to_owned()), change)
        };
        let expected = [
            row("Gone", "\"x\"", "", "removed"),
            row("New", "", "[1]", "added"),
            row("Rank", "5", "6", "changed"),
            row("Kind", "", "\"k\"", "noted"),
        ];
        assert_eq!(changes, expected);
        let short = |metadata: &Value| summary(metadata, |_, value| as_json(value));
        assert_eq!(short(&metadata), r#"Gone: "x" → none · New: [1] · Rank: 5 → 6 · 1 more"#);
        assert_eq!(short(&json!("text")), "");
        assert_eq!(short(&json!({ "reason": "é".repeat(60) })), format!("Reason: \"{}…", "é".repeat(39)));
    }
}
