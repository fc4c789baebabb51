//! The rows of a message: buttons and selects.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::fields::Fields;
use crate::form;

const MAX_ROWS: usize = 5;
const MAX_IN_ROW: usize = 5;
pub(crate) const ROW: u64 = 1;
pub(crate) const BUTTON: u64 = 2;
pub(crate) const TEXT_SELECT: u64 = 3;
/// The styles of buttons; the last one opens an address.
const STYLES: [u64; 5] = [1, 2, 3, 4, LINK];
pub(crate) const LINK: u64 = 5;
/// Of texts, users, roles, both, channels.
pub(crate) const SELECTS: [u64; 5] = [TEXT_SELECT, 5, 6, 7, 8];
const IN_ROW: [u64; 6] = [BUTTON, TEXT_SELECT, 5, 6, 7, 8];

/// Buttons and selects in these rows.
pub(crate) fn in_rows(rows: &[Value]) -> impl Iterator<Item = &Value> {
    rows.iter().flat_map(|row| row["components"].as_array().into_iter().flatten())
}

/// Numbers rows and what is in them in their order, as the platform does.
pub(crate) fn number(components: &mut [Value], last: &mut u64) {
    for component in components {
        *last += 1;
        component["id"] = json!(*last);
        if let Some(Value::Array(inner)) = component.get_mut("components") {
            number(inner, last);
        } else if let Some(inner) = component.get_mut("component") {
            number(std::slice::from_mut(inner), last);
        }
    }
}

pub(super) fn check_rows(message: &mut Fields<'_, '_>) {
    let mut ids = HashSet::new();
    message.each("components", 0..=MAX_ROWS, |row| {
        row.choice("type", &[ROW]);
        let mut selects = 0;
        row.each("components", 1..=MAX_IN_ROW, |component| match component.choice("type", &IN_ROW) {
            BUTTON => check_button(component, &mut ids),
            kind if SELECTS.contains(&kind) => {
                selects += 1;
                check_select(component, kind, &mut ids);
            }
            _ => {}
        });
        if selects > 0 && row.list("components", 0..=MAX_IN_ROW).len() > 1 {
            let text = "A select takes the whole width of its row.".to_owned();
            row.error("components", ("COMPONENT_LAYOUT_WIDTH_EXCEEDED", text));
        }
    });
}

/// Each `custom_id` stands once in a message.
pub(super) fn check_custom_id<'f>(component: &mut Fields<'f, '_>, ids: &mut HashSet<&'f str>) {
    let Some(id) = component.required_text("custom_id", 1..=100) else { return };
    if !ids.insert(id) {
        let text = "Component custom id cannot be duplicated".to_owned();
        component.error("custom_id", ("COMPONENT_CUSTOM_ID_DUPLICATED", text));
    }
}

fn check_button<'f>(button: &mut Fields<'f, '_>, ids: &mut HashSet<&'f str>) {
    if button.choice("style", &STYLES) == LINK {
        if button.get("url").is_none() {
            button.error("url", form::required());
        }
        button.address("url");
    } else {
        check_custom_id(button, ids);
    }
    button.flag("disabled");
    if button.text("label", 0..=80).is_none_or(str::is_empty) && button.get("emoji").is_none() {
        let text = "A button has a label, an emoji, or both.".to_owned();
        button.error("label", ("BUTTON_COMPONENT_LABEL_REQUIRED", text));
    }
}

fn check_select<'f>(select: &mut Fields<'f, '_>, kind: u64, ids: &mut HashSet<&'f str>) {
    check_custom_id(select, ids);
    select.text("placeholder", 0..=150);
    select.number("min_values", 0..=25);
    select.number("max_values", 1..=25);
    select.flag("disabled");
    if kind != TEXT_SELECT {
        return;
    }
    check_options(select, 25);
}

pub(super) fn check_options(select: &mut Fields<'_, '_>, most: usize) {
    let mut values = HashSet::new();
    select.each("options", 1..=most, |option| {
        option.required_text("label", 1..=100);
        option.text("description", 0..=100);
        let value = option.required_text("value", 1..=100);
        if value.is_some_and(|value| !values.insert(value)) {
            let text = "The specified option value is already used".to_owned();
            option.error("value", ("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", text));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::form::MessageForm;

    fn button(id: &str) -> Value {
        json!({ "type": 2, "style": 1, "label": "b", "custom_id": id })
    }

    fn row(components: Vec<Value>) -> Value {
        json!({ "type": 1, "components": components })
    }

    fn refused(rows: Vec<Value>) -> Option<String> {
        let body = json!({ "components": rows });
        let refused = MessageForm::read(body.as_object().unwrap()).err()?;
        Some(refused.body.unwrap()["errors"].to_string())
    }

    #[test]
    fn rows_hold_five_buttons_or_one_select() {
        let five = |row: usize| (0..5).map(|n| button(&format!("{row}.{n}"))).collect::<Vec<_>>();
        assert_eq!(refused((0..5).map(|number| row(five(number))).collect()), None);
        let select = json!({ "type": 3, "custom_id": "s", "options": [{ "label": "l", "value": "v" }] });
        assert_eq!(refused(vec![row(vec![select.clone()])]), None);
        let six = (0..6).map(|n| button(&n.to_string())).collect();
        for (rows, named) in [
            ((0..6).map(|number| row(five(number))).collect(), "between 0 and 5"),
            (vec![row(six)], "between 1 and 5"),
            (vec![row(vec![])], "between 1 and 5"),
            (vec![button("a")], "BASE_TYPE_CHOICES"),
            (vec![row(vec![button("a"), button("a")])], "COMPONENT_CUSTOM_ID_DUPLICATED"),
            (vec![row(vec![button(&"x".repeat(101))])], "between 1 and 100"),
            (vec![row(vec![select, button("a")])], "COMPONENT_LAYOUT_WIDTH_EXCEEDED"),
            (vec![row(vec![json!({ "type": 2, "style": 5, "label": "l" })])], "BASE_TYPE_REQUIRED"),
            (vec![row(vec![json!({ "type": 2, "style": 1, "custom_id": "a" })])], "LABEL_REQUIRED"),
            (vec![row(vec![json!({ "type": 3, "custom_id": "a" })])], "BASE_TYPE_REQUIRED"),
        ] {
            let errors = refused(rows).unwrap_or_default();
            assert!(errors.contains(named), "{named}: {errors}");
        }
    }
}
