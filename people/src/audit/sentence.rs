//! An entry as a sentence: who did what to whom. The words come from `action_table`.

use entities::audit_entry::{Model, Source};
use serde_json::Value;

use super::action_table::{self, Target};
use super::names::Names;
use super::style::Style;

/// Where the entry does not have a field that its sentence needs.
const UNKNOWN: &str = "(unknown)";

/// "Maya banned Kestrel until 12 Dec 2026". A client's own action stays as it is.
pub fn sentence(names: &Names, entry: &Model, style: Style) -> String {
    let who = match entry.actor_id {
        0 => "Guildhall".to_owned(),
        id => id.to_string().parse().map_or_else(|_| id.to_string(), |actor| names.person(actor, style)),
    };
    let action = action_table::of(&entry.action).filter(|_| entry.source == Source::Service);
    let Some(action) = action else {
        let text = |text: &str| (style.text)(text);
        let target = match entry.target_id.as_str() {
            "" => String::new(),
            target => format!(" about {}", text(target)),
        };
        return format!("{who} noted {}{target}", text(&entry.action));
    };
    let field = |name: &str| {
        let text = if name == "target" {
            target(names, action.target, entry, style)
        } else {
            names.value(name, find(&entry.metadata, name), style)
        };
        (!text.is_empty()).then_some(text)
    };
    format!("{who} {}", filled(action.done, field))
}

/// Why it was done, where the sentence does not say it.
pub fn reason(entry: &Model) -> Option<&str> {
    let action = action_table::of(&entry.action).filter(|_| entry.source == Source::Service)?;
    let reason = find(&entry.metadata, "reason").as_str()?;
    (!action.done.contains("{reason}") && !reason.is_empty()).then_some(reason)
}

fn target(names: &Names, kind: Target, entry: &Model, style: Style) -> String {
    let field = match kind {
        Target::Person => "staff_id",
        Target::Role => "role_id",
        Target::Other => "",
    };
    names.value(field, &Value::from(entry.target_id.as_str()), style)
}

/// The value as it became, was noted, or was before.
fn find<'a>(metadata: &'a Value, name: &str) -> &'a Value {
    let places = [&metadata["after"][name], &metadata[name], &metadata["before"][name]];
    places.into_iter().find(|value| !value.is_null()).unwrap_or(&Value::Null)
}

/// Parts in brackets are left out where a field is absent.
fn filled(pattern: &str, field: impl Fn(&str) -> Option<String>) -> String {
    let piece = |(n, piece): (usize, &str)| {
        let required = (n % 2 == 0).then_some(UNKNOWN);
        let parts = piece.split(['{', '}']).enumerate();
        let part = |(n, part): (usize, &str)| match n % 2 {
            0 => Some(part.to_owned()),
            _ => field(part).or_else(|| required.map(str::to_owned)),
        };
        parts.map(part).collect::<Option<String>>().unwrap_or_default()
    };
    pattern.split(['[', ']']).enumerate().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pattern_is_filled_and_leaves_out_what_is_absent() {
        let field = |name: &str| match name {
            "target" => Some("Kestrel".to_owned()),
            "expires_at" => Some("12 Dec 2026".to_owned()),
            _ => None,
        };
        let done = "banned {target}[ in {place_id}][ until {expires_at}]";
        assert_eq!(filled(done, field), "banned Kestrel until 12 Dec 2026");
        assert_eq!(filled("added the quota {name}", field), "added the quota (unknown)");
    }

    #[test]
    fn what_became_comes_before_what_was() {
        let metadata = json!({ "before": { "rank": 5, "gone": 1 }, "after": { "rank": 6 }, "kind": "k" });
        assert_eq!(
            ["rank", "gone", "kind"].map(|name| find(&metadata, name).clone()),
            [json!(6), json!(1), json!("k")]
        );
    }
}
