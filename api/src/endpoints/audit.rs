//! Before and after of a change, as recorded in audit entries (docs/rules.md 8).

use entities::ChatId;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// `{"before": …, "after": …}` with the fields that differ; `None` if all are equal.
pub(crate) fn changes<T: Serialize>(before: &T, after: &T) -> Result<Option<Value>, serde_json::Error> {
    let (mut before, mut after) = (object(before)?, object(after)?);
    let same: Vec<_> = before.keys().filter(|name| before.get(*name) == after.get(*name)).cloned().collect();
    for name in same {
        before.remove(&name);
        after.remove(&name);
    }
    Ok((!after.is_empty()).then(|| json!({ "before": before, "after": after })))
}

/// The same about what was said of a staff member, with whom it names: by that an erasure finds it.
pub(crate) fn changes_about<T: Serialize>(
    staff: ChatId,
    before: &T,
    after: &T,
) -> Result<Option<Value>, serde_json::Error> {
    let mut changes = changes(before, after)?;
    if let Some(changes) = &mut changes {
        changes["staff_id"] = json!(staff);
    }
    Ok(changes)
}

fn object<T: Serialize>(value: &T) -> Result<Map<String, Value>, serde_json::Error> {
    match serde_json::to_value(value)? {
        Value::Object(fields) => Ok(fields),
        other => Ok(Map::from_iter([("value".to_owned(), other)])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_differing_fields_are_recorded() {
        let before = json!({"rank": 5, "role_id": "7", "group_id": 1});
        let after = json!({"rank": 6, "role_id": "8", "group_id": 1});
        let told = changes(&before, &after).unwrap();
        let expected = json!({"before": {"rank": 5, "role_id": "7"}, "after": {"rank": 6, "role_id": "8"}});
        assert_eq!(told, Some(expected));
        assert_eq!(changes(&after, &after).unwrap(), None);
    }
}
