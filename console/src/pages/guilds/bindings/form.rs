//! The form of a binding: what it offers, and what it sends.

use entities::binding::{Binding, Kind, Rule};
use people::values::binding_type;
use serde_json::{Map, Value};

use crate::fields::Fields;

/// What the form shows; the API's errors name them.
const FIELDS: [&str; 9] = [
    "group_id",
    "type",
    "rank",
    "min_rank",
    "max_rank",
    "group_role_id",
    "role_id",
    "priority",
    "nickname_template",
];
/// Those that have their errors beside them.
const SHOWN: &[&str] = FIELDS.split_at(1).1;
const SHOWN_WITHOUT_GROUP: &[&str] = &["type", "role_id", "priority", "nickname_template"];
const WITHOUT_GROUP: [Kind; 2] = [Kind::Verified, Kind::Unverified];
const NUMBERS: [&str; 4] = ["rank", "min_rank", "max_rank", "priority"];

/// The fields beside which the page has their errors.
pub(super) fn shown(has_group: bool) -> &'static [&'static str] {
    if has_group { SHOWN } else { SHOWN_WITHOUT_GROUP }
}

/// The types and their labels. The first one is chosen unless the form says otherwise.
pub(super) fn types(has_group: bool) -> Vec<(&'static str, &'static str)> {
    let offered = |kind: &Kind| has_group || WITHOUT_GROUP.contains(kind);
    Kind::ALL.into_iter().filter(offered).map(|kind| (kind.name(), binding_type(kind))).collect()
}

/// The body of the API for a form. The group is a hidden field, which the types without one leave out.
pub(super) fn body(form: &Fields) -> Map<String, Value> {
    let mut body = form.json(&FIELDS);
    for field in NUMBERS {
        if let Some(number) = form.read::<i64>(field) {
            body.insert(field.to_owned(), number.into());
        }
    }
    let kind = body.entry("type").or_insert_with(|| Kind::GroupRank.name().into());
    if WITHOUT_GROUP.iter().any(|without| *kind == *without.name()) {
        body.remove("group_id");
    }
    body
}

/// The body of the API that makes a binding what its form says. The API keeps the fields that are absent, so those that were emptied
/// are sent too, except for the group and the role.
pub(super) fn change(form: &Fields, before: &Binding) -> Map<String, Value> {
    let mut body = body(form);
    let kind = Kind::ALL.into_iter().find(|kind| body.get("type").is_some_and(|sent| *sent == *kind.name()));
    let known = Fields::of(&borrowed(&again(&before.rule)));
    for field in ["rank", "min_rank", "max_rank", "group_role_id"] {
        if kind.is_some_and(|kind| kind.fields().contains(&field)) {
            body.entry(field).or_insert(Value::Null);
        } else if form.text(field) == known.text(field) {
            // Of the type that it had.
            body.remove(field);
        }
    }
    body.insert("binding_id".to_owned(), before.id.to_string().into());
    body.entry("priority").or_insert(0.into());
    // One that leaves nicknames alone is the empty text, as this field of the form.
    if before.rule.nickname_template.as_deref() != Some("") {
        body.entry("nickname_template").or_insert(Value::Null);
    }
    body
}

/// The fields that make a binding again.
pub(super) fn again(rule: &Rule) -> Vec<(String, String)> {
    let fields = match serde_json::to_value(rule) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let text = |(name, value): (String, Value)| match value {
        Value::Null => None,
        Value::String(text) => Some((name, text)),
        value => Some((name, value.to_string())),
    };
    fields.into_iter().filter_map(text).collect()
}

pub(super) fn borrowed(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use entities::binding::Condition;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_sends_what_was_emptied_and_nothing_of_the_type_before() {
        let rule = Rule {
            priority: 3,
            nickname_template: Some("{play_id}".to_owned()),
            ..Rule::new(Condition::GroupRank { group: "5".parse().unwrap(), rank: 9 }, "7".parse().unwrap())
        };
        let before = Binding { id: "4".parse().unwrap(), rule, created_at: entities::Timestamp::MIN_UTC };
        let sent = |fields: &[(&str, &str)]| Value::Object(change(&Fields::of(fields), &before));
        let group = ("group_id", "5");
        assert_eq!(
            sent(&[group, ("type", "group_member"), ("rank", "9"), ("role_id", "7")]),
            json!({ "binding_id": "4", "type": "group_member", "group_id": "5", "role_id": "7", "priority": 0,
                    "nickname_template": null })
        );
        let emptied = sent(&[group, ("type", "group_rank"), ("rank", ""), ("priority", "x")]);
        assert_eq!((&emptied["rank"], &emptied["priority"]), (&Value::Null, &json!("x")));
        assert_eq!(sent(&[group, ("type", "group_member"), ("rank", "8")])["rank"], 8);
    }

    #[test]
    fn a_rule_survives_its_form_and_types_without_a_group_send_none() {
        let (group, role) = ("5".parse().unwrap(), "7".parse().unwrap());
        for condition in [Condition::GroupRankRange { group, min: 1, max: 9 }, Condition::Verified] {
            let rule = Rule {
                priority: 3,
                nickname_template: Some("{play_id}".to_owned()),
                ..Rule::new(condition, role)
            };
            let pairs = again(&rule);
            let mut pairs: Vec<_> =
                pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            if condition == Condition::Verified {
                pairs.push(("group_id", "5"));
            }
            let mut sent = body(&Fields::of(&pairs));
            if let Some(group) = sent.get_mut("group_id") {
                *group = 5.into();
            }
            assert_eq!(Value::Object(sent), serde_json::to_value(&rule).unwrap());
        }
        assert_eq!(body(&Fields::of(&[("rank", "3")]))["type"], "group_rank");
        assert_eq!((types(true).len(), types(false).len()), (6, 2));
    }
}
